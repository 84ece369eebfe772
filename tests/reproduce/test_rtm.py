# SPDX-License-Identifier: Apache-2.0
"""`takt reproduce rtm`: the sweep up to overload, what is worked out from its rows, and what is kept of it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from command_line import Takt, documented, keys
from running import only_full
from takt.bench import documents as kept_documents
from takt.bench.studies import rtm, rtm_kernels, rtm_runs
from takt.bench.studies.rtm_runs import Run, Seen
from takt.reproduce import rtm as reproduced
from takt.reproduce import rtm_figures, rtm_page
from takt.reproduce.rtm_studies import points
from takt.support.provision import ROOT
from takt.sweep import experiments, runs

STUDY = """
generator = "rtm"
kernels = ["classic", "nos"]
codecs = ["adpcm decode", "gsm encode"]
channels = [2, 10, 26]
own = [{ codec = "gsm encode", channels = [1, 4], periods = 1 }]
seeds = 2
"""
SPAN_NS = 320_000_000
LATE_FROM = {"adpcm decode": 15, "gsm encode": 4}


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "runs.toml"
    path.write_text(STUDY, encoding="utf-8")
    return path


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> list[Run]:
    """Runs, which follow a rule: a channel costs a percent, the task manager halves all; from LATE_FROM on frames
    are late, with the second seed one channel earlier."""
    runs: list[Run] = []

    def execute(run: Run) -> Seen:
        runs.append(run)
        percent = run.channels if run.kind == "software" else run.channels / 2
        names = rtm.CATEGORIES[run.kernel]
        counted = {name: round(percent / 100 * SPAN_NS / rtm_runs.CYCLE_NS / len(names)) for name in names}
        late = run.channels + (run.seed == 2) >= LATE_FROM[run.codec]
        return Seen(SPAN_NS, int(late), [7000, 7000, 100 * run.channels * run.seed], [0, 40 * run.channels], counted)

    monkeypatch.setattr(rtm_runs, "execute", execute)
    monkeypatch.setattr(experiments, "build", lambda some: None)
    return runs


def measured(study: Path, simulated: list[Run]) -> dict[str, Any]:
    return reproduced.measure(experiments.load(study), study.with_name("rows"))


def test_channels_are_tried_upwards_until_frames_are_late(study: Path, simulated: list[Run]) -> None:
    """Then the least number is looked for with one seed; 26 is never simulated in between."""
    document = measured(study, simulated)
    tried = sorted((run.channels, run.seed) for run in simulated if (run.kernel, run.kind) == ("nos", "manager"))
    adpcm = [(2, 1), (2, 2), (10, 1), (10, 2), (26, 1), (26, 2), (18, 1), (14, 1), (16, 1), (15, 1)]
    assert tried == sorted([*adpcm, (1, 1), (1, 2), (4, 1), (4, 2), (2, 1), (3, 1)])
    assert len(set(simulated)) == len(simulated)
    assert {(run.codec, run.periods) for run in simulated} == {("adpcm decode", 2), ("gsm encode", 1)}
    found = {(one["codec"], one["in_time"], one["late"]) for one in document["overload"]}
    assert found == {("adpcm decode", 14, 15), ("gsm encode", 3, 4)}
    assert len(document["overload"]) == 2 * 2 * 2


def test_a_kernel_may_be_run_in_software_alone(study: Path, simulated: list[Run]) -> None:
    study.write_text(STUDY.replace("seeds = 2", 'seeds = 1\nsoftware = ["nos"]'), encoding="utf-8")
    document = measured(study, simulated)
    found = {(run.kernel, run.kind) for run in simulated}
    assert found == {("classic", "software"), ("classic", "manager"), ("nos", "software")}
    assert {(one["kernel"], one["kind"]) for one in document["overload"]} == found


def test_without_late_frames_there_is_no_overload(study: Path, simulated: list[Run]) -> None:
    study.write_text(STUDY.replace("[2, 10, 26]", "[2, 10]"), encoding="utf-8")
    document = measured(study, simulated)
    assert {(one["in_time"], one["late"]) for one in document["overload"] if one["codec"] != "gsm encode"} == {
        (10, None)
    }
    assert "10 and more" in reproduced.overload_table(document).text()


def test_a_sweep_goes_on_where_it_was_stopped(
    takt: Takt, study: Path, tmp_path: Path, simulated: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever stops it: rows that are there are not computed again, and all are as without a stop."""
    whole = takt("sweep", study, "--jobs", "1", "--out", tmp_path / "whole", "--json")
    assert whole.code == 0, whole.err
    number = len(simulated)
    simulated.clear()
    usual = runs.compute

    def stops(run: Run) -> dict[str, Any]:
        if len(simulated) == 13:
            raise KeyboardInterrupt
        return usual(run)

    monkeypatch.setattr(runs, "compute", stops)
    with pytest.raises(KeyboardInterrupt):
        experiments.sweep(experiments.load(study), tmp_path / "parts", 1)
    monkeypatch.setattr(runs, "compute", usual)
    said = takt("sweep", study, "--jobs", "1", "--out", tmp_path / "parts", "--json")
    assert said.code == 0, said.err
    first, second = json.loads(whole.out), json.loads(said.out)
    assert (first["computed"], second["computed"], second["rows"]) == (number, number - 13, number)
    assert len(simulated) == len(set(simulated)) == number
    assert (tmp_path / "parts" / "rows.csv").read_bytes() == (tmp_path / "whole" / "rows.csv").read_bytes()
    assert set(keys(second)) == documented("sweep RUNS")
    assert "gsm encode: late with 4 channels" in takt("sweep", study, "--out", tmp_path / "parts", "--jobs", "1").out


