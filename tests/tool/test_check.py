# SPDX-License-Identifier: Apache-2.0
"""`takt check`: exit codes, JSON, text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt, documented, keys

ROOT = Path(__file__).resolve().parents[2]
TROUBLESOME = ROOT / "apps" / "troublesome"
Declare = Callable[..., Path]
FINE = (("control", "20", 1200), ("attitude", "10", 500))
BAD = (("control", "20", 1200), ("attitude", "1/10", 1100))
WITHOUT = ("--overheads", "none")  # so that results can be worked out by hand


def test_proved(takt: Takt, declare: Declare) -> None:
    said = takt("check", declare(*FINE), *WITHOUT)
    assert said.code == 0
    assert "Proved: every deadline holds" in said.out
    assert "overheads: none (left out: --overheads none)" in said.out


def test_refuted(takt: Takt, declare: Declare) -> None:
    said = takt("check", declare(*BAD), "--scheduler", "dm", *WITHOUT)
    assert said.code == 1
    assert "Refuted: task attitude: worst-case response 1.1 ms exceeds its deadline 1 ms." in said.out


def test_auto_says_what_it_tried(takt: Takt, declare: Declare) -> None:
    said = takt("check", declare(*BAD), "--json")
    document = json.loads(said.out)
    assert (said.code, document["feasible"], document["verdict"]) == (1, False, "infeasible")
    assert document["reason"].startswith("no scheduler proves it; under edf: ")


def test_json_keys_are_those_of_the_docs(takt: Takt, declare: Declare) -> None:
    document = json.loads(takt("check", declare(*FINE), "--json").out)
    assert set(keys(document)) == documented("check")


def test_json_keys_of_run_are_those_of_the_docs(takt: Takt) -> None:
    """A system that misses, so that first_miss is there. Of `fault`: tests/run/test_run_times.py."""
    options = ("--board", "host", "--scheduler", "rm", "--force", "--duration", "50 ms")
    document = json.loads(takt("run", TROUBLESOME, *options, "--json").out)
    assert document["first_miss"]["task"] == "t5"
    assert set(keys(document)) == {key for key in documented("run") if not key.startswith("fault.")}


def test_json_keys_of_trace_are_those_of_the_docs(takt: Takt) -> None:
    said = takt("run", TROUBLESOME, "--board", "host", "--scheduler", "edf", "--duration", "50 ms")
    assert said.code == 0
    name = next(line.split(":", 1)[1].strip() for line in said.out.splitlines() if line.startswith("trace:"))
    events = [json.loads(line) for line in takt("trace", ROOT / name, "--json").out.splitlines()]
    assert {key for event in events for key in event} == documented("trace")


def test_json_values(takt: Takt, declare: Declare) -> None:
    document = json.loads(
        takt("check", declare(*FINE, tail='\n[[task]]\nname = "log"\n'), "--scheduler", "csd2", "--json", *WITHOUT).out
    )
    del document["reason"]
    assert document == {
        "feasible": True,
        "verdict": "feasible",
        "scheduler": "csd2",
        "utilization": pytest.approx(0.11),
        "overheads": "none",
        "bands": [
            {"kind": "edf", "tasks": ["attitude"]},
            {"kind": "fixed", "tasks": ["control"]},
            {"kind": "fixed", "tasks": ["log"]},
        ],
        "tasks": [
            {"name": "control", "deadline_ns": 20_000_000, "response_ns": 1_700_000, "feasible": True},
            {"name": "attitude", "deadline_ns": 10_000_000, "response_ns": 500_000, "feasible": True},
            {"name": "log", "deadline_ns": None, "response_ns": None, "feasible": True},
        ],
    }


def test_blocking_counts(takt: Takt, declare: Declare) -> None:
    users = '[{task = "control", hold = "400 us"}, {task = "attitude", hold = "10 us"}]'
    path = declare(*FINE, tail=f'\n[[mutex]]\nname = "data"\nusers = {users}\n')
    tasks = json.loads(takt("check", path, "--json", *WITHOUT).out)["tasks"]
    assert tasks[1]["response_ns"] == 900_000


def test_a_folder_will_do(takt: Takt, declare: Declare) -> None:
    assert takt("check", declare(*FINE).parent).code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--scheduler", "fifo"], 'takt: no scheduler "fifo"\n  try: '),
        (["--scheduler", "bands"], "has no [[band]] tables"),
        (["--scheduler", ""], 'takt: no scheduler ""'),
        (["--scheduler", "csd02"], 'takt: no scheduler "csd02"'),
        (["--scheduler", "csd\u0662"], "takt: no scheduler"),
        (["--scheduler", "csd4"], "takt: csd4 needs at least 4 tasks, one for each band; there are 2 with a deadline"),
        (
            ["--board", "hots"],
            'takt: --board hots: no such board\n  try: "host" (boards: host, mps2-an385 or rv32-virt)',
        ),
        (["--overheads", "some"], "Invalid value for '--overheads'"),
        (["--jsn"], "No such option"),
    ],
)
def test_misuse(takt: Takt, declare: Declare, arguments: list[str], message: str) -> None:
    said = takt("check", declare(*FINE), *arguments)
    assert (said.code, said.out) == (2, "")
    assert message in said.err


SILENT = '\n[[interrupt]]\nname = "noise"\nnumber = 3\nmin_interarrival = "1 ms"\nwcet = "5 us"\nkernel = false\n'


def test_an_interrupt_that_the_board_always_masks(takt: Takt, declare: Declare) -> None:
    path = declare(*FINE, tail=SILENT)
    assert takt("check", path).code == 0
    said = takt("check", path, "--board", "rv32-virt")
    assert said.code == 2
    problem = f'{path}:14: [[interrupt]] "noise": kernel = false: on rv32-virt the kernel\'s lock masks every interrupt'
    assert said.err == f"takt: {problem}\n  try: kernel = true\n"


def test_no_such_application(takt: Takt, tmp_path: Path) -> None:
    said = takt("check", tmp_path / "nowhere")
    assert said.code == 2
    assert said.err.startswith(f"takt: {tmp_path}/nowhere does not exist\n  try: ")


def test_unknown_command(takt: Takt) -> None:
    said = takt("chekc")
    assert said.code == 2
    assert 'no command "chekc"; try "check"' in said.err


def test_overheads_on_the_host(takt: Takt, declare: Declare) -> None:
    said = takt("check", declare(*FINE), "--board", "host")
    assert "overheads: none (kernel operations take no time on host)" in said.out


def test_help_lists_every_command(takt: Takt) -> None:
    out = takt("--help").out
    for name in ("check", "build", "run", "measure", "trace", "new", "generate", "docs", "test"):
        assert re.search(rf"^  {name} ", out, re.MULTILINE), name


def test_every_command_has_help(takt: Takt) -> None:
    for name in ("check", "build", "run", "measure", "trace", "new", "docs", "test"):
        said = takt(name, "--help")
        assert said.code == 0
        assert len(said.out.splitlines()) > 4, name
