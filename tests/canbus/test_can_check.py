# SPDX-License-Identifier: Apache-2.0
"""`takt can check`: what it reads of files, its verdicts, and its messages on bad input."""

from __future__ import annotations

from pathlib import Path

import pytest
from can_files import document, write
from can_texts import DBC, HEADER, LATE
from command_line import Takt, documented, keys
from takt.can.files import read
from takt.can.messages import Message

MS = 1_000_000


def test_a_dbc_file(tmp_path: Path) -> None:
    wide, many, fast = read.load(write(tmp_path, "a.dbc", DBC))
    assert many == Message("many_with_a_long_name", 128, False, ("engine", "brake"), 2, line=14)
    assert fast == Message("fast", 256, False, ("engine",), 8, line=9, fd=True, period_ns=10 * MS)
    assert wide == Message("wide", 512, True, ("brake",), 4, line=13, period_ns=20 * MS, delay_ns=5 * MS, event=True)


def test_a_dbc_file_in_latin_1(tmp_path: Path) -> None:
    path = write(tmp_path, "a.dbc", DBC.replace("km/h", "\xb0").encode("latin-1"))
    assert len(read.load(path)) == 3


def test_identifiers_in_the_order_of_arbitration(tmp_path: Path) -> None:
    """By their first 11 bits; of equal ones the standard frame wins."""
    rows = ["c,0x101,0,,1,9,,", "b,0x4000000,1,,1,9,,", "a,0x100,0,,1,9,,", "d,0x4040001,1,,1,9,,"]
    path = write(tmp_path, "a.csv", HEADER + "\n".join(rows))
    assert [one.name for one in read.load(path)] == ["a", "b", "c", "d"]


