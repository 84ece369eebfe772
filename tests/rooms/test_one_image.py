# SPDX-License-Identifier: Apache-2.0
"""One image of all rooms: kernel, analysis, the core of reflective memory and a driver, linked into one program, which
calls each of them on every board."""

from __future__ import annotations

import ctypes
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from running import BOARDS, FULL, HOST_AND_FIRST
from takt.image import build
from takt.image.link_checks import symbols
from takt.observe import run
from takt.prove import analysis_library

FOLDER = Path(__file__).parent / "one_image"
ROW = re.compile(r"^    TASK\(([\d, ]+), (\w+)\)", re.MULTILINE)
ORDERS = ("EQUAL", "DEADLINE")
PACKETS = 4  # the last one comes back with a changed bit
ROOMS = ("takt_semaphore_post", "takt_analysis_responses", "takt_seal_opens", "takt_wire_decode", "takt_run_start")
IBEX = "ibex-soc"  # with the driver of the task manager


@cache
def finished(board: str) -> tuple[run.Finished, Path]:
    """A run of the image, and the image. With the task manager where the board has one."""
    proved = run.load(str(FOLDER), board, None, "measured", engine="rtm" if board == IBEX else None)
    folder = build.folder_of(proved.system, proved.board, proved.choice.scheduler)
    done = run.run(proved, proved.system.duration_ns, 1)
    image = next(path for path in (folder / "application", folder / "application.elf") if path.exists())
    return done, image


def printed(board: str, name: str) -> list[list[int]]:
    lines = (line.partition(": ") for line in finished(board)[0].console.splitlines())
    return [[int(word) for word in rest.split()] for head, _, rest in lines if head == name]


def computed_here() -> list[int]:
    """The response times of the task set, by the analysis of the tool."""
    rows = ROW.findall((FOLDER / "task_set.h").read_text(encoding="utf-8"))
    tasks = [analysis_library.Task(*map(int, row.split(",")), ORDERS.index(order)) for row, order in rows]
    array = (analysis_library.Task * len(tasks))(*tasks)
    whole = analysis_library.Set(array, len(tasks), None, 0, 0, 100_000, False)
    found, statuses = (ctypes.c_uint64 * len(tasks))(), (ctypes.c_int * len(tasks))()
    assert analysis_library.load().takt_analysis_responses(ctypes.byref(whole), found, statuses) == 0
    assert not any(statuses)
    return list(found)


@pytest.mark.parametrize("board", [*BOARDS, IBEX] if FULL else HOST_AND_FIRST)
class TestOneImage:
    def test_it_stays_within_its_proof(self, board: str) -> None:
        outcome = finished(board)[0].outcome
        assert outcome.failure is None
        assert outcome.within_proof

    def test_it_holds_every_room(self, board: str) -> None:
        assert set(ROOMS) <= symbols(finished(board)[1]).keys()

    def test_the_analysis_computes_what_it_computes_here(self, board: str) -> None:
        assert printed(board, "analysis") == [[0, 0, 0]]
        assert printed(board, "responses") == [computed_here()]

    def test_packets_are_sealed_and_checked(self, board: str) -> None:
        sealed = [row[2] for row in printed(board, "packet")]
        back = [row[3] for row in printed(board, "packet")]
        assert (sealed, back) == ([1, 1, 1, 1], [1, 1, 1, 0])

    def test_the_driver_carries_the_packets(self, board: str) -> None:
        """To the plant, with the bytes that they have on the host."""
        packets: dict[str, Any] = finished(board)[0].outcome.plant or {}
        assert len(packets["packets"]) == PACKETS
        assert packets == finished("host")[0].outcome.plant

    def test_the_kernel_runs_the_tasks(self, board: str) -> None:
        """The counter is woken by each packet that passed."""
        assert printed(board, "passed") == [[1], [2], [3]]
        jobs = {task.name: task.jobs for task in finished(board)[0].outcome.tasks}
        assert (jobs["node"], jobs["analyst"]) == (10, 4)
