# SPDX-License-Identifier: Apache-2.0
"""A file with other identifiers, and what it names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from takt.can.files import read
from takt.can.messages import Identifier, Message, Text, decoded
from takt.can.rewrite.mention import Mention
from takt.support.errors import UserError
from takt.support.files import shown_path


@dataclass(frozen=True)
class Source:
    """A file and where it names identifiers."""

    path: Path
    data: bytes
    text: Text
    bus: str | None
    mentions: Sequence[Mention]

    @property
    def named(self) -> frozenset[Identifier]:
        return frozenset(one.identifier for one in self.mentions)


def load(path: Path, bus: str | None) -> Source:
    """UserError: it cannot be rewritten for sure."""
    data = read.bytes_of(path)
    text = decoded(path, data)
    return Source(path, data, text, bus, list(_mentions(path, text.text, read.kind_of(path), bus)))


def _mentions(path: Path, text: str, kind: str, bus: str | None) -> Iterable[Mention]:
    if kind == "dbc":
        from takt.can.rewrite import dbc_names

        return dbc_names.mentions(path, text)
    if kind == "csv":
        from takt.can.rewrite import csv_cells

        return csv_cells.mentions(path, text)
    if kind == "sym":
        from takt.can.rewrite import sym_names

        return sym_names.mentions(path, text)
    from takt.can.rewrite import xml_names

    return xml_names.mentions(path, text, kind, bus)


def rewritten(source: Source, messages: Sequence[Message], identifiers: Mapping[Message, int]) -> bytes:
    """The file with these identifiers. UserError: it would not say the same, these aside."""
    new = {(one.identifier, one.extended): number for one, number in identifiers.items()}
    text, parts, position = source.text.text, [], 0
    for one in source.mentions:
        if one.identifier in new:
            token = one.written(text[one.start : one.end], new[one.identifier])
            parts += [text[position : one.start], token]
            position = one.end
    data = source.text.bytes_of("".join([*parts, text[position:]]))
    wanted = sorted(
        (replace(one, identifier=identifiers.get(one, one.identifier)) for one in messages),
        key=lambda one: one.arbitration,
    )
    if read.messages_of(source.path, data, source.bus) != wanted:
        problem = f"{shown_path(source.path)}: it names identifiers in a way that takt does not know"
        raise UserError(problem, "assign identifiers in a CSV file (docs/can.md)")
    return data
