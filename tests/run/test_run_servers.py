# SPDX-License-Identifier: Apache-2.0
"""Served tasks that never wait, at a priority above all others: these keep their deadlines, within what was proved."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import FULL, Run, emulated
from takt.support.c.kernel import BudgetPolicy
from takt.support.c.traces import SERVER_LOST, SERVER_REPLENISHED
from takt.trace.records import Event
from takt.trace.segments import read

DECLARATION = """
[system]
scheduler = "bands"
duration = "400 ms"

[[task]]
name = "control"
period = "10 ms"
wcet = "1 ms"

[[task]]
name = "slow"
period = "40 ms"
wcet = "4 ms"

[[task]]
name = "shell"
entry = "flood"
style = "loop"

[[task]]
name = "log"
entry = "write_log"
min_interarrival = "4 ms"
wcet = "200 us"
trigger = "interrupt line"

[[interrupt]]
name = "line"
number = 20
min_interarrival = "4 ms"
wcet = "10 us"

[[server]]
name = "comms"
kind = "KIND"
budget = "1 ms"
period = "10 ms"
serves = ["shell", "log"]

[[band]]
kind = "FIRST"
tasks = ["comms", "control", "slow"]
"""

PROGRAM = """
#include "takt_app.h"

void flood(void *argument)
{
    (void)argument;
    for (;;) {
        takt_work(TAKT_US(700));
    }
}

void write_log(void *argument)
{
    (void)argument;
    takt_work(TAKT_US(150));
}
"""


KINDS = [("deferrable", "fixed"), ("polling", "fixed"), ("sporadic", "edf")]
CASES = [("host", *KINDS[1]), emulated("mps2-an385", *KINDS[0]), ("host", *KINDS[2])]
CASES += [("host", *KINDS[0])] if FULL else []
CASES += [emulated("mps2-an385", *kind) for kind in KINDS[1:] if FULL]
CASES += [emulated("rv32-virt", *kind) for kind in KINDS if FULL]


@pytest.mark.parametrize(("board", "kind", "band"), CASES)
def test_the_others_keep_their_deadlines(
    run_json: Run, application: Callable[..., Path], scratch_builds: Path, board: str, kind: str, band: str
) -> None:
    folder = application(DECLARATION.replace("KIND", kind).replace("FIRST", band), app_dot_c=PROGRAM)
    code, document = run_json(folder, "--board", board)
    tasks = {task["name"]: task for task in document["tasks"]}
    assert (code, document["within_proof"], document["misses"]) == (0, True, 0)
    for name in ("control", "slow"):
        assert tasks[name]["response_ns_max"] <= tasks[name]["bound_ns"]
    assert tasks["control"]["response_ns_max"] > 1_500_000  # the server is above it
    (path,) = scratch_builds.glob("*/run/trace.takt")
    values = Counter(entry.value for entry in read(path).entries if entry.event is Event.BUDGET)
    assert 38 <= values[BudgetPolicy.SERVER] <= 41  # used up in each period
    assert 38 <= values[SERVER_REPLENISHED] <= 41
    assert values.keys() <= {BudgetPolicy.SERVER, SERVER_REPLENISHED, SERVER_LOST}


def test_tables(application: Callable[..., Path], takt: Takt, tmp_path: Path) -> None:
    folder = application(DECLARATION.replace("KIND", "polling").replace("FIRST", "fixed"), app_dot_c=PROGRAM)
    assert takt("generate", folder, "-o", tmp_path / "out").code == 0
    source = (tmp_path / "out" / "system.c").read_text(encoding="utf-8")
    assert "takti_served_comms[] = {&takt_tasks[2], &takt_tasks[3]};" in source
    times = ".budget_ns = UINT64_C(1000000), .period_ns = UINT64_C(10000000), .deadline_ns = UINT64_C(10000000)"
    rest = ".tasks = takti_served_comms, .task_count = 2, .kind = TAKT_SERVER_POLLING"
    assert f"{{{times}, {rest}}}" in source
    assert ".servers = {takti_servers},\n    .server_count = {1}," in source
    budget = r"takti_budget_log = {.*\.waits = 0, \.locks = 0, .*\.policy = TAKT_BUDGET_SERVER, "
    assert re.search(budget + r"\.server = {&takti_servers\[0\]}, \.level = 3};", source)
    assert re.search(r'\.name = "log", .*\.deadline_ns = TAKT_FOREVER / 2, .*\.level = 0', source)


def test_not_with_the_task_manager(application: Callable[..., Path], takt: Takt) -> None:
    folder = application(DECLARATION.replace("KIND", "polling").replace("FIRST", "fixed"), app_dot_c=PROGRAM)
    said = takt("run", folder, "--board", "ibex-soc", "--engine", "rtm")
    assert (said.code, '[[server]] "comms": is not possible with engine rtm' in said.err) == (2, True)
