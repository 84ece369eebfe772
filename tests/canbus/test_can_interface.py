# SPDX-License-Identifier: Apache-2.0
"""[[can]] with `interface`: a system that takes part in a bus outside. The driver of SocketCAN is tested in
library/can/test."""

from __future__ import annotations

import select
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from can_driven import CODE, HEAD, SOURCE
from can_files import write
from command_line import Takt, documented, keys
from running import takt as run_takt
from takt.can.logs import read as logs
from takt.declare import declaration
from takt.declare.schema import boards
from takt.image import build
from takt.support.provision import ROOT

CAN = '[[can]]\nname = "body"\nbitrate = "500 kbit/s"\ndriver = true\ncontroller = "1"\ninterface = "can0"\n'
FRAME = struct.Struct("=IBxxx8s")
EXTENDED, ERROR = 1 << 31, 1 << 29
BUS_OFF, RESTARTED = 0x40, 0x100


def make(folder: Path, bus: str = CAN) -> Path:
    folder.mkdir(exist_ok=True)
    write(folder, "system.toml", HEAD.replace('"1 s"', '"400 ms"') + bus + CODE)
    refused = 'takt_fault_raise(TAKT_FAULT_ASSERTION, "torque", 1, 0);'
    assert refused in SOURCE
    source = SOURCE.replace("AGAIN", "").replace(refused, "")  # while the bus is off
    write(folder, "code.c", '#include "takt/fault.h"\n' + source)
    return folder


class Interface:
    """Plays can0 for one raw socket of it (tests/support/can_stand_in.c): takes what is written, and gives `wheel` for
    every second `torque`. `confirms`: it confirms frames itself, each `delay_s` later; after `off_after` of them it
    goes bus-off once instead, and restarts."""

    def __init__(self, path: Path, delay_s: float, off_after: int, gives: bool) -> None:
        self.written: list[tuple[int, bytes]] = []
        self._confirms, self._delay_s, self._off_after = delay_s > 0, delay_s, off_after
        self._gives = gives
        self._ended = threading.Event()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._socket.settimeout(0.05)
        self._thread = threading.Thread(target=self._play)
        self._thread.start()

    def end(self) -> None:
        self._ended.set()
        self._thread.join()
        self._socket.close()

    def _play(self) -> None:
        given = 0
        while True:
            over = self._ended.is_set()
            try:
                data, peer = self._socket.recvfrom(100)
            except TimeoutError:
                if over:
                    return
                continue
            identifier, length, payload = FRAME.unpack(data)
            self.written.append((identifier, payload[:length]))
            if len(self.written) == self._off_after:
                self._give(peer, FRAME.pack(ERROR | BUS_OFF, 8, bytes(8)))
                self._give(peer, FRAME.pack(ERROR | RESTARTED, 8, bytes(8)))
            elif self._confirms:
                time.sleep(self._delay_s)
                self._give(peer, data, confirms=True)
            fresh = not select.select([self._socket], [], [], 0)[0]
            if identifier == 0x100 and payload[0] % 2 == 0 and self._gives and fresh:
                given += 1
                self._give(peer, FRAME.pack(0x080, 8, bytes([0, 0, 0, 0, 0, given, 2, 3])))

    def _give(self, peer: Any, data: bytes, confirms: bool = False) -> None:
        with suppress(OSError):  # it has ended
            self._socket.sendto(bytes([confirms]) + data, peer)


@contextmanager
def can0(
    folder: Path, monkeypatch: pytest.MonkeyPatch, delay_s: float = 0.0, off_after: int = 0, gives: bool = True
) -> Iterator[Interface]:
    library = folder / "stand_in.so"
    source = ROOT / "tests" / "support" / "can_stand_in.c"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", str(source), "-o", str(library), "-ldl"], check=True)
    path = folder / "socket"
    played = Interface(path, delay_s, off_after, gives)
    monkeypatch.setenv("LD_PRELOAD", str(library))
    monkeypatch.setenv("TAKT_CAN_STAND_IN", str(path))
    if delay_s:
        monkeypatch.setenv("TAKT_CAN_CONFIRMS", "1")
    try:
        yield played
    finally:
        played.end()


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("outside") / "outside")


