# SPDX-License-Identifier: Apache-2.0
"""Files with a few bytes changed, deleted or inserted: each is read or gets one message, never a traceback, by the
readers of all formats. What `takt can assign` makes of such files is in test_can_rewrite.py.

TAKT_SPOILT: how many of each (default 80, with --full 2000).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from can_files import judged, spoilt, write
from can_texts import ARXML, ASC, CANDUMP, DBC, HEADER, KCD, LATE, PACKET, PCAP, SELECTED, SYM, each_kind
from command_line import Takt
from takt.can.logs.write import writing

SPOILT = int(os.environ.get("TAKT_SPOILT", "2000" if os.environ.get("TAKT_TEST_FULL") else "80"))
ANY = bytes(range(256))
XML = b'<>/"=& id-x0\n'


@pytest.mark.parametrize(
    ("name", "text", "pieces", "slow"),
    [
        ("a.dbc", DBC, b'"; :@|,09.-BO_\n\\', 1),
        ("a.csv", HEADER + LATE, b'", 09.-x\n', 1),
        ("a.kcd", KCD, XML, 2),
        ("a.sym", SYM, b'"[]{}=,/: 09h\n', 2),
        ("a.arxml", ARXML, XML, 4),
    ],
)
def test_descriptions(takt: Takt, tmp_path: Path, name: str, text: str, pieces: bytes, slow: int) -> None:
    codes = {judged(takt("can", "check", write(tmp_path, name, text), "--bitrate", "500k", "--json"), -1)}
    assert codes <= {0, 1}
    for seed in range(SPOILT // slow):
        path = write(tmp_path, name, spoilt(text, seed, pieces))
        codes.add(judged(takt("can", "check", path, "--bitrate", "500k", "--json"), seed))
    assert 2 in codes


NUMBERS = ("0", "nan", "inf", "-1", "1e300", "1e-300", "0.000001", "0x10", "1_0", "\u0661\u0660", "9" * 400)
COLUMNS = "name,id,extended,sender,bytes,period_ms,jitter_ms,deadline_ms,offset_ms"
COMMANDS = (
    ("check", "--controller", "fifo", "--drift", "100", "--json"),
    ("assign", "--controller", "fifo", "--json"),
    ("offsets", "--tries", "1", "--json"),
    ("simulate", "--duration", "2ms", "--drift", "50", "--html", "o.html", "--json"),
)


@pytest.mark.parametrize("column", ["id", "bytes", "period_ms", "jitter_ms", "deadline_ms", "offset_ms"])
def test_odd_numbers(takt: Takt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, column: str) -> None:
    """In all commands: of a message beside one that is as it should be."""
    monkeypatch.chdir(tmp_path)
    usual = {"name": "a", "id": "1", "extended": "0", "sender": "n", "bytes": "8", "period_ms": "10", "offset_ms": "0"}
    other = {**usual, "name": "b", "id": "2"}
    for number in NUMBERS:
        both = ({**usual, column: number}, other)
        rows = [",".join(row.get(one, "") for one in COLUMNS.split(",")) for row in both]
        path = write(tmp_path, "a.csv", "\n".join([COLUMNS, *rows, ""]))
        for command, *options in COMMANDS:
            judged(takt("can", command, path, "--bitrate", "500k", *options), f"{command} {column} {number}")


def test_signals(takt: Takt, tmp_path: Path) -> None:
    codes = set()
    for seed in range(SPOILT // 4):
        path = write(tmp_path, "a.dbc", spoilt(SELECTED, seed, b"0123456789.-+@", most=1))
        codes.add(judged(takt("can", "import", path, "--output", tmp_path, "--json"), seed))
    assert codes == {0, 2}


@pytest.mark.parametrize("name", ["a.log", "a.asc", "a.pcap", "a.blf"])
def test_logs(takt: Takt, tmp_path: Path, name: str) -> None:
    texts: dict[str, bytes] = {"a.log": CANDUMP.encode(), "a.asc": ASC.encode(), "a.pcap": PCAP + PACKET * 3}
    path = tmp_path / name
    if name == "a.blf":
        with writing(path) as write_entries:
            write_entries(each_kind())
        texts[name] = path.read_bytes()
    codes = set()
    for seed in range(SPOILT):
        path.write_bytes(spoilt(texts[name], seed, ANY))
        codes.add(judged(takt("can", "log", path, "--bitrate", "500k", "--json"), seed))
    assert 2 in codes


def test_offsets(takt: Takt, tmp_path: Path) -> None:
    bus = write(tmp_path, "bus.csv", HEADER + LATE)
    codes = set()
    for seed in range(SPOILT // 4):
        path = write(tmp_path, "o.csv", spoilt("name,offset_ms\nslow1,2.5\nquick,1\n", seed, b'",\n. 05-x'))
        options = ("--bitrate", "500k", "--duration", "1ms", "--offsets", path, "--json")
        codes.add(judged(takt("can", "simulate", bus, *options), seed))
    assert 2 in codes
