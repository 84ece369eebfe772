# SPDX-License-Identifier: Apache-2.0
"""Instructions per operation are as reviewed (benchmarks/golden); a change shows up here and in the diff."""

from __future__ import annotations

import instructions
import pytest
import reviewed


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, int]]:
    return instructions.measure_all()


def test_the_counts_are_as_reviewed(found: dict[str, dict[str, int]]) -> None:
    hint = "reviewed and meant? PYTHONPATH=tools .venv/bin/python benchmarks/instructions.py --update"
    assert reviewed.differences(reviewed.load(instructions.GOLDEN), found) == [], hint


@pytest.mark.parametrize("preset", ["lean", "standard"])
def test_ten_instructions_more_are_ten_more(found: dict[str, dict[str, int]], preset: str) -> None:
    assert found[preset]["nothing"] == 0
    assert found[preset]["ten_instructions"] == 10


def test_every_job_was_measured(found: dict[str, dict[str, int]]) -> None:
    counts = {value for rows in found.values() for name, value in rows.items() if name.startswith("jobs_run_")}
    assert counts == {101}
