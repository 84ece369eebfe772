# SPDX-License-Identifier: Apache-2.0
"""A file that describes the messages of a bus, whatever its format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from takt.can.files import csv_table, dbc
from takt.can.messages import FILE_MAX, Message, check, decoded
from takt.support import files
from takt.support.errors import UserError, one_of
from takt.support.files import shown_path
from takt.support.names import shown

_FOREIGN = ("arxml", "kcd", "sym")
KINDS = ("arxml", "csv", "dbc", "kcd", "sym")
_SIGNALS = tuple(f".{kind}" for kind in KINDS if kind != "csv")


def load(path: Path, bus: str | None = None) -> list[Message]:
    """The messages of a file, by its suffix, in the order of their identifiers: the first wins each arbitration.

    `bus`: of a file with several. UserError: it cannot be read, or no bus can have these messages.
    """
    kind_of(path)
    return messages_of(path, bytes_of(path), bus)


def bytes_of(path: Path) -> bytes:
    """UserError: it cannot be read."""
    return files.read(path, FILE_MAX, "a DBC, KCD, ARXML, SYM or CSV file")


def kind_of(path: Path) -> str:
    """One of KINDS. UserError: the suffix is another."""
    kind = path.suffix.lower().removeprefix(".")
    if kind not in KINDS:
        said = f'the suffix "{shown(path.suffix)}" is none of a description of a bus' if kind else "it has no suffix"
        raise UserError(f"{shown_path(path)}: {said}", f"a file of {one_of(f'.{name}' for name in KINDS)}")
    return kind


def messages_of(path: Path, data: bytes, bus: str | None) -> list[Message]:
    """As `load`, of the bytes that the file has or would have."""
    kind, text = kind_of(path), decoded(path, data).text
    if kind in _FOREIGN:
        from takt.can.files import foreign

        messages = foreign.read(path, text, kind, bus)
    elif bus is not None:
        raise UserError(f"{shown_path(path)}: a {kind.upper()} file has one bus, without a name", "no --bus")
    else:
        messages = dbc.read(path, text) if kind == "dbc" else csv_table.read(path, text)
    check(path, messages)
    return sorted(messages, key=lambda one: one.arbitration)


def load_signals(path: Path, bus: str | None = None) -> list[tuple[Message, Any]]:
    """The same, each with the message as cantools has it. UserError: also where a file has no signals."""
    from takt.can.files import foreign

    messages = load(path, bus)
    text, kind = decoded(path, bytes_of(path)).text, kind_of(path)
    if kind == "csv":
        raise UserError(f"{shown_path(path)}: a CSV file has no signals", f"a file of {one_of(_SIGNALS)}")
    found = {(one.frame_id, bool(one.is_extended_frame)): one for one in foreign.database(path, text, kind, bus)}
    return [(one, found[one.identifier, one.extended]) for one in messages
            if (one.identifier, one.extended) in found]  # fmt: skip
