# SPDX-License-Identifier: Apache-2.0
"""The pages for those that come from another kernel name only calls, keys and kinds of Takt that are there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from takt.declare import tables
from takt.image.application import archives

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["from-freertos.md", "from-zephyr.md", "from-threadx.md"]
HEADERS = [*(ROOT / "kernel" / "include").rglob("*.h"), *(ROOT / "runner" / "include").rglob("*.h")]
GENERATED = {"takt_app_init", "takt_app_budget"}  # of takt_app.h
CALL = re.compile(r"\b(?:takt|TAKT)_\w+")
KIND = re.compile(r"\[\[?(\w+)\]\]?")
KEY = re.compile(r"([a-z_]+)(?: = (.+))?")
SPAN = re.compile(r"`([^`]*)`")
KINDS = {table.name: {key.name: key for key in table.keys} for table in tables.TABLES}
INNER = {key.name for table in tables.TABLES for one in table.keys if one.table for key in one.table.keys}


def rows(page: Path) -> Iterator[str]:
    """The right column of tables that have Takt there."""
    ours = False
    for line in page.read_text(encoding="utf-8").splitlines():
        ours = (ours or line.endswith("| Takt |")) and line.startswith("|")
        if ours:
            yield re.split(r"(?<!\\)\|", line)[2]


def missing(row: str, calls: set[str]) -> list[str]:
    """What a row names and is nowhere; keys are those of a kind that it names."""
    spans = SPAN.findall(row)
    kinds = [match[1] for span in spans if (match := KIND.fullmatch(span))]
    keys = {name: key for kind in kinds for name, key in KINDS.get(kind, {}).items()}
    found = [f"[{kind}]" for kind in kinds if kind not in KINDS]
    for span in spans:
        found += [name for name in CALL.findall(span) if name not in calls]
        match = KEY.fullmatch(span)
        if match is None or span in calls:
            continue
        name, value = match.groups()
        words = keys[name].kind.words if name in keys else ()
        unknown = name not in keys and (name not in INNER or value)
        if unknown or (value and words and value.strip('"') not in words):
            found.append(span)
    return found


@pytest.fixture(scope="module")
def calls() -> set[str]:
    texts = [path.read_text(encoding="utf-8") for path in HEADERS]
    return GENERATED.union(*(CALL.findall(text) for text in texts))


@pytest.mark.parametrize("name", PAGES)
def test_what_the_tables_name_is_there(name: str, calls: set[str]) -> None:
    page = ROOT / "docs" / name
    assert len(list(rows(page))) > 50
    assert [one for row in rows(page) for one in missing(row, calls)] == []
    text = page.read_text(encoding="utf-8")
    assert {found for found in CALL.findall(text) if found not in calls} == set()
    assert {kind for kind in re.findall(r"\[\[(\w+)\]\]", text) if kind not in KINDS} == set()


@pytest.mark.parametrize(
    "row",
    [
        "`takt_mailbox_peek`",
        "`[[queue]]`",
        "`[[mailbox]]` with `length`",
        "`capacity` in `[[task]]`",
        '`scheduler = "preemptive"` in `[system]`',
        "`capacity`",
    ],
)
def test_what_is_not_there_is_found(row: str, calls: set[str]) -> None:
    assert missing(row, calls) != []


def test_the_compiler_of_each_board_is_on_the_page() -> None:
    page = (ROOT / "docs" / "build.md").read_text(encoding="utf-8")
    for path in (ROOT / "boards").glob("*/board.toml"):
        assert f"| {path.parent.name} | `{archives.compiler(path.parent.name)}` |" in page
