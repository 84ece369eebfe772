# SPDX-License-Identifier: Apache-2.0
"""`takt trace` with files that were torn, cut or made up: it prints, or says one thing and ends with 2."""

from __future__ import annotations

import json
import os
import random
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import Takt
from story import NAMES, STORY
from takt.trace import records as trace
from takt.trace.records import RECORD_SIZE, Event

FILES = 1500 if os.environ.get("TAKT_TEST_FULL") else 150
SEED = int(os.environ.get("TAKT_SEED", "1"))
GOOD = NAMES.header() + trace.encode(STORY)
NUMBERS = (0, 1, 2**31, 2**32 - 1, 2**53, 2**63, 2**64 - 1)


def torn(choose: random.Random) -> bytes:
    """A part is missing, doubled or from elsewhere in the file."""
    a, b = sorted(choose.randrange(len(GOOD) + 1) for _ in range(2))
    return choose.choice([GOOD[:a], GOOD[:a] + GOOD[b:], GOOD[:b] + GOOD[a:], GOOD[a:]])


def flipped(choose: random.Random) -> bytes:
    data = bytearray(GOOD)
    for _ in range(choose.randrange(1, 9)):
        data[choose.randrange(len(data))] = choose.randrange(256)
    return bytes(data)


def records(choose: random.Random) -> bytes:
    """Any known events in any order about anything, most of which no kernel does."""
    out = bytearray()
    now = 0
    for _ in range(choose.randrange(80)):
        event = choose.choice(list(Event))
        task = choose.choice([0, 1, 2, 65000, trace.IDLE, trace.NONE])
        head = struct.pack("<IBBH", choose.choice([0, 5, 2**32 - 1]), event, choose.randrange(256), task)
        if event is Event.TIME:
            now = max(now, choose.choice([now, *NUMBERS]))
            out += head + struct.pack("<Q", now)
        elif choose.random() < 0.4:
            out += head + struct.pack("<Q", choose.choice(NUMBERS))
        else:
            out += head + struct.pack("<IHH", choose.choice([0, 7, 2**32 - 1]), choose.choice([0, 3, 65535]), 5)
    return NAMES.header() + bytes(out)


def header(choose: random.Random) -> bytes:
    """One field is another thing."""
    fields = json.loads(NAMES.header())
    odd: list[Any] = [
        None,
        -1,
        2**70,
        "",
        "x" * 5000,
        [],
        [[]],
        {},
        {"a": 1},
        [None],
        ["\x07"],
        ["ok", 3],
        1.5,
        True,
        {"7": "\x1b"},
    ]
    fields[choose.choice(list(fields))] = choose.choice(odd)
    return json.dumps(fields).encode() + b"\n" + GOOD[len(NAMES.header()) :]


Make = Callable[[random.Random], bytes]


def files(make: Make) -> Iterator[tuple[str, bytes]]:
    for number in range(FILES):
        seed = f"{SEED * 10**6 + number}"
        yield seed, make(random.Random(seed))


@pytest.mark.parametrize("make", [torn, flipped, records, header])
def test_it_prints_or_says_one_thing(takt: Takt, tmp_path: Path, make: Make) -> None:
    path, page, export = tmp_path / "t.takt", tmp_path / "page.html", tmp_path / "export.json"
    refused = 0
    for seed, content in files(make):
        path.write_bytes(content)
        for options in ((), ("--json",), ("--html", page, "--perfetto", export)):
            said = takt("trace", path, *options)
            assert said.code in (0, 2), (seed, said)
            if said.code == 2:
                assert said.out == "", seed
                assert said.err.startswith(f"takt: {path}: "), (seed, said.err)
                assert len(said.err.splitlines()) == 2, (seed, said.err)
                assert said.err.isprintable() or "\x1b" not in said.err, seed
                assert len(said.err) < 1000, seed
            refused += said.code == 2
    assert refused > 0 or make is records
    assert refused < 3 * FILES


def test_every_cut_is_reported_or_whole(takt: Takt, tmp_path: Path) -> None:
    """After whole records the rest of a run is missing, and what is there is printed."""
    path = tmp_path / "t.takt"
    for length in range(len(GOOD)):
        path.write_bytes(GOOD[:length])
        whole = length >= len(NAMES.header()) and (length - len(NAMES.header())) % RECORD_SIZE == 0
        assert takt("trace", path).code == (0 if whole else 2), length
