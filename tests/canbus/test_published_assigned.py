# SPDX-License-Identifier: Apache-2.0
"""`takt can assign` on DBC files that others wrote, with cantools as the oracle of what changes in them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from can_files import opendbc
from command_line import Takt
from running import only_full
from takt.can.files import read
from takt.can.messages import Message
from takt.can.rewrite import rewrite
from takt.support import provision
from takt.support.errors import UserError

FORD = "ford_lincoln_base_pt.dbc"


@pytest.fixture(scope="module")
def files() -> list[Path]:
    provision.require_python("can")
    return opendbc()


@only_full
def test_the_ford_bus_is_mended(takt: Takt, files: list[Path], tmp_path: Path) -> None:
    ford, mended = next(path for path in files if path.name == FORD), tmp_path / FORD
    said = takt("can", "assign", ford, "--bitrate", "500k", "--output", mended)
    assert (said.code, "all 150 messages at 500 kbit/s arrive" in said.out) == (0, True)
    assert "the tightest at 0.446 of it (12 of them may be late now)." in said.out
    assert "No assignment within the limits makes the tightest less tight." in said.out
    said = takt("can", "check", mended, "--bitrate", "500k")
    assert (said.code, said.out.startswith("Proved: 150 messages at 500 kbit/s")) == (0, True)
    said = takt("can", "assign", ford, "--bitrate", "250k")
    assert (said.code, "The load 1.485 exceeds the bus." in said.out) == (1, True)


def content(database: Any, names: dict[tuple[int, bool], str]) -> dict[str, Any]:
    """All that cantools reads of the messages, by name, without their identifiers."""
    return {
        names[one.frame_id, one.is_extended_frame]: (
            one.name,
            one.length,
            one.senders,
            one.receivers,
            one.comments,
            one.cycle_time,
            one.send_type,
            one.is_fd,
            one.protocol,
            {name: str(value.value) for name, value in (one.dbc.attributes if one.dbc else {}).items()},
            [(group.name, group.repetitions, group.signal_names) for group in one.signal_groups or []],
            [
                {
                    **{name: str(value) for name, value in vars(signal).items() if name not in ("conversion", "dbc")},
                    "_dbc": {n: str(v.value) for n, v in (signal.dbc.attributes if signal.dbc else {}).items()},
                    "conversion": str(signal.conversion),
                    "choices": str(signal.choices),
                }
                for signal in one.signals
            ],
        )
        for one in database.messages
    }


@only_full
def test_nothing_but_identifiers_changes_for_cantools(files: list[Path], tmp_path: Path) -> None:
    """All identifiers of each file, exchanged at random and some with new ones."""
    import cantools.database

    chance, compared = random.Random(1), 0
    for path in files:
        try:
            messages = read.load(path)
            theirs: Any = cantools.database.load_file(path, strict=False)
        except (UserError, cantools.database.UnsupportedDatabaseFormatError):
            continue
        source = rewrite.load(path, None)
        new: dict[Message, int] = {}
        for extended in (False, True):
            same = [one for one in messages if one.extended == extended]
            numbers = [one.identifier for one in same]
            free = [n for n in range(0x700) if (n, extended) not in source.named][: len(numbers) // 2]
            new |= dict(zip(same, chance.sample(numbers + free, len(numbers)), strict=True))
        out = tmp_path / path.name
        out.write_bytes(rewrite.rewritten(source, messages, new))
        ours: Any = cantools.database.load_file(out, strict=False)
        before = {(one.identifier, one.extended): f"{index}" for index, one in enumerate(messages)}
        after = {(new[one], one.extended): f"{index}" for index, one in enumerate(messages)}
        assert content(ours, after) == content(theirs, before), path.name
        compared += 1
    assert compared >= 80
