# SPDX-License-Identifier: Apache-2.0
"""hardware/registers.toml and what is generated from it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from takt.hardware import registers


@pytest.mark.parametrize("path", registers.files(), ids=lambda path: str(path.name))
def test_a_generated_file_agrees_with_the_table(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == registers.files()[path], "write it with: takt docs"


def test_c_and_systemverilog_say_the_same() -> None:
    """Each register's address in the header, against the word that the package gives it."""
    known = registers.load()
    in_c = dict(re.findall(r"#define RTM_(\w+) (0x[0-9a-f]+)u", registers.header(known)))
    in_sv = re.findall(r"(Record|Global)(\w+) = 3'd(\d);", registers.package(known))
    assert len(in_sv) == len(known.record) + len(known.unit)
    for kind, name, word in in_sv:
        base = known.map["globals"] if kind == "Global" else 0
        prefix = "RECORD_" if kind == "Record" else ""
        assert int(in_c[prefix + name.upper()], 16) == base + 4 * int(word)


@pytest.mark.parametrize(
    ("find", "replace", "says"),
    [
        ('name = "CLEAR"\nword = 2', 'name = "CLEAR"\nword = 1', "twice"),
        ('name = "SUSPENDED"\nbit = 3', 'name = "SUSPENDED"\nbit = 2', "twice"),
        ('access = "ro"', 'access = "r"', "access 'r'"),
        ("globals = 0x1000", "globals = 0x0ff0", "the area at 0x0 overlaps the one at 0xff0"),
        ("bytes = 0x2000", "bytes = 0x1700", "the area at 0x1400 overlaps the one at 0x1700"),
        ("record_bytes = 32", "record_bytes = 16", "outside"),
    ],
)
def test_a_map_that_contradicts_itself_is_refused(find: str, replace: str, says: str, tmp_path: Path) -> None:
    text = registers.SOURCE.read_text(encoding="utf-8")
    assert find in text
    path = tmp_path / "registers.toml"
    path.write_text(text.replace(find, replace), encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(says)):
        registers.load(path)
