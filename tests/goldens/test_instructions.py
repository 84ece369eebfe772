# SPDX-License-Identifier: Apache-2.0
"""Instructions per operation are as reviewed (benchmarks/golden); a change shows up here and in the diff."""

from __future__ import annotations

import importlib.util
import json
from types import ModuleType

import pytest
from takt.provision import ROOT


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("instructions", ROOT / "benchmarks" / "instructions.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def instructions() -> ModuleType:
    return load()


@pytest.fixture(scope="module")
def found(instructions: ModuleType) -> dict[str, dict[str, int]]:
    measured: dict[str, dict[str, int]] = instructions.measure_all()
    return measured


def test_the_counts_are_as_reviewed(instructions: ModuleType, found: dict[str, dict[str, int]]) -> None:
    wanted = json.loads(instructions.GOLDEN.read_text(encoding="utf-8"))
    hint = "reviewed and meant? PYTHONPATH=tools .venv/bin/python benchmarks/instructions.py --update"
    assert instructions.differences(wanted, found) == [], hint


@pytest.mark.parametrize("preset", ["lean", "standard"])
def test_ten_instructions_more_are_ten_more(found: dict[str, dict[str, int]], preset: str) -> None:
    assert found[preset]["nothing"] == 0
    assert found[preset]["ten_instructions"] == 10


def test_every_job_was_measured(found: dict[str, dict[str, int]]) -> None:
    counts = {value for rows in found.values() for name, value in rows.items() if name.startswith("jobs_run_")}
    assert counts == {101}
