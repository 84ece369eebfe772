# SPDX-License-Identifier: Apache-2.0
"""What admission at run time counts for a job with protection: no less than a proof before the boot does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from takt.declare import declaration
from takt.image.tables import generate
from takt.prove import proof
from takt.prove.analysis import Problem

FOLDER = Path(__file__).parents[1] / "protection" / "admitted"
BUDGET = 'wcet = "2 ms"\nbudget = "4 ms"\non_budget = "stop"'


@pytest.mark.parametrize("scheduler", ["dm", "edf"])
@pytest.mark.parametrize("budget", [False, True])
def test_admission_counts_no_less_than_the_proof(tmp_path: Path, scheduler: str, budget: bool) -> None:
    text = (FOLDER / "system.toml").read_text(encoding="utf-8")
    for file in ("maker.c", "steady.c", "counted.h"):
        (tmp_path / file).write_text((FOLDER / file).read_text(encoding="utf-8"), encoding="utf-8")
    text = text.replace('scheduler = "dm"', f'scheduler = "{scheduler}"')
    text = text.replace('wcet = "2 ms"', BUDGET) if budget else text
    (tmp_path / "system.toml").write_text(text, encoding="utf-8")
    proved = proof.prove(declaration.load(tmp_path / "system.toml"))
    assert proved.overheads is not None
    (tmp_path / "generated").mkdir()
    generate.generate_proved(proved, tmp_path / "generated")
    made = (tmp_path / "generated" / "system.c").read_text(encoding="utf-8")
    problem = Problem(proved.system, proved.bands, proved.overheads, cooperative=False, iterations=10**6)
    which = 0 if scheduler == "dm" else 1
    release_ns, complete_ns = (_values(made, f".{name}_ns = {{")[which] for name in ("release", "complete"))
    for ranked, counted in zip(problem.ranked, problem.tasks, strict=True):
        if ranked.task.separation_ns is not None:
            execution_ns = max(ranked.task.wcet_ns, ranked.task.budget_ns or 0)
            assert execution_ns + complete_ns >= counted.wcet_ns
            assert release_ns + _values(made, ".timer_ns = ")[0] >= counted.release_cost_ns
    table = re.search(r"takti_admission_interrupts\[\d+\] = \{(.*?)\n\};", made, re.DOTALL)
    assert table is not None
    rows = [tuple(map(int, re.findall(r"UINT64_C\((\d+)\)", line))) for line in table[1].strip().splitlines()]
    assert sorted((one.wcet_ns, one.min_interarrival_ns) for one in problem.interrupts) == sorted(rows)
    assert _values(made, ".lock_ns = ")[0] == problem.locked_ns


def _values(text: str, where: str) -> list[int]:
    _, _, rest = text.partition("takti_admission = {")
    return [int(one) for one in re.findall(r"UINT64_C\((\d+)\)", rest.partition(where)[2].partition("\n")[0])]
