# SPDX-License-Identifier: Apache-2.0
"""What `takt advise accelerator` foretells is what a run on ibex-soc shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import only_full
from takt.accelerator import bench, costs, observe, systems
from takt.accelerator.systems import Case
from takt.observe.cycles import Cycles, Function

CASES = systems.held_out()
POINTS = [(case, *point) for case in CASES for point in bench.points(bench.HELD_OUT_AT)]


@only_full  # several runs, cycle by cycle
@pytest.mark.parametrize(
    ("case", "engine", "access_cycles"), POINTS, ids=lambda value: value.name if isinstance(value, Case) else str(value)
)
def test_what_is_foretold_is_seen(scratch_builds: Path, case: Case, engine: str, access_cycles: int) -> None:
    """Of a system that costs were not fitted to. If not: takt bench accelerator --update."""
    row = bench.check(case, engine, access_cycles, costs.load())
    assert bench.good({"checks": [row]}), row


def test_only_the_kernel_is_counted() -> None:
    functions = (
        Function("takti_job_end", 100, 1),
        Function("job_begin.constprop.0", 20, 1),
        Function("takt_work", 4000, 1),
        Function("takt_trace_read.part.0", 300, 1),
        Function("takti_waiting_t0", 50, 1),
        Function("mine_job", 7, 1),
    )
    assert observe.kernel_cycles(Cycles(9000, 0, 6, functions), {"mine_job"}) == 120
