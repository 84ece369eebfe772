# SPDX-License-Identifier: Apache-2.0
"""apps/telecom: counts that are known by calculation, and what keeping time costs, by what is left to idle."""

from __future__ import annotations

import re
import shutil
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from command_line import Takt
from running import APPS, FIRST_EMULATED, FULL, HOST_AND_FIRST, only_full

PHASE_US = 500_000
SLEEPERS = 12
WORK = re.compile(
    r"(\d+) rings of (\d+) processes, (\d+) loops of (\d+) iterations: (\d+) iterations, (\d+) signals, (\d+) switches"
)
WAY = re.compile(
    r"(.+): rings (\d+) us, idle (\d+) us, administration (\d+) us \(([\d.]+) %\), (\d+) wakes", re.MULTILINE
)


@dataclass(frozen=True)
class Way:
    """What a way to keep time cost, in us."""

    rings: int
    idle: int
    administration: int
    wakes: int


Found = tuple[list[int], dict[str, Way]]
"""The line about the work, and those about the ways."""

RUNS: dict[str, Found] = {}


def switches(rings: int, processes: int, loops: int) -> int:
    """From one process to another, by a model: equals take turns when one waits; a woken task goes to the end."""
    order: list[int] = []
    ready = deque(range(processes))
    inbox, sent, received = ([0] * processes for _ in range(3))
    waiting: set[int] = set()
    while ready:
        self = ready[0]
        order.append(self)
        after = (self + 1) % processes
        while received[self] < loops:
            if sent[self] == received[self]:
                sent[self] += 1
                inbox[after] += 1
                if after in waiting:
                    waiting.remove(after)
                    ready.append(after)
            if inbox[self] == 0:
                waiting.add(self)
                break
            inbox[self] -= 1
            received[self] += 1
        ready.popleft()
    assert received == [loops] * processes
    return len(order) * rings - 1


def run(takt: Takt, folder: Path, board: str, *more: str) -> Found:
    said = takt("run", folder, "--board", board, *more)
    assert said.code == 0, said.out + said.err
    text = " ".join(said.out.split())
    work = WORK.search(text)
    assert work is not None, said.out
    found = {
        name.strip(): Way(int(rings), int(idle), int(administration), int(wakes))
        for name, rings, idle, administration, _, wakes in WAY.findall(text.replace(" wakes ", " wakes\n"))
    }
    return [int(number) for number in work.groups()], found


@pytest.fixture
def as_it_is(takt: Takt) -> Callable[[str], Found]:
    """The unchanged application on a board: run once."""

    def on(board: str) -> Found:
        if board not in RUNS:
            RUNS[board] = run(takt, APPS / "telecom", board)
        return RUNS[board]

    return on


def is_what_had_to_be_done(work: list[int]) -> bool:
    x, y, w, z, iterations, signals, changes = work
    return (iterations, signals, changes) == (x * y * w * z, x * y * w, switches(x, y, w))


def test_a_ring_by_hand() -> None:
    """Two processes, one loop: a works, sends and waits, b works, sends, receives, a receives."""
    assert switches(1, 2, 1) == 2
    assert switches(2, 2, 1) == 5
    assert switches(1, 1, 9) == 0


@pytest.mark.parametrize("board", HOST_AND_FIRST if FULL else HOST_AND_FIRST[1:])
def test_the_rings_follow_their_commands(as_it_is: Callable[[str], Found], board: str) -> None:
    work, ways = as_it_is(board)
    assert work[:4] == [4, 5, 10, 100]
    assert is_what_had_to_be_done(work)
    assert len(ways) == 6
    for name, way in ways.items():
        assert abs(way.rings + way.idle - PHASE_US) < 100, name
        assert way.rings >= 2 * work[4]  # an iteration takes 2 us
    wakes = [way.wakes for way in ways.values()]
    assert wakes[:2] == [0, 0]
    for count, most in zip(wakes[2:], (SLEEPERS * 20, 50, 500, 500), strict=True):
        assert 0.95 * most <= count <= most


def resize(folder: Path, processes: int, loops: int, iterations: int) -> None:
    header = (folder / "telecom.h").read_text()
    for name, value in (("PROCESSES", processes), ("LOOPS", loops), ("ITERATIONS", iterations)):
        header = re.sub(rf"(?<=#define {name} )\d+", str(value), header)
    (folder / "telecom.h").write_text(header)


