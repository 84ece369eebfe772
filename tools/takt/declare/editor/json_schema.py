# SPDX-License-Identifier: Apache-2.0
"""The schema of system.toml for editors: JSON Schema made from the tables that the reader and the page of the keys are
made from. What several tables say together only the reader checks."""

from __future__ import annotations

import json
from typing import Any

from takt.declare import tables
from takt.declare.schema.kinds import Key, Table

DRAFT = "http://json-schema.org/draft-07/schema#"  # what editors of TOML know


def text() -> str:
    """The file."""
    return json.dumps(document(), indent=2, ensure_ascii=False) + "\n"


def document() -> dict[str, Any]:
    """The schema, as JSON has it."""
    return {
        "$schema": DRAFT,
        "title": "system.toml of Takt",
        "type": "object",
        "additionalProperties": False,
        "properties": {table.name: _table(table) for table in tables.TABLES},
    }


def _table(table: Table) -> dict[str, Any]:
    if not table.many:
        return {"description": _plain(table.doc), **_keys(table)}
    return {"description": _plain(table.doc), "type": "array", "items": _keys(table)}


def _keys(table: Table) -> dict[str, Any]:
    required = [key.name for key in table.keys if key.required]
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {key.name: _key(key) for key in table.keys},
        **({"required": required} if required else {}),
    }


def _key(key: Key) -> dict[str, Any]:
    """What an editor shows: kind and meaning, with the default in words."""
    default = f" Default: {_plain(key.default_text)}." if key.default_text and not key.required else ""
    said: dict[str, Any] = {"description": f"{_plain(key.doc)}{default} ({key.kind.name})"}
    if key.table is not None:
        return {**said, "type": "array", "minItems": 1, "items": _keys(key.table)}
    if isinstance(key.default, (bool, int, str)) and not key.default_text:
        said |= {"default": key.default}
    return {**said, **(key.kind.schema or ({"enum": list(key.kind.words)} if key.kind.words else {}))}


def _plain(text: str) -> str:
    """Without the marks of Markdown."""
    return text.replace("`", "")