def test_a_row_belongs_to_its_run_not_to_a_study(study: Path, simulated: list[Run]) -> None:
    """A larger study goes on with the rows of a smaller one, whose own are the same afterwards."""
    small = measured(study, simulated)
    study.write_text(STUDY.replace("seeds = 2", "seeds = 3"), encoding="utf-8")
    number = len(simulated)
    large = measured(study, simulated)
    assert len(simulated) == len(set(simulated)) == len(large["rows"])
    assert {run.seed for run in simulated[number:]} == {3}
    study.write_text(STUDY, encoding="utf-8")
    assert measured(study, simulated) == small


def test_what_another_program_made_is_made_anew(
    study: Path, simulated: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of its kernel alone; and what is damaged."""
    measured(study, simulated)
    damaged = next(study.with_name("rows").glob("runs/classic*.json"))
    damaged.write_text("{", encoding="utf-8")
    simulated.clear()
    usual = rtm_runs.program
    monkeypatch.setattr(rtm_runs, "program", lambda kernel: "newer" if kernel == "nos" else usual(kernel))
    measured(study, simulated)
    assert sum(run.kernel == "classic" for run in simulated) == 1
    assert sum(run.kernel == "nos" for run in simulated) == len(simulated) - 1 > 30


def test_the_program_of_a_kernel_is_what_it_is_made_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takt's is also its kernel and the driver; what a category is counts too."""
    before = {kernel: rtm_runs.program(kernel) for kernel in rtm_kernels.KERNELS}
    assert len(set(before.values())) == len(before)
    changed = {**rtm_kernels.CATEGORIES["nos"], "tick": ("nos_tick", "nos_take")}
    monkeypatch.setitem(rtm_kernels.CATEGORIES, "nos", changed)
    patterns = [pattern for some in (rtm_runs.PROGRAM, *rtm_runs.PROGRAM_OF.values()) for pattern in some]
    assert all(list(ROOT.glob(pattern)) for pattern in patterns)
    rtm_runs.program.cache_clear()
    try:
        after = {kernel: rtm_runs.program(kernel) for kernel in rtm_kernels.KERNELS}
    finally:
        rtm_runs.program.cache_clear()
    assert {kernel for kernel in before if before[kernel] != after[kernel]} == {"nos"}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[2, 10, 26]", "[2, 2]", "a value occurs twice"),
        ("[2, 10, 26]", "[31]", "out of range 1 to 30"),
        ('"adpcm decode", "gsm encode"', '"mp3"', "must be"),
        ("seeds = 2", "seeds = 2\ntick_us = 300", "does not divide the tasks' periods"),
        ("seeds = 2", "sets = 2", 'unknown key "sets"'),
        ("periods = 1 }", 'periods = 1 }, { codec = "gsm encode", channels = [2] }', "a value occurs twice"),
    ],
)
def test_a_study_that_makes_no_sense_is_refused(takt: Takt, study: Path, old: str, new: str, words: str) -> None:
    study.write_text(STUDY.replace(old, new), encoding="utf-8")
    said = takt("sweep", study)
    assert said.code == 2
    assert words in said.err


def test_misuse(takt: Takt, study: Path, simulated: list[Run]) -> None:
    for options, words in ((("--cluster", "tcp://10.0.0.5:1"), "on this machine"), (("--format", "parquet"), "as CSV")):
        said = takt("sweep", study, *options)
        assert said.code == 2
        assert words in said.err
    measured(study, simulated)
    said = takt("sweep", study, "--out", study.parent)
    assert said.code == 2
    assert "has no rows of runs" in said.err
    assert takt("reproduce", "rtm", "--kernel", "linux").code == 2
    assert takt("reproduce", "rtm", "--seeds", "0").code == 2


