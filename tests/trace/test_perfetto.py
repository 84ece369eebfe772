# SPDX-License-Identifier: Apache-2.0
"""The export to Perfetto against the rules of its format, and against the trace that it was made from."""

from __future__ import annotations

import json
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import Takt
from story import NAMES, STORY
from takt.report.perfetto import BUDGETS, INTERRUPTS, LEVELS, MUTEXES, PROCESSES, TASKS, export
from takt.support.c.kernel import ProcessCause
from takt.support.c.traces import PROCESS_STARTED
from takt.trace import records as trace
from takt.trace.records import NONE, Budget, Entry, Event, Trace
from witnesses import systems


def check_track(items: list[dict[str, Any]]) -> None:
    """Slices of one track nest, B and E come in pairs of one name, and nothing goes back in time."""
    ends: list[int] = []
    names: list[str] = []
    last = 0
    for item in items:
        start = ns(item["ts"])
        assert start >= last
        last = start
        if item["ph"] == "X":
            while ends and ends[-1] <= start:
                ends.pop()
            end = start + ns(item["dur"])
            assert end >= start
            assert not ends or end <= ends[-1]
            ends.append(end)
        elif item["ph"] == "B":
            names.append(item["name"])
        elif item["ph"] == "E":
            assert names.pop() == item["name"]
    assert names == []


def ns(time_us: float) -> int:
    return round(time_us * 1000)


def check(document: dict[str, Any]) -> dict[tuple[int, int], list[dict[str, Any]]]:
    """The rules of the Trace Event Format for what is used of it. Returns the events by track."""
    document = json.loads(json.dumps(document, allow_nan=False))
    tracks: dict[tuple[int, int], list[dict[str, Any]]] = defaultdict(list)
    flows: dict[int, list[dict[str, Any]]] = defaultdict(list)
    needed = {"X": {"dur"}, "i": {"s"}, "C": {"args"}, "s": {"id", "cat"}, "f": {"id", "cat", "bp"}, "M": {"args"}}
    for item in document["traceEvents"]:
        assert item["ph"] in {*needed, "B", "E"}
        assert {"name", "pid", "tid", "ts"} | needed.get(item["ph"], set()) <= set(item)
        assert item["ts"] >= 0
        if item["ph"] != "M":
            tracks[item["pid"], item["tid"]].append(item)
        if item["ph"] in "sf":
            flows[item["id"]].append(item)
    for items in tracks.values():
        check_track(items)
    for both in flows.values():
        begin, end = both
        assert (begin["ph"], end["ph"]) == ("s", "f")
        assert begin["ts"] <= end["ts"]
        slices = [item for item in tracks[end["pid"], end["tid"]] if item["ph"] == "X" and item["ts"] == end["ts"]]
        assert [item["name"] for item in slices] == ["running"]
    titled = {(item["pid"], item["tid"]) for item in document["traceEvents"] if item["name"] == "thread_name"}
    assert {track for track in tracks if track[0] not in (LEVELS, BUDGETS)} <= titled
    return tracks


def test_processes_are_shown_while_they_are_stopped() -> None:
    """One that starts again, and then stays stopped; one that is never at fault."""
    story = [
        (3000, 1, 0, ProcessCause.STRAY),
        (5000, NONE, 0, PROCESS_STARTED),
        (6000, 1, 0, ProcessCause.ASSERTION),
    ]
    more = [Entry(at_ns, Event.PROCESS, task, 0, None, process, value) for at_ns, task, process, value in story]
    entries = sorted((*STORY, *more), key=lambda entry: entry.time_ns)
    document = export(Trace(replace(NAMES, processes=("sink", "source")), tuple(entries)))
    tracks = check(document)
    shown = {
        track: [(item["name"], ns(item["ts"]), ns(item["dur"])) for item in items]
        for track, items in tracks.items()
        if track[0] == PROCESSES
    }
    assert shown == {(PROCESSES, 1): [("stopped: stray of low", 3000, 2000), ("stopped: assert of low", 6000, 4000)]}
    titled = {item["args"]["name"] for item in document["traceEvents"] if item["name"] == "thread_name"}
    assert {"sink", "source"} <= titled
    assert "processes" not in {
        item["args"].get("name") for item in export(Trace(NAMES, STORY))["traceEvents"] if item["ph"] == "M"
    }


