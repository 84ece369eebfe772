# SPDX-License-Identifier: Apache-2.0
"""`takt run` with a plant: in lockstep with the board, its verdict is the run's, its faults are reported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import HOST_AND_SECOND, Run

HOST = ("--board", "host")

PLANT = """
class Plant:
    def __init__(self, seed):
        self.seed, self.seen, self.times = seed, bytearray(), []
    @property
    def finished(self):
        return len(self.times) >= {limit}
    def exchange(self, time_ns, transmitted):
        self.seen += transmitted
        self.times.append(time_ns)
        {fault}
        return bytes([self.seed]) + transmitted[:3]
    def report(self):
        return {{"success": {success}, "reasons": ["it did not fly"], "seen": list(self.seen[:8]),
                "steps_ms": [time // 1000000 for time in self.times[:4]], "trajectory": []}}

def create_plant(seed, **faults):
    return Plant(seed)
"""
LINKED = """[system]
plant = "plant.py"
duration = "1 s"

[[task]]
name = "rest"
period = "100 ms"
wcet = "1 ms"

[[interrupt]]
name = "line"
number = 5
min_interarrival = "10 ms"
wcet = "200 us"
handler = "line_interrupt"
"""
# Sends back what it received, plus one.
ECHO = """#include "takt_app.h"
#include "takt/board.h"
static uint8_t bytes[8];
static size_t count = 2;
void line_interrupt(void)
{
    count = takt_board_link_exchange(bytes, count, bytes, sizeof bytes);
    for (size_t i = 0; i < count; i++) {
        bytes[i]++;
    }
}
"""


def linked(application: Callable[..., Path], limit: int = 50, success: bool = True, fault: str = "pass") -> Path:
    plant = PLANT.format(limit=limit, success=success, fault=fault)
    return application(LINKED, app_dot_c=ECHO, plant_dot_py=plant)


@pytest.mark.parametrize("board", HOST_AND_SECOND)
def test_board_and_plant_go_in_lockstep(
    run_json: Run, application: Callable[..., Path], scratch_builds: Path, board: str
) -> None:
    alternate = "import os; assert len(os.sched_getaffinity(0)) == 1, 'the board is on another processor'"
    code, document = run_json(linked(application, fault=alternate), "--board", board, "--seed", "40")
    assert code == 0, document
    assert document["plant"]["seen"] == [0, 0, 41, 1, 1, 41, 42, 2]
    assert document["plant"]["steps_ms"] == [0, 10, 20, 30]
    assert 489_000_000 < document["duration_ns"] < 492_000_000  # the plant's end is the run's


def test_a_plant_that_failed_fails_the_run(takt: Takt, application: Callable[..., Path], scratch_builds: Path) -> None:
    said = takt("run", linked(application, success=False), *HOST)
    assert said.code == 1
    assert "plant: failure: it did not fly" in said.out
    last = said.out.splitlines()[-1]
    assert last.startswith("The plant failed: it did not fly. Within what was proved: in ")


def test_of_a_crash_to_order_the_last_line_names_what_the_plant_lost(
    takt: Takt, application: Callable[..., Path], scratch_builds: Path
) -> None:
    folder = linked(application, success=False)
    path = folder / "system.toml"
    process = '\n[[process]]\nname = "all"\ntasks = ["rest"]\non_fault = "restart"\n'
    path.write_text(path.read_text() + process, encoding="utf-8")
    said = takt("run", folder, *HOST, "--protection", "--inject", "rest:assert@300ms")
    assert said.code == 1
    assert said.out.splitlines()[-1].startswith("The plant failed: it did not fly. As injected: the fault was caught")


def test_a_plant_that_breaks_is_reported(run_json: Run, application: Callable[..., Path], scratch_builds: Path) -> None:
    code, document = run_json(linked(application, fault="1 / 0"), *HOST)
    assert code == 1
    assert document["failure"] == "the plant failed at 200000 ns: exchange(): ZeroDivisionError: division by zero"


def test_a_plant_that_does_not_load(takt: Takt, application: Callable[..., Path], scratch_builds: Path) -> None:
    said = takt("run", application(LINKED, app_dot_c=ECHO, plant_dot_py="import nowhere_at_all\n"), *HOST)
    assert said.code == 2
    assert "ModuleNotFoundError" in said.err