def test_other_sizes(takt: Takt, tmp_path: Path, scratch_builds: Path) -> None:
    """The sizes are constants of telecom.h, except the number of rings, which system.toml declares."""
    folder = tmp_path / "telecom"
    shutil.copytree(APPS / "telecom", folder)
    declaration = (folder / "system.toml").read_text()
    ring = '[[task]]\nname = "ring_4"\nentry = "process"\n'
    assert ring in declaration
    (folder / "system.toml").write_text(declaration.replace('"ring_4", ', "").replace(ring, ""))
    for size in ((4, 7, 11), (1, 5, 20)):
        resize(folder, *size)
        work, _ = run(takt, folder, "host")
        assert work[:4] == [3, *size]
        assert is_what_had_to_be_done(work)
    resize(folder, 9, 1, 1)
    said = takt("run", folder, "--board", "host")
    assert said.code == 1
    assert "telecom: runtime_tasks of system.toml are too few" in said.out


def test_the_host_s_kernel_takes_no_time(as_it_is: Callable[[str], Found]) -> None:
    _, ways = as_it_is("host")
    assert {(way.rings, way.administration) for way in ways.values()} == {(40_000, 0)}


@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_a_sleeping_task_costs_nothing_and_a_tick_by_its_rate(as_it_is: Callable[[str], Found], board: str) -> None:
    """Sleepers are waited for, not counted down: time costs only when somebody has something to do."""
    _, ways = as_it_is(board)
    alone, sleep, wake, hundred, thousand, both = ways.values()
    assert 0 < alone.administration < 100  # the director's own waking
    assert abs(sleep.administration - alone.administration) < 10
    assert 8 < (thousand.administration - alone.administration) / (hundred.administration - alone.administration) < 12
    assert abs(both.administration - thousand.administration) < 0.01 * thousand.administration
    assert alone.administration < wake.administration < thousand.administration
    assert alone.rings < hundred.rings < thousand.rings


def shorten(folder: Path, parts: int) -> None:
    """Phases and pauses, and what idle is calibrated with."""
    for name, old, new in (
        ("telecom.h", "PHASE_NS TAKT_MS(500)", f"PHASE_NS TAKT_US({500_000 // parts})"),
        ("director.c", "PAUSE_NS TAKT_MS(50)", f"PAUSE_NS TAKT_US({50_000 // parts})"),
        ("keeping.c", "CALIBRATION = 10000", f"CALIBRATION = {10_000 // parts}"),
    ):
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new))


@only_full
def test_65_tasks_on_the_task_manager(takt: Takt, tmp_path: Path, scratch_builds: Path) -> None:
    """Five rings of ten, the sleepers, and three more: with 64 records the last would have none."""
    folder = tmp_path / "telecom"
    shutil.copytree(APPS / "telecom", folder)
    shorten(folder, 10)
    resize(folder, 10, 2, 10)
    declaration = (folder / "system.toml").read_text()
    ring = '[[task]]\nname = "ring_4"\nentry = "process"\n'
    for old, new in (
        ("runtime_tasks = 28", "runtime_tasks = 57"),
        ('"ring_4", "ring_3"', '"ring_5", "ring_4", "ring_3"'),
        (ring, ring + ring.replace("ring_4", "ring_5")),
        ("count = 20", "count = 50"),
    ):
        assert old in declaration
        declaration = declaration.replace(old, new)
    (folder / "system.toml").write_text(declaration)
    work, ways = run(takt, folder, "ibex-soc", "--engine", "rtm")
    assert work[:4] == [5, 10, 2, 10]
    assert is_what_had_to_be_done(work)
    wakes = [way.wakes for way in ways.values()]
    assert wakes[:2] == [0, 0]
    assert SLEEPERS <= wakes[2] <= 2 * SLEEPERS  # the second at the end
    for count, most in zip(wakes[3:], (5, 50, 50), strict=True):
        assert 0.95 * most - 1 <= count <= most


@pytest.mark.skipif(not FULL, reason="two minutes")
@pytest.mark.parametrize("engine", ["software", "rtm"])
def test_as_it_is_on_the_task_manager(takt: Takt, engine: str) -> None:
    work, ways = run(takt, APPS / "telecom", "ibex-soc", "--engine", engine)
    assert work[:4] == [4, 5, 10, 100]
    assert is_what_had_to_be_done(work)
    assert len(ways) == 6
