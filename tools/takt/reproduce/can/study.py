# SPDX-License-Identifier: Apache-2.0
"""Figures 7.6 to 7.13: how many workloads of each kind are feasible, in several processes."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from takt.reproduce.can import costs
from takt.reproduce.can.judge import ALL, FREE, START, TESTS, TICKED, Judged, Setting, judge
from takt.reproduce.can.workloads import STREAMS, Kind, Lengths, draw
from takt.support import parallel
from takt.support.files import read_text
from takt.support.provision import ROOT

WORKLOADS = 1000
MOST = 100_000  # workloads that may be asked for
CHUNK = 50  # workloads
NEAR = 3.0  # points that a curve may lie from the reference


@dataclass(frozen=True)
class Case:
    """What is varied, and under which policies it is judged."""

    kind: Kind = field(default_factory=Kind)
    setting: Setting = field(default_factory=Setting)
    policies: tuple[str, ...] = ("mts", "dm")


BASE = "low-100"
CASES = {
    "low-50": Case(Kind(low_ms=50), policies=ALL),
    BASE: Case(policies=(*ALL, START, FREE, TICKED)),
    "low-200": Case(Kind(low_ms=200), policies=ALL),
    "sporadic-0": Case(Kind(sporadic=0), policies=ALL),
    "sporadic-4": Case(Kind(sporadic=4), policies=ALL),
    "epoch-4": Case(setting=Setting(epoch_ms=4), policies=("mts", TICKED)),
    "sporadic-6": Case(Kind(sporadic=6)),
    "sporadic-6-epoch-4": Case(Kind(sporadic=6), Setting(epoch_ms=4), ("mts",)),
    "idle-47": Case(setting=Setting(idle_us=47, idle_low=True)),
    "idle-94": Case(setting=Setting(idle_us=94, idle_low=True)),
    "idle-47-all": Case(setting=Setting(idle_us=47)),
    "idle-94-all": Case(setting=Setting(idle_us=94)),
    "inheritance": Case(setting=Setting(inheritance=True)),
}
FIGURES = {
    "7.6": ("low-50",),
    "7.7": (BASE,),
    "7.8": ("low-200",),
    "7.9": ("sporadic-0",),
    "7.10": ("sporadic-4",),
    "7.11": (BASE, "epoch-4", "sporadic-6", "sporadic-6-epoch-4"),
    "7.12": (BASE, "idle-47", "idle-94"),
    "7.12-all": (BASE, "idle-47-all", "idle-94-all"),
    "7.13": (BASE, "inheritance"),
}
"""The cases of each figure. 7.12-all: as its text has it, in place of what gives its curves."""

Document = dict[str, Any]


def reference() -> Document:
    """benchmarks/reference/reproduction-can.toml."""
    return tomllib.loads(read_text(ROOT / "benchmarks" / "reference" / "reproduction-can.toml"))


@dataclass(frozen=True)
class Chunk:
    """Neighbouring workloads of a point."""

    seed: int
    case: str
    streams: int
    numbers: range


def count(chunk: Chunk) -> Counter[tuple[str, ...]]:
    """How many workloads are what, by words; their load, in ppm."""
    case, found = CASES[chunk.case], Counter[tuple[str, ...]]()
    for number in chunk.numbers:
        workload = draw(chunk.seed, case.kind, chunk.streams, number)
        for name, lengths in (("load", Lengths.PLAIN), ("load_stuffed", Lengths.STUFFED)):
            found[name,] += round(1e6 * workload.load(lengths))
        for policy in case.policies:
            judged = {test: judge(workload, case.setting, test, policy) for test in TESTS}
            for test, one in judged.items():
                found.update(_words(test, policy, one))
            found["refuted", policy] += judged["historic"].feasible and not judged["sound"].feasible
    return found


def _words(test: str, policy: str, one: Judged) -> list[tuple[str, ...]]:
    words: list[tuple[str, ...]] = [("feasible", test, policy)] if one.feasible else []
    if one.undecided:
        words.append(("undecided", test, policy))
    if policy == "mts" and not one.feasible:
        low, high = one.low != 0, one.high != 0
        words += [(name, test) for name, so in (("low", low), ("only_low", low and not high)) if so]
    return words


def chunks(seed: int, cases: Sequence[str], number: int, streams: Sequence[int] = STREAMS) -> list[Chunk]:
    starts = range(0, number, CHUNK)
    return [
        Chunk(seed, case, point, range(start, min(start + CHUNK, number)))
        for case in cases
        for point in streams
        for start in starts
    ]


Points = dict[tuple[str, int], Counter[tuple[str, ...]]]
"""By case and number of streams."""


def run(parts: Sequence[Chunk], workers: int, done: Callable[[], None]) -> Points:
    """Calls `done` for every part."""
    found: Points = {}
    for chunk, counted in zip(parts, parallel.in_order(count, parts, workers, done), strict=True):
        found.setdefault((chunk.case, chunk.streams), Counter()).update(counted)
    return found


def cases_of(figures: Sequence[str]) -> list[str]:
    """In the order of CASES; of no figure those of all."""
    wanted = {case for figure in figures or FIGURES for case in FIGURES[figure]}
    return [case for case in CASES if case in wanted]


def of(points: Points, seed: int, number: int) -> Document:
    """What is worked out from the counts."""
    streams = sorted({point for _, point in points})

    def share(case: str, *words: str, among: int = number) -> list[float]:
        return [round(100 * points[case, point][words] / among, 2) for point in streams]

    def by_test(case: str, word: str) -> dict[str, dict[str, list[float]]]:
        return {test: {policy: share(case, word, test, policy) for policy in CASES[case].policies} for test in TESTS}

    def failed(case: str, word: str) -> dict[str, list[float | None]]:
        """Percent of the workloads that are not feasible under MTS."""
        found: dict[str, list[float | None]] = {}
        for test in TESTS:
            found[test] = []
            for point in streams:
                among = number - points[case, point]["feasible", test, "mts"]
                found[test].append(round(100 * points[case, point][word, test] / among, 1) if among else None)
        return found

    document: Document = {
        "workloads": number,
        "seed": seed,
        "streams": streams,
        "cases": {
            case: {
                "load": share(case, "load", among=1_000_000 * number),
                "load_stuffed": share(case, "load_stuffed", among=1_000_000 * number),
                "feasible": by_test(case, "feasible"),
                "undecided": by_test(case, "undecided"),
                "refuted": {policy: share(case, "refuted", policy) for policy in CASES[case].policies},
                "failed": {word: failed(case, word) for word in ("low", "only_low")},
            }
            for case in CASES
            if any(of_case == case for of_case, _ in points)
        },
    }
    document["far"] = far(document)
    document["statements"] = statements(document)
    return document


def gaps(document: Document) -> list[dict[str, Any]]:
    """Every point of the reference, with ours beside it."""
    known = reference()
    rows = []
    for case, by_policy in known["curves"].items():
        for policy, by_test in by_policy.items():
            for test, values in by_test.items():
                for streams, wanted in zip(known["streams"], values, strict=True):
                    if wanted >= 0 and case in document["cases"] and streams in document["streams"]:
                        index = document["streams"].index(streams)
                        here = document["cases"][case]["feasible"][test][policy][index]
                        rows.append(
                            {
                                "case": case,
                                "policy": policy,
                                "test": test,
                                "streams": streams,
                                "here": here,
                                "reference": wanted,
                            }
                        )
    return rows


def far(document: Document) -> list[dict[str, Any]]:
    """Points that lie further than NEAR from the reference."""
    return [row for row in gaps(document) if abs(row["here"] - row["reference"]) > NEAR]


def at_load(document: Document, case: str, load: float, values: Sequence[float | None]) -> float | None:
    """A curve at a load in percent, between its points. None: it is not known there."""
    known = [
        (at, value) for at, value in zip(document["cases"][case]["load"], values, strict=True) if value is not None
    ]
    for (before, first), (after, second) in pairwise(known):
        if before <= load <= after:
            return float(round(first + (second - first) * (load - before) / (after - before), 1))
    return None


def differences(document: Document, case: tuple[str, str], than: tuple[str, str], test: str) -> list[float]:
    """Points by which one curve lies above another, by number of streams. Each: case and policy."""
    first, second = (document["cases"][name]["feasible"][test][policy] for name, policy in (case, than))
    return [round(a - b, 2) for a, b in zip(first, second, strict=True)]


def statements(document: Document) -> list[dict[str, Any]]:
    """The seed's, with ours beside them: the least and the most, by each test."""
    rows = []
    for row in reference()["statements"]:
        if not {row["case"], row.get("than_case", row["case"])} <= document["cases"].keys():
            continue
        here: dict[str, Any] = {}
        for test in TESTS:
            if "failed" in row:
                failed = document["cases"][row["case"]]["failed"]
                found = [at_load(document, row["case"], row["load"][0], failed[row["failed"]][test])]
            else:
                than = (row.get("than_case", row["case"]), row["than"])
                values = differences(document, (row["case"], row["policy"]), than, test)
                loads = document["cases"][row["case"]]["load"]
                low, high = row["load"]
                found = [value for value, load in zip(values, loads, strict=True) if low <= load <= high]
            there = [value for value in found if value is not None]
            here[test] = [min(there), max(there)] if there else None
        rows.append({**{key: row[key] for key in ("figure", "words", "says")}, **here})
    return rows


def measure(number: int, seed: int, figures: Sequence[str] | None = (), with_costs: bool = True) -> Document:
    """The document of `takt reproduce can --json` (docs/json.md). `figures`: of none, all; None: no curves."""
    from takt.support import compile, console

    found = costs.measure(reference()["costs"]) if with_costs else {"costs": [], "update": []}  # first: it may refuse
    parts = chunks(seed, [] if figures is None else cases_of(figures), number)
    points: Points = {}
    if parts:
        compile.host_library()
        with console.counting("sets of workloads", len(parts)) as done:
            points = run(parts, parallel.cores(), done)
    return of(points, seed, number) | found
