# SPDX-License-Identifier: Apache-2.0
"""[[can]] with `interface = "udp_multicast:..."`: the bus of python-can, whose own programs are the other end."""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from can_driven import CODE, HEAD, SOURCE
from can_files import write
from command_line import Takt
from takt.support import provision
from takt.support.provision import ROOT

CASES = 100_000 if os.environ.get("TAKT_TEST_FULL") else 4_000
CAN = '[[can]]\nname = "body"\nbitrate = "500 kbit/s"\ndriver = true\ncontroller = "1"\n'
CAN += 'interface = "udp_multicast:239.74.163.2"\n'
UTILS = "can.interfaces.udp_multicast.utils"
SUPPORT = ROOT / "tests" / "support"
NETWORK = 'ip link set lo up && ip route add 239.0.0.0/8 dev lo && exec "$0" "$@"'
LENGTHS = (*range(9), 12, 16, 20, 24, 32, 48, 64)


@pytest.fixture(scope="module", autouse=True)
def packages() -> None:
    provision.require_python("can")
    provision.require_python("multicast")


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    library = tmp_path_factory.mktemp("packed") / "packed.so"
    net = ROOT / "net" / "can"
    sources = [SUPPORT / "can_packed.c", ROOT / "library" / "can" / "host" / "packed.c"]
    sources += [net / "src" / f"{name}.c" for name in ("frame", "length", "crc", "parser")]
    flags = ["-shared", "-fPIC", "-O1", f"-I{ROOT}", f"-I{net / 'include'}"]
    subprocess.run(["gcc", *flags, *map(str, sources), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


def unpacked(code: ctypes.CDLL, data: bytes) -> tuple[list[int], bytes] | None:
    head, payload = (ctypes.c_uint * 7)(), (ctypes.c_uint8 * 64)()
    if not code.unpacked(data, ctypes.c_size_t(len(data)), head, payload):
        return None
    return list(head), bytes(payload)[: 0 if head[2] else head[6]]


def message(chance: random.Random) -> Any:
    can: Any = importlib.import_module("can")
    extended, kind = chance.random() < 0.5, chance.choice(("data", "remote", "fd"))
    size = chance.choice(LENGTHS) if kind == "fd" else chance.randrange(9)
    return can.Message(
        timestamp=chance.random() * 1e9,
        arbitration_id=chance.randrange(1 << (29 if extended else 11)),
        is_extended_id=extended,
        is_remote_frame=kind == "remote",
        is_fd=kind == "fd",
        bitrate_switch=kind == "fd" and chance.random() < 0.5,
        error_state_indicator=kind == "fd" and chance.random() < 0.5,
        channel=chance.choice((None, "vcan0", 3)),
        dlc=size,
        data=None if kind == "remote" else chance.randbytes(size),
        check=True,
    )


def fields(one: Any) -> tuple[list[int], bytes]:
    flags = [one.is_extended_id, one.is_remote_frame, one.is_fd, one.bitrate_switch, one.error_state_indicator]
    return [one.arbitration_id, *map(int, flags), one.dlc], bytes(one.data)


def test_frames_are_those_of_python_can(code: ctypes.CDLL) -> None:
    utils: Any = importlib.import_module(UTILS)
    chance = random.Random(1)
    for _ in range(CASES):
        one = message(chance)
        expected = fields(one)
        assert unpacked(code, utils.pack_message(one)) == expected
        bytes_ = (ctypes.c_uint8 * 300)()
        count = code.packed((ctypes.c_uint * 7)(*expected[0]), expected[1].ljust(64, b"\0"), bytes_)
        assert fields(utils.unpack_message(bytes(bytes_)[:count], check=True)) == expected


def test_maps_that_are_no_frames(code: ctypes.CDLL) -> None:
    """As msgpack packs them: fields that are missing, of another kind or out of range, and others besides."""
    msgpack: Any = importlib.import_module("msgpack")
    utils: Any = importlib.import_module(UTILS)
    plain = msgpack.unpackb(utils.pack_message(message(random.Random(3))))
    plain |= {"arbitration_id": 5, "is_extended_id": False, "is_remote_frame": False, "is_fd": False, "dlc": 2}
    plain |= {"data": b"ab", "bitrate_switch": False, "error_state_indicator": False}
    expected = ([5, 0, 0, 0, 0, 0, 2], b"ab")
    shuffled = list(plain.items())
    random.Random(2).shuffle(shuffled)
    assert unpacked(code, msgpack.packb(dict(shuffled))) == expected
    for more in (-1, -(1 << 40), 1 << 63, 1.5, "x" * 40, "y" * 300, b"z" * 300, None, True):
        assert unpacked(code, msgpack.packb(plain | {"more": more})) == expected
    many = {f"more_{number}": number for number in range(20)}
    assert unpacked(code, msgpack.packb(plain | many)) == expected
    for wrong in (
        {"arbitration_id": 0x800},
        {"arbitration_id": -5},
        {"arbitration_id": 1 << 29, "is_extended_id": True},
        {"arbitration_id": "5"},
        {"is_fd": 1},
        {"is_error_frame": True},
        {"dlc": 3},
        {"dlc": 9, "data": b"123456789"},
        {"is_fd": True, "dlc": 65, "data": b"1" * 65},
        {"is_remote_frame": True},
        {"bitrate_switch": True},
        {"error_state_indicator": True},
        {"data": "ab"},
        {"data": [1, 2]},
        {"more": {"deep": 1}},
    ):
        assert unpacked(code, msgpack.packb(plain | wrong)) is None, wrong
    for field in set(plain) - {"timestamp", "channel", "bitrate_switch", "error_state_indicator"}:
        assert unpacked(code, msgpack.packb({key: value for key, value in plain.items() if key != field})) is None
    assert unpacked(code, msgpack.packb(plain) + b"\0") is None
    assert unpacked(code, msgpack.packb([plain])) is None
    assert unpacked(code, b"") is None


def make(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    write(folder, "system.toml", HEAD.replace('"1 s"', '"400 ms"') + CAN + CODE)
    write(folder, "code.c", '#include "takt/fault.h"\n' + SOURCE.replace("AGAIN", ""))
    return folder


def beside_python_can(folder: Path) -> dict[str, Any]:
    """A run in a network of its own that has nothing but its loopback."""
    provision.require("link")
    spaces = ["--net"] if os.geteuid() == 0 else ["--net", "--map-root-user"]
    if subprocess.run(["unshare", *spaces, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine allows no network of its own (unshare --net)")
    program = ["sh", "-c", NETWORK, sys.executable, str(SUPPORT / "can_multicast.py"), str(folder)]
    done = subprocess.run(["unshare", *spaces, *program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_system_beside_a_program_of_python_can(tmp_path: Path) -> None:
    found = beside_python_can(make(tmp_path / "multicast"))
    assert found["code"] == 0, found["said"] + found["ran"]
    ran = json.loads(found["ran"])
    by_name = {one["name"]: one for one in ran["messages"]}
    assert {one["interface"] for one in by_name.values()} == {"udp_multicast:239.74.163.2"}
    torque = [bytes.fromhex(data) for identifier, *_, data in found["seen"] if identifier == 0x100]
    assert [data[0] for data in torque] == list(range(1, 41))
    assert all(data[7] == 0x5A for data in torque)
    assert (by_name["torque"]["count"] in (39, 40), by_name["torque"]["lost"]) == (True, 0)  # the last: after the end
    answers = [bytes.fromhex(data) for identifier, *_, data in found["seen"] if identifier == 0x12345]
    assert len(answers) - 1 <= by_name["answer"]["count"] <= len(answers)
    assert len(answers) > 1
    assert [data[1:] for data in answers] == [bytes([2, 3])] * len(answers)
    assert {(extended, fd) for identifier, extended, fd, _ in found["seen"] if identifier == 0x12345} == {(True, False)}
    assert 0 < by_name["wheel"]["count"] <= found["given"]


@pytest.mark.parametrize("group", ["", "192.168.0.1", "239.74.163", "239.74.163.2:0", "239.74.163.2:70000", "ff15::1"])
def test_what_is_no_group(takt: Takt, tmp_path: Path, group: str) -> None:
    folder = make(tmp_path / "refused")
    text = (folder / "system.toml").read_text().replace("239.74.163.2", group)
    (folder / "system.toml").write_text(text)
    found = takt("check", folder, "--no-sensitivity")
    assert (found.code, "udp_multicast:239.74.163.2" in found.err) == (2, True), found.err
