# SPDX-License-Identifier: Apache-2.0
"""`takt run --access-cycles N`: how far away the task manager is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import Run

ONE = '[[task]]\nname = "one"\nperiod = "1 ms"\nwcet = "200 us"\n'
SLOW = 100  # cycles, of 20 ns


def test_each_access_takes_longer(application: Callable[..., Path], scratch_builds: Path, run_json: Run) -> None:
    folder = application(ONE)
    options = ("--board", "ibex-soc", "--engine", "rtm", "--duration", "5 ms")
    responses = []
    for cycles in (0, SLOW):
        _, document = run_json(folder, *options, "--access-cycles", str(cycles))
        assert document["failure"] is None  # a bound without the kernel's time may be exceeded
        responses.append(document["tasks"][0]["response_ns_max"])
    accesses = (responses[1] - responses[0]) / (20 * SLOW)
    assert 3 < accesses < 30  # of the release and what comes before the job runs


@pytest.mark.parametrize(
    ("options", "problem", "hint"),
    [
        (("--board", "rv32-virt"), "--access-cycles 3: rv32-virt has no task manager", "--board ibex-soc"),
        (
            ("--board", "ibex-soc"),
            "--access-cycles 3: the software engine does not access the task manager",
            "add --engine rtm",
        ),
        (
            ("--board", "ibex-soc", "--engine", "rtm", "--gdb"),
            "--access-cycles cannot be used with a debugger",
            "only one of the two options",
        ),
    ],
)
def test_it_is_refused_where_it_means_nothing(
    takt: Takt, application: Callable[..., Path], options: tuple[str, ...], problem: str, hint: str
) -> None:
    said = takt("run", application(ONE), *options, "--access-cycles", "3")
    assert said.code == 2
    assert said.err.splitlines() == [f"takt: {problem}", f"  try: {hint}"]
