# SPDX-License-Identifier: Apache-2.0
"""Messages of misuse: what is wrong and what there is, each once, in lines that move no terminal's cursor."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_line import Takt

TASK = '[system]\nboard = "host"\n[[task]]\nname = "a"\nperiod = "10 ms"\nwcet = "1 ms"\n'
BOARDS = ("host", "ibex-soc", "mps2-an385", "rv32-virt")


@pytest.fixture
def app(tmp_path: Path) -> Path:
    (tmp_path / "system.toml").write_text(TASK, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", ["xx", "mps2-an38", "Host"])
def test_boards_are_listed_once(takt: Takt, app: Path, name: str) -> None:
    asked = takt("check", app, "--board", name)
    (app / "system.toml").write_text(TASK.replace('"host"', f'"{name}"'), encoding="utf-8")
    for said in (asked, takt("check", app)):
        assert said.code == 2
        assert [said.err.count(f'"{board}"') for board in BOARDS] == [1, 1, 1, 1]
    nearest = {"xx": "host", "mps2-an38": "mps2-an385", "Host": "host"}[name]
    assert f'try: "{nearest}"' in asked.err


def test_schedulers_are_listed_once(takt: Takt, app: Path) -> None:
    for name, first in (("xx", "auto"), ("edff", "edf"), ("csd0", "csd")):
        said = takt("check", app, "--scheduler", name)
        assert (said.code, said.err.count('"cooperative"'), said.err.count('edf"')) == (2, 1, 1)
        assert f'try: "{first}"' in said.err


@pytest.mark.parametrize("group", ["bench", "reproduce", "reflect", "advise"])
def test_a_misspelt_command_of_a_group(takt: Takt, group: str) -> None:
    said = takt(group, "nothing-such")
    assert said.code == 2
    assert 'no command "nothing-such"; try "' in said.err


def test_a_folder_without_a_name(takt: Takt) -> None:
    said = takt("new", "")
    assert (said.code, said.err) == (2, "takt: the folder's name is empty\n  try: takt new first\n")


ODD = "x\u202e\x1b[2J\u009b\n  try: nothing"


@pytest.mark.parametrize("place", ["--board", "--scheduler", "--duration", "--seed", "--nothing", "command", "value"])
def test_what_is_repeated_of_the_user_moves_no_cursor(takt: Takt, app: Path, place: str) -> None:
    if place == "command":
        said = takt(ODD)
    elif place == "value":
        text = TASK.replace('"10 ms"', '"10 m\\u202e\\u001b[2J\\u009b"').replace('"a"', '"a\\n\\u001b"')
        (app / "system.toml").write_text(text, encoding="utf-8")
        said = takt("check", app)
        assert said.err.count("\n") == 2
    else:
        option = ODD if place == "--nothing" else place
        said = takt("run", app, f"--{option}" if place == "--nothing" else option, ODD)
    assert said.code == 2
    assert re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", said.err) is None


def test_help_keeps_its_lines(takt: Takt) -> None:
    for arguments in ((), ("--help",)):
        said = takt(*arguments)
        assert "Start here:\n" in said.out + said.err
