# SPDX-License-Identifier: Apache-2.0
"""Sets of tasks with mutexes: what each way to lock changes, what a study may say, and what is kept of one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import Takt
from small_study import Write, load, results, table
from takt.bench import documents
from takt.declare.schema.model import System, Task
from takt.declare.service_kinds.mutex import Mutex
from takt.reproduce import sets
from takt.support.errors import UserError
from takt.sweep import rows as computing
from takt.sweep import sections
from takt.sweep.sections import WAYS, Sections

pytestmark = pytest.mark.usefixtures("analysis_library")

SMALL = """
generator = "uunifast"
n = [4]
sets = 3
breakdown = true
schedulers = ["edf", "dm"]
overheads = ["mps2-an385"]
mutexes = 3
locks = 2
"""
TWO = Sections(mutexes=3, locks=2, held=0.2, needed=0.5, ways=WAYS)
SYSTEM = System(
    Path("sweep"), "sweep", "host", "edf", tuple(Task(name, 1_000_000, period_ns=9_000_000) for name in ("a", "b"))
)
USES = {"a": [0, 2], "b": [1, 2]}


def holds(way: str, saved_ns: int = 0) -> tuple[set[int], set[int]]:
    """Of the shaped system: its wcets, and its holds."""
    shaped = sections.shaped(SYSTEM, USES, TWO, way, saved_ns)
    assert {item.name: [user.task for user in item.users] for item in shaped.of(Mutex)} == {
        "m0": ["a"],
        "m1": ["b"],
        "m2": ["a", "b"],
    }
    users = [user for item in shaped.of(Mutex) for user in item.users]
    assert {user.locks for user in users} == {1}
    return {task.wcet_ns for task in shaped.tasks}, {user.hold_ns for user in users}


def test_an_early_release_leaves_a_part_of_each_section() -> None:
    assert holds("plain") == ({1_000_000}, {100_000})
    assert holds("early") == ({1_000_000}, {50_000})
    assert holds("set", 7000) == ({993_000}, {100_000})
    assert holds("early set", 960_000) == ({40_000}, {40_000})  # a section is no longer than its job


def test_what_hints_save_is_what_was_measured() -> None:
    kept = documents.results("reproduction-semaphores")["rows"]
    row = next(row for row in kept if (row["band"], row["preset"], row["tasks"]) == ("edf", "lean", 8))
    first, more = row["two_plain"] - row["two_hinted"], row["two_hinted"] - row["two_set"]
    assert abs(first) < more  # the first alone saves little, or nothing
    assert [sections.saved(way, "lean", 7, 3) for way in WAYS] == [0, first, first + 2 * more, 0, first + 2 * more]
    with pytest.raises(UserError, match="measured for up to 30 tasks"):
        sections.saved("hint", "lean", 31, 3)


def test_each_way_is_a_row_and_no_way_is_worse_than_none(takt: Takt, study: Write) -> None:
    path = study(SMALL)
    said = takt("sweep", path, "--jobs", "1", "--json")
    assert said.code == 0, said.err
    found = table(results(path))
    assert [(row["scheduler"], row["way"]) for row in found[:10]] == [
        (name, way) for name in ("edf", "dm") for way in WAYS
    ]
    means = {(point["scheduler"], point["way"]): point["breakdown"] for point in json.loads(said.out)["points"]}
    most = {(row["scheduler"], row["set"], row["way"]): float(row["breakdown"]) for row in found}
    assert len(most) == len(found) == 2 * 3 * 5
    for (name, way), mean in means.items():
        assert mean == pytest.approx(sum(most[name, number, way] for number in "012") / 3, abs=1e-6)
    for number in "012":
        of = {way: most["edf", number, way] for way in WAYS}
        assert 0 < of["plain"] <= of["set"] <= of["early set"]
        assert of["hint"] == pytest.approx(of["plain"], abs=0.005)
        assert of["plain"] < of["early"] <= of["early set"]
        fixed = {way: most["dm", number, way] for way in WAYS}
        assert fixed["plain"] == fixed["hint"] == fixed["set"] < fixed["early"] == fixed["early set"]
    picture = (results(path) / "breakdown-mps2-an385.svg").read_text(encoding="utf-8")
    assert all(f">edf, {way}</text>" in picture for way in WAYS)


def test_sets_are_those_without_mutexes(study: Write) -> None:
    """And the same mutexes under each divisor and board."""
    read = load(study(SMALL))
    bare = replace(read, sections=None)
    chunk, other = computing.chunks(read)[0], computing.chunks(bare)[0]
    assert computing.item(chunk, 1) == computing.item(other, 1)
    shapes = [
        computing.Shape(read, replace(read.points[0], divisor=divisor), 1, "edf", "plain", None) for divisor in (1, 2)
    ]
    system = computing.item(chunk, 1)[0].system(0.5)
    assert shapes[0].of(system) == shapes[1].of(system)


REFUSED = [
    ("mutexes = 3", "", ':9: "locks" needs "mutexes"'),
    ("locks = 2", "locks = 4", "locks = 4 of mutexes = 3"),
    ("locks = 2", "locks = 9", "locks = 9: out of range"),
    ('"dm"', '"csd2"', "csd2 has bands of several kinds, or none"),
    ("mps2-an385", "rv32-virt", "what hints save is not measured on rv32-virt"),
    ("n = [4]", "n = [31]", "measured for up to 30 tasks"),
    ("locks = 2", 'locks = 2\nways = ["plain", "plain"]', "a value occurs twice"),
    ("locks = 2", "locks = 2\nheld = 1.5", "held = 1.5"),
]


@pytest.mark.parametrize(("old", "new", "message"), REFUSED, ids=[message for _, _, message in REFUSED])
def test_a_malformed_study(takt: Takt, study: Write, old: str, new: str, message: str) -> None:
    assert old in SMALL
    said = takt("sweep", study(SMALL.replace(old, new, 1)))
    assert said.code == 2
    assert message in said.err
    assert "  try: " in said.err


def test_what_is_kept_is_near_what_is_computed() -> None:
    """The overheads of a board are measured anew now and then."""
    wanted, kept = sets.load(), documents.results(sets.KEPT)
    assert len(kept["breakdowns"]) == wanted.size
    chunk = computing.chunks(wanted)[0]
    found = computing.compute(replace(chunk, numbers=range(2)))
    assert [row["breakdown"] for row in found] == pytest.approx(kept["breakdowns"][: len(found)], abs=0.03)
    first = kept["breakdowns"][: wanted.sets * len(WAYS) : len(WAYS)]
    assert kept["points"][0]["breakdown"] == pytest.approx(sum(first) / wanted.sets, abs=1e-6)


def test_the_page_says_what_the_figures_show() -> None:
    kept = {(one.tasks, one.divisor, one.way): one.value for one in sets.means(documents.results(sets.KEPT))}

    def gained(way: str, tasks: int, divisor: int) -> float:
        return 100 * (kept[tasks, divisor, way] - kept[tasks, divisor, "plain"])

    early = [gained("early", tasks, 1) for tasks in (5, 10, 20, 30)]
    assert 8 < min(early) < max(early) < 16
    points = [(tasks, divisor) for tasks in (5, 10, 20, 30) for divisor in (1, 2, 4)]
    hints = [gained("hint", *point) for point in points]
    assert -0.4 < min(hints) < max(hints) < 0
    assert min(gained("set", *point) for point in points) > 0.25
    assert 3 < gained("set", 30, 2) < 4
    assert gained("early", 30, 2) < 3
