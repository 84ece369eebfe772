# SPDX-License-Identifier: Apache-2.0
"""boards/B/overheads.toml: read, checked, used."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from takt import boards, overheads
from takt.errors import UserError
from takt.model import Overheads

TEXT = """format = 1

[[preset]]
preset = "standard"
tasks_max = 32
interrupt = "2.1 us"
timer = "3 us"
lock = "1.9 us"
release = {fixed = "6.4 us", edf = "7 us"}
complete = {fixed = "4.2 us", edf = "4.9 us"}
"""


@pytest.fixture
def board(tmp_path: Path) -> boards.Board:
    (tmp_path / "overheads.toml").write_text(TEXT, encoding="utf-8")
    return replace(boards.load("mps2-an385"), folder=tmp_path)


def test_read(board: boards.Board) -> None:
    by_kind = ({"fixed": 6400, "edf": 7000}, {"fixed": 4200, "edf": 4900})
    assert overheads.load(board, "standard") == Overheads("mps2-an385", "standard", 32, 2100, 3000, 1900, *by_kind)


def test_another_preset_is_not_measured(board: boards.Board) -> None:
    assert overheads.load(board, "lean") is None


def test_no_file_is_not_measured(board: boards.Board) -> None:
    (board.folder / "overheads.toml").unlink()
    assert overheads.load(board, "standard") is None


def test_none_where_the_kernel_takes_no_time(board: boards.Board) -> None:
    assert overheads.load(replace(board, zero_overheads=True), "standard") is None


@pytest.mark.parametrize(
    ("find", "put", "message"),
    [
        ("format = 1", "format = 2", ":1: format = 2: out of range 1 to 1"),
        ("tasks_max = 32\n", "", ':3: [[preset]]: "tasks_max" is missing'),
        ('"2.1 us"', '"2.1"', ':6: [[preset]]: interrupt = "2.1": the unit is missing'),
        ('{fixed = "6.4 us", edf = "7 us"}', '"7 us"', ":9: [[preset]]: release = "),
        (', edf = "4.9 us"', "", ":10: [[preset]]: complete = "),
        ("timer", "tmier", ':7: [[preset]]: unknown key "tmier"\n  try: "timer"'),
    ],
)
def test_malformed(board: boards.Board, find: str, put: str, message: str) -> None:
    path = board.folder / "overheads.toml"
    path.write_text(TEXT.replace(find, put), encoding="utf-8")
    with pytest.raises(UserError) as caught:
        overheads.load(board, "standard")
    assert f"overheads.toml{message}" in str(caught.value)


def test_a_preset_twice(board: boards.Board) -> None:
    path = board.folder / "overheads.toml"
    path.write_text(TEXT + TEXT.split("\n", 1)[1], encoding="utf-8")
    with pytest.raises(UserError, match='preset]] "standard" is there twice'):
        overheads.load(board, "standard")
