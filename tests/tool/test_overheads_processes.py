# SPDX-License-Identifier: Apache-2.0
"""Overheads with tasks in processes: which a proof takes, and what it charges for interrupts and faults."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import Takt
from running import FIRST_EMULATED, FULL
from takt.declare import processes
from takt.declare.schema import boards
from takt.declare.schema.model import Band, Interrupt, Overheads, Process, ProcessCosts, Shared, System, Task
from takt.declare.service_kinds.mutex import Hold, Mutex
from takt.declare.service_kinds.rendezvous import Rendezvous
from takt.prove import budgets as proved_budgets
from takt.prove import overheads
from takt.prove.analysis import Problem
from takt.support import compile
from takt.support.durations import MAX_NS
from takt.support.errors import UserError

HEAD = 'format = 2\ninstruction = "10 ns"\ntasks = [4]\n'
COSTS = ProcessCosts(7_000, 900, 40_000, 3_000, 50_000, 20_000, 60_000)


def entry(first: int, protection: bool) -> str:
    """Figures count up from `first`."""
    lines = ["", "[[entry]]", 'preset = "standard"', 'kernel = "fixed"', 'band = "fixed"']
    lines += ["protection = true"] if protection else []
    names = [*overheads.OPERATIONS, *(overheads.PROTECTED if protection else ())]
    return "\n".join([*lines, *(f"{name} = [{first + n}]" for n, name in enumerate(names))]) + "\n"


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> boards.Board:
    monkeypatch.setattr(overheads, "KINDS", (("fixed", "fixed"),))
    (tmp_path / "overheads.toml").write_text(HEAD + entry(100, False) + entry(200, True), encoding="utf-8")
    return replace(boards.load("mps2-an385"), folder=tmp_path)


def system(on_fault: str, protection: bool = True) -> System:
    """Two tasks of a process, the second serves its interrupt."""
    tasks = (
        Task("a", 1, period_ns=10**9, stack=1024),
        Task("b", 1, min_interarrival_ns=10**8, trigger="interrupt b_line", stack=1025),
    )
    line = Interrupt("b_line", 3, 10**8, processes.LINE_WCET_NS, process="p")
    owner = Process("p", ("a", "b"), on_fault=on_fault)
    return System(
        Path("system.toml"), "test", "b", "dm", tasks, interrupts=(line,), processes=(owner,), protection=protection
    )


def used(board: boards.Board, of: System) -> Overheads:
    measured = overheads.load(board, "standard")
    assert measured is not None
    return measured.of(of, (Band("fixed", (("a",), ("b",))),))


def test_a_protected_system_takes_what_was_measured_so(board: boards.Board) -> None:
    plain = used(board, system("stop", protection=False))
    assert (plain.release_ns, plain.lock_ns, plain.processes) == ({"fixed": 1000}, 1050, None)
    found = used(board, system("stop"))
    assert found.release_ns == {"fixed": 2000}
    assert found.processes == ProcessCosts(2100, 2110, 2120, 2130, 2140, 2150, 2160)
    assert found.lock_ns == 2050


def test_threads_and_what_is_created_count(board: boards.Board) -> None:
    of = system("stop")
    creates = replace(of, processes=(replace(of.processes[0], mutexes=1),))
    assert (used(board, of).lock_ns, used(board, creates).lock_ns) == (2050, 2060)
    assert used(board, replace(of, processes=(replace(of.processes[0], threads=2),))).tasks_max == 4
    with pytest.raises(UserError, match="measured for up to 4 tasks, threads and watched deadlines"):
        used(board, replace(of, processes=(replace(of.processes[0], threads=3),)))


def test_a_board_that_was_not_measured_so_is_taken_as_it_is(board: boards.Board) -> None:
    (board.folder / "overheads.toml").write_text(HEAD + entry(100, False), encoding="utf-8")
    assert used(board, system("restart")) == used(board, system("restart", protection=False))


def test_what_a_protected_entry_lacks_is_said(board: boards.Board) -> None:
    path = board.folder / "overheads.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("piece = [214]\n", ""), encoding="utf-8")
    with pytest.raises(UserError, match="protection = true, but piece is missing"):
        overheads.load(board, "standard")


def test_what_was_not_measured_is_no_figure(board: boards.Board) -> None:
    path = board.folder / "overheads.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("piece = [214]\n", "piece = [0]\n"), encoding="utf-8")
    with pytest.raises(UserError, match="standard, fixed, fixed: piece is 0: it was not measured"):
        overheads.load(board, "standard")


def test_what_is_written_is_read(board: boards.Board) -> None:
    measured = overheads.read(board)
    overheads.write(board.folder / "overheads.toml", measured)
    assert overheads.read(board) == measured
    assert len(measured.protected) == 1


def faults(of: System) -> list[tuple[int, int]]:
    costs = Overheads("b", "standard", "fixed", 4, 1, 2, 3, {"fixed": 4}, {"fixed": 5}, {"fixed": 6}, COSTS)
    return proved_budgets.fault_load(of, costs)


def test_pieces_are_charged_each_millisecond_and_faults_of_each_process() -> None:
    of = system("restart")
    two = replace(of.processes[0], name="q", tasks=("a",))
    pieces = (50_000, 1_000_000)
    assert faults(of) == [pieces, (43_000, 7_000_000)]  # two tasks, 3 KB of stacks begun
    assert faults(replace(of, processes=(*of.processes, two))) == [*faults(of), (40_000, 5_000_000)]
    attaches = replace(of, processes=(replace(of.processes[0], devices=("d",)),))
    assert faults(attaches) == [*faults(of), (10_000, 2_000_000)]
    attaches = replace(of, shared=(Shared("s", 64, attach=True),))
    assert faults(attaches) == [*faults(of), (10_000, 2_000_000)]
    assert faults(system("restart", protection=False)) == []
    costs = Overheads("b", "standard", "fixed", 4, 1, 2, 3, {"fixed": 4}, {"fixed": 5}, {"fixed": 6})
    assert proved_budgets.fault_load(of, costs) == []


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        ({"threads": 2, "memory": 1024}, (40_000 + 3 * 3_000, 8_000_000)),
        ({"on_fault": "stop"}, (43_000, MAX_NS)),  # once
        ({"restarts_max": 0}, (43_000, MAX_NS)),
        ({"restarts_max": 1}, (43_000, 7_000_000)),
        ({"faults_apart_ns": 20_000_000}, (43_000 + 20_000, 20_000_000)),  # with the end of its wait
        ({"faults_apart_ns": 1}, (43_000 + 20_000, 7_000_000)),
    ],
)
def test_a_fault_comes_as_seldom_as_its_process_says(keys: dict[str, Any], fault: tuple[int, int]) -> None:
    of = system("restart")
    assert faults(replace(of, processes=(replace(of.processes[0], **keys),)))[1] == fault


def test_each_mutex_of_a_process_goes_once_a_fault() -> None:
    users = (Hold("a", 10), Hold("b", 20))
    mutexes = (Mutex("m", users), Mutex("n", users[:1]), Mutex("o", (Hold("c", 1),)))
    of = system("restart").having(Mutex, mutexes)
    assert faults(of)[1][0] == 43_000 + 2 * 20_000
    created = replace(of, processes=(replace(of.processes[0], mutexes=3),))
    assert faults(created)[1][0] == 43_000 + 2 * 20_000  # only its own tasks wait for those
    calls = (Rendezvous("r"),)
    served = replace(of.having(Rendezvous, calls), processes=(replace(of.processes[0], uses=("r",)),))
    assert faults(served)[1][0] == 43_000 + 4 * 20_000  # each task serves a call at most
    assert faults(of.having(Rendezvous, calls)) == faults(of)
    calling = replace(served, processes=(replace(served.processes[0], uses=(), gives=("r",)),))
    assert faults(calling)[1][0] == 43_000 + 2 * 20_000  # who only calls serves none


def test_an_interrupt_of_a_process_is_charged_as_measured() -> None:
    compile.host_library()
    costs = Overheads("b", "standard", "fixed", 4, 1, 2, 3, {"fixed": 4}, {"fixed": 5}, {"fixed": 6}, COSTS)
    bands = (Band("fixed", (("a",), ("b",))),)
    problem = Problem(system("stop"), bands, costs, False, 1)
    assert problem.interrupts[0].wcet_ns == 7_000
    assert [task.wcet_ns for task in problem.tasks] == [1 + 5 + 6, 1 + 5 + 6 + 900]
    guessed = Problem(system("stop"), bands, replace(costs, processes=None), False, 1)
    assert guessed.interrupts[0].wcet_ns == processes.LINE_WCET_NS + 1


TEXT = """
[system]
board = "mps2-an385"
scheduler = "dm"
sources = ["none.c"]
duration = "400 ms"
{tasks}
[[interrupt]]
name = "line"
number = 20
handler = "line_handler"
min_interarrival = "10 ms"
wcet = "100 us"
process = "even"
[[process]]
name = "even"
tasks = [{even}]
sources = ["none.c"]
on_fault = "restart"
budgets = {budgets}
[[process]]
name = "odd"
tasks = [{odd}]
on_fault = "restart"
budgets = {budgets}
"""


def declared(folder: Path, count: int, wcet_us: int, budgets: bool = False) -> Path:
    """As many tasks of two processes, by turns; of the first an interrupt."""
    tasks = "".join(
        f'[[task]]\nname = "t{n}"\nperiod = "{20 + n} ms"\ndeadline = "{20 + n} ms"\nwcet = "{wcet_us} us"\n'
        for n in range(count)
    )
    even, odd = (", ".join(f'"t{n}"' for n in range(first, count, 2)) for first in (0, 1))
    (folder / "none.c").write_text(
        '#include "takt_app.h"\nvoid line_handler(void) { takt_work(20000); }\n', encoding="utf-8"
    )
    path = folder / "system.toml"
    text = TEXT.format(tasks=tasks, even=even, odd=odd, budgets=str(budgets).lower())
    path.write_text(text, encoding="utf-8")
    return path


def test_proved_without_protection_and_refuted_with_it(takt: Takt, tmp_path: Path) -> None:
    path = declared(tmp_path, 6, 3100)
    without, protected = takt("check", path), takt("check", path, "--protection")
    assert (without.code, protected.code) == (0, 1)
    assert "with processes, up to 8 tasks" in protected.out


@pytest.mark.parametrize("budgets", [False, True] if FULL else [True], ids=lambda budgets: "budgets" * budgets)
@pytest.mark.parametrize("board_name", FIRST_EMULATED)
def test_observed_stays_below_bounds(takt: Takt, tmp_path: Path, board_name: str, budgets: bool) -> None:
    path = declared(tmp_path, 6, 1500, budgets)
    assert "with processes, up to 8 tasks" in takt("check", path, "--protection", "--board", board_name).out
    said = takt("run", path, "--protection", "--board", board_name, "--json")
    found = json.loads(said.out)
    assert said.code == 0, found
    for task in found["tasks"]:
        assert 0 < task["response_ns_max"] <= task["bound_ns"], task