def test_a_story() -> None:
    tracks = check(export(Trace(NAMES, STORY)))
    slices = {
        track: [(item["name"], ns(item["ts"]), ns(item["dur"])) for item in items if item["ph"] == "X"]
        for track, items in tracks.items()
    }
    assert slices[TASKS, 1] == [
        ("ready", 2500, 500),
        ("running", 3000, 1000),
        ("blocked on lock", 4000, 2000),
        ("running", 6000, 3000),
    ]
    assert slices[MUTEXES, 1] == [("low", 1000, 5000), ("high", 6000, 1000)]
    points = [(item["name"], ns(item["ts"])) for item in tracks[TASKS, 1] if item["ph"] == "i"]
    assert points == [("release", 2500), ("deadline", 8000), ("miss", 9000), ("complete", 9000)]
    nested = [(item["ph"], item["name"], ns(item["ts"])) for item in tracks[INTERRUPTS, 1] if item["ph"] in "BE"]
    assert nested == [("B", "radio", 2000), ("B", "timer", 2500), ("E", "timer", 2600), ("E", "radio", 3000)]
    levels = [(item["name"], ns(item["ts"]), item["args"]["level"]) for item in tracks[LEVELS, 0]]
    assert levels == [("low", 0, 1), ("low", 4000, 0), ("low", 6000, 1)]
    flows = [
        (item["ph"], track, ns(item["ts"])) for track, items in tracks.items() for item in items if item["ph"] in "sf"
    ]
    assert sorted(flows) == [("f", (TASKS, 1), 6000), ("s", (TASKS, 2), 5999)]
    heirs = [item for item in tracks[TASKS, 2] if item.get("args", {}).get("has the priority of") == "high"]
    assert [(item["name"], ns(item["ts"])) for item in heirs] == [("running", 4000)]


def test_what_is_left_of_budgets() -> None:
    """Taken off while the task runs and no interrupt does."""
    names = replace(NAMES, budgets=(None, Budget(4000, 2500, "demote")))
    tracks = check(export(Trace(names, STORY)))
    left = [(item["name"], ns(item["ts"]), item["args"]["ns"]) for item in tracks[BUDGETS, 0]]
    assert left == [("low", 0, 4000), ("low", 1000, 3000), ("low", 2000, 2000), ("low", 6000, 0)]
    assert BUDGETS not in {process for process, _track in check(export(Trace(NAMES, STORY)))}


@pytest.mark.parametrize("cut", range(1, len(STORY)))
def test_a_story_that_ends_early_or_has_a_gap(cut: int) -> None:
    lost = Entry(STORY[cut].time_ns, Event.LOST_RECORDS, NONE, None, None, NONE, 3)
    check(export(Trace(NAMES, STORY[:cut])))
    check(export(Trace(NAMES, (*STORY[:cut], lost, *STORY[cut:]))))


@pytest.mark.parametrize("profile", ["inherit", "sync"])
def test_random_systems(witness: Callable[[str], Path], profile: str) -> None:
    said = subprocess.run([witness("bands"), profile, "7000000", "80"], stdout=subprocess.PIPE, check=True)
    found: Counter[str] = Counter()
    for _seed, names, records, _witnesses in systems(said.stdout, "bands"):
        tracks = check(export(Trace(names, tuple(trace.decode(records)))))
        found.update(item["ph"] for items in tracks.values() for item in items)
    assert all(found[kind] > 10 for kind in "XBEisfC"), found


def test_the_command_writes_what_perfetto_opens(takt: Takt, tmp_path: Path) -> None:
    trace.write(tmp_path / "t.takt", NAMES, trace.encode(STORY))
    said = takt("trace", tmp_path / "t.takt", "--perfetto", tmp_path / "t.json")
    assert (said.code, said.out) == (0, f"{tmp_path / 't.json'}\n")
    check(json.loads((tmp_path / "t.json").read_text()))
    said = takt("trace", tmp_path / "t.takt", "--perfetto", tmp_path / "nowhere" / "t.json")
    assert said.code == 2
    assert "cannot be written" in said.err
