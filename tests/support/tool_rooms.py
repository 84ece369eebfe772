# SPDX-License-Identifier: Apache-2.0
"""The packages of tools/takt: which exist, what each may import, and what they do import, read from their syntax.

A room is a folder of tools/takt; the modules directly in it are the room "takt". A room may have inner folders.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"
TOP = "takt"

# What a room may import besides itself: no more than it does, and only from rooms above it in this list.
ARROWS: dict[str, str] = {
    "support": "",
    "trace": "support",
    "declare": "support",
    "can": "support",
    "prove": "support trace declare can",
    "image": "support declare prove",
    "observe": "support trace declare prove image",
    "hints": "support declare prove image",
    "gdb": "support trace observe",
    "report": "support trace declare can prove image observe",
    "reflect": "support declare",
    "bench": "support trace declare prove image observe",
    "hardware": "support image bench",
    "accelerator": "support trace declare prove image observe bench",
    "sweep": "support declare prove bench",
    "reproduce": "support declare prove reflect bench hardware accelerator sweep",
    "dev": "support declare image hardware",
    "commands": "support trace declare prove image observe report reflect bench hardware accelerator reproduce",
    TOP: "support hints can reflect hardware sweep dev commands",
}
# Inner folders, and which of the two may import the other.
INNER = {
    ("can.at_random", "can"),
    ("can.commands", "can"),
    ("can.commands", "can.at_random"),
    ("can.commands", "can.files"),
    ("can.files", "can"),
    ("can.commands", "can.rewrite"),
    ("can.rewrite", "can"),
    ("can.rewrite", "can.files"),
    ("can.commands", "can.signals"),
    ("can.signals", "can"),
    ("can.commands", "can.simulation"),
    ("can.commands", "can.logs"),
    ("can.commands", "can.explain"),
    ("can.commands", "can.identifiers"),
    ("can.commands", "can.offsets"),
    ("can.explain", "can"),
    ("can.identifiers", "can"),
    ("can.offsets", "can"),
    ("can.simulation", "can.files"),
    ("can.simulation", "can"),
    ("can.simulation", "can.logs"),
    ("can.commands", "can.view"),
    ("can.logs", "can"),
    ("can.logs", "can.view"),
    ("can.simulation", "can.view"),
    ("can.commands", "can.mts"),
    ("can.mts", "can"),
    ("can.mts", "can.logs"),
    ("can.mts", "can.simulation"),
    ("hints", "hints.code"),
    ("report", "report.buses"),
    ("report.network", "report"),
    ("support", "support.c"),
    ("commands.checks", "commands"),
    ("commands.exchange", "commands"),
    ("declare", "declare.buses"),
    ("observe", "observe.figures"),
    ("declare.buses", "declare.schema"),
    ("declare", "declare.console"),
    ("declare.console", "declare.schema"),
    ("observe.live", "observe"),
    ("observe.terminal", "observe"),
    ("declare.editor", "declare"),
    ("declare.editor", "declare.schema"),
    ("declare.exchange", "declare"),
    ("declare.exchange", "declare.schema"),
    ("declare.exchange", "declare.service_kinds"),
    ("declare.formats", "declare"),
    ("declare.network", "declare.buses"),
    ("declare.network", "declare"),
    ("declare.network", "declare.schema"),
    ("declare.formats", "declare.exchange"),
    ("declare.formats", "declare.schema"),
    ("declare.formats", "declare.service_kinds"),
    ("declare", "declare.code"),
    ("declare", "declare.schema"),
    ("declare.code", "declare.schema"),
    ("declare", "declare.service_kinds"),
    ("declare.service_kinds", "declare.schema"),
    ("image", "image.application"),
    ("image", "image.tables"),
    ("image.inventory", "image"),
    ("image.own", "image"),
    ("image.own", "image.application"),
    ("image.own", "image.tables"),
    ("prove", "prove.bus"),
    ("prove", "prove.reasons"),
    ("prove.network", "prove"),
    ("prove.network", "prove.bus"),
    ("prove.network", "prove.reasons"),
    ("prove.distance", "prove"),
    ("prove.distance", "prove.reasons"),
    ("bench.studies", "bench"),
    ("bench.seed000", "bench"),
    ("bench.seed000", "bench.studies"),
    ("reproduce", "reproduce.can"),
    ("reproduce", "reproduce.midart"),
    ("reproduce", "reproduce.rtm_studies"),
    ("declare", "declare.chains"),
    ("declare.network", "declare.chains"),
    ("prove.network", "prove.chains"),
    ("prove.network", "prove.distance"),
    ("prove.chains", "prove.bus"),
    ("declare.chains", "declare.schema"),
    ("declare.chains", "declare.service_kinds"),
    ("prove", "prove.chains"),
    ("prove.distance", "prove.chains"),
}
APART = {"bench.tool"}  # inner folders that import nothing of those around them, nor the other way

ROOMS_MAX, FLOORS_MAX, ARROWS_MAX = 20, 10, 83
FLAT_MAX = 12  # modules in tools/takt itself


@dataclass(frozen=True)
class Import:
    """Of a module by another, wherever it is: in a function and under TYPE_CHECKING, too."""

    importer: str
    imported: str
    line: int


def modules(tools: Path = TOOLS) -> dict[str, Path]:
    """Every module of the package by its name without "takt.": "" is the package itself."""
    found = {}
    for path in sorted((tools / TOP).rglob("*.py")):
        parts = path.relative_to(tools / TOP).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def folder(module: str, known: Mapping[str, Path]) -> str:
    """The folder of a module; of a package, its own."""
    inside = module if known[module].name == "__init__.py" else module.rpartition(".")[0]
    return inside or TOP


def room(module: str, known: Mapping[str, Path]) -> str:
    return folder(module, known).partition(".")[0]


@cache
def imports(tools: Path = TOOLS) -> list[Import]:
    """All of the package's own. A name of a package that is no module of its own is the package's."""
    known = modules(tools)
    found = []
    for module, path in known.items():
        for name, line in _named(ast.parse(path.read_text(encoding="utf-8"))):
            target = name if name in known else name.rpartition(".")[0]
            if target != module:
                found.append(Import(module, target, line))
    return found


def _named(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """What is imported of the package, and in which line. By name at run time, too, which is no way around a rule: the
    names are then texts of the same module, each whole."""
    by_name = False
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: a relative import"
            if node.module == TOP or (node.module or "").startswith(f"{TOP}."):
                yield from ((f"{node.module}.{one.name}".removeprefix(f"{TOP}."), node.lineno) for one in node.names)
        elif isinstance(node, ast.Import):
            for one in node.names:
                if one.name.startswith(f"{TOP}."):
                    yield one.name.removeprefix(f"{TOP}."), node.lineno
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            text = ast.unparse(node.args[0]) if node.args else ""
            assert f"{TOP}." not in text, f"line {node.lineno}: {text} is imported by name"
            by_name = True
    for node in ast.walk(tree) if by_name else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(f"{TOP}."):
            yield node.value.removeprefix(f"{TOP}."), node.lineno


def circle(edges: Mapping[str, set[str]]) -> list[str]:
    """One circle, from a node back to itself; empty: none."""
    done: set[str] = set()

    def walk(node: str, way: list[str]) -> list[str]:
        if node in way:
            return [*way[way.index(node) :], node]
        if node in done:
            return []
        for after in sorted(edges.get(node, ())):
            found = walk(after, [*way, node])
            if found:
                return found
        done.add(node)
        return []

    return next((found for node in sorted(edges) if (found := walk(node, []))), [])


def floors(arrows: Mapping[str, set[str]]) -> dict[str, int]:
    """Of each room its floor: 1 imports nothing, each other is one above the highest that it imports."""
    found: dict[str, int] = {}
    while len(found) < len(arrows):
        ready = [name for name, below in arrows.items() if name not in found and below <= found.keys()]
        assert ready, "a circle of rooms"
        found.update({name: 1 + max((found[one] for one in arrows[name]), default=0) for name in ready})
    return found
