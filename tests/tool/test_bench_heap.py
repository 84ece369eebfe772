# SPDX-License-Identifier: Apache-2.0
"""The longest calls of the heap, measured on the boards: HEAP_CALL of the proof, and the figures of docs/heap.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_line import Takt
from running import FULL, emulated
from takt.declare.schema import boards
from takt.prove.overheads import HEAP_CALL
from takt.support.provision import ROOT

HEAP = ROOT / "benchmarks" / "heap"
MODES = [emulated("mps2-an385", False), emulated("rv32-virt", True)]  # that tests/run/test_run_heap.py has, too
MODES += [emulated("mps2-an385", True), emulated("rv32-virt", False)] if FULL else []
MARGIN = 1.05
CLOCK = 3  # instructions: the steps of the boards' clocks


def measured(takt: Takt, board: str, protection: bool) -> dict[str, int]:
    """Instructions by call."""
    run = takt("run", HEAP, "--board", board, "--protection" if protection else "--no-protection")
    assert run.code == 0, run.out + run.err
    trace = Path(run.out.partition("\ntrace:  ")[2].partition("\n")[0])
    found = re.findall(r"HEAP (\w+) (\d+)\n", (trace.parent / "console.txt").read_text(encoding="utf-8"))
    overheads = (boards.load(board).folder / "overheads.toml").read_text(encoding="utf-8")
    (instruction_ns,) = re.findall(r'^instruction = "(\d+) ns"', overheads, re.MULTILINE)
    return {call: -(-int(took_ns) // int(instruction_ns)) for call, took_ns in found}


@pytest.mark.parametrize(("board", "protection"), MODES)
def test_no_call_is_longer_than_the_proof_and_the_page_say(takt: Takt, board: str, protection: bool) -> None:
    found = measured(takt, board, protection)
    assert set(found) == {"malloc", "aligned_alloc", "free", "realloc"}
    longest = max(found.values()) * MARGIN
    proved = HEAP_CALL[boards.load(board).port]
    assert longest <= proved, found
    assert not protection or longest > 0.99 * proved - CLOCK, f"{found}: the figure of the proof is longer than that"
    column = {("mps2-an385", False): 1, ("mps2-an385", True): 2, ("rv32-virt", False): 3, ("rv32-virt", True): 4}
    rows = [line.split("|")[1:-1] for line in (ROOT / "docs" / "heap.md").read_text(encoding="utf-8").splitlines()]
    page = {row[0].strip(" `"): row[column[board, protection]] for row in rows if len(row) == 5}
    for call, instructions in found.items():
        assert abs(int(page[call]) - instructions) <= CLOCK, (
            f"{call}: {instructions}, and docs/heap.md has {page[call]}"
        )
