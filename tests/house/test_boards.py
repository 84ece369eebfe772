# SPDX-License-Identifier: Apache-2.0
"""A folder of boards/ holds what one board is, a folder of chips/ what several may share; both are small."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from house.test_arrows import INCLUDE, ROOT, resolve, sources
from takt.declare.schema import boards
from takt.support.errors import UserError

FILES, LINES = 15, 3000  # of a folder, at most; measured overheads are data
OWN = {"board.toml", "board.c", "work.c", "link.ld", "overheads.toml", "can.toml"}  # what a board may hold
CHIPS_LINE = re.compile(r"^chips *=(.*)$", re.MULTILINE)


def folders(room: str) -> list[Path]:
    return sorted({path.parent for path in (ROOT / room).glob("*/*") if path.is_file()})


RUNNER = ROOT / "runner"
SMALL = [*folders("chips"), *folders("boards"), RUNNER, RUNNER / "cxx"]


@pytest.mark.parametrize("folder", SMALL, ids=lambda path: path.name)
def test_a_folder_is_small(folder: Path) -> None:
    within = folder.iterdir() if folder == RUNNER else folder.rglob("*")
    files = [path for path in within if path.is_file() and path.name not in ("overheads.toml", "can.toml")]
    assert 0 < len(files) <= FILES
    assert sum(path.read_text(encoding="utf-8").count("\n") for path in files) <= LINES


@pytest.mark.parametrize("name", boards.names())
def test_a_board_holds_what_one_board_is(name: str) -> None:
    assert {path.name for path in boards.folder_of(name).iterdir()} <= OWN


@pytest.mark.parametrize("name", boards.names())
def test_cmake_reads_the_chips_of_a_board(name: str) -> None:
    """cmake/board.cmake reads the line of the key; the tool reads TOML."""
    board = boards.load(name)
    line = CHIPS_LINE.search((board.folder / "board.toml").read_text(encoding="utf-8"))
    assert tuple(re.findall(r'"([a-z0-9_-]+)"', line[1] if line else "")) == board.chips


@pytest.mark.parametrize("chip", [path.name for path in folders("chips")])
def test_a_family_includes_no_other(chip: str) -> None:
    """A board may then have it without the other; headers of chips/ itself are of no family."""
    targets = {
        target.resolve().relative_to(ROOT)
        for path in sources(f"chips/{chip}")
        for _, name in INCLUDE.findall(path.read_text(encoding="utf-8"))
        if (target := resolve(name, path)) is not None
    }
    assert targets
    assert {path.parts[1] for path in targets if path.parts[0] == "chips"} <= {chip, "start.h", "console_line.h"}


def test_all_chips_are_of_a_board() -> None:
    used = {chip for name in boards.names() for chip in boards.load(name).chips}
    assert used == {path.name for path in folders("chips")}


def test_chips_that_are_not_there_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(boards.folder_of("mps2-an385"), tmp_path / "mps2-an385")
    path = tmp_path / "mps2-an385" / "board.toml"
    path.write_text(path.read_text().replace('"mps2"]', '"mps3"]'))
    monkeypatch.setattr(boards, "FOLDER", tmp_path)
    with pytest.raises(UserError) as raised:
        boards.load("mps2-an385")
    assert str(raised.value.problem).endswith(':6: "mps3" is no folder of chips/')
    assert raised.value.hint == "those are emulated, ibex, mps2, riscv, virt"
