# SPDX-License-Identifier: Apache-2.0
"""A sweep of simulated runs instead of proofs: seed 001's kernels under its workload, up to overload.

A row is a run (runs.py, takt.bench.studies.rtm_runs). Of each kernel, way of finding tasks and codec the numbers of
channels
are tried upwards; where frames are late the search ends, and by halves, with the first seed alone, it finds the least
number with which they are.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from takt.bench.studies import rtm, rtm_kernels, rtm_runs
from takt.bench.studies.rtm_runs import Run
from takt.declare.schema import reader
from takt.declare.schema.kinds import TABLES, Key, Table, choice, integer, list_of
from takt.sweep import runs as rows_of_runs
from takt.sweep.runs import MARK, Row, RunStore
from takt.sweep.store import refuse_foreign
from takt.sweep.study import digest

GENERATOR = "rtm"
SEEDS_MAX, PERIODS_MAX = 1000, 26
OWN = Table(
    "own",
    "A codec with channels of its own.",
    (
        Key("codec", choice(*rtm_runs.CODECS), "The codec.", required=True),
        Key(
            "channels",
            list_of(integer(1, rtm.MOST_CHANNELS)),
            "Channels of this codec, instead of those above.",
            required=True,
        ),
        Key("periods", integer(1, PERIODS_MAX), "Periods of this codec, instead of those above."),
    ),
)
STUDY = Table(
    "",
    "A study of runs.",
    (
        Key("generator", choice(GENERATOR), "The study is one of runs, not of task sets.", required=True),
        Key("kernels", list_of(choice(*rtm_kernels.KERNELS)), "Kernels of benchmarks/rtm.", default=rtm_kernels.SEED),
        Key(
            "software",
            list_of(choice(*rtm_kernels.KERNELS)),
            "Kernels that are not run on the task manager.",
            default=(),
        ),
        Key("codecs", list_of(choice(*rtm_runs.CODECS)), "The codec that a channel runs.", default=rtm_runs.CODECS),
        Key(
            "channels",
            list_of(integer(1, rtm.MOST_CHANNELS)),
            "Numbers of channels to run; a channel is two tasks.",
            required=True,
        ),
        Key("own", TABLES, "Codecs with channels of their own.", default=(), table=OWN),
        Key("seeds", integer(1, SEEDS_MAX), "Number of seeds of the random interrupts, from 1 on.", default=1),
        Key("periods", integer(1, PERIODS_MAX), "Simulated periods of 160 ms each.", default=rtm.PERIODS),
        Key("tick_us", integer(100, 400, 100), "Time between ticks, us.", default=rtm.TICK_US),
    ),
    many=False,
)


@dataclass(frozen=True)
class Series:
    """What is tried with more and more channels."""

    kernel: str
    kind: str
    codec: str


@dataclass(frozen=True)
class Study:
    kernels: tuple[str, ...]
    software: tuple[str, ...]  # of these without the task manager
    codecs: tuple[str, ...]
    channels: dict[str, tuple[int, ...]]  # by codec, upwards
    seeds: int
    periods: dict[str, int]  # by codec
    tick_us: int

    @property
    def series(self) -> list[Series]:
        """Codecs last: what breaks off early has some of each kernel."""
        return [
            Series(kernel, kind, codec)
            for codec in self.codecs
            for kernel in self.kernels
            for kind in rtm_kernels.KINDS_OF[kernel]
            if not (kind == "manager" and kernel in self.software)
        ]

    def run(self, series: Series, channels: int, seed: int) -> Run:
        periods = self.periods[series.codec]
        return Run(series.kernel, series.kind, series.codec, channels, seed, periods, self.tick_us)

    def facts(self) -> dict[str, Any]:
        """What results depend on besides the program, by key of the file."""
        facts: dict[str, Any] = json.loads(json.dumps({"generator": GENERATOR, **asdict(self)}))
        return facts


def is_one(path: Path) -> bool:
    """Whether a study file is of this kind. UserError: malformed."""
    return reader.load(path).data.get("generator") == GENERATOR


def load(path: Path) -> Study:
    """UserError: malformed."""
    document = reader.load(path)
    values = reader.read_table(document, STUDY, document.data, ())
    own = {one["codec"]: one for one in values["own"]}
    lists = {name: values[name] for name in ("kernels", "software", "codecs", "channels")}
    for name, found in {**lists, "own": tuple(one["codec"] for one in values["own"])}.items():
        if len(set(found)) < len(found):
            document.fail((name,), f"{name} = {reader.show_value(found)}: a value occurs twice", "each value once")
    if str(values["tick_us"]) not in rtm_runs.TICKS_US:
        problem = f"a tick of {values['tick_us']} us does not divide the tasks' periods"
        document.fail(("tick_us",), problem, " or ".join(rtm_runs.TICKS_US))
    chosen = {codec: {**values, **{k: v for k, v in own.get(codec, {}).items() if v}} for codec in values["codecs"]}
    return Study(
        kernels=values["kernels"],
        software=values["software"],
        codecs=values["codecs"],
        channels={codec: tuple(sorted(set(found["channels"]))) for codec, found in chosen.items()},
        seeds=values["seeds"],
        periods={codec: found["periods"] for codec, found in chosen.items()},
        tick_us=values["tick_us"],
    )


Known = Mapping[Run, Row]


@dataclass(frozen=True)
class Found:
    """Of a series, as far as rows are known. `missing`: runs before more can be said; when there are none: with how
    many channels no frame is late, and with how many some are, None if with none that were tried."""

    missing: list[Run]
    used: list[Run]
    in_time: int
    late: int | None


def search(study: Study, series: Series, known: Known) -> Found:
    used: list[Run] = []
    fine = 0
    for channels in study.channels[series.codec]:
        runs = [study.run(series, channels, seed) for seed in range(1, study.seeds + 1)]
        missing = [run for run in runs if run not in known]
        used += [run for run in runs if run in known]
        if missing:
            return Found(missing, used, fine, None)
        if any(known[run]["late"] for run in runs):
            return _halves(study, series, known, Found([], used, fine, channels))
        fine = channels
    return Found([], used, fine, None)


def _halves(study: Study, series: Series, known: Known, found: Found) -> Found:
    used, fine, late = [*found.used], found.in_time, found.late
    while late is not None and late - fine > 1:
        run = study.run(series, (fine + late) // 2, 1)
        if run not in known:
            return Found([run], used, fine, late)
        used.append(run)
        if known[run]["late"]:
            late = run.channels
        else:
            fine = run.channels
    return Found([], used, fine, late)


def wanted(study: Study, known: Known) -> list[Run]:
    """Runs to be made next, given those that are; none: it is finished."""
    return [run for series in study.series for run in search(study, series, known).missing]


def used(study: Study, known: Known) -> list[Run]:
    """Those whose rows the study is made of, of what is known: a folder may have more."""
    runs = [run for series in study.series for run in search(study, series, known).used]
    return sorted(runs, key=lambda run: _order(study, run))


def _order(study: Study, run: Run) -> tuple[int, int, int]:
    return study.series.index(Series(run.kernel, run.kind, run.codec)), run.channels, run.seed


def overload(study: Study, known: Known) -> list[dict[str, Any]]:
    """Of a finished study, by series: with how many channels no frame is late, and with how many some are."""
    found = ((series, search(study, series, known)) for series in study.series)
    return [{**asdict(series), "in_time": one.in_time, "late": one.late} for series, one in found]


def build(some: Sequence[Run]) -> None:
    """Images and simulators, before the runs and one after the other. UserError: one cannot be built."""
    for run in {(run.kernel, run.kind, run.tick_us): run for run in some}.values():
        rtm_runs.simulate(run)
        rtm_runs.workload(run.kernel, run.kind, run.tick_us)


def _finished(runs: Sequence[Run], jobs: int) -> Generator[tuple[int, Row], None, None]:
    """The index of each run and its row, as they are finished."""
    from takt.support import parallel

    if jobs == 1:
        yield from ((index, rows_of_runs.compute(run)) for index, run in enumerate(runs))
    else:
        hint = "run it again with --jobs 1; finished rows are kept"
        yield from parallel.as_finished(rows_of_runs.compute, runs, jobs, hint)


def compute(some: Sequence[Run], store: RunStore, known: dict[Run, Row], jobs: int) -> None:
    """Runs, whose rows are kept in the folder and in `known` as they are finished. UserError: one failed."""
    from takt.support import console

    with closing(_finished(some, jobs)) as finished, console.counting("runs", len(some)) as done:
        for index, row in finished:
            store.keep(some[index], row)
            known[some[index]] = row
            done()


def fill(study: Study, store: RunStore, jobs: int) -> tuple[dict[Run, Row], int]:
    """Computes what a folder does not have. All its rows, and how many of them are new. UserError: one failed."""
    known = store.rows()
    begun = len(known)
    build(wanted(study, known))
    while missing := wanted(study, known):
        compute(missing, store, known, jobs)
    return known, len(known) - begun


def rows_of(some: Sequence[Run], folder: Path, jobs: int) -> list[Row]:
    """The row of each run; those that a folder does not have are computed. UserError: one failed."""
    from takt.support.compile import locked

    with locked(folder):
        store = RunStore(folder)
        known = store.rows()
        missing = [run for run in some if run not in known]
        build(missing)
        compute(missing, store, known, jobs)
    return [known[run] for run in some]


def sweep(study: Study, folder: Path, jobs: int) -> tuple[dict[str, Any], list[Row]]:
    """The document of `takt sweep --json` (docs/json.md), and the study's rows. UserError: as above, or the folder has
    something else."""
    from takt.support.compile import locked

    refuse_foreign(folder, MARK, "but has no rows of runs")
    with locked(folder):
        store = RunStore(folder)
        known, computed = fill(study, store, jobs)
        rows = [known[run] for run in used(study, known)]
        path = store.write(rows)
    document = {
        "folder": str(folder),
        "hash": digest(study.facts()),
        "rows": len(rows),
        "computed": computed,
        "workers": sorted({row["worker"] for row in rows}),
        "files": [path.name],
        "overload": overload(study, known),
    }
    return document, rows