def row(kind: str, channels: int, cycles: dict[str, int], **more: Any) -> dict[str, Any]:
    found = {"kernel": "classic", "kind": kind, "codec": "adpcm decode", "channels": channels, "seed": 1, "periods": 2}
    found |= {"span_ns": SPAN_NS, "late": 0, "responses": {"7200": 3}, "jitter": {"0": 5, "400": 1}}
    return {**found, "cycles": {**dict.fromkeys(rtm.CATEGORIES["classic"], 0), **cycles}, **more}


def documents(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"seeds": 1, "tick_us": 100, "rows": list(rows)}


def test_claims_are_computed_from_rows() -> None:
    """The least and the most change; where frames are late nothing is compared."""
    document = documents(
        row("software", 2, {"tick": 1000, "ipc": 1000}),
        row("manager", 2, {"tick": 500, "ipc": 1000}, responses={"3600": 1}),
        row("software", 10, {"tick": 9000, "ipc": 1000}),
        row("manager", 10, {"tick": 900, "ipc": 2000}, responses={"1800": 1}),
        row("software", 20, {"tick": 9000}),
        row("manager", 20, {"tick": 1}, late=1),
    )
    found = {(one["kernel"], one["of"]): one for one in reproduced.claims(document)}
    tick = found["classic", "tick"]
    assert (tick["seed"], tick["least"], tick["most"], tick["channels"]) == ([-98], -50.0, -90.0, 10)
    whole = found["classic", "kernel_percent"]
    assert (whole["least"], whole["most"], whole["codec"]) == (-25.0, -71.0, "adpcm decode")
    assert (found["classic", "ipc"]["least"], found["classic", "ipc"]["most"]) == (100.0, 0.0)
    assert found["classic", "response_max_ns"]["most"] == -75.0
    assert found["classic", "timer interrupt"]["most"] is None  # there was none
    assert found["nos", "polling"]["most"] is None  # there are no rows


def test_seeds_of_one_configuration_are_together() -> None:
    one = points.point(
        [row("software", 2, {"tick": 1000}), row("software", 2, {"tick": 3000}, seed=2, responses={"9": 1})]
    )
    assert one.categories["tick"] == pytest.approx(100 * 2000 * rtm_runs.CYCLE_NS / SPAN_NS)
    assert one.responses == Counter({7200: 3, 9: 1})
    document = {**documents(row("software", 2, {}), row("software", 3, {}), row("software", 3, {}, seed=2)), "seeds": 2}
    assert list(reproduced.points(document, "classic", "software", "adpcm decode")) == [3]  # the other search alone


def test_lines_and_times_are_in_cycles() -> None:
    """320 ms have 3200 ticks: 70 cycles of each and 50 for each channel, and 16 frames of 500 for each channel."""
    shapes = {channels: {"tick": 3200 * (70 + 50 * channels), "ipc": 16 * 500 * channels} for channels in (2, 8, 20)}
    document = documents(*(row("software", channels, cycles) for channels, cycles in shapes.items()))
    found = {(one["of"], one["each"], one["kind"]): one for one in reproduced.lines(document)}
    tick, ipc = (found[name, "channel", "software"] for name in ("tick", "ipc"))
    assert (tick["seed"], tick["cycles"]) == (56.0, 50.0)
    assert (ipc["seed"], ipc["cycles"]) == (560.0, 500.0)
    assert found["ipc", "channel", "manager"]["cycles"] is None
    assert reproduced.fit([(2, 1.0)]) is None
    classic = [one for one in reproduced.times(document) if one["kernel"] == "classic"]
    times = {(one["of"], one["which"], one["kind"]): one for one in classic}
    common, jitter = times["responses", "common", "software"], times["jitter", "most", "software"]
    assert (common["seed"], common["cycles"]) == (360, 360)
    assert (jitter["seed"], jitter["cycles"]) == (3160, 20)


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    document: dict[str, Any] = kept_documents.results(reproduced.KEPT)
    return document


def test_what_is_kept_agrees_with_itself(kept: dict[str, Any]) -> None:
    study = experiments.load(reproduced.FULL)
    assert kept["seeds"] == study.seeds
    assert kept["channels"] == {codec: list(channels) for codec, channels in study.channels.items()}
    computed = (reproduced.claims, reproduced.lines, reproduced.times, reproduced.beside)
    for compute in computed:
        assert kept[compute.__name__] == compute(kept)
    known = {runs.run_of({**row, "tick_us": study.tick_us}): row for row in kept["rows"]}
    assert experiments.wanted(study, known) == []  # the grid is whole
    assert kept["overload"] == experiments.overload(study, known)


