# SPDX-License-Identifier: Apache-2.0
"""gdb and a protected system: tasks in user mode, processes, their faults, on every board.

tests/protection/two, in which the source sleeps in a section, is preempted, allocates, and both processes crash. What
must be said follows from that, and from where `takt check` says that memory lies.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import BOARDS, FULL
from takt.support.provision import ROOT

FOLDER = ROOT / "tests" / "protection" / "two"
OPTIONS = ("--force", "--overheads", "none", "--protection")

PRODUCER = """
#include "takt/process.h"
__attribute__((noinline)) void observe(uint32_t what);
__attribute__((noinline)) void observe(uint32_t what)
{
    __asm volatile("" : : "r"(what) : "memory");
}
"""
STRAY = "*(volatile uint32_t *)0x20001000 = 1; /* crash */"
FORGED = "takt_mutex_unlock((struct takt_mutex *)0x1234560); /* crash */"
ADDRESS = {STRAY: 0x20001000, FORGED: 0x1234560}


def crash(board: str) -> str:
    return FORGED if board == "host" else STRAY


@pytest.fixture
def folder(tmp_path: Path) -> Callable[[str], Path]:
    """The application for a board. Its producer sleeps for 1.5 ms with `lock` in its first job, while spare works, and
    crashes in its second, at 10 ms; its consumer crashes in its first."""

    def edit(board: str) -> Path:
        made = tmp_path / FOLDER.name
        shutil.copytree(FOLDER, made)
        for name, what, other in (
            ("producer.c", '#include "takt_app.h"\n', f'#include "takt_app.h"\n{PRODUCER}'),
            ("producer.c", "    (void)argument;\n", "    (void)argument;\n    volatile uint32_t mark = count * 6;\n"),
            ("producer.c", "        board = now;\n", "        board = now;\n        takt_delay(1500000);\n"),
            (
                "producer.c",
                "    count++;\n",
                "    count++;\n    (void)takt_memory_alloc(33);\n    observe(count);\n"
                f"    if (count == 9) {{\n        {crash(board)}\n        observe(0);\n    }}\n",
            ),
            ("consumer.c", "    uint32_t rest = total;\n", f"    {crash(board)}\n    uint32_t rest = total;\n"),
            ("system.toml", 'period = "50 ms"\nwcet = "1 ms"', 'period = "50 ms"\nwcet = "3 ms"'),
            ("system.toml", 'on_fault = "restart"\n', 'on_fault = "restart"\nrestarts_max = 3\n'),
        ):
            text = (made / name).read_text(encoding="utf-8")
            assert text.count(what) == 1, what
            (made / name).write_text(text.replace(what, other), encoding="utf-8")
        return made

    return edit


def caller(backtrace: str) -> str:
    """The function that a task's first one has called; below it nothing of the kernel's but what begins a task."""
    found = re.findall(r"^#\d+ +(?:0x[0-9a-f]+ in )?(\w+) \(", backtrace, re.MULTILINE)
    return str(found[found.index("takt_user_main") - 1])


def column(table: str, index: int) -> dict[str, str]:
    """A column of `takt tasks`, by task."""
    rows = [re.split(r"  +", line[2:]) for line in table.splitlines() if re.match(r"[* ] \w+  ", line)]
    return {row[0]: row[index] for row in rows[1:]}


def line_of(folder: Path, name: str, text: str) -> str:
    """FILE:LINE of a text that occurs there once."""
    lines = (folder / name).read_text(encoding="utf-8").splitlines()
    (number,) = [number for number, line in enumerate(lines, 1) if text in line]
    return f"{name}:{number}"


@pytest.mark.parametrize("board", BOARDS if FULL else BOARDS[1:2])
def test_tasks_and_faults_of_processes(takt: Takt, tmp_path: Path, folder: Callable[[str], Path], board: str) -> None:
    script, app = tmp_path / "commands.gdb", folder(board)
    commands = (
        *("break takti_job_spare", "continue", "takt tasks", "takt objects", "takt task producer"),
        *("takt task consumer", "takt in consumer frame", "takt in producer print mark"),
        *("break observe", "continue", "takt tasks", "takt task spare", "takt processes", "takt faults"),
        *("delete", "break memory_step", "continue", "takt processes", "takt faults", "takt tasks", "takt trace 100"),
    )
    script.write_text("".join(f"echo \\n@@@\\n\n{command}\n" for command in commands), encoding="utf-8")
    said = takt("run", app, *OPTIONS, "--board", board, "--gdb-script", script)
    assert said.code == 0, said.out + said.err
    answers = said.out.split("\n@@@\n")[1:]
    assert len(answers) == len(commands)
    _, _, tasks, objects, producer, consumer, frame, local = answers[:8]

    processes = {"producer": "source", "consumer": "sink", "spare": "source", "tick": "source", "idle": "-"}
    assert column(tasks, 1) == processes
    states = column(tasks, 4)
    assert states["consumer"] == "waits for mutex lock owned by producer"
    assert re.fullmatch(r"sleeps until [\d.]+ [mu]s", states["producer"])
    assert states["spare"] == "running"
    assert {name for name, holds in column(tasks, 5).items() if holds == "lock"} == {"producer"}
    assert re.search(r"^mutex +lock +owned by producer; waiting: consumer$", objects, re.MULTILINE)
    # In use is what lies between the stack's end and its pointer: every task has its own, in its process's memory.
    pointers = {name: int(sp, 16) for name, sp in column(tasks, 7).items()}
    assert len(set(pointers.values())) == len(pointers)
    assert caller(producer) == "producer_job"
    assert board == "host" or "takt_user_delay" not in producer  # of which gdb knows no frame
    assert caller(consumer) == "consumer_job"
    assert line_of(app, "consumer.c", "if (takt_mutex_lock(&lock)") in frame
    assert "= 42" in local

    _, _, tasks, spare, reach, none = answers[8:14]
    assert column(tasks, 4)["spare"] == "ready"
    assert caller(spare) == "takt_work"  # which its job goes on in
    assert "source: running; restarts: 0 of at most 3; 64 of 256 bytes of its quota used" in reach
    assert "sink: running; does not restart; 0 of 0 bytes of its quota used" in reach
    assert "  tasks: producer, spare, tick\n" in reach
    assert "  interrupt tick_line: attached\n" in reach
    assert_regions(takt, app, board, reach)
    assert "no process has faulted" in none

    _, _, _, reach, faults, tasks, trace = answers[14:21]
    assert "sink: faulted, and stays stopped; does not restart; " in reach
    assert re.search(
        r"^source: faulted, and is restarted: \d+ of \d+ bytes are initialized; restarts: 1 of at", reach, re.M
    )
    assert "attached" not in reach
    assert column(tasks, 4) | {"idle": ""} == dict.fromkeys(processes, "stopped") | {"idle": ""}
    cause = "made a call that" if board == "host" else "accessed memory"
    address = ADDRESS[crash(board)]
    first, second = re.findall(r"^process .*(?:\n .*)*", faults, re.MULTILINE)
    for listing, process, task, file, after in (
        (first, "sink", "consumer", "consumer.c", "stopped"),
        (second, "source", "producer", "producer.c", "restarted"),
    ):
        assert re.search(
            rf"^process {process}: task {task} {cause}.* \({address:#x}\) at .*; it was {after}$", listing, re.M
        )
        assert line_of(app, file, "/* crash */") in listing
        assert board == "host" or re.search(r" pc 0x[0-9a-f]{8}", listing)
    assert [line.split()[1:3] for line in trace.splitlines() if " process " in line] == [
        ["process", "consumer"],
        ["process", "producer"],
    ]
    assert re.search(r"process +consumer .* sink ", trace)


def assert_regions(takt: Takt, app: Path, board: str, said: str) -> None:
    """What gdb finds in memory is what the check granted."""
    document = json.loads(takt("check", app, "--board", board, "--protection", "--json").out)
    found: dict[str, set[tuple[int, int, str]]] = {}
    name = ""
    for line in said.splitlines():
        name = line.partition(":")[0] if not line.startswith(" ") else name
        if region := re.match(r"  ([r-][w-][x-])  (0x[0-9a-f]+) to (0x[0-9a-f]+)  ", line):
            found.setdefault(name, set()).add((int(region[2], 16), int(region[3], 16), region[1]))
    granted = {}
    for process in document["processes"]:
        granted[process["name"]] = {
            (
                region["base"],
                region["base"] + region["size"],
                "r" + ("w" if region["write"] else "-") + ("x" if "text" in region["name"] else "-"),
            )
            for region in process["regions"]
        }
    assert found == granted


def test_without_processes(takt: Takt, tmp_path: Path) -> None:
    script = tmp_path / "commands.gdb"
    script.write_text("takt faults\n", encoding="utf-8")
    said = takt("run", FOLDER, "--no-protection", "--board", "host", "--gdb-script", script)
    assert said.code == 1
    assert "takt: this system has no processes (protection is off)" in said.err
