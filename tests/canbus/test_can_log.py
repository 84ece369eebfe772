# SPDX-License-Identifier: Apache-2.0
"""`takt can log`: what it says of logs, beside descriptions, and on logs that are damaged."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import can_oracle
import pytest
from can_texts import ASC, CANDUMP, HEADER, PACKET, PCAP
from command_line import Takt, documented, keys
from takt.can.logs.entry import Entry
from takt.can.logs.write import writing

MS = 1_000_000


def log_of(path: Path, entries: list[Entry]) -> Path:
    with writing(path) as write:
        write(entries)
    return path


def periodic(identifier: int, period_ns: int, count: int, data: bytes = bytes(8), first_ns: int = MS) -> list[Entry]:
    return [Entry(first_ns + number * period_ns, identifier, False, data, len(data)) for number in range(count)]


def read(takt: Takt, log: Path, *options: str) -> tuple[int, dict[str, Any]]:
    said = takt("can", "log", str(log), "--json", *options)
    return said.code, json.loads(said.out)


def described(tmp_path: Path, rows: str) -> Path:
    path = tmp_path / "bus.csv"
    path.write_text(HEADER + rows)
    return path


def test_figures_by_hand(takt: Takt, tmp_path: Path) -> None:
    data = bytes([1, 2, 3])
    frames = periodic(5, 10 * MS, 101, data)
    frames[50] = frames[50]._replace(time_ns=frames[50].time_ns + 2 * MS)
    frames.append(Entry(1_002 * MS, 0x80, True, b"", 0))
    log = log_of(tmp_path / "a.log", frames)
    code, found = read(takt, log, "--bitrate", "500k")
    assert code == 0
    assert set(keys(found)) | {"findings[].kind", "findings[].id", "findings[].extended", "findings[].name",
                               "findings[].text"} == documented("can log")  # fmt: skip
    first, second = found["messages"]
    assert (first["id"], first["count"], first["bytes_min"], first["bytes_max"]) == (5, 101, 3, 3)
    times = [first[f"period_{name}_ns"] for name in ("mean", "min", "max")]
    assert (times, first["jitter_ns"]) == ([10 * MS, 8 * MS, 12 * MS], 2 * MS)
    bits = len(can_oracle.encode(can_oracle.Frame(id=5, dlc=3, data=data))) + 3
    assert first["load"] == pytest.approx(101 * bits * 2000 / (1001 * MS), rel=1e-6)
    assert found["load_max"] == pytest.approx(11 * bits * 2000 / (100 * MS), rel=0.1)
    assert (second["count"], second["period_mean_ns"], found["findings"], found["duration_ns"]) == (
        1, None, None, 1001 * MS)  # fmt: skip
    assert read(takt, log)[1]["load"] is None


def test_what_is_not_as_declared(takt: Takt, tmp_path: Path) -> None:
    bus = described(tmp_path, "a,1,0,x,8,10,,\nb,2,0,y,4,20,,\nc,3,0,x,2,10,,\nd,4,0,z,8,50,,\ne,6,0,z,8,20,,\n")
    late = periodic(3, 10 * MS, 50, bytes(2))
    late[20] = late[20]._replace(time_ns=late[20].time_ns + 3 * MS)
    frames = [
        *periodic(1, 9 * MS, 50),
        *periodic(2, 20 * MS, 25, bytes(5)),
        *late,
        *periodic(7, 10 * MS, 3),
        *periodic(6, 20 * MS, 25),
    ]
    log = log_of(tmp_path / "a.asc", sorted(frames))
    code, found = read(takt, log, "--bitrate", "500k", "--against", str(bus))
    assert code == 1
    assert set(keys(found)) == documented("can log")
    kinds = [(one["name"], one["kind"]) for one in found["findings"]]
    # a comes more often than declared; c is early after the late one, too.
    assert kinds == [("a", "fast"), ("a", "early"), ("b", "length"), ("c", "early"), ("c", "late"), (None, "unknown")]
    assert found["missing"] == ["d"]
    code, found = read(takt, log, "--bitrate", "500k", "--against", str(bus), "--jitter", "4ms")
    assert [one["kind"] for one in found["findings"]] == ["fast", "length", "unknown"]
    said = takt("can", "log", str(log), "--bitrate", "500k", "--against", str(bus))
    assert "  length: b (0x002) 25 times 5 bytes long, declared 4" in said.out
    assert "note: 1 messages of the file are not in the log: d" in said.out


def test_distances_at_the_bound_are_allowed(takt: Takt, tmp_path: Path) -> None:
    """A frame that waited as long as the bound says, and one that did not: nearer than the period by that much."""
    bus = described(tmp_path, "a,1,0,x,8,10,,\nb,2,0,y,8,20,,\n")
    spread = 2 * 135 * 2000 - 111 * 2000  # the bound of `a`, and its shortest frame
    ends = [0, 10 * MS + spread, 20 * MS]
    for more_ns, kinds in ((0, []), (3000, ["early", "late"])):
        times = [ends[0], ends[1] + more_ns, ends[2], 30 * MS]
        log = log_of(tmp_path / "a.pcap", [Entry(at + MS, 1, False, bytes(8), 8) for at in times])
        _, found = read(takt, log, "--bitrate", "500k", "--against", str(bus))
        assert [one["kind"] for one in found["findings"]] == kinds


def test_the_log_of_a_simulation_is_as_declared(takt: Takt, tmp_path: Path) -> None:
    bus = described(tmp_path, "a,1,0,x,8,5,,\nb,2,0,y,4,5,1,\nc,0x300,1,x,8,10,,\n")
    log = tmp_path / "a.pcap"
    for seed in "123":
        takt("can", "simulate", str(bus), "--bitrate", "125k", "--duration", "2s", "--log", str(log), "--seed", seed)
        code, found = read(takt, log, "--bitrate", "125k", "--against", str(bus))
        assert (code, found["findings"], found["missing"]) == (0, [], [])


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.log", "", "a.log: no frame in it"),
        ("a.log", CANDUMP + "(1.03) can0 12", 'a.log:4: no line of candump: "(1.03) can0 12"'),
        ("a.log", CANDUMP + "(1.03) can0 123#012\n", "a.log:4: no line of candump"),
        ("a.log", "(1.03) can0 800#00\n(1.03) can0 FFF#00\n", "a.log:1: 0x800 is no identifier"),
        ("a.log", "(1.0) can0 123#" + "00" * 9, "a.log:1: 9 bytes in a frame"),
        ("a.log", b"\0\1\2", "a.log:1: no line of a log"),
        ("a.log", "x" * 5000, "a.log:1: no line of a log"),
        ("a.log", CANDUMP + "(1.0) can1 123#00\n", "a.log: it has several channels, can0 and can1 among them"),
        ("a.asc", ASC + "what is this\n", 'a.asc:6: no line of an ASC log: "what is this"'),
        ("a.asc", ASC + " 1.03 1 123 Rx d 8 01 02\n", "a.asc:6: no line of an ASC log"),
        ("a.pcap", b"no pcap", "a.pcap: byte 0: no pcap file begins like this"),
        ("a.pcap", PCAP[:20] + b"\1\0\0\0", "a.pcap: byte 20: link type 1, not 227 (SocketCAN)"),
        ("a.pcap", PCAP + PACKET[:-1], "a.pcap: byte 24: the file ends within a packet"),
        ("a.pcap", PCAP + PACKET + PACKET[:5], "a.pcap: byte 50: the file ends within a packet"),
        (
            "a.pcap",
            PCAP + struct.pack("<IIII", 1, 5, 1 << 30, 1 << 30),
            "a.pcap: byte 24: a packet of 1073741824 bytes",
        ),
        ("a.pcap", PCAP + PACKET[:20] + b"\x40" + PACKET[21:], "a.pcap: byte 24: no frame of CAN in this packet"),
        ("a.blf", b"LOGG and nothing", "no BLF file that python-can reads"),
        ("a.pcapng", "x", "a.pcapng: pcapng is not read"),
        ("a.bin", "x", 'a.bin: ".bin" is no suffix of a log'),
    ],
)
def test_bad_logs(takt: Takt, tmp_path: Path, name: str, text: str | bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    found = takt("can", "log", str(path))
    assert (found.code, found.out) == (2, "")
    assert said in found.err
    assert found.err.count("try: ") == 1


def test_lines_that_others_write(takt: Takt, tmp_path: Path) -> None:
    path = tmp_path / "shown.txt"
    path.write_text(
        " (1.000000)  can0  123   [2]  01 02\n (1.010000)  can0  00000010   [8]  remote request\n"
        " (1.020000)  can0  20000080   [8]  00 00 00 00 00 00 00 00   ERRORFRAME\n"
    )
    found = read(takt, path)[1]
    shown = [(one["id"], one["extended"], one["bytes_max"]) for one in found["messages"]]
    assert shown == [(0x10, True, 8), (0x123, False, 2)]
    assert found["errors"] == 1
    path = tmp_path / "relative.asc"
    path.write_text("date x\nbase dec  timestamps relative\n 1.0 2 100 Rx d 1 255\n 0.5 2 100 Rx d 1 10\n")
    found = read(takt, path)[1]
    assert (found["messages"][0]["id"], found["duration_ns"]) == (100, 500 * MS)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--against", "bus.csv"), "--against needs the bit rate"),
        (("--bitrate", "x"), '--bitrate: "x" is no bit rate'),
        (("--window", "0s"), "--window: must be longer than zero"),
        (("--channel", "can7"), "no frame in it"),
    ],
)
def test_bad_options(takt: Takt, tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    log = log_of(tmp_path / "a.log", periodic(1, MS, 3))
    found = takt("can", "log", str(log), *options)
    assert (found.code, found.out) == (2, "")
    assert said in found.err


def test_data_at_a_higher_rate(takt: Takt, tmp_path: Path) -> None:
    data = bytes(range(64))
    frames = [Entry(number * MS, 9, False, data, 64, fd=True, brs=True) for number in range(1, 12)]
    log = log_of(tmp_path / "a.log", frames)
    frame = can_oracle.Frame(id=9, fd=True, brs=True, dlc=15, data=data)
    found = read(takt, log, "--bitrate", "500k", "--data-bitrate", "2M")[1]
    bits = len(can_oracle.encode(frame)) + 3
    slow = 16 + 10 + 3 + 1  # up to BRS, from the delimiter of the check on, intermission, a stuff bit
    assert found["load"] == pytest.approx(11 * (slow * 2000 + (bits - slow) * 500) / (10 * MS), rel=1e-3)
