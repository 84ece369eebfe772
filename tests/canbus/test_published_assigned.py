# SPDX-License-Identifier: Apache-2.0
"""`takt can assign` on DBC files that others wrote, with cantools as the oracle of what changes in them."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from can_files import cantools_source, judged, opendbc
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


def has_only_other_identifiers(path: Path, out: Path, chance: random.Random) -> bool:
    """Whether cantools reads nothing but other identifiers, after all of a file were exchanged at random and some
    replaced by new ones. False: the file is refused, or no identifier in it can change."""
    import cantools.database

    try:
        messages = read.load(path)
        theirs: Any = cantools.database.load_file(path, strict=False)
    except (UserError, cantools.database.UnsupportedDatabaseFormatError):
        return False
    source = rewrite.load(path, None)
    new: dict[Message, int] = {}
    for extended in (False, True):
        same = [one for one in messages if one.extended == extended and (one.identifier, extended) in source.named]
        numbers = [one.identifier for one in same]
        taken = {one.identifier for one in messages}
        free = [n for n in range(0x700) if (n, extended) not in source.named and n not in taken][: len(numbers) // 2]
        new |= dict(zip(same, chance.sample(numbers + free, len(numbers)), strict=True))
    out.write_bytes(rewrite.rewritten(source, messages, new))
    ours: Any = cantools.database.load_file(out, strict=False)
    before = {(one.identifier, one.extended): f"{index}" for index, one in enumerate(messages)}
    after = {(new.get(one, one.identifier), one.extended): f"{index}" for index, one in enumerate(messages)}
    assert content(ours, after) == content(theirs, before), path.name
    return bool(new)


@only_full
def test_nothing_but_identifiers_changes_for_cantools(files: list[Path], tmp_path: Path) -> None:
    chance = random.Random(1)
    assert sum(has_only_other_identifiers(path, tmp_path / path.name, chance) for path in files) >= 80


@only_full
def test_files_of_the_source_package_of_cantools(takt: Takt, tmp_path: Path) -> None:
    """Each is analysed, and assigned to where that can be, or refused with its name and, of DBC files that are wrong,
    with a line."""
    provision.require_python("can")
    counts: Counter[tuple[str, str]] = Counter()
    chance, of_several = random.Random(1), {"the_homer.kcd": ("--bus", "Motor")}
    (tmp_path / "package").mkdir()
    for path in cantools_source(tmp_path / "package"):
        kind, out = path.suffix.lower(), tmp_path / f"new{path.suffix}"
        codes, bus = [], of_several.get(path.name, ())
        for command, options in (("check", bus), ("assign", (*bus, "--output", out))):
            given = [path, "--bitrate", "500k", "--period", "100ms", "--json", *options]
            codes.append(judged(said := takt("can", command, *given), path.name))
            if said.code == 2:
                where = re.escape(path.name)
                reasons = "no messages in it|no [A-Z]+ file that cantools reads: "
                reasons += "|names identifiers in a way that takt does not know" if command == "assign" else ""
                assert re.search(rf"{where}(:\d+: |.*(?:{reasons}))", said.err), said.err
        assert codes[0] in (codes[1], 0, 1), path.name
        counts[kind, "refused" if codes[0] == 2 else "analysed"] += 1
        counts[kind, "assigned"] += codes[1] == 0
        counts[kind, "rewritten"] += has_only_other_identifiers(path, out, chance)
    found = {kind: tuple(counts[kind, what] for what in ("analysed", "refused", "assigned", "rewritten"))
             for kind in (".dbc", ".kcd", ".sym", ".arxml")}  # fmt: skip
    assert found == {
        ".dbc": (80, 10, 78, 78),
        ".kcd": (9, 1, 9, 8),  # the one with several buses is not rewritten here
        ".sym": (18, 3, 18, 18),
        ".arxml": (7, 8, 7, 6),
    }
