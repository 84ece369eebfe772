# SPDX-License-Identifier: Apache-2.0
"""`takt check`: exit codes, JSON, text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from can_files import SYSTEM_BUS
from command_line import Takt, documented, keys

ROOT = Path(__file__).resolve().parents[2]
TROUBLESOME = ROOT / "apps" / "troublesome"
Declare = Callable[..., Path]
FINE = (("control", "20", 1200), ("attitude", "10", 500))
BAD = (("control", "20", 1200), ("attitude", "1/10", 1100))
POSE = """
[[state]]
name = "pose"
message_size = 24
writer = "control"
readers = [{task = "attitude", read = "100 us"}]
"""
QUEUE = """
[[task]]
name = "ordered"
min_interarrival = "100 ms"
wcet = "100 us"
trigger = "mailbox orders"
[[mailbox]]
name = "orders"
message_size = 8
capacity = 1
senders = [{task = "attitude"}]
[[server]]
name = "comms"
kind = "polling"
budget = "200 us"
period = "20 ms"
serves = ["ordered"]
"""
PROTECTED = ROOT / "tests" / "protection" / "two"
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


@pytest.mark.parametrize("scheduler", ["rm", "edf", "auto", "csd2", "cooperative"])
@pytest.mark.parametrize("jitter", ["2 ms", "3 ms"])
def test_jitter_up_to_the_deadline_is_refuted(takt: Takt, tmp_path: Path, scheduler: str, jitter: str) -> None:
    """A release may come after the deadline: a refuted proof, not a misuse; the other task is judged as ever."""
    late = f'[[task]]\nname = "late"\nperiod = "20 ms"\nwcet = "1 ms"\ndeadline = "2 ms"\njitter = "{jitter}"\n'
    low = '[[task]]\nname = "low"\nperiod = "40 ms"\nwcet = "1 ms"\n'
    (tmp_path / "system.toml").write_text(f'[system]\nboard = "host"\n{late}{low}', encoding="utf-8")
    said = takt("check", tmp_path / "system.toml", "--scheduler", scheduler)
    assert said.code == 1
    assert (
        f"task late: jitter {jitter} is not shorter than its deadline 2 ms: a job may be released too late" in said.out
    )
    assert "The smallest change that proves it: task late: jitter " in said.out
    document = json.loads(takt("check", tmp_path / "system.toml", "--scheduler", scheduler, "--json").out)
    assert [task["feasible"] for task in document["tasks"]] == [False, True]


def test_auto_says_what_it_tried(takt: Takt, declare: Declare) -> None:
    said = takt("check", declare(*BAD), "--json")
    document = json.loads(said.out)
    assert (said.code, document["feasible"], document["verdict"]) == (1, False, "infeasible")
    assert document["reason"].startswith("no scheduler proves it; under edf: ")


def test_json_keys_are_those_of_the_docs(takt: Takt, declare: Declare) -> None:
    fine = json.loads(takt("check", declare(*FINE, tail=POSE + QUEUE + SYSTEM_BUS), "--json").out)
    bad = json.loads(takt("check", declare(*BAD), "--json").out)
    protected = json.loads(takt("check", PROTECTED, "--board", "mps2-an385", "--json").out)
    assert fine.keys() == bad.keys() == protected.keys()
    assert {*keys(fine), *keys(bad), *keys(protected)} == documented("check")


def test_it_says_what_processes_take(takt: Takt) -> None:
    """Before a build only what is declared; too many regions are reported then."""
    said = takt("check", PROTECTED, "--board", "mps2-an385")
    assert "process source: 4 of 7 regions, 3072 bytes of stacks, 256 bytes to allocate" in said.out
    assert "process " not in takt("check", PROTECTED, "--no-protection").out


def test_search_keys_are_those_of_check_and_its_own(takt: Takt, declare: Declare) -> None:
    said = takt("search", declare(*BAD, tail=POSE + QUEUE + SYSTEM_BUS), "--json")
    assert said.code == 1
    apart = ("sensitivity.", "processes[]", "buses[].mts.", "chains[].steps[].")
    inner = {key for key in documented("check") if key.startswith(apart)}
    assert set(keys(json.loads(said.out))) == (documented("check") - inner) | documented("search")


def test_json_keys_of_run_are_those_of_the_docs(takt: Takt) -> None:
    """A system that misses, so that first_miss is there. Of `fault`: tests/run/test_run_times.py; of `states[]`,
    `queues[]`, `chains[]`, `faults[]`, `injected[]`, `stacks[]`: test_run_*.py; of `cycles`: tests/ibex; of
    `process_calls[]`: tests/protection/test_start.py; of `messages[]`: tests/canbus/test_can_driven.py."""
    parts = "faults injected states queues messages stacks process_calls bus_faults chains"
    elsewhere = ("fault.", "cycles.", *(f"{part}[]." for part in parts.split()))
    options = ("--board", "host", "--scheduler", "rm", "--force", "--duration", "50 ms")
    document = json.loads(takt("run", TROUBLESOME, *options, "--json").out)
    assert document["first_miss"]["task"] == "t5"
    assert set(keys(document)) == {key for key in documented("run") if not key.startswith(elsewhere)}


def test_json_keys_of_trace_are_those_of_the_docs(takt: Takt) -> None:
    said = takt("run", TROUBLESOME, "--board", "host", "--scheduler", "edf", "--duration", "50 ms")
    assert said.code == 0
    name = next(line.split(":", 1)[1].strip() for line in said.out.splitlines() if line.startswith("trace:"))
    events = [json.loads(line) for line in takt("trace", ROOT / name, "--json").out.splitlines()]
    assert {key for event in events for key in event} == documented("trace") - {"level", "where", "text"}  # of a log


def test_json_values(takt: Takt, declare: Declare) -> None:
    # control: 18.8 ms in 20 ms are left for two jobs of attitude, or for 37 jobs of 0.5 ms in 19.7 ms
    document = json.loads(
        takt("check", declare(*FINE, tail='\n[[task]]\nname = "log"\n'), "--scheduler", "csd2", "--json", *WITHOUT).out
    )
    del document["reason"]
    assert document.pop("sensitivity")["tasks"][1] == {
        "name": "attitude",
        "wcet_ns_max": 9_400_000,
        "period_ns_min": 532_433,
        "jitter_ns_max": 9_500_000,
        "monotone": True,
    }
    assert document == {
        "feasible": True,
        "verdict": "feasible",
        "scheduler": "csd2",
        "utilization": pytest.approx(0.11),
        "overheads": "none",
        "processes": [],
        "bands": [
            {"kind": "edf", "tasks": ["attitude"]},
            {"kind": "fixed", "tasks": ["control"]},
            {"kind": "fixed", "tasks": ["log"]},
        ],
        "offsets": [],
        "tasks": [
            {"name": "control", "deadline_ns": 20_000_000, "response_ns": 1_700_000, "feasible": True},
            {"name": "attitude", "deadline_ns": 10_000_000, "response_ns": 500_000, "feasible": True},
            {"name": "log", "deadline_ns": None, "response_ns": None, "feasible": True},
        ],
        "states": [],
        "queues": [],
        "buses": [],
        "messages": [],
        "chains": [],
        "servers": [],
        "changes": [],
        "instead": None,
        "ended": None,
    }


def test_blocking_counts(takt: Takt, declare: Declare) -> None:
    users = '[{task = "control", hold = "400 us"}, {task = "attitude", hold = "10 us"}]'
    path = declare(*FINE, tail=f'\n[[mutex]]\nname = "data"\nusers = {users}\n')
    tasks = json.loads(takt("check", path, "--json", *WITHOUT).out)["tasks"]
    assert tasks[1]["response_ns"] == 900_000


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
            'takt: --board hots: no such board\n  try: "host" (or "ibex-soc", "mps2-an385", "rv32-virt")',
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


def test_a_table_says_how_much_each_task_can_take(takt: Takt, declare: Declare) -> None:
    out = takt("check", declare(*FINE), "--scheduler", "dm", *WITHOUT).out
    assert re.search(
        r"^still proved by these bands, each change alone: +a wcet up to +a period down to +a jitter up to", out, re.M
    )

    assert re.search(r"^attitude +9\.4 ms +", out, re.M)
    assert "all wcets together: multiplied by up to 9.0909" in out
    assert "still proved" not in takt("check", declare(*FINE), "--no-sensitivity").out


def test_many_tasks_only_on_demand(takt: Takt, declare: Declare) -> None:
    path = declare(*((f"t{index}", "100", 100) for index in range(33)))
    assert "still proved" not in takt("check", path, *WITHOUT).out
    assert "still proved" in takt("check", path, "--sensitivity", *WITHOUT).out


def test_a_refuted_system_gets_the_smallest_change(takt: Takt, declare: Declare) -> None:
    said = takt("check", declare(*BAD), "--scheduler", "dm", *WITHOUT)
    assert "The smallest change that proves it: " in said.out
    assert "task attitude: wcet 1 ms instead of 1.1 ms (-9.1 %)" in said.out
    assert "all wcets times 0.909091 (-9.1 %)" in said.out
    change = json.loads(takt("check", declare(*BAD), "--json", *WITHOUT).out)["changes"]
    assert {item["kind"]: item["to_ns"] for item in change} == {"scale": None, "task": 1_000_000}


def test_what_auto_would_find(takt: Takt, declare: Declare) -> None:
    pair = declare(("a", "10", 5000), ("b", "14", 7000))
    assert 'As it is, scheduler = "auto" proves it: edf.' in takt("check", pair, "--scheduler", "dm", *WITHOUT).out
    assert json.loads(takt("check", pair, "--scheduler", "dm", "--json", *WITHOUT).out)["instead"] == "edf"
    mixed = declare(("a", "10", 5000), ("b", "14", 5000), ("c", "20", 2500))
    said = takt("check", mixed, "--scheduler", "dm", *WITHOUT).out
    assert 'As it is, scheduler = "auto" proves it: ' in said


def test_search_prints_what_check_takes(takt: Takt, declare: Declare, tmp_path: Path) -> None:
    path = declare(("a", "10", 3000), ("b", "14", 6000), ("c", "30", 7000))
    said = takt("search", path, *WITHOUT)
    assert said.code == 0
    tables = said.out[said.out.index("[[band]]") :]
    again = tmp_path / "again.toml"
    again.write_text(path.read_text(encoding="utf-8") + "\n" + tables, encoding="utf-8")
    checked = json.loads(takt("check", again, "--json", *WITHOUT).out)
    found = json.loads(takt("search", path, "--json", *WITHOUT).out)
    assert checked["bands"] == found["bands"]
    assert checked["feasible"]


def test_search_for_breakdown_goes_higher(takt: Takt) -> None:
    """On a board whose kernel takes time: dm proves avionics, another list would prove more."""
    avionics = ROOT / "apps" / "avionics"
    cheap = json.loads(takt("search", avionics, "--json").out)
    high = json.loads(takt("search", avionics, "--goal", "breakdown", "--json").out)
    assert (cheap["goal"], high["goal"]) == ("overhead", "breakdown")
    assert cheap["kernel"] < high["kernel"]
    assert cheap["breakdown"] < high["breakdown"] < 1 - high["kernel"]
    assert high["tried"] > cheap["tried"] > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--goal", "best"], "Invalid value for '--goal'"),
        (["--bands", "1"], "Invalid value for '--bands'"),
        (["--scheduler", "rm"], "No such option"),
    ],
)
def test_misuse_of_search(takt: Takt, declare: Declare, arguments: list[str], message: str) -> None:
    said = takt("search", declare(*FINE), *arguments)
    assert (said.code, said.out) == (2, "")
    assert message in said.err


def test_breakdown_of_nothing(takt: Takt, declare: Declare) -> None:
    said = takt("search", declare(tail='\n[[task]]\nname = "log"\n'), "--goal", "breakdown")
    assert (said.code, said.out) == (2, "")
    assert "no task has a period and a wcet" in said.err


def test_hyperperiods_that_overflow_are_decided(takt: Takt, tmp_path: Path) -> None:
    """Periods of some 146 years that are prime to each other, and a busy period of 6 us."""
    rows = [(2**62 - 57, 1000), (2**62 - 87, 2000), (2**62 - 117, 3000), (2**61 - 1, 10)]
    text = "".join(
        f'[[task]]\nname = "t{number}"\nperiod = "{period} ns"\nwcet = "{wcet} ns"\ndeadline = "7 us"\n'
        for number, (period, wcet) in enumerate(rows)
    )
    (tmp_path / "system.toml").write_text(text, encoding="utf-8")
    for scheduler in ("dm", "rm", "edf", "csd2", "auto", "cooperative"):
        said = takt("check", tmp_path, "--scheduler", scheduler, *WITHOUT, "--json")
        assert (said.code, json.loads(said.out)["verdict"]) == (0, "feasible"), scheduler


@pytest.mark.parametrize("scheduler", ["edf", "auto"])
def test_what_is_undecided_is_said(takt: Takt, tmp_path: Path, scheduler: str) -> None:
    """A load of 1 - 10^-18: only after years could a deadline be missed, if one is."""
    rows = [(1_000_000_007, 500_000_003), (1_000_000_009, 500_000_005)]
    text = "".join(
        f'[[task]]\nname = "t{number}"\nperiod = "{period} ns"\nwcet = "{wcet} ns"\njitter = "1 ns"\n'
        for number, (period, wcet) in enumerate(rows)
    )
    (tmp_path / "system.toml").write_text(text, encoding="utf-8")
    said = takt("check", tmp_path, "--scheduler", scheduler, *WITHOUT)
    assert said.code == 1
    assert "Undecided: " in said.out
    assert "undecided, the limit of 200000 iterations was reached; nothing is proved or refuted" in said.out
    document = json.loads(takt("check", tmp_path, "--scheduler", scheduler, *WITHOUT, "--json").out)
    assert (document["verdict"], document["feasible"]) == ("undecided", False)
