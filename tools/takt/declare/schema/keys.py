# SPDX-License-Identifier: Apache-2.0
"""How tables of a TOML file and their keys are described, for the reader and for the docs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from takt.declare.schema.kinds import IDENTIFIER, Kind


@dataclass(frozen=True)
class Key:
    """One key. `default` is the value when it is absent; `default_text` is how the docs say it."""

    name: str
    kind: Kind
    doc: str
    required: bool = False
    default: Any = None
    default_text: str = ""
    table: Table | None = None  # the value is an array of these inline tables; `kind` only names it


@dataclass(frozen=True)
class Table:
    """One table, or each of an array of tables when `many`; without a name the file itself. `later`: keys of the design
    that are not there yet."""

    name: str
    doc: str
    keys: tuple[Key, ...]
    many: bool = True
    later: tuple[str, ...] = ()

    @property
    def header(self) -> str:
        return f"[[{self.name}]]" if self.many else f"[{self.name}]"

    def key(self, name: str) -> Key | None:
        return next((key for key in self.keys if key.name == name), None)


TABLES = Kind("array of tables", lambda value: value)
NAME = Key(
    "name", IDENTIFIER, "Its name in C, in the trace and in every message; unique among all objects.", required=True
)
