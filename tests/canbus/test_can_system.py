# SPDX-License-Identifier: Apache-2.0
"""`takt can import --system`: the system.toml of a node is what `takt check` takes, and says what the file says."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from can_files import document, opendbc, write
from command_line import Said, Takt, documented, keys
from running import only_full
from takt.can.files import read
from takt.declare import declaration
from takt.prove.bus import traffic
from takt.support.errors import UserError

DBC = r"""VERSION ""
NS_ :
BS_:
BU_: Dash Engine Body
BO_ 256 Brake: 8 Dash
 SG_ force : 0|16@1+ (0.1,0) [0|0] "N" Engine
BO_ 257 takt_lamp: 2 Dash
 SG_ on : 0|1@1+ (1,0) [0|0] "" Body
BO_ 2147484160 switch: 4 Dash
 SG_ up : 0|1@1+ (1,0) [0|0] "" Body
BO_ 260 send_10ms: 1 Dash
 SG_ x : 0|1@1+ (1,0) [0|0] "" Body
BO_ 300 Speed: 8 Engine
 SG_ speed : 0|16@1+ (0.1,0) [0|0] "km/h" Dash
BO_ 301 Both: 8 Engine
 SG_ y : 0|16@1+ (0.1,0) [0|0] "km/h" Dash
