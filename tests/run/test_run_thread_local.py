# SPDX-License-Identifier: Apache-2.0
"""Each task has thread-local variables of its own, errno among them, and so have interrupts."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from command_line import Takt
from running import BOARDS, FIRST_EMULATED, FULL, only_full

SYSTEM = Path(__file__).parent / "thread_local"
TASKS = ("slow", "fast", "waits")


def run(takt: Takt, folder: Path, board: str) -> str:
    said = takt("run", folder, "--board", board)
    assert said.code == 0, said.out + said.err
    return said.out + said.err


@pytest.mark.parametrize("board", BOARDS if FULL else FIRST_EMULATED)
def test_tasks_and_interrupts_have_their_own(takt: Takt, board: str) -> None:
    said = run(takt, SYSTEM, board)
    for name in (*TASKS, "interrupts"):
        assert f"{name} alone" in said


def protected(folder: Path) -> Path:
    """The same tasks in processes, of which one has two."""
    shutil.copytree(SYSTEM, folder)
    text = (folder / "system.toml").read_text()
    text = text.partition("\n# Without protection.")[0].replace("duration =", "protection = true\nduration =")
    (folder / "system.toml").write_text(text)
    (folder / "interrupt.c").unlink()
    return folder


@pytest.mark.parametrize("board", BOARDS if FULL else BOARDS[:1])
def test_tasks_of_a_process_have_their_own(takt: Takt, board: str, tmp_path: Path) -> None:
    said = run(takt, protected(tmp_path / "system"), board)
    for name in TASKS:
        assert f"{name} alone" in said


SMALL = """
[system]
board = "mps2-an385"
duration = "5 ms"
[[task]]
name = "one"
entry = "one_job"
period = "10 ms"
wcet = "1 ms"
stack = 512
"""
CODE = "#include <stdint.h>\nvoid one_job(void *argument) { own[0]++; (void)argument; }\n"


def small(folder: Path, variables: str) -> Path:
    folder.mkdir()
    (folder / "system.toml").write_text(SMALL)
    (folder / "app.c").write_text(f"{variables}\n{CODE}")
    return folder


@only_full
def test_they_are_in_the_stack_and_in_its_bound(takt: Takt, tmp_path: Path) -> None:
    needs = {}
    for name, variables in (("none", "static int own[5];"), ("some", "static _Thread_local int own[5];")):
        said = takt("run", small(tmp_path / name, variables), "--json")
        assert said.code == 0, said.out + said.err
        needs[name] = json.loads(said.out)["stacks"][0]["needs"]
    assert needs["some"] - needs["none"] >= 32  # a multiple of 16; one more function finds where they are
    said = takt("build", small(tmp_path / "many", "static _Thread_local int own[33];"))
    assert said.code == 2
    assert "thread-local variables take 132 bytes of each task's stack, and 128 is the most" in said.err
