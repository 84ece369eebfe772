# SPDX-License-Identifier: Apache-2.0
"""Sporadic tasks that come in bursts: bounds by hand, what is declared and refused, and runs. Times in ms unless a name
says otherwise.
"""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from command_line import Takt
from running import BOARDS, FIRST_EMULATED, FULL
from small_systems import MS, edf, fixed, responses, system, task
from takt.declare.schema.model import Task, Verdict
from takt.declare.service_kinds.mutex import Hold, Mutex
from takt.declare.service_kinds.state_copies import Read, State, needs
from takt.prove.analysis import analyse


def bursting(name: str, wcet: float, apart: float, burst: int, distance: float = 0, deadline: float = 0) -> Task:
    return Task(
        name,
        round(wcet * MS),
        min_interarrival_ns=round(apart * MS),
        deadline_ns=round((deadline or apart) * MS),
        burst=burst,
        burst_distance_ns=round(distance * MS),
    )


def test_all_of_a_burst_come_first() -> None:
    """Three jobs of a at once, one more at 10: b has three of them before it, or if it takes longer four."""
    of = system(bursting("a", 2, 10, 3), task("b", 3, 40))
    proof = analyse(of, (fixed("a", "b"),), None)
    assert responses(proof) == [6, 9]
    assert proof.load == Fraction(2, 10) + Fraction(3, 40)
    assert responses(analyse(replace(of, tasks=(of.tasks[0], task("b", 5, 40))), (fixed("a", "b"),), None)) == [6, 13]


def test_a_distance_spreads_them() -> None:
    """At 0, 3 and 10 - the third of 3 may come at 6, but not before 10 with a burst of 2. b runs between them."""
    of = system(bursting("a", 2, 10, 2, 3), task("b", 3, 40))
    assert responses(analyse(of, (fixed("a", "b"),), None)) == [2, 7]
    of = system(bursting("a", 2, 10, 3, 3), task("b", 4, 40))
    assert responses(analyse(of, (fixed("a", "b"),), None)) == [2, 10]
    of = system(bursting("a", 2, 10, 3, 5), task("b", 1, 40))
    assert responses(analyse(of, (fixed("a", "b"),), None)) == [2, 3]


def test_by_deadline_and_cooperative() -> None:
    """b is due after all of a's burst; a, of which three are due at 10, after b if that began before."""
    of = system(bursting("a", 2, 10, 3), task("b", 3, 40))
    assert responses(analyse(of, (edf("a", "b"),), None)) == [6, 9]
    assert responses(analyse(of, (fixed("a", "b"),), None, cooperative=True)) == [9 - 1 / MS, 9]
    late = replace(of, tasks=(bursting("a", 2, 10, 3, deadline=5.9), of.tasks[1]))
    proof = analyse(late, (edf("a", "b"),), None)
    assert proof.verdict is Verdict.INFEASIBLE
    assert "t = 5.9 ms need 6 ms, but only 5.9 ms fits" in proof.reason


def test_each_job_of_a_burst_may_wait_for_a_section() -> None:
    users = tuple(Hold(name, ms * MS, locks=1) for name, ms in (("a", 1), ("l1", 3), ("l2", 4)))
    rest = (task("l1", 3, 100), task("l2", 4, 100))
    for burst, expected in ((1, 1 + 4), (2, 2 + 3 + 4)):
        of = system(bursting("a", 1, 50, burst), *rest, objects=(Mutex("m", users),))
        assert responses(analyse(of, (fixed("a", "l1", "l2"),), None))[0] == expected


def test_a_burst_of_writes_overtakes_more_reads() -> None:
    """In the 8 that a read may take the writer writes once more for each of its burst."""
    state = State("s", 8, "writer", readers=(Read("reader", MS),))
    counts = []
    for burst in (1, 3):
        of = system(bursting("writer", 1, 10, burst), task("reader", 4, 40), objects=(state,))
        counts.append(needs(of, state, {"writer": MS, "reader": 8 * MS})[0].writes or 0)
    assert counts[1] == counts[0] + 2


DECLARED = """
[system]
board = "{board}"
scheduler = "dm"

[[task]]
name = "a"
min_interarrival = "10 ms"
deadline = "9 ms"
wcet = "2 ms"
{keys}

[[task]]
name = "b"
period = "40 ms"
wcet = "3 ms"
"""


@pytest.mark.parametrize("board", BOARDS if FULL else FIRST_EMULATED)
def test_a_synthetic_load_comes_in_bursts(takt: Takt, tmp_path: Path, board: str) -> None:
    """Three at 0, 30, 60 ...: the last of them waits for the others, as its bound says."""
    path = tmp_path / "system.toml"
    path.write_text(DECLARED.format(board=board, keys="burst = 3"), encoding="utf-8")
    ran = takt("run", path, "--duration", "300 ms", "--json")
    assert ran.code == 0, ran.out
    found = {one["name"]: one for one in json.loads(ran.out)["tasks"]}
    assert found["a"]["jobs"] == 30
    bound = found["a"]["bound_ns"]
    assert 5.8 * MS < found["a"]["response_ns_max"] <= bound
    assert found["b"]["response_ns_max"] <= found["b"]["bound_ns"]


def test_check_says_so(takt: Takt, tmp_path: Path) -> None:
    path = tmp_path / "system.toml"
    path.write_text(DECLARED.format(board="host", keys='burst = 3\nburst_distance = "1 ms"'), encoding="utf-8")
    said = takt("check", path)
    assert said.code == 0
    assert ">= 10 ms, 3 at once" in said.out
    assert takt("report", path, "--output", tmp_path / "report.html").code == 0


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ('burst_distance = "1 ms"', "burst_distance requires burst"),
        ('burst = 3\nburst_distance = "11 ms"', "burst_distance 11 ms is longer than min_interarrival 10 ms"),
        ('burst = 3\non_miss = "skip"', "policy skip would drop the releases of a burst"),
        ("burst = 3\npending_max = 1", "2 releases may come behind a job that is in time, and pending_max is 1"),
        ("burst = 65", "out of range 1 to 64"),
    ],
)
def test_what_is_refused(takt: Takt, tmp_path: Path, keys: str, problem: str) -> None:
    path = tmp_path / "system.toml"
    path.write_text(DECLARED.format(board="host", keys=keys), encoding="utf-8")
    said = takt("check", path)
    assert said.code == 2
    assert problem in said.err


def test_a_periodic_task_has_no_burst(takt: Takt, tmp_path: Path) -> None:
    path = tmp_path / "system.toml"
    text = DECLARED.format(board="host", keys="").replace('period = "40 ms"', 'period = "40 ms"\nburst = 2')
    path.write_text(text, encoding="utf-8")
    said = takt("check", path)
    assert (said.code, "burst requires min_interarrival" in said.err) == (2, True)