BO_TX_BU_ 301 : Engine,Dash;
BA_DEF_ BO_ "GenMsgCycleTime" INT 0 10000;
BA_DEF_ BO_ "GenMsgDelayTime" INT 0 10000;
BA_DEF_ BO_ "GenMsgSendType" ENUM "Cyclic","Event","CyclicAndEvent";
BA_DEF_DEF_ "GenMsgCycleTime" 0;
BA_DEF_DEF_ "GenMsgDelayTime" 0;
BA_DEF_DEF_ "GenMsgSendType" "Cyclic";
BA_ "GenMsgCycleTime" BO_ 256 10;
BA_ "GenMsgCycleTime" BO_ 257 10;
BA_ "GenMsgCycleTime" BO_ 2147484160 100;
BA_ "GenMsgSendType" BO_ 2147484160 2;
BA_ "GenMsgDelayTime" BO_ 2147484160 25;
BA_ "GenMsgCycleTime" BO_ 300 20;
BA_ "GenMsgCycleTime" BO_ 301 20;
"""
RATE = ("--bitrate", "500k", "--period", "50ms")


def imported(takt: Takt, folder: Path, *options: str) -> Said:
    path = write(folder, "car.dbc", DBC)
    return takt("can", "import", path, "--output", folder / "dash", *options)


def test_the_system_of_a_node_is_checked(takt: Takt, tmp_path: Path) -> None:
    """switch is sent on events too, 25 ms apart; send_10ms has no cycle, so --period gives it one."""
    said = imported(takt, tmp_path, "--system", "Dash", *RATE, "--json")
    assert said.code == 0
    found = document(said)
    assert set(keys(found)) == documented("can import") - {"refused[].name", "refused[].reason"}
    assert [Path(name).name for name in found["files"]] == ["car.h", "car.c", "system.toml"]
    assert {one["name"]: one["sends"] for one in found["tasks"]} == {
        "send_10ms": ["Brake", "takt_lamp"],
        "send_25ms": ["switch"],
        "send_50ms": ["send_10ms"],
    }
    system = tomllib.loads((tmp_path / "dash" / "system.toml").read_text(encoding="utf-8"))
    assert [(one["name"], one["period"]) for one in system["task"]] == [
        ("send_10ms", "10 ms"),
        ("send_25ms", "25 ms"),
        ("send_50ms", "50 ms"),
    ]
    bus = {"file": "../car.dbc", "node": "Dash", "period": "50 ms", "variants": True}
    assert system["can"] == [{"name": "car", "bitrate": "500 kbit/s", **bus}]
    rows = [(one["name"], one["id"], one.get("extended", False), one["bytes"]) for one in system["message"]]
    assert rows == [
        ("Brake", 0x100, False, 8),
        ("x_takt_lamp", 0x101, False, 2),
        ("switch_", 0x200, True, 4),
        ("send_10ms_2", 0x104, False, 1),
    ]
    proved = document(takt("check", tmp_path / "dash", "--json", "--no-sensitivity"))
    assert proved["feasible"]
    wanted = document(takt("can", "check", tmp_path / "car.dbc", *RATE, "--events", "--json"))
    sent = {one["id"]: one for one in proved["messages"]}
    for one in wanted["messages"]:
        ours = sent.pop(one["id"])
        assert (ours["period_ns"], ours["bits_max"]) == (one["period_ns"], one["bits_max"])
        assert one["response_ns"] <= ours["response_ns"] <= one["response_ns"] + 80_000, "the tasks end after 80 us"
    assert sent == {}


@pytest.mark.parametrize(
    ("options", "said", "hint"),
    [
        (("--system", "Dahs", *RATE), 'no message has the sender "Dahs" alone', '"Dash"'),
        (("--system", "Dash"), "--system needs --bitrate", "--bitrate 500k"),
        (("--system", "Dash", "--bitrate", "500k"), "1 message without a cycle time: send_10ms", "--period 100ms"),
        (("--system", "Dash", "--bitrate", "5"), "--bitrate: 5 is no bit rate of a bus", "1k to 1M"),
        (("--bitrate", "500k"), "are for --system", "--system NODE"),
        (("--fd",), "are for --system", "--system NODE"),
    ],
)
def test_what_is_no_system(takt: Takt, tmp_path: Path, options: tuple[str, ...], said: str, hint: str) -> None:
    found = imported(takt, tmp_path, *options)
    assert found.code == 2
    problem, _, tried = found.err.partition("\n  try: ")
    assert said in problem
    assert hint in tried
    assert not (tmp_path / "dash").exists()


def test_a_system_is_not_written_over(takt: Takt, tmp_path: Path) -> None:
    (tmp_path / "dash").mkdir()
    mine = write(tmp_path / "dash", "system.toml", "mine")
    found = imported(takt, tmp_path, "--system", "Dash", *RATE)
    assert found.code == 2
    assert "system.toml: it is there, and is not written over\n  try: --output and another folder" in found.err
    assert mine.read_text() == "mine"
    assert len(list((tmp_path / "dash").iterdir())) == 1


def test_long_messages_need_a_bus_with_fd(takt: Takt, tmp_path: Path) -> None:
    text = DBC.replace("BO_ 260 send_10ms: 1", "BO_ 260 send_10ms: 12")
    path = write(tmp_path, "car.dbc", text)
    for options, key in (
        ((), {"data_bitrate": "500 kbit/s"}),
        (("--data-bitrate", "2M"), {"data_bitrate": "2000 kbit/s"}),
        (("--fd",), {"fd": True}),
    ):
        folder = tmp_path / "".join(options).strip("-")
        said = takt("can", "import", path, "--output", folder / "x", "--system", "Dash", *RATE, *options)
        assert said.code == 0
        system = tomllib.loads((folder / "x" / "system.toml").read_text(encoding="utf-8"))
        assert {name: system["can"][0][name] for name in ("fd", "data_bitrate") if name in system["can"][0]} == key
        assert takt("check", folder / "x", "--no-sensitivity").code == 0


@only_full
def test_every_node_of_opendbc(takt: Takt, tmp_path: Path) -> None:
    """What is written is always a system, with all messages of the node."""
    nodes = 0
    for number, path in enumerate(opendbc()):
        try:
            messages = read.load(path)
        except UserError:
            continue
        senders: dict[str, list[Any]] = {}
        for one in messages:
            if len(one.senders) == 1:
                senders.setdefault(one.senders[0], []).append(one)
        for at, (node, sent) in enumerate(senders.items()):
            folder = tmp_path / f"{number}_{at}"
            options = ("--bitrate", "500k", "--period", "100ms", "--output", folder)
            said = takt("can", "import", path, "--system", node, *options)
            if said.code == 2 and ("no message gets code" in said.err or "cantools" in said.err):
                continue
            assert said.code == 0, (path, node, said.err)
            system = declaration.load(folder / "system.toml")
            assert len(system.messages) == len(sent)
            assert traffic.of(system, system.buses[0]).unsent == []
            nodes += 1
    assert nodes >= 150
