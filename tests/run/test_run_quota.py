# SPDX-License-Identifier: Apache-2.0
"""What processes take at run time: the same source does the same with protection and without, on every board."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from command_line import Takt
from running import FULL, emulated, only_full
from takt.declare.declaration import load, with_board
from takt.declare.schema import boards
from takt.image import build, protected
from takt.support.provision import ROOT

FOLDER = ROOT / "tests" / "protection" / "quota"
JOBS = 6
STEPS = 22  # of a job: maker.c says of each whether it went as it should


SOME = [emulated("mps2-an385", "--protection")]
REST = [
    emulated("rv32-virt", "--no-protection"),
    ("host", "--protection"),
    ("host", "--no-protection"),
    emulated("mps2-an385", "--no-protection"),
    emulated("rv32-virt", "--protection"),
]


@pytest.mark.parametrize(("board", "mode"), [*SOME, *(REST if FULL else [])])
def test_all_that_a_process_may_take_and_no_more(takt: Takt, board: str, mode: str) -> None:
    said = takt("run", FOLDER, "--board", board, mode, "--json")
    assert said.code == 0, said.out + said.err
    system = with_board(load(FOLDER / "system.toml", mode == "--protection"), board)
    folder = build.folder_of(system, boards.load(board), json.loads(said.out)["scheduler"])
    assert (folder / "run" / "console.txt").read_text() == ("+" * STEPS + "\n") * JOBS


def test_check_says_what_slots_take_of_the_kernels_memory(takt: Takt) -> None:
    """Once it is built: every slot, and `buffers`."""
    options = (FOLDER, "--board", "mps2-an385")
    assert takt("build", *options).code == 0
    (one,) = json.loads(takt("check", *options, "--json").out)["processes"]
    folder = build.folder_of(with_board(load(FOLDER / "system.toml"), "mps2-an385"), boards.load("mps2-an385"), "dm")
    kinds = (
        "mutexes",
        "conditions",
        "semaphores",
        "events",
        "mailboxes",
        "priority_mailboxes",
        "pipes",
        "alarms",
        "threads",
        "buffers",
    )
    sizes = protected.sizes_of(folder / "application.elf", [f"takti_{kind}_one" for kind in kinds])
    assert len(sizes) == len(kinds)
    assert sizes["takti_buffers_one"] == 72
    assert one["places"] == sum(sizes.values()) > 72 + 2 * 72  # two threads are tasks, too
    assert f", {one['places']} of the kernel's memory for objects that it may create" in takt("check", *options).out


@only_full  # tests/protection/test_created.py has one
def test_a_section_of_a_created_mutex_is_no_overrun(takt: Takt, tmp_path: Path) -> None:
    """It declares no hold: the task's budget is what bounds it."""
    folder = tmp_path / "quota"
    shutil.copytree(FOLDER, folder)
    source, system = folder / "maker.c", folder / "system.toml"
    section = "    (void)!takt_mutex_lock(mutex);\n    takt_work(UINT64_C(300000));\n    takt_mutex_unlock(mutex);\n"
    deletes = "    takt_mutex_delete(mutex);\n"
    source.write_text(source.read_text(encoding="utf-8").replace(deletes, section + deletes), encoding="utf-8")
    text = system.read_text(encoding="utf-8").replace("console = true\n", "console = true\nbudgets = true\n")
    text = text.replace('wcet = "3.5 ms"', 'wcet = "500 us"\nwaits = 6')  # each wait counts one more
    system.write_text(text, encoding="utf-8")
    said = takt("run", folder, "--json")
    found = json.loads(said.out)
    assert said.code == 0, said.err
    assert found["faults"] == []
    assert {task["name"]: task["jobs"] for task in found["tasks"]}["maker"] == JOBS
