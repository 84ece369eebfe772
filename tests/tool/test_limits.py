# SPDX-License-Identifier: Apache-2.0
"""What is too much for a TOML file is refused at once, with its line; what is not is read soon."""

from __future__ import annotations

import os
import random
import time
import tomllib
from pathlib import Path

import pytest
import speed
from takt.declare.schema import locate, reader
from takt.support import files
from takt.support.errors import UserError

FULL = bool(os.environ.get("TAKT_TEST_FULL"))


def load(path: Path, text: str) -> str:
    """What is said of it, or nothing."""
    path.write_text(text)
    limit_s = speed.limit_s()
    start = time.process_time()
    try:
        reader.load(path)
        message = ""
    except UserError as error:
        message = error.problem
    assert time.process_time() - start < limit_s
    return message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n" + ".".join("a" * 20_000) + " = 1\n", ":2: a key of more than 8 parts"),
        ("[" + ".".join("a" * 100_000) + "]\n", ":1: a key of more than 8 parts"),
        ('z = {a = """x"""", ' + ".".join("a" * 100_000) + "=1}", ":1: a key of more than 8 parts"),
        ("z = {a = '''x''''', " + ' . "b"' * 100_000 + "=1}", ":1: a key of more than 8 parts"),
        ("a = " + "[" * 100_000 + "]" * 100_000, ":1: arrays or tables are nested too deeply"),
        ("a = " + "{a=" * 50_000, ":1: arrays or tables are nested too deeply"),
        ("".join(f"a{i}.b.c.d.e.f.g = 1\n" for i in range(20_000)), ": more than 30000 keys"),
        ("".join(f"k{i} = 1\n" for i in range(80_000)), ":30001: more than 30000 keys"),
        ("[[t]]\n" * 160_000, ":15001: more than 30000 keys"),
        ("a = [" + "1," * 400_000 + "]", ":1: more than 30000 keys"),
        ('a = """\n' + '\\"""\n' * 190_000, ":190001: not TOML: unterminated string"),
        ("'\n" * 490_000, ": not TOML"),
        ("#" * files.TEXT_MAX + "\n", ": longer than 1000000 bytes, the most that takt reads"),
    ],
    ids=lambda value: value[:24],
)
def test_too_much(tmp_path: Path, text: str, said: str) -> None:
    message = load(tmp_path / "t.toml", text)
    assert said.removeprefix(":").strip() in message
    assert said in message or said.startswith(": more")


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"k{i} = 1\n" for i in range(29_999)),
        "".join(f'"k{i}" = 1\n' for i in range(29_999)),
        "".join(f"[t{i}]\n" for i in range(29_999)),
        "".join(f"k{i}.b.c.d.e.f.g.h = 1\n" for i in range(1_000)),
        "a = [" + "{a=1}," * 9_900 + "]",
        'a = """' + "\\n" * 490_000 + '"""\n',
        "#\n" * 490_000,
    ],
    ids=lambda value: value[:12],
)
def test_the_most_that_is_read(tmp_path: Path, text: str) -> None:
    assert load(tmp_path / "t.toml", text) == ""


def test_what_looks_like_much_in_strings_and_comments_is_none() -> None:
    deep = ".".join("a" * 50) + "[" * 50
    text = f"# {deep}\na = \"{deep}\"\nb = '{deep}'\ne = 1.5\n"
    text += f'c = """\n{deep}"" {deep}"""\n' + f"d = '''{deep}'' {deep}'''\n"
    assert locate.excess(text) is None
    tomllib.loads(text)


def test_nothing_is_hidden_from_the_limits() -> None:
    """Whatever comes before it: random pieces of strings and comments, of which TOML takes some."""
    chance = random.Random(8)
    pieces = ['"', "'", '"""', "'''", "\\", "#", "\n", "x", "a=1", "[", "]", ",", "{", "}", " ", '\\"']
    deep = "\n" + ".".join("a" * 12) + " = 1\n"
    taken = 0
    for _ in range(200_000 if FULL else 20_000):
        text = "k = " + "".join(chance.choices(pieces, k=chance.randrange(1, 7))) + deep
        try:
            read = tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            continue
        if "a" in read:
            taken += 1
            assert locate.excess(text) is not None, text
    assert taken > 10
