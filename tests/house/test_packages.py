# SPDX-License-Identifier: Apache-2.0
"""The Python package is rooms on floors: imports go down only (tool_rooms.py, ARCHITECTURE.md)."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
import tool_rooms
from tool_rooms import APART, ARROWS, INNER, TOP, Import

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| (\d+) \| `tools/takt/([a-z]*)/?` \| ([^|]+) \| ([^|]*) \|$", re.MULTILINE)


def declared() -> dict[str, set[str]]:
    return {name: set(below.split()) for name, below in ARROWS.items()}


def seen() -> dict[str, set[str]]:
    known = tool_rooms.modules()
    found: dict[str, set[str]] = {tool_rooms.room(module, known): set() for module in known}
    for one in tool_rooms.imports():
        pair = tool_rooms.room(one.importer, known), tool_rooms.room(one.imported, known)
        if pair[0] != pair[1]:
            found[pair[0]].add(pair[1])
    return found


def test_no_import_without_an_arrow() -> None:
    known = tool_rooms.modules()
    wrong = []
    for one in tool_rooms.imports():
        above, below = tool_rooms.room(one.importer, known), tool_rooms.room(one.imported, known)
        if above != below and below not in ARROWS.get(above, "").split():
            wrong.append(
                f"takt.{one.importer}:{one.line} imports takt.{one.imported}: no arrow from {above} to {below}"
            )
    assert wrong == []


def test_no_arrow_that_nothing_uses() -> None:
    assert [(name, one) for name, below in declared().items() for one in below - seen()[name]] == []


def test_arrows_go_up_the_list() -> None:
    names = list(ARROWS)
    assert [(name, one) for name in names for one in declared()[name] if names.index(one) >= names.index(name)] == []


def test_the_house_stays_small() -> None:
    arrows = declared()
    assert len(arrows) <= tool_rooms.ROOMS_MAX
    assert sum(map(len, arrows.values())) <= tool_rooms.ARROWS_MAX
    assert max(tool_rooms.floors(arrows).values()) <= tool_rooms.FLOORS_MAX


def test_inner_folders_are_imported_one_way() -> None:
    known = tool_rooms.modules()
    pairs = {
        (tool_rooms.folder(one.importer, known), tool_rooms.folder(one.imported, known)) for one in tool_rooms.imports()
    }
    assert {
        pair for pair in pairs if pair[0] != pair[1] and len({name.partition(".")[0] for name in pair}) == 1
    } == INNER
    inner = {name for pair in INNER for name in pair if "." in name}
    assert {name for name in (tool_rooms.folder(module, known) for module in known) if "." in name} == inner | APART


def test_no_module_is_imported_in_a_circle() -> None:
    edges: dict[str, set[str]] = {}
    for one in tool_rooms.imports():
        edges.setdefault(one.importer, set()).add(one.imported)
    assert tool_rooms.circle(edges) == []


def test_packages_hold_nothing_but_their_modules() -> None:
    """What is imported of a package is a module: its __init__ would be imported with each of them, in a circle."""
    for path in tool_rooms.modules().values():
        if path.name == "__init__.py":
            body = ast.parse(path.read_text(encoding="utf-8")).body
            assert len(body) == 1, path
            assert isinstance(body[0], ast.Expr), path


def test_few_modules_are_in_no_room() -> None:
    """How large folders may be: test_sizes.py."""
    known = tool_rooms.modules()
    assert sum(tool_rooms.folder(module, known) == TOP for module in known) <= tool_rooms.FLAT_MAX


def test_architecture_lists_the_rooms_with_their_floors_and_arrows() -> None:
    floors = tool_rooms.floors(declared())
    expected = {("" if name == TOP else name): (floors[name], tuple(below.split())) for name, below in ARROWS.items()}
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    found = {
        name: (int(floor), tuple(re.findall(r"\w+", below)) if below.strip() != "nothing" else ())
        for floor, name, _, below in ROW.findall(text)
    }
    assert found == expected


def test_a_wrong_import_is_found_wherever_it_stands(tmp_path: Path) -> None:
    (tmp_path / "takt" / "low").mkdir(parents=True)
    (tmp_path / "takt" / "high").mkdir()
    for name in ("", "low/", "high/"):
        (tmp_path / "takt" / f"{name}__init__.py").write_text('"""."""\n')
    (tmp_path / "takt" / "high" / "top.py").write_text("from takt.low import a\n")
    lines = [
        "from __future__ import annotations",
        "import os.path",
        "from typing import TYPE_CHECKING",
        "if TYPE_CHECKING:",
        "    from takt.high.top import Name",
        "def late():",
        "    from takt.high import top",
        "    import takt.high.top",
    ]
    (tmp_path / "takt" / "low" / "a.py").write_text("\n".join(lines))
    assert tool_rooms.imports(tmp_path) == [
        Import("high.top", "low.a", 1),
        Import("low.a", "high.top", 5),
        Import("low.a", "high.top", 7),
        Import("low.a", "high.top", 8),
    ]


@pytest.mark.parametrize("line", ["from . import a", 'import_module(f"takt.{name}")', '__import__("takt.high.top")'])
def test_ways_around_are_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "takt").mkdir()
    (tmp_path / "takt" / "a.py").write_text(line)
    with pytest.raises(AssertionError):
        tool_rooms.imports(tmp_path)


def test_circles_and_floors() -> None:
    assert tool_rooms.circle({"a": {"b"}, "b": {"c"}, "c": set()}) == []
    assert tool_rooms.circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert tool_rooms.floors({"a": set(), "b": {"a"}, "c": {"a", "b"}}) == {"a": 1, "b": 2, "c": 3}