def test_a_refuted_bus(takt: Takt, tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", HEADER + LATE)
    said = takt("can", "check", str(path), "--bitrate", "500k")
    assert said.code == 1
    assert said.out.startswith("Refuted: 1 of 10 messages at 500 kbit/s (load 0.114, 0.094 without stuff bits)")
    assert "quick (0x100), due 2.5 ms after its release, may take 2.7 ms: 9 messages with lower identifiers" in said.out
    assert "in the order of the deadlines all would arrive by them, the tightest at 0.216 of it" in said.out
    # 10 frames of 135 bits in 2.5 ms; in the order of the deadlines 2 in 2.5 ms, and 10 in 100 ms.
    assert "The least bit rate that proves: 540 kbit/s with these identifiers, 108 kbit/s in the order" in said.out
    assert [line for line in said.out.splitlines() if line.endswith("LATE")] != []
    assert takt("can", "check", str(path), "--bitrate", "540k").code == 0
    assert takt("can", "check", str(path), "--bitrate", "539k").code == 1


def test_a_proved_bus_and_its_document(takt: Takt, tmp_path: Path) -> None:
    rows = "a,1,0,x y,8,10,1,\nb,2,1,,0,20,,15\nc,3,,z,8,,,\n"
    path = write(tmp_path, "a.csv", HEADER + rows)
    asked = ("--bitrate", "500k", "--jitter", "10%", "--errors", "random:1e-9", "--json")
    said = takt("can", "check", str(path), *asked)
    assert said.code == 0
    found = document(said)
    assert set(keys(found)) == documented("can check")
    assert (found["feasible"], found["verdict"]) == (True, "proved")
    # b first: its first 11 bits are 0.
    b, a = found["messages"]
    assert (a["bits_max"], b["bits_max"], a["sender"], b["sender"]) == (135, 80, "x, y", None)
    assert (a["jitter_ns"], b["jitter_ns"], b["deadline_ns"]) == (1 * MS, 2 * MS, 15 * MS)
    assert (b["response_ns"], a["response_ns"]) == (270_000 + 160_000 + 2 * MS, 160_000 + 270_000 + 1 * MS)
    assert found["without_period"] == ["c"]
    assert found["load"] == pytest.approx(0.027 + 0.008)
    assert found["load_unstuffed"] == pytest.approx(0.0222 + 0.0067)
    assert len(found["warnings"]) == 3  # c does not count, a has two senders, b none


def test_an_overload(takt: Takt, tmp_path: Path) -> None:
    rows = "".join(f"m{i},{i},0,a,8,1,,\n" for i in range(5))
    path = write(tmp_path, "a.csv", HEADER + rows)
    said = takt("can", "check", str(path), "--bitrate", "500k")
    assert said.code == 1
    assert "No assignment of identifiers helps: the load 1.350 exceeds the bus." in said.out
    assert "The least bit rate that proves: 675 kbit/s" in said.out  # five frames in 1 ms
    found = document(takt("can", "check", str(path), "--bitrate", "500k", "--json"))
    assert [one["response_ns"] for one in found["messages"]] == [540_000, 810_000, 1_080_000, None, None]


def test_options_that_say_how_messages_come(takt: Takt, tmp_path: Path) -> None:
    path = str(write(tmp_path, "a.dbc", DBC))

    def periods(*options: str) -> dict[str, int]:
        found = document(takt("can", "check", path, "--bitrate", "500k", "--json", *options))
        return {one["name"]: one["period_ns"] // MS for one in found["messages"]}

    assert periods() == {"fast": 10, "wide": 20}
    assert periods("--events") == {"fast": 10, "wide": 5}
    assert periods("--period", "70ms") == {"many_with_a_long_name": 70, "fast": 10, "wide": 20}


def test_errors_and_flexible_data_rate(takt: Takt, tmp_path: Path) -> None:
    path = str(write(tmp_path, "a.csv", HEADER + "a,1,0,x,8,10,,\nb,2,0,x,8,10,,\n"))

    def first(*options: str) -> tuple[int, int]:
        found = document(takt("can", "check", path, "--bitrate", "500k", "--json", *options))["messages"][0]
        return found["bits_max"], found["response_ns"]

    assert first() == (135, 540_000)
    assert first("--errors", "10ms") == (135, 540_000 + (31 + 135) * 2_000)
    assert first("--errors", "3/10ms") == (135, 540_000 + 3 * (31 + 135) * 2_000)
    assert first("--errors", "1/10ms/9.9ms") == (135, 540_000 + 2 * (31 + 135) * 2_000)
    bits, slow_ns = first("--fd")
    assert bits > 135
    assert slow_ns == 2 * bits * 2_000
    same_bits, fast_ns = first("--fd", "--data-bitrate", "2M")
    assert same_bits == bits
    assert fast_ns < 0.6 * slow_ns
    long = str(write(tmp_path, "b.csv", HEADER + "a,1,0,x,13,10,,\n"))
    found = document(takt("can", "check", long, "--bitrate", "500k", "--json"))
    assert "more than 8 bytes counted as FD" in found["warnings"][0]
    fd = document(takt("can", "check", long, "--bitrate", "500k", "--json", "--fd"))
    assert found["messages"] == fd["messages"]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.dbc", "", "a.dbc: no messages in it"),
        ("a.dbc", "BO_ 1 a: 8 x\nnonsense here\n", 'a.dbc:2: no statement of a DBC file: "nonsense here"'),
        ("a.dbc", 'VERSION ""\nBO_ one a: 8 x\n', 'a.dbc:2: not a BO_ statement of a DBC file: "BO_ one a: 8 x"'),
        ("a.dbc", "BO_ 1 a: 8 x\n SG_ s : 0|8 (1,0)\n", "a.dbc:2: not a SG_ statement"),
        ("a.dbc", ' SG_ s : 0|8@1+ (1,0) [0|0] "" x\n', "a.dbc:1: a signal (SG_) before the first message"),
        ("a.dbc", 'BO_ 1 a: 8 x\n\nCM_ BO_ 1 "no end', "a.dbc:3: not a CM_ statement"),
        (
            "a.dbc",
            "BO_ 1 a: 8 x\nBO_ 1 b: 8 x\n",
            'a.dbc:2: message "b": identifier 0x001 is that of "a" (line 1), too',
        ),
        ("a.dbc", "BO_ 2048 a: 8 x\n", 'a.dbc:1: message "a": identifier 0x800 has more than 11 bits'),
        ("a.dbc", "BO_ 4294967295 a: 8 x\n", 'a.dbc:1: message "a": identifier 0x7FFFFFFF has more than 29 bits'),
        ("a.dbc", "BO_ 99999999999 a: 8 x\n", "a.dbc:1: 99999999999... is too large a number"),
        ("a.dbc", "BO_ 1 a: 65 x\n", 'a.dbc:1: message "a": 65 bytes, but no frame has more than 64'),
        ("a.dbc", 'BO_ 1 a: 8 x\nBA_ "GenMsgCycleTime" BO_ 1 -5;', 'a.dbc:1: GenMsgCycleTime of this message is "-5"'),
        ("a.dbc", "BO_ 1 a: 8 x\n", "no message has a cycle time"),
        ("a.dbc", b"BO_ 1 a: 8 x\n\0", "a.dbc:2: a NUL"),
        ("a.csv", "", "a.csv: no messages in it"),
        ("a.csv", "name,bytes\n", 'a.csv:1: the column "id" is missing'),
        ("a.csv", "name,id,bytes,speed\n", 'a.csv:1: unknown column "speed"'),
        ("a.csv", "name,id,bytes,id\n", 'a.csv:1: column "id" twice'),
        ("a.csv", "name,id,bytes\na,1\n", "a.csv:2: 2 cells, but the header has 3"),
        ("a.csv", "name,id,bytes\n,1,1\n", "a.csv:2: the name is missing"),
        ("a.csv", "name,id,bytes\na,x,1\n", 'a.csv:2: id is "x"'),
        ("a.csv", "name,id,bytes,extended\na,1,1,maybe\n", 'a.csv:2: extended is "maybe"'),
        ("a.csv", "name,id,bytes,period_ms\na,1,1,-5\n", 'a.csv:2: period_ms is "-5"'),
        ("a.csv", 'name,id,bytes\n"a"b,1,1\n', "a.csv:2: not a row of CSV"),
        ("a.txt", "x", 'a.txt: the suffix ".txt" is none of a description of a bus'),
        ("a.dbc", b"\xff\xfeB", "a.dbc: not UTF-16"),
    ],
)
def test_bad_files(takt: Takt, tmp_path: Path, name: str, text: str | bytes, said: str) -> None:
    path = write(tmp_path, name, text)
    found = takt("can", "check", str(path), "--bitrate", "500k")
    assert (found.code, found.out) == (2, "")
    assert said in found.err
    assert "try: " in found.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--bitrate", "fast"), '--bitrate: "fast" is no bit rate'),
        (("--bitrate", "2M"), "--bitrate: 2M is no bit rate of a bus"),
        (("--bitrate", "500k", "--data-bitrate", "250k"), "--data-bitrate is lower than --bitrate"),
        (("--bitrate", "500k", "--jitter", "10"), "--jitter: the unit is missing"),
        (("--bitrate", "500k", "--errors", "0/1ms"), "--errors: 0 errors"),
        (("--bitrate", "500k", "--errors", "/"), "--errors: no bound on errors"),
        (("--bitrate", "500k", "--period", "0ms"), "--period: must be longer than zero"),
        (("--bitrate", "500k", "--bus", "x"), "a CSV file has one bus, without a name"),
    ],
)
def test_bad_options(takt: Takt, tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    path = write(tmp_path, "a.csv", HEADER + LATE)
    found = takt("can", "check", str(path), *options)
    assert (found.code, found.out) == (2, "")
    assert said in found.err


KCD = """<NetworkDefinition xmlns="http://kayak.2codeornot2code.org/1.0"><Document/>
<Node id="1" name="engine"/>
<Bus name="one"><Message id="0x10" name="a" length="8" interval="10"><Producer><NodeRef id="1"/></Producer></Message>
</Bus><Bus name="two"><Message id="0x20" format="extended" name="b" length="2"/></Bus></NetworkDefinition>"""


def test_a_file_that_cantools_reads(takt: Takt, tmp_path: Path) -> None:
    path = write(tmp_path, "a.kcd", KCD)
    assert read.load(path, "one") == [Message("a", 16, False, ("engine",), 8, period_ns=10 * MS)]
    assert read.load(path, "two") == [Message("b", 32, True, (), 2)]
    said = takt("can", "check", str(path), "--bitrate", "500k")
    assert (said.code, "it has 2 buses\n  try: --bus one or two" in said.err) == (2, True)
    said = takt("can", "check", str(path), "--bitrate", "500k", "--bus", "three")
    assert (said.code, 'no bus "three" in it' in said.err) == (2, True)
    for name, text in (("a.kcd", "<Bus"), ("a.arxml", "nothing"), ("a.sym", "FormatVersion=9.0\n}")):
        said = takt("can", "check", str(write(tmp_path, name, text)), "--bitrate", "500k")
        assert said.code == 2
        assert name in said.err
        assert "file that cantools reads" in said.err
