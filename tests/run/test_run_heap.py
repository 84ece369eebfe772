# SPDX-License-Identifier: Apache-2.0
"""malloc and its like, and C++'s new: on boards and the host, with protection and without; and where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Takt
from running import EMULATED_MODES, emulated

HEAP = Path(__file__).parent / "heap"
ONCE = """
[system]
duration = "5 ms"
HEAP
[[task]]
name = "one"
entry = "one_job"
period = "10 ms"
wcet = "1 ms"
NO_HEAP
[[task]]
name = "other"
period = "10 ms"
wcet = "100 us"
[[process]]
name = "first"
tasks = ["one"]
sources = ["app.c"]
[[process]]
name = "second"
tasks = ["other"]
SECOND
"""
APP = """
#include <stdlib.h>
#include "takt_app.h"
static void *volatile block;
void allocate(void);
void __attribute__((noinline)) allocate(void)
{
    block = malloc(8);
}
static void (*volatile hidden)(void) = allocate;
void handler(void)
{
    CALL;
}
void one_job(void *argument)
{
    (void)argument;
    allocate();
}
"""
INTERRUPT = """
[[interrupt]]
name = "line"
number = 5
handler = "handler"
min_interarrival = "1 ms"
wcet = "100 us"
"""


def console(out: str) -> str:
    trace = Path(out.partition("\ntrace:  ")[2].partition("\n")[0])
    return (trace.parent / "console.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(("board", "protection"), EMULATED_MODES)
def test_each_call_does_what_it_says(takt: Takt, board: str, protection: bool) -> None:
    run = takt("run", HEAP, "--board", board, "--protection" if protection else "--no-protection")
    assert run.code == 1, run.out + run.err
    lines = console(run.out).partition("\ntakt: fault ")[0].splitlines()
    if protection:  # a process that frees twice is stopped, and starts with an empty heap; the other goes on
        fault = "task gives_twice freed or resized what is no block of its heap in use, or has overwritten its heap"
        assert f"process faulty: {fault}" in run.out
        assert lines.count("faulty: begins") == 3
        assert sorted(set(lines)) == ["calls: done", "faulty: begins", "objects: done"]
    else:
        assert "heap: freed or resized what is no block in use, or memory of the heap was overwritten" in run.out
        assert "in task gives_twice" in run.out
        assert lines == ["faulty: begins", "objects: done", "calls: done"]


def declared(folder: Path, heap: str = "", no_heap: str = "", second: str = "", more: str = "", call: str = "") -> Path:
    text = ONCE.replace("NO_HEAP", no_heap).replace("HEAP", heap).replace("SECOND", second) + more
    (folder / "system.toml").write_text(text, encoding="utf-8")
    (folder / "app.c").write_text(APP.replace("CALL", call), encoding="utf-8")
    return folder


FIRST_BOARD = [emulated("mps2-an385")]


@pytest.mark.parametrize("board", FIRST_BOARD)
def test_a_system_without_a_heap_names_file_and_key(takt: Takt, tmp_path: Path, board: str) -> None:
    said = takt("build", declared(tmp_path), "--board", board)
    assert said.code == 2
    assert "app.c calls malloc, and this system declares no heap" in said.err
    assert 'try: heap = "8 KiB" in [system] of system.toml' in said.err


@pytest.mark.parametrize("board", FIRST_BOARD)
def test_a_task_without_the_heap_calls_it(takt: Takt, tmp_path: Path, board: str) -> None:
    said = takt("build", declared(tmp_path, 'heap = "1 KiB"', "no_heap = true"), "--board", board)
    assert said.code == 2
    problem = "no_heap = true says that it does not allocate, and its code does: one_job > allocate > malloc"
    assert f'[[task]] "one": {problem}' in said.err


@pytest.mark.parametrize("board", FIRST_BOARD)
def test_an_interrupt_does_not_allocate(takt: Takt, tmp_path: Path, board: str) -> None:
    """Seen in the calls; and at run time, where a call through a pointer hides it."""
    said = takt("run", declared(tmp_path, 'heap = "1 KiB"', more=INTERRUPT, call="allocate()"), "--board", board)
    assert said.code == 2
    path = "handler > allocate > malloc"
    assert f'[[interrupt]] "line": handler: an interrupt may not allocate, and its code does: {path}' in said.err
    said = takt("run", declared(tmp_path, 'heap = "1 KiB"', more=INTERRUPT, call="hidden()"), "--board", board)
    assert said.code == 1
    assert "heap: a call in an interrupt at address 0x" in said.out


@pytest.mark.parametrize(
    ("board", "code", "problem"),
    [
        ("host", 1, "task one made a call that its process may not make"),
        emulated(
            "rv32-virt", 2, '[[task]] "one": process "first" declares no heap, and its code does: one_job > allocate'
        ),
    ],
)
def test_a_process_without_one_has_not_the_heap_of_another(
    takt: Takt, tmp_path: Path, board: str, code: int, problem: str
) -> None:
    declared(tmp_path, "protection = true", second='heap = "1 KiB"')
    said = takt("run", tmp_path, "--board", board)
    assert said.code == code, said.out + said.err
    assert problem in said.out + said.err
