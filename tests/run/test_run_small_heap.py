# SPDX-License-Identifier: Apache-2.0
"""A heap of 3 KiB, attacked by fragmentation and by random calls; on a board of 16 KB, too."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from command_line import Takt
from running import FIRST_EMULATED, only_full
from takt.declare.schema import boards
from takt.prove.overheads import HEAP_CALL
from takt.support.provision import ROOT

FOLDER = Path(__file__).parent / "small_heap"
BOARD = "mps2-an385"
STACK = ("takti_interrupt_stack_size = 8K", "takti_interrupt_stack_size = 4K")
SMALLER = {
    "board.toml": [("\nram = 0x400000", "\nram = 0x4000")],
    "link.ld": [("0x20000000, LENGTH = 4M", "0x20000000, LENGTH = 16K"), STACK],
}


def check(console: str, board: str, rounds: int) -> None:
    """No line of what was wrong; no call is longer than in the proof."""
    found = re.fullmatch(r"longest (\d+)\nrounds (\d+)\n", console)
    assert found, console
    assert int(found[1]) <= HEAP_CALL[boards.load(board).port] * boards.load(board).instruction_ns
    assert int(found[2]) == rounds


@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_a_full_heap_of_small_blocks_serves_as_before(takt: Takt, scratch_builds: Path, board: str) -> None:
    run = takt("run", FOLDER, "--board", board)
    assert run.code == 0, run.out + run.err
    (console,) = scratch_builds.rglob("run/console.txt")
    check(console.read_text(encoding="utf-8"), board, 2000)


@pytest.fixture
def smaller(tmp_path: Path) -> Path:
    """The tree with a board of 16 KB."""
    tree = tmp_path / "takt"
    tree.mkdir()
    for path in ROOT.iterdir():
        if path.name not in ("tools", "boards", "build", "takt"):
            (tree / path.name).symlink_to(path)
    for name in ("tools", "boards"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "takt", tree)
    for name, changes in SMALLER.items():
        path = tree / "boards" / BOARD / name
        text = path.read_text(encoding="utf-8")
        for old, new in changes:
            assert text.count(old) == 1, name
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")
    return tree


@only_full
def test_a_board_of_16_kb_takes_100000_random_calls(smaller: Path, tmp_path: Path) -> None:
    folder = tmp_path / "application"
    shutil.copytree(FOLDER, folder)
    path = folder / "system.toml"
    text = path.read_text(encoding="utf-8").replace("ROUNDS=2000", "ROUNDS=100000")
    path.write_text(text, encoding="utf-8")

    def takt(*words: str | Path) -> subprocess.CompletedProcess[str]:
        command = [str(smaller / "takt"), *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    run = takt("run", folder, "--json")
    assert run.returncode == 0, run.stdout + run.stderr
    assert json.loads(run.stdout)["within_proof"]
    (console,) = (smaller / "build").rglob("run/console.txt")
    check(console.read_text(encoding="utf-8"), BOARD, 100_000)
    path.write_text(text.replace("3 KiB", "8 KiB"), encoding="utf-8")
    refused = takt("check", folder)
    assert refused.returncode == 2
    assert 'bytes" at most in [system]' in refused.stderr
