# SPDX-License-Identifier: Apache-2.0
"""KCD, ARXML and SYM files, and the signals of DBC files, as cantools reads them."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import Any

from takt.can.messages import Message, fail
from takt.support import provision
from takt.support.errors import UserError, one_of
from takt.support.files import shown_path
from takt.support.names import shown

LOCK = "can"
_LINE = re.compile(r"\bline:? (\d+)")
_REASON_MAX = 200  # characters


def read(path: Path, text: str, kind: str, bus: str | None) -> list[Message]:
    """The messages of one bus, whose name is needed if the file has several. UserError: it cannot be read, with the
    line if cantools says it."""
    return [_message(one) for one in database(path, text, kind, bus)]


def database(path: Path, text: str, kind: str, bus: str | None) -> list[Any]:
    """The same as cantools has them, of a DBC file too: with their signals."""
    provision.require_python(LOCK)
    import cantools.database

    logging.getLogger("cantools").setLevel(logging.ERROR)
    try:
        loaded: Any = cantools.database.load_string(text, kind, strict=False)
    except Exception as error:  # whatever a file that is wrong makes its readers raise
        said = " ".join(str(error).split()) or type(error).__name__
        line = _LINE.search(said)
        problem = f"no {kind.upper()} file that cantools reads: {shown(said[:_REASON_MAX])}"
        fail(path, int(line[1]) if line else 0, problem, "correct it, or write the messages as CSV (docs/can.md)")
    found = getattr(loaded, "messages", None)
    if not found:
        fail(path, 0, "no messages in it", f"messages of a CAN bus in the {kind.upper()} file")
    return _of_bus(path, found, bus)


def _of_bus(path: Path, found: list[Any], bus: str | None) -> list[Any]:
    names = list(dict.fromkeys(one.bus_name for one in found if one.bus_name))
    if bus is None and len(names) > 1:
        raise UserError(f"{shown_path(path)}: it has {len(names)} buses", f"--bus {one_of(map(shown, names))}")
    if bus is not None and bus not in names:
        there = one_of(map(shown, names))
        raise UserError(f'{shown_path(path)}: no bus "{shown(bus)}" in it', f"--bus {there}" if names else "no --bus")
    return [one for one in found if bus is None or one.bus_name == bus]


def _message(one: Any) -> Message:
    cycle = one.cycle_time
    return Message(
        name=one.name,
        identifier=one.frame_id,
        extended=bool(one.is_extended_frame),
        senders=tuple(one.senders),
        size=one.length,
        fd=bool(one.is_fd),
        period_ns=round(cycle * 1_000_000) if cycle else None,
        event="event" in (one.send_type or "").lower(),
        j1939=one.protocol == "j1939",
    )