def seen(ran: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in ran["messages"]}


def test_a_system_on_an_interface(system: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with can0(tmp_path, monkeypatch) as interface:
        code, ran = run_takt("run", system)
    found = seen(ran)
    assert (code, ran["breaches"]) == (0, [])
    assert {one["interface"] for one in found.values()} == {"can0"}
    assert set(keys({"messages": ran["messages"]})) <= documented("run")
    sent = found["torque"]["count"]  # the last one may be confirmed after the end
    assert (sent in (39, 40), found["torque"]["lost"]) == (True, 0)
    torque = [data for identifier, data in interface.written if identifier == 0x100]
    answers = [data for identifier, data in interface.written if identifier == EXTENDED | 0x12345]
    assert [data[0] for data in torque] == list(range(1, 41))
    assert [data[1:] for data in answers] == [bytes([2, 3])] * len(answers)
    counted = [data[0] for data in answers]
    assert counted == sorted(set(counted))
    assert len(answers) - 1 <= found["answer"]["count"] <= len(answers)
    assert len(answers) > 1
    where = build.folder_of(declaration.load(system / "system.toml"), boards.load("host"), ran["scheduler"])
    logged = [(one.identifier, one.data) for one in logs.entries(where / "run" / "body.log")]
    assert [data for identifier, data in logged if identifier == 0x100] == torque[:sent]
    assert len([1 for identifier, _ in logged if identifier == 0x80]) == found["wheel"]["count"] > 0


def test_frames_that_an_interface_does_not_take_at_once(
    system: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAKT_CAN_REFUSES", "1")
    with can0(tmp_path, monkeypatch, gives=False) as interface:
        code, _ = run_takt("run", system)
    assert code == 0
    assert [data[0] for _, data in interface.written] == list(range(1, 41))  # the last one, too, before the end


def test_an_interface_slower_than_proved(
    takt: Takt, system: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with can0(tmp_path, monkeypatch, delay_s=0.004):
        said = takt("run", system)
    line = next(line for line in said.out.splitlines() if line.startswith("message torque on body (can0): "))
    assert "; above it, not judged: can0 is outside the proof)" in line
    assert "its bound is" not in said.out


def test_an_interface_that_goes_bus_off(system: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with can0(tmp_path, monkeypatch, delay_s=0.0001, off_after=5) as interface:
        code, ran = run_takt("run", system)
    lost = {name: one["lost"] for name, one in seen(ran).items()}
    assert (code, lost["torque"] + lost["answer"] >= 1) == (1, True)
    assert "can0 did not send" in ran["breaches"][0]
    assert len(interface.written) > 10  # it came back


def test_an_interface_that_is_not_there(takt: Takt, system: Path) -> None:
    said = takt("run", system)
    assert said.code == 1
    assert "host: CAN interface can0 cannot be used: " in said.out


@pytest.mark.parametrize(
    ("put", "instead", "said", "hint"),
    [
        ("driver = true\n", "", "interface requires driver", "driver = true"),
        ('controller = "1"\n', "", 'can0 does not queue as controller = "priority" says', 'controller = "1"'),
        ('"can0"', '"can 0"', "no CAN interface of Linux", "ip link"),
        ('"can0"', '"abcdefghijklmnop"', "no CAN interface of Linux", "ip link"),
        ('"can0"', "0", "expected a string", "can0"),
        ('board = "host"', 'board = "ibex-soc"', "has no CAN controller that Takt drives", "host"),
    ],
)
def test_what_is_refused(takt: Takt, tmp_path: Path, put: str, instead: str, said: str, hint: str) -> None:
    folder = tmp_path / "refused"
    folder.mkdir()
    text = HEAD + CAN + CODE
    assert put in text
    write(folder, "system.toml", text.replace(put, instead, 1))
    found = takt("check", folder, "--no-sensitivity")
    problem, _, tried = found.err.strip().rpartition("\n")
    assert (found.code, said in problem, hint in tried) == (2, True, True), found.err
