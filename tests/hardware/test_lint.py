# SPDX-License-Identifier: Apache-2.0
"""Verilator has nothing to say about the RTL, whatever the parameters."""

from __future__ import annotations

import subprocess

import pytest
from takt.hardware import simulate
from takt.hardware.simulate import Parameters
from takt.support import provision

SIZES = {
    "smallest": Parameters(4, 2, 2, 4, 2),
    "16": Parameters(16, 1),
    "64": Parameters(64, 4, cuts=0b01010),
    "128": Parameters(128, 8, event_width=6),
    "classic": Parameters(64, 1, classic=True),
}


def complaints(top: str, options: list[str]) -> list[str]:
    """What Verilator says about the module `top`."""
    provision.require("verilator")
    command = ["verilator", "--lint-only", "-Wall", "--top-module", top, *options, *map(str, simulate.sources())]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return [line for line in done.stderr.splitlines() if line.startswith("%")]


@pytest.mark.parametrize("size", SIZES)
def test_the_task_manager(size: str) -> None:
    assert complaints("rtm", SIZES[size].options()) == []


@pytest.mark.parametrize("delay", [0, 1, 20])
def test_the_wrapper_for_ibex(delay: int) -> None:
    assert complaints("rtm_ibex", [f"-GDelay={delay}"]) == []


def test_the_window_of_csrs() -> None:
    assert complaints("rtm_csr", []) == []
    assert complaints("rtm_csr", ["-GRecords=16", "-GEventWidth=4"]) == []


def test_a_width_that_does_not_fit_is_seen() -> None:
    assert complaints("rtm", ["-GRecords=20"]) != []
