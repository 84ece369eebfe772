# SPDX-License-Identifier: Apache-2.0
"""`takt can import`: its C code, compiled, beside cantools on random frames of random messages; what it refuses."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from can_files import opendbc
from can_texts import SELECTED
from command_line import Takt, documented, keys
from running import FULL, only_full
from signal_code import Compiled, hold_against
from takt.can.signals import names

FRAMES = 100_000 if FULL else 2_000
MESSAGES = 60


def bits_of(start: int, length: int, little: bool) -> Iterator[int]:
    """Numbers of the bits of a signal, as DBC files count them."""
    bit = start
    for _ in range(length):
        yield bit
        bit = bit + 1 if little else bit - 1 if bit % 8 else bit + 15


def random_signal(source: random.Random, size: int, taken: set[int], number: int) -> str | None:
    length, little = source.choice((1, 2, 7, 8, 9, 12, 16, 31, 32, 33, 48, 63, 64)), source.random() < 0.5
    start = source.randrange(8 * size)
    mine = set(bits_of(start, length, little))
    if max(mine) >= 8 * size or mine & taken:
        return None
    taken |= mine
    factor = source.choice(("1", "0.1", "0.05", "-1", "-0.25", "3", "1.2", "0.0078125", "1e-3", "2.5E1"))
    offset = source.choice(("0", "0", "-40", "0.5", "273.15", "-1e4"))
    sign = source.choice("+-")
    return f' SG_ S{number} : {start}|{length}@{int(little)}{sign} ({factor},{offset}) [0|0] "unit" A'


def random_file(source: random.Random) -> str:
    lines = ['VERSION ""', "", "NS_ :", "", "BS_:", "", "BU_: A", ""]
    for number in range(MESSAGES):
        size = source.choice((1, 2, 3, 5, 8, 8, 8, 64))
        taken: set[int] = set()
        signals = [random_signal(source, size, taken, at) for at in range(40)]
        lines += [f"BO_ {number + 1} M{number}: {size} A", f' SG_ Last : {8 * size - 8}|1@1+ (1,0) [0|1] "" A']
        last = 8 * size - 8
        lines += [one for one in signals if one is not None and last not in bits_of(*place(one))]
        lines.append("")
    return "\n".join(lines)


def place(line: str) -> tuple[int, int, bool]:
    start, _, rest = line.split(" : ")[1].partition("|")
    length, _, rest = rest.partition("@")
    return int(start), int(length), rest[0] == "1"


def test_random_messages_are_as_cantools_has_them(takt: Takt, tmp_path: Path) -> None:
    source = random.Random(7)
    path = tmp_path / "random.dbc"
    path.write_text(random_file(source), encoding="utf-8")
    compiled = Compiled(takt, path, tmp_path)
    assert compiled.document["refused"] == []
    assert len(compiled.document["messages"]) == MESSAGES
    for _ in range(FRAMES):
        message = source.choice(compiled.document["messages"])
        assert hold_against(compiled, message, source.randbytes(message["bytes"]))


def test_selected_signals_and_all_widths_are_as_cantools_has_them(takt: Takt, tmp_path: Path) -> None:
    source = random.Random(8)
    path = tmp_path / "selected.dbc"
    path.write_text(SELECTED, encoding="utf-8")
    compiled = Compiled(takt, path, tmp_path)
    assert {one["name"] for one in compiled.document["messages"]} == {"Mux", "Ext", "Wide"}
    for message in compiled.document["messages"]:
        held = [hold_against(compiled, message, source.randbytes(message["bytes"])) for _ in range(FRAMES // 10)]
        assert any(held)
        assert all(held) == (message["name"] == "Wide")
    assert compiled.unpack(compiled.document["messages"][1], bytes(7)) is None, "too short"


def test_what_bits_cannot_hold_is_refused_and_what_is_between_becomes_the_nearest(takt: Takt, tmp_path: Path) -> None:
    path = tmp_path / "one.dbc"
    head = 'VERSION ""\nNS_ :\nBS_:\nBU_: A\nBO_ 1 M: 2 A\n SG_'
    path.write_text(f'{head} temp : 0|8@1- (-3,5) [0|0] "K" A\n SG_ x : 8|8@1+ (1,-40) [0|0] "" A\n')
    compiled = Compiled(takt, path, tmp_path)
    message = compiled.document["messages"][0]
    value = compiled.struct(message)()
    for temp, byte in ((389, 0x80), (-376, 0x7F), (5, 0), (4, 0), (6, 0), (7, 0xFF), (3, 1), (388, 0x80)):
        value.temp, value.x = temp, -40
        assert compiled.pack(message, value) == bytes((byte, 0)), temp
    for temp, x in ((390, 0), (-377, 0), (5, 216), (5, -41)):
        value.temp, value.x = temp, x
        assert compiled.pack(message, value) is None


def test_names_and_comments_whatever_the_file_says(takt: Takt, tmp_path: Path) -> None:
    path = tmp_path / "names.dbc"
    text = (
        'VERSION ""\nNS_ :\nBS_:\nBU_: A\n'
        "BO_ 1 int: 8 A\n"
        ' SG_ switch : 0|8@1+ (1,0) [0|0] "*/ #error \\ ??/ é" A\n'
        ' SG_ SWITCH : 8|8@1+ (1,0) [0|0] "" A\n SG_ value : 16|8@1- (1,0) [0|0] "" A\n'
        ' SG_ data : 24|8@1- (1,0) [0|0] "" A\n SG_ _1 : 32|8@1+ (0.5,0) [0|0] "" A\n'
        "BO_ 2 int_: 1 A\n"
        ' SG_ id : 0|8@1+ (1,0) [0|0] "" A\n'
        "BO_ 3 Int: 1 A\n"
        ' SG_ bytes : 0|8@1+ (1,0) [0|0] "" A\n'
        'VAL_ 1 _1 4 "Not there!" 5 "not there" 6 "é" ;\nVAL_ 3 bytes 1 "é" ;\n'
    )
    path.write_bytes(text.encode("latin-1"))
    compiled = Compiled(takt, path, tmp_path)
    assert [one["struct"] for one in compiled.document["messages"]] == ["bus_int_", "bus_int__2", "bus_int__3"]
    assert [one["field"] for one in compiled.document["messages"][0]["signals"]] == [
        "switch_", "switch__2", "value", "data", "x_1"
    ]  # fmt: skip
    header = (tmp_path / "bus.h").read_text(encoding="utf-8")
    assert "#define BUS_INT__X_1_NOT_THERE 4\n#define BUS_INT__X_1_NOT_THERE_2 5\n" in header
    subprocess.run(
        ["g++", "-Wall", "-Wextra", "-Werror", "-x", "c++", "-fsyntax-only", str(tmp_path / "bus.c")], check=True
    )


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("BrakeTorque", "brake_torque"), ("ABS-Brk 1", "abs_brk_1"), ("2nd", "x_2nd"), ("int", "int_"), ("é", "x")],
)
def test_lower(name: str, wanted: str) -> None:
    assert names.lower(name) == wanted


def message_of(*signals: str) -> str:
    return "\n".join(('VERSION ""', "NS_ :", "BS_:", "BU_: A", "BO_ 1 M: 2 A", *(f" SG_ {one}" for one in signals), ""))


@pytest.mark.parametrize(
    ("signals", "reason"),
    [
        (('a : 0|9@1+ (1,0) [0|0] "" A', 'b : 8|4@1+ (1,0) [0|0] "" A'), 'signals "a" and "b" have bit 0 of byte 1'),
        (('a : 8|9@1+ (1,0) [0|0] "" A',), 'signal "a" ends in byte 2, but the message has 2'),
        (('a : 3|14@0+ (1,0) [0|0] "" A',), 'signal "a" ends in byte 2, but the message has 2'),
        (('a : 0|4@1+ (1,0) [0|0] "" A', 'a : 4|4@1+ (1,0) [0|0] "" A'), "two signals of one name"),
        ((), "no signals"),
    ],
)
def test_messages_without_code(takt: Takt, tmp_path: Path, signals: tuple[str, ...], reason: str) -> None:
    path = tmp_path / "bad.dbc"
    path.write_text(message_of(*signals), encoding="utf-8")
    said = takt("can", "import", path, "--output", tmp_path)
    assert said.code == 2
    assert f"bad.dbc: no message gets code: M: {reason}" in said.err
    assert not (tmp_path / "bad.h").exists()
    good = message_of(*signals) + 'BO_ 2 N: 1 A\n SG_ a : 0|8@1+ (1,0) [0|0] "" A\n'
    path.write_text(good, encoding="utf-8")
    said = takt("can", "import", path, "--output", tmp_path)
    assert said.code == 0
    assert f"note: M gets no code: {reason}" in said.out


def test_what_selects_must_be_a_selector(takt: Takt, tmp_path: Path) -> None:
    path = tmp_path / "half.dbc"
    text = message_of('a : 0|4@1+ (1,0) [0|0] "" A', 'b m1 : 4|4@1+ (1,0) [0|0] "" A')
    path.write_text(f"{text}SG_MUL_VAL_ 1 b a 1-1;\n", encoding="utf-8")
    said = takt("can", "import", path, "--output", tmp_path)
    assert said.code == 2
    assert 'M: signal "b": nothing says which signal selects it' in said.err


def test_no_bit_belongs_to_two_signals_at_once(takt: Takt, tmp_path: Path) -> None:
    """Of signals that other values select it may; of those that one value selects, or that are always there, not."""
    path = tmp_path / "shared.dbc"
    mode, first = 'mode M : 0|4@1+ (1,0) [0|0] "" A', 'a m1 : 8|4@1+ (1,0) [0|0] "" A'
    for second, fits in (("m2 : 8", True), ("m1 : 8", False), (": 8", False), ("m1 : 12", True)):
        path.write_text(message_of(mode, first, f'b {second}|4@1+ (1,0) [0|0] "" A'), encoding="utf-8")
        said = takt("can", "import", path, "--output", tmp_path)
        assert said.code == (0 if fits else 2), second
        assert fits or 'signals "a" and "b" have bit 0 of byte 1 in common' in said.err


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["--message", "Mox"], '--message: no message is "Mox"\n  try: "Mux"'),
        (["--prefix", "A b"], '--prefix: "A b" does not begin names in C\n  try: such as a_b'),
        (["--prefix", "kept"], "kept.h: it is there, and takt can import did not write it\n  try: another --prefix"),
        (["--output", "kept.h"], "kept.h: cannot be written: "),
        (["--bus", "x"], "a DBC file has one bus, without a name"),
    ],
)
def test_misuse(takt: Takt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], wanted: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "selected.dbc").write_text(SELECTED, encoding="utf-8")
    (tmp_path / "kept.h").write_text("mine\n", encoding="utf-8")
    said = takt("can", "import", "selected.dbc", *arguments)
    assert said.code == 2
    assert wanted in said.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept.h", "selected.dbc"]
    assert (tmp_path / "kept.h").read_text(encoding="utf-8") == "mine\n"


def test_a_table_has_no_signals(takt: Takt, tmp_path: Path) -> None:
    path = tmp_path / "bus.csv"
    path.write_text("name,id,bytes,period_ms\na,1,8,10\n", encoding="utf-8")
    said = takt("can", "import", path)
    assert said.code == 2
    assert "bus.csv: a CSV file has no signals" in said.err


def test_it_writes_again_what_it_wrote(takt: Takt, tmp_path: Path) -> None:
    path = tmp_path / "Selected.dbc"
    path.write_text(SELECTED, encoding="utf-8")
    assert takt("can", "import", path, "--output", tmp_path / "out" / "here").code == 0
    said = takt("can", "import", path, "--output", tmp_path / "out" / "here", "--message", "Mux", "--json")
    assert said.code == 0
    found = json.loads(said.out)
    assert [one["name"] for one in found["messages"]] == ["Mux"]
    assert sorted(path.name for path in (tmp_path / "out" / "here").iterdir()) == ["selected.c", "selected.h"]
    path.write_text(SELECTED + "BO_ 7 Empty: 1 A\n", encoding="utf-8")
    said = takt("can", "import", path, "--output", tmp_path / "out" / "here", "--json")
    there = {key for key in documented("can import") if not key.startswith("tasks[]")}  # of --system
    assert set(keys(json.loads(said.out))) == there


@only_full
def test_the_files_of_opendbc(takt: Takt, tmp_path: Path) -> None:
    """Each that cantools reads, all its messages that have code, some frames of each."""
    source, messages, files = random.Random(9), 0, 0
    for number, path in enumerate(opendbc()):
        folder = tmp_path / str(number)  # several files have one name
        said = takt("can", "import", path, "--output", folder)
        if said.code != 0:
            assert said.code == 2
            assert path.name in said.err
            continue
        files += 1
        compiled = Compiled(takt, path, folder)
        for message in compiled.document["messages"]:
            messages += 1
            for _ in range(10):
                hold_against(compiled, message, source.randbytes(message["bytes"]))
    assert files >= 86, "21 others cantools cannot read, and 8 have identifiers that no bus has"
    assert messages >= 2900