def test_every_panel_of_the_twelve_figures_has_rows(kept: dict[str, Any]) -> None:
    """Of codecs that are in the grid; the others say that there are none."""
    assert list(rtm_figures.FIGURES) == [f"5.{number}" for number in range(1, 13)]
    panels = {(kernel, codec) for kernel, _, codecs in rtm_figures.FIGURES.values() for codec in codecs}
    assert panels == {(kernel, codec) for kernel in rtm_kernels.SEED for codec in rtm_runs.CODECS}
    for kernel, codec in panels:
        for kind in rtm_kernels.KINDS:
            assert bool(reproduced.points(kept, kernel, kind, codec)) == (codec in kept["channels"])
    text = rtm_figures.figure(documents(), *rtm_figures.FIGURES["5.1"])
    assert text.count(f">{rtm_figures.NOTHING}<") == 8


@only_full
def test_all_figures_are_drawn(takt: Takt, tmp_path: Path, kept: dict[str, Any]) -> None:
    said = takt("reproduce", "rtm", "--out", tmp_path)
    assert said.code == 0, said.err
    assert "Changes by the task manager" in said.out
    names = {f"reproduction-rtm-{figure}.svg" for figure in rtm_figures.FIGURES} | {"reproduction-rtm-kernels.svg"}
    assert {path.name for path in tmp_path.iterdir()} == names
    text = (tmp_path / "reproduction-rtm-5.6.svg").read_text(encoding="utf-8")
    for codec in rtm_figures.PARTS[1]:
        assert f"{codec}, software" in text
        assert f"{codec}, task manager" in text
    assert "the seed: as many cycles" in text
    assert all(len((tmp_path / name).read_bytes()) < 300_000 for name in names)


def test_what_the_seed_says_is_scaled_to_our_clock() -> None:
    """0.34 + 0.29 percent and 0.28 + 0.0059 + 0.014 for each channel, of a processor of 200 MHz."""
    assert rtm_figures.seed_percent("classic", "software") == pytest.approx((4 * 0.63, 4 * 0.2999))
    assert rtm_figures.seed_percent("nos", "software") is None


def test_a_circle_is_as_large_as_its_part() -> None:
    assert rtm_figures.size(1.0) == 2 * rtm_figures.size(0.5) == 4 * rtm_figures.size(0.3)
    assert rtm_figures.size(1e-9) > 0


@only_full
def test_a_row_that_is_kept_is_measured_again(kept: dict[str, Any]) -> None:
    """To the cycle, and each of its times."""
    row = next(
        row for row in kept["rows"] if (row["kernel"], row["kind"], row["codec"]) == ("nos", "software", rtm.CODEC)
    )
    study = experiments.load(reproduced.FULL)
    again = runs.compute(runs.run_of({**row, "tick_us": study.tick_us}))
    assert {name: again[name] for name in row} == row


def test_the_keys_are_documented(
    takt: Takt, study: Path, simulated: list[Run], monkeypatch: pytest.MonkeyPatch, kept: dict[str, Any]
) -> None:
    """And a part of the grid is what options ask for."""
    monkeypatch.setattr(reproduced, "RESULTS", study.with_name("results"))
    monkeypatch.setattr(reproduced, "FULL", study)
    said = takt("reproduce", "rtm", "--kernel", "nos", "--codec", "gsm encode", "--seeds", "1", "--json")
    assert said.code == 0, said.err
    assert {(run.kernel, run.codec, run.seed) for run in simulated} == {("nos", "gsm encode", 1)}
    assert (study.with_name("results") / "runs").is_dir()  # these figures are invented: no measurement may find them
    inner = ("channels.", "rows[].cycles.", "rows[].responses.", "rows[].jitter.")
    documented_keys = documented("reproduce rtm")
    without = {key for key in documented_keys if not key.startswith("beside[].")}  # it has no 25 channels
    for document, wanted in ((json.loads(said.out), without), (kept, documented_keys)):
        assert {key for key in keys(document) if not key.startswith(inner)} == wanted


def test_the_page_has_what_is_kept(tmp_path: Path, kept: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rtm_figures, "figure", lambda *what: "drawn")
    pages = rtm_page.files(tmp_path, kept)
    text = pages[tmp_path / rtm_page.NAME]
    assert reproduced.claim_table(kept).markdown() in text
    assert reproduced.line_table(kept).markdown() in text
    assert "@" not in text
    for path in pages:
        if path.suffix == ".svg":
            assert f"({path.name})" in text
