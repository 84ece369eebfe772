# SPDX-License-Identifier: Apache-2.0
"""Reads the file of a network: its [[node]] tables, and the systems that they name, each a declaration of its own."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from takt.declare import declaration
from takt.declare.chains import read as chains
from takt.declare.network import of_node
from takt.declare.schema import reader
from takt.declare.schema.model import Chain, System
from takt.declare.schema.reader import Document
from takt.support import files
from takt.support.errors import UserError
from takt.support.files import fault_of, shown_path

TABLES = ("system", "node", "chain")
NODES_MAX = 250


@dataclass(frozen=True)
class Node:
    """`system`: what runs on it, `folder` as the file calls it. `line`: of its table."""

    name: str
    system: System
    folder: str
    line: int


@dataclass(frozen=True)
class Network:
    """A network's file."""

    document: Document
    name: str
    nodes: tuple[Node, ...]
    chains: tuple[Chain, ...]

    @property
    def path(self) -> Path:
        return self.document.path

    def node(self, name: str) -> Node | None:
        return next((node for node in self.nodes if node.name == name), None)


def document_of(path: Path) -> Document | None:
    """The parsed file of a network; None: of something else, or of nothing that TOML knows."""
    try:
        if b"node" not in files.read(path, files.TEXT_MAX, "a TOML file"):
            return None
        document = reader.load(path)
    except UserError:
        return None  # who reads it as a system says why
    nodes = document.data.get("node")
    tables = nodes if isinstance(nodes, list) else []
    return document if any(isinstance(table, dict) and "system" in table for table in tables) else None


def refuse_board(board: str | None) -> None:
    """UserError: a network has no use for the option."""
    if board is not None:
        raise UserError("--board: each system of a network has its own", "board in the files of its systems")


def load(document: Document, protection: bool | None = None) -> Network:
    """UserError: it is none, or one of its systems is none. `protection`: of all systems, instead of the declared
    one."""
    for name in document.data:
        if name not in TABLES:
            problem = f"[[{name}]] in a network: its systems declare what they consist of"
            document.fail((name,), problem, f"[[{name}]] in the file of a system")
    tables = declaration.read_tables(document)
    _refuse_keys(document)
    if len(tables["node"]) > NODES_MAX:
        document.fail(("node", NODES_MAX), f"more than {NODES_MAX} nodes", "fewer nodes")
    paths = [_path(document, values, index) for index, values in enumerate(tables["node"])]
    often = Counter(path.resolve() for path in paths)
    nodes: list[Node] = []
    systems: dict[Path, System] = {}
    for index, values in enumerate(tables["node"]):
        if values["name"] in [node.name for node in nodes]:
            problem = f'[[node]] "{values["name"]}": the name is taken'
            document.fail(("node", index, "name"), problem, f'"{values["name"]}_2"')
        path = paths[index]
        if path.resolve() not in systems:
            systems[path.resolve()] = declaration.load(path, protection)
        system = of_node.system(document, index, values, systems[path.resolve()], often[path.resolve()] > 1)
        nodes.append(Node(values["name"], system, values["system"], document.line(("node", index)) or 0))
    name = tables["system"]["name"] or document.path.resolve().parent.name
    found = chains.read(document, tables["chain"])["chains"]
    for index, chain in enumerate(found):
        if chain.name in [other.name for other in found[:index]]:
            problem = f'[[chain]] "{chain.name}": the name is taken'
            document.fail(("chain", index, "name"), problem, f'"{chain.name}_2"')
    return Network(document, name, tuple(nodes), found)


def _refuse_keys(document: Document) -> None:
    """UserError: what a network has no use for."""
    for key in document.data.get("system", {}):
        if key != "name":
            problem = f"[system]: {key} in a network: each of its systems has its own"
            document.fail(("system", key), problem, f"{key} in the files of its systems")
    for index, table in enumerate(document.data["node"]):
        label = f'[[node]] "{table["name"]}"'
        if "system" not in table:
            problem = f"{label}: no system, and other nodes have one: machines with channels are declared apart"
            document.fail(("node", index), problem, 'system = "FOLDER", or a file of its own for takt reflect')
        for key in table:
            if key not in ("name", "system", "identifiers"):
                document.fail(("node", index, key), f"{label}: {key} is of a node without system", f"remove {key}")


def _path(document: Document, values: dict[str, Any], index: int) -> Path:
    """The system.toml of a node."""
    path: Path = document.path.parent / values["system"]
    found = path / declaration.FILE_NAME if path.is_dir() else path
    if not found.is_file():
        problem = f'[[node]] "{values["name"]}": system = "{values["system"]}": {shown_path(found)} {fault_of(found)}'
        hint = f"the folder of a system, relative to {shown_path(document.path.parent)}"
        document.fail(("node", index, "system"), problem, hint)
    if found.resolve() == document.path.resolve():
        problem = f'[[node]] "{values["name"]}": system = "{values["system"]}" is this file itself'
        document.fail(("node", index, "system"), problem, "the folder of a system")
    return found
