# SPDX-License-Identifier: Apache-2.0
"""Files, folders and numbers that are not what they should be: one message that names them, and nothing is lost."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from command_line import Takt
from takt.declare import declaration
from takt.support.files import write_whole

TASK = '[system]\nboard = "host"\n[[task]]\nname = "a"\nperiod = "10 ms"\nwcet = "1 ms"\n'


@pytest.fixture
def declared(tmp_path: Path) -> Path:
    (tmp_path / "system.toml").write_text(TASK)
    return tmp_path


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("file")
    write_whole(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"


def test_a_pipe_stays_one(tmp_path: Path) -> None:
    """As /dev/null does, which root could replace."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_whole(pipe, "said")
    reader.join(10)
    assert pipe.is_fifo()
    assert read == ["said"]


def test_where_there_is_no_folder_the_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised:
        write_whole(tmp_path / "no" / "page.html", "")
    assert raised.value.filename == str(tmp_path / "no" / "page.html")


def test_tables_into_a_file(takt: Takt, declared: Path) -> None:
    (declared / "there").write_text("")
    said = takt("generate", declared, "-o", declared / "there")
    assert (said.code, said.err.splitlines()[0]) == (2, f"takt: {declared / 'there'}: File exists")


def test_tables_over_what_is_not_generated(takt: Takt, declared: Path) -> None:
    (declared / "system.c").write_bytes(b"\xff\xfe mine")
    said = takt("generate", declared)
    assert (said.code, (declared / "system.c").read_bytes()) == (2, b"\xff\xfe mine")
    assert "system.c is there, and was not generated: it would be lost" in said.err


def test_generated_tables_are_no_source(takt: Takt, declared: Path) -> None:
    (declared / "app.c").write_text("")
    assert takt("generate", declared).code == 0
    assert [path.name for path in declaration.load(declared / "system.toml").sources] == ["app.c"]


def test_a_name_that_is_too_long(takt: Takt) -> None:
    said = takt("check", "a" * 5000)
    assert said.code == 2
    assert "File name too long\n  try: " in said.err


def test_links_in_a_circle(takt: Takt, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    said = takt("sweep", tmp_path / "loop")
    assert said.code == 2
    assert "Too many levels of symbolic links" in said.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{TASK}stack = {'9' * 5000}\n", ":7: a number of more than a thousand digits\n  try: one that fits"),
        (f"{TASK}stack = 0x{'f' * 5000}\n", ":7: a number of more than a thousand digits\n  try: one that fits"),
        (f"\ufeff{TASK}", ":1: it begins with a byte order mark\n  try: save it as UTF-8 without one"),
        (
            TASK.replace("[system]\n", f'[system]\nplant = "{"a" * 300}"\n'),
            "this is no valid file name\n  try: a relative path, no name in it longer than 255 bytes",
        ),
        (TASK.replace("[system]\n", '[system]\nsources = ["a\\u0000"]\n'), "this is no valid file name"),
        (TASK.replace('"1 ms"', "nan"), 'wcet = nan: the unit is missing\n  try: "20 ms"'),
        (
            TASK + f'suspension = "{2**62} ns"\n',
            ':3: [[task]] "a": 4611686018428387904 ns, waits and kernel included, is more than the analysis takes',
        ),
    ],
    ids=["decimal", "hexadecimal", "mark", "long name", "zero", "nan", "sum"],
)
def test_odd_values(takt: Takt, declared: Path, text: str, said: str) -> None:
    (declared / "system.toml").write_text(text, encoding="utf-8")
    found = takt("check", declared)
    assert found.code == 2
    assert said in found.err


def test_a_wait_that_is_too_long_is_what_would_mend_it(takt: Takt, declared: Path) -> None:
    (declared / "system.toml").write_text(TASK + 'deadline = "8 ms"\nsuspension = "9 ms"\n')
    found = takt("check", declared)
    assert found.code == 1
    assert "task a: suspension 7 ms instead of 9 ms (-22.2 %)" in found.out
