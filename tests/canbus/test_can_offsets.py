# SPDX-License-Identifier: Apache-2.0
"""Offsets of messages: what `takt can check` reads of them, which count, and `takt can offsets`."""

from __future__ import annotations

from pathlib import Path

import pytest
from can_files import document, write
from command_line import Takt, documented, keys
from takt.can.files import offset_table, read

MS = 1_000_000
HEADER = "name,id,sender,bytes,period_ms,deadline_ms,offset_ms\n"
# Frames of 270 us. Of a and b, which come 5 ms apart, only one is before c.
BUS = HEADER + "a,1,n,8,10,,0\nb,2,n,8,10,,5\nc,3,m,8,10,0.7,\n"


def responses(takt: Takt, path: Path, *options: str) -> list[int]:
    found = document(takt("can", "check", path, "--bitrate", "500k", "--json", *options))
    return [one["response_ns"] // 1000 for one in found["messages"]]


def test_offsets_of_a_file_count(takt: Takt, tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", BUS)
    assert responses(takt, path) == [540, 540, 540]
    assert responses(takt, path, "--offsets", "none") == [540, 810, 810]
    said = takt("can", "check", path, "--bitrate", "500k")
    assert said.code == 0
    assert (
        "Offsets of 2 messages of 1 node count (--offsets none: not); without them 1 message may be late." in said.out
    )
    assert takt("can", "check", path, "--bitrate", "500k", "--offsets", "none").code == 1
    found = document(takt("can", "check", path, "--bitrate", "500k", "--json"))
    assert [one["offset_ns"] for one in found["messages"]] == [0, 5 * MS, None]
    assert found["late_without_offsets"] == 1
    plain = document(takt("can", "check", path, "--bitrate", "500k", "--json", "--offsets", "none"))
    assert [one["offset_ns"] for one in plain["messages"]] == [None, None, None]


def test_offsets_of_another_file_stand_for_all(takt: Takt, tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", BUS)
    assert responses(takt, path, "--offsets", str(write(tmp_path, "o.csv", "name,offset_ms\na,2\nb,2.27\n"))) == [
        540,
        540,
        810,
    ]
    assert responses(takt, path, "--offsets", str(write(tmp_path, "o.csv", "a,2\nb,2.272001\n"))) == [540, 540, 540]
    assert responses(takt, path, "--offsets", str(write(tmp_path, "o.csv", "a,2\n"))) == [540, 810, 810]


def test_which_offsets_count(takt: Takt, tmp_path: Path) -> None:
    """Not those of a message with two senders or none, nor of a node that may hold its messages back."""
    for senders in ("n m", ""):
        path = write(tmp_path, "a.csv", BUS.replace("b,2,n", f"b,2,{senders}"))
        assert responses(takt, path) == [540, 810, 810]
        said = takt("can", "check", path, "--bitrate", "500k")
        assert "1 offset not counted (sent on events too, or no or several senders): b" in said.out
    path = write(tmp_path, "a.csv", BUS)
    said = takt("can", "check", path, "--bitrate", "500k", "--controller", "n=fifo")
    assert "2 offsets not counted, of nodes that do not queue by priority: a, b" in said.out
    assert "Offsets of" not in said.out


def test_offsets_beside_a_node_that_holds_messages_back(takt: Takt, tmp_path: Path) -> None:
    """Of a and b only one is before c, with slow and d of the FIFO; a frame of 270 us is before or in the FIFO."""
    rows = BUS.replace("8,10,0.7,", "8,10,,") + "d,4,k,8,50,,\nslow,5,k,8,50,,\n"
    path = write(tmp_path, "a.csv", rows)
    fifo = ("--controller", "k=fifo")
    assert responses(takt, path, *fifo, "--offsets", "none") == [540, 810, 1080, 1350, 1350]
    assert responses(takt, path, *fifo) == [540, 540, 810, 1350, 1350]
    held = ("--controller", "n=fifo")
    assert responses(takt, path, *held) == responses(takt, path, *held, "--offsets", "none")
    assert responses(takt, path, "--controller", "k=2/abort:100us") == [540, 540, 810, 1080, 1080]


def test_a_burst_delays_messages_with_offsets_too(takt: Takt, tmp_path: Path) -> None:
    """While slow waits three of fast gather behind it, which go before quick: 100 us of jitter and five frames."""
    rows = "fast,1,a,8,0.7,,,\nquick,2,b,8,2,,0,0.1\nslow,3,a,8,3,9,,4\nmate,4,b,8,10,,1,\n"
    path = write(tmp_path, "a.csv", HEADER.replace("offset_ms", "offset_ms,jitter_ms") + rows)
    assert responses(takt, path, "--controller", "a=fifo")[1] == 1450


DBC = """BU_: n m
BO_ 1 a: 8 n
BO_ 2 b: 8 n
BO_ 3 c: 8 m
BO_ 4 d: 8 n
BA_DEF_ BO_ "GenMsgCycleTime" INT 0 10000;
BA_DEF_ BO_ "GenMsgStartDelayTime" INT 0 10000;
BA_DEF_ BO_ "GenMsgSendType" ENUM "Cyclic","CyclicAndEvent";
BA_DEF_DEF_ "GenMsgCycleTime" 10;
BA_DEF_DEF_ "GenMsgStartDelayTime" 0;
BA_DEF_DEF_ "GenMsgSendType" "Cyclic";
BA_ "GenMsgStartDelayTime" BO_ 1 0;
BA_ "GenMsgStartDelayTime" BO_ 2 5;
BA_ "GenMsgStartDelayTime" BO_ 4 3;
BA_ "GenMsgSendType" BO_ 4 1;
"""


def test_offsets_of_a_dbc_file(takt: Takt, tmp_path: Path) -> None:
    """A default says it of no message: c has none. d is sent on events too."""
    path = write(tmp_path, "a.dbc", DBC)
    assert [one.offset_ns for one in read.load(path)] == [0, 5 * MS, None, 3 * MS]
    found = document(takt("can", "check", path, "--bitrate", "500k", "--json"))
    assert [one["offset_ns"] for one in found["messages"]] == [0, 5 * MS, None, None]
    assert [one["response_ns"] // 1000 for one in found["messages"]] == [540, 540, 810, 810]


@pytest.mark.parametrize(
    ("offsets", "said"),
    [
        ("zero", '--offsets: "zero" is none\n  try: none, or a .csv file with name,offset_ms'),
        ("a,b,c\n", "o.csv:1: not a name and an offset in ms"),
        ("a,1\nb,-5\n", "o.csv:2: not a name and an offset in ms"),
        ("a,1\ne,5\n", 'o.csv:2: no message "e" is sent'),
        ("a,1\na,5\n", 'o.csv:2: "a" has an offset above'),
    ],
)
def test_bad_offsets(takt: Takt, tmp_path: Path, offsets: str, said: str) -> None:
    path = write(tmp_path, "a.csv", BUS)
    option = str(write(tmp_path, "o.csv", offsets)) if "\n" in offsets else offsets
    found = takt("can", "check", path, "--bitrate", "500k", "--offsets", option)
    assert (found.code, found.out) == (2, "")
    assert said in found.err


def test_a_bad_offset_of_a_file(takt: Takt, tmp_path: Path) -> None:
    found = takt("can", "check", write(tmp_path, "a.csv", HEADER + "a,1,n,8,10,,x\n"), "--bitrate", "500k")
    assert (found.code, 'a.csv:2: offset_ms is "x"' in found.err) == (2, True)
    text = DBC.replace("BO_ 2 5;", "BO_ 2 -5;")
    found = takt("can", "check", write(tmp_path, "a.dbc", text), "--bitrate", "500k")
    assert (found.code, 'a.dbc:3: GenMsgStartDelayTime of this message is "-5"' in found.err) == (2, True)


# Of three frames of n at most one is before z, if they are apart; y of m has no offset to choose.
ROWS = "a,1,n,8,10,,{}\nb,2,n,8,10,,{}\nc,3,n,8,20,,{}\ny,4,m,8,10,,\nz,5,k l,8,10,0.9,\n"


def test_offsets_are_chosen(takt: Takt, tmp_path: Path) -> None:
    """Without them z waits for four frames; with them for one of n and for y. The file that is written says the same to
    `takt can check`."""
    path = write(tmp_path, "a.csv", HEADER + ROWS.format("", "", ""))
    said = takt("can", "offsets", path, "--bitrate", "500k", "--tries", "0", "-o", tmp_path / "o.csv")
    assert said.code == 0
    assert said.out.startswith(
        "Proved: with offsets of 3 messages of 1 node all 5 messages arrive by their deadlines, the tightest at 0.900 "
        "of it (now 1.500)."
    )
    assert (tmp_path / "o.csv").read_text() == "name,offset_ms\na,0\nb,5\nc,2\n"
    assert responses(takt, path, "--offsets", str(tmp_path / "o.csv")) == [540, 540, 540, 810, 810]
    found = document(takt("can", "offsets", path, "--bitrate", "500k", "--tries", "0", "--json"))
    assert set(keys(found)) == documented("can offsets")
    assert [one["offset_ns"] for one in found["messages"]] == [0, 5 * MS, 2 * MS, None, None]
    assert [one["response_ns"] // 1000 for one in found["messages"]] == [540, 540, 540, 810, 810]
    assert [one["response_before_ns"] // 1000 for one in found["messages"]] == [540, 810, 1080, 1350, 1350]
    assert (found["late_before"], found["late"], found["feasible"]) == (1, 0, True)
    assert (found["largest_before"], found["largest"]) == pytest.approx((1.5, 0.9))


def test_what_the_file_gives_stays_if_nothing_is_better(takt: Takt, tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", HEADER + ROWS.format("0", "4", "7"))
    found = document(takt("can", "offsets", path, "--bitrate", "500k", "--tries", "20", "--json"))
    assert [one["offset_before_ns"] for one in found["messages"]] == [0, 4 * MS, 7 * MS, None, None]
    assert [one["offset_ns"] for one in found["messages"]] == [0, 4 * MS, 7 * MS, None, None]


def test_changes_make_it_better_and_never_worse(takt: Takt, tmp_path: Path) -> None:
    """Of a bus that the first choice leaves late."""
    periods = (8, 15, 6, 10, 6, 12, 12, 12)
    rows = "".join(f"m{i},{i},{'n' if i < 5 else 'k'},8,{period},,\n" for i, period in enumerate(periods))
    path = write(tmp_path, "a.csv", HEADER + rows)
    options = ("--bitrate", "125k", "--json")
    largest = [document(takt("can", "offsets", path, *options, "--tries", str(n)))["largest"] for n in (0, 20, 150)]
    assert largest[0] > 1 > largest[1] > largest[2]


def test_offsets_that_do_not_help(takt: Takt, tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", HEADER + ROWS.format("", "", "").replace("0.9", "0.8"))
    said = takt("can", "offsets", path, "--bitrate", "500k", "--tries", "5")
    assert said.code == 1
    assert "Not proved: with offsets of 3 messages of 1 node 1 of 5 messages may be late (now 1), the" in said.out
    assert [line.split()[0] for line in said.out.splitlines() if line.endswith("LATE")] == ["z"]


@pytest.mark.parametrize(
    ("rows", "options", "said"),
    [
        ("a,1,n,8,10,,\nb,2,m,8,10,,\n", (), "no node releases two messages by its clock"),
        ("a,1,n,8,10,,\na,2,n,8,10,,\n", (), '2 messages are "a", and offsets go by name'),
        (ROWS, ("--controller", "n=fifo"), "--controller: offsets count of messages that their node does not hold"),
        (ROWS, ("--output", "o.txt"), "--output o.txt: it is a CSV file"),
        (ROWS, ("--output", "none/o.csv"), "none/o.csv"),
        (ROWS, ("--step", "0ms"), "--step: must be longer than zero"),
    ],
)
def test_offsets_that_cannot_be_chosen(
    takt: Takt, tmp_path: Path, rows: str, options: tuple[str, ...], said: str
) -> None:
    path = write(tmp_path, "a.csv", HEADER + rows.format("", "", ""))
    found = takt("can", "offsets", path, "--bitrate", "500k", "--tries", "0", *options)
    assert (found.code, found.out) == (2, "")
    assert said in found.err
    assert "try: " in found.err


def test_an_offset_is_written_exactly(tmp_path: Path) -> None:
    offsets = {"a": 0, "b": 2_050_000, "c": 1, "d, e": 10 * MS}
    assert offset_table.read(write(tmp_path, "o.csv", offset_table.write(offsets)), offsets) == offsets
