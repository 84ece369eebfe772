# SPDX-License-Identifier: Apache-2.0
"""`takt can simulate`: what is observed beside what is proved, the logs and the levels of the bus as others read them,
and its messages on bad input."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import can_oracle
import pytest
from can_files import decoded_levels
from can_texts import HEADER, each_kind
from command_line import Said, Takt, documented, keys
from running import only_full
from takt.can.logs import read
from takt.can.logs.write import writing
from takt.support import provision
from takt.support.provision import ROOT

BUS = "a,1,0,x,8,5,,\nb,2,0,y,4,5,,\nc,0x300,1,x,8,10,,\nd,0x7f0,0,z,0,20,,\n"


@pytest.fixture
def bus(tmp_path: Path) -> Path:
    path = tmp_path / "bus.csv"
    path.write_text(HEADER + BUS)
    return path


def classic(identifier: int, extended: bool, data: bytes) -> can_oracle.Frame:
    return can_oracle.Frame(id=identifier, extended=extended, dlc=len(data), data=data)


def simulated(takt: Takt, bus: Path, *options: str) -> tuple[Said, dict[str, Any]]:
    said = takt("can", "simulate", str(bus), "--bitrate", "500k", "--duration", "200ms", "--json", *options)
    return said, json.loads(said.out)


def test_the_worst_case_by_hand(takt: Takt, bus: Path) -> None:
    """All at once, with zeros as data: each waits for those before it. 0x00000300 wins against all."""
    said, found = simulated(takt, bus, "--offsets", "zero", "--payload", "zero")
    assert said.code == 0
    assert set(keys(found)) == documented("can simulate")
    shapes = ((0x300, True, 8), (1, False, 8), (2, False, 4), (0x7F0, False, 0))
    frames = [classic(identifier, extended, bytes(size)) for identifier, extended, size in shapes]
    ends, end = [], 0
    for frame in frames:
        end += (len(can_oracle.encode(frame)) + 3) * 2000
        ends.append(end)
    assert [one["name"] for one in found["messages"]] == ["c", "a", "b", "d"]
    assert [one["observed_ns"] for one in found["messages"]] == ends
    assert [one["sent"] for one in found["messages"]] == [20, 40, 40, 10]
    assert found["load"] == pytest.approx(
        sum((after - before) * count for before, after, count in zip([0, *ends], ends, (20, 40, 40, 10), strict=False))
        / 200_000_000
    )
    assert all(one["observed_ns"] <= one["response_ns"] for one in found["messages"])


def test_seeds(takt: Takt, bus: Path) -> None:
    def without_time(*options: str) -> dict[str, Any]:
        found = simulated(takt, bus, "--flips", "1e-3", "--jitter", "20%", *options)[1]
        return {key: value for key, value in found.items() if key != "times_real_time"}

    assert without_time("--seed", "7") == without_time("--seed", "7")
    assert without_time("--seed", "7") != without_time("--seed", "8")


def test_disturbances_break_an_assumption_or_are_in_the_bounds(takt: Takt, bus: Path) -> None:
    said = takt("can", "simulate", str(bus), "--bitrate", "500k", "--flips", "1e-3", "--offsets", "zero")
    assert said.code == 1
    assert said.out.startswith("Above the bounds: ")
    assert "since an assumption of the proof was broken: " in said.out
    assert " errors on the bus, while the bounds count none (--errors)" in said.out
    found = simulated(takt, bus, "--flips", "1e-3", "--offsets", "zero")[1]
    assert found["verdict"] == "broken"
    assert found["errors"] > 20
    assert sum(one["failed"] for one in found["messages"]) > 10
    assert simulated(takt, bus, "--flips", "1e-5", "--errors", "1ms")[0].code == 0


def test_nodes_that_fail(takt: Takt, bus: Path) -> None:
    said, found = simulated(takt, bus, "--dead", "x@100ms", "--offsets", "zero")
    sent = {one["name"]: (one["sent"], one["lost"]) for one in found["messages"]}
    assert sent == {"c": (10, 10), "a": (20, 20), "b": (40, 0), "d": (10, 0)}
    said, found = simulated(takt, bus, "--babble", "a")
    assert (said.code, found["verdict"]) == (1, "broken")
    assert found["load"] > 0.99
    assert found["messages"][3]["sent"] == 0  # and yet it is seen that it waits
    assert found["messages"][3]["observed_ns"] > 180_000_000


def test_offsets_of_a_file(takt: Takt, bus: Path, tmp_path: Path) -> None:
    offsets = tmp_path / "offsets.csv"
    offsets.write_text("name,offset_ms\nb,1\nc,2.5\nd,1.5\n")
    found = simulated(takt, bus, "--offsets", str(offsets), "--payload", "worst")[1]
    alone = [one["observed_ns"] for one in found["messages"]]  # none waits for another
    assert max(alone) <= 160 * 2000
    log = tmp_path / "a.log"
    simulated(takt, bus, "--offsets", str(offsets), "--log", str(log))
    first = {one.identifier: one.time_ns for one in reversed(list(read.entries(log)))}
    assert [first[identifier] // 1_000_000 for identifier in (1, 2, 0x300, 0x7F0)] == [0, 1, 2, 1]


@pytest.mark.parametrize("kind", ["log", "asc", "blf", "pcap"])
def test_logs_as_others_read_them(tmp_path: Path, kind: str) -> None:
    """python-can, or scapy for pcap; and our own readers."""
    provision.require_python("can")
    can: Any = importlib.import_module("can")
    path = tmp_path / f"a.{kind}"
    with writing(path) as write:
        write(each_kind()[:3])
        write(each_kind()[3:])
    assert sorted(tmp_path.iterdir()) == [path]
    ours = [one._replace(time_ns=round(one.time_ns, -3)) for one in read.entries(path)]
    assert ours == each_kind()
    if kind == "pcap":
        return
    readers = {"log": can.CanutilsLogReader, "asc": can.ASCReader, "blf": can.BLFReader}
    theirs = list(readers[kind](path))
    assert len(theirs) == len(each_kind())
    for one, other in zip(each_kind(), theirs, strict=True):
        assert other.is_error_frame == one.error
        assert abs(other.timestamp - one.time_ns / 1e9) < 2e-6
        if not one.error:
            assert (other.arbitration_id, other.is_extended_id) == (one.identifier, one.extended)
            assert (bytes(other.data), other.is_remote_frame, other.dlc) == (one.data, one.remote, one.size)
            assert (other.is_fd, other.bitrate_switch, other.error_state_indicator) == (one.fd, one.brs, one.passive)


@only_full
def test_pcap_as_scapy_reads_it(takt: Takt, bus: Path, tmp_path: Path) -> None:
    provision.require_python("scapy")
    assert importlib.util.find_spec("scapy") is not None
    path = tmp_path / "a.pcap"
    simulated(takt, bus, "--log", str(path), "--flips", "1e-4")
    code = (
        "import sys; from scapy.layers.can import CAN; from scapy.utils import PcapReader\n"
        "for p in PcapReader(sys.argv[1]):\n"
        "    print(round(p.time * 10**9), p.identifier, 'extended' in p.flags, 'error' in p.flags, bytes(p.data).hex())"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    expected = [
        f"{one.time_ns} {128 if one.error else one.identifier} {one.extended} {one.error} "
        f"{(bytes(8) if one.error else one.data).hex()}"
        for one in read.entries(path)
    ]
    assert len(expected) > 90
    assert done.stdout.splitlines() == expected


@only_full
def test_levels_as_sigrok_decodes_them(takt: Takt, bus: Path, tmp_path: Path) -> None:
    """Each field, and how many stuff bits there are; the check is that of another implementation."""
    provision.require("decode")
    vcd, log = tmp_path / "a.vcd", tmp_path / "a.log"
    simulated(takt, bus, "--vcd", str(vcd), "--frames", "60", "--log", str(log), "--payload", "random")
    found = list(decoded_levels(vcd))
    entries = list(read.entries(log))[: len(found)]
    assert len(found) >= 60
    for (identifier, data, check, stuff_bits), one in zip(found, entries, strict=True):
        frame = classic(one.identifier, one.extended, one.data)
        bits = can_oracle.encode(frame)
        unstuffed = (39 if one.extended else 19) + 8 * one.size + 25
        assert (identifier, data) == (one.identifier, one.data.hex())
        assert stuff_bits == len(bits) - unstuffed
        assert check == can_oracle.classic_check(frame)


def test_levels_of_a_short_bus(takt: Takt, bus: Path, tmp_path: Path) -> None:
    """The changes of the first frames, by an independent encoder."""
    vcd, log = tmp_path / "a.vcd", tmp_path / "a.log"
    simulated(takt, bus, "--vcd", str(vcd), "--frames", "5", "--log", str(log), "--seed", "5")
    changes = dict(re.findall(r"#(\d+)\n([01])!", vcd.read_text()))
    for one in list(read.entries(log))[:5]:
        frame = classic(one.identifier, one.extended, one.data)
        bits = can_oracle.encode(frame, True)
        begin = one.time_ns - 2000 * len(bits)
        levels = "1" + bits
        expected = {str(begin + 2000 * i): level for i, level in enumerate(bits) if level != levels[i]}
        assert {at: level for at, level in changes.items() if begin <= int(at) < one.time_ns} == expected


def test_a_picture(takt: Takt, bus: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    simulated(takt, bus, "--picture", str(path), "--offsets", "zero", "--flips", "2e-4")
    root = ET.fromstring(path.read_text())
    titles = [node.text or "" for node in root.iter("{http://www.w3.org/2000/svg}title")]
    assert sum(title.startswith("observed ") for title in titles) == 8  # a bar and one within it
    assert sum(", " in title and not title.startswith("observed") for title in titles) > 5
    for node in root.iter("{http://www.w3.org/2000/svg}rect"):
        if node.get("x"):
            assert 0 <= float(node.attrib["x"]) <= 1100
            assert float(node.attrib["x"]) + float(node.attrib["width"]) <= 1100


def test_a_log_that_is_replayed(takt: Takt, bus: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.pcap", tmp_path / "second.pcap"
    simulated(takt, bus, "--offsets", "zero", "--log", str(first))
    assert simulated(takt, bus, "--replay", str(first), "x", "--log", str(second))[0].code in (0, 1)
    of_x = [(one.identifier, one.data) for one in read.entries(first) if one.identifier in (1, 0x300)]
    again = [(one.identifier, one.data) for one in read.entries(second) if one.identifier in (1, 0x300)]
    assert len(again) >= 58
    assert again == of_x[: len(again)]
    said = takt("can", "simulate", str(bus), "--bitrate", "500k", "--replay", str(first), "w")
    assert (said.code, 'no node "w" sends' in said.err) == (2, True)


def test_an_interrupted_log_is_complete(bus: Path, tmp_path: Path) -> None:
    log = tmp_path / "a.asc"
    command = [str(ROOT / "takt"), "can", "simulate", str(bus), "--bitrate", "500k", "--duration", "100000s"]
    running = subprocess.Popen(
        [*command, "--log", str(log)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    parts = tmp_path.glob(".takt.*")
    limit = time.monotonic() + 60
    while not any(part.stat().st_size > 100_000 for part in tmp_path.glob(".takt.*")) and time.monotonic() < limit:
        time.sleep(0.05)
    assert list(parts) != [] or list(tmp_path.glob(".takt.*")) != []
    os.killpg(running.pid, signal.SIGINT)
    out, _ = running.communicate(timeout=60)
    assert running.returncode == 130
    assert b"(interrupted)" in out
    assert log.read_text().endswith("End TriggerBlock\n")
    assert len(list(read.entries(log))) > 1000
    assert list(tmp_path.glob(".takt.*")) == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--duration", "0ms"), "--duration: must be longer than zero"),
        (("--flips", "2"), "--flips: 2 is no rate of disturbances"),
        (("--flips", "nan"), "--flips: nan is no rate"),
        (("--offsets", "some"), '--offsets: "some" is none'),
        (("--offsets", "none.csv"), "none.csv: cannot be read"),
        (("--dead", "x"), '--dead: "x" has no time'),
        (("--dead", "w@1s"), '--dead: no node "w" sends'),
        (("--babble", "w"), '--babble: no message is "w"'),
        (("--log", "a.txt"), '".txt" is no suffix of a log'),
        (("--log", "none/a.log"), "none"),
        (("--picture", "a.png"), "--picture: the suffix of a.png"),
        (("--vcd", "a.bin"), "--vcd: the suffix of a.bin"),
        (("--replay", "none.log", "x"), "none.log"),
    ],
)
def test_bad_options(takt: Takt, bus: Path, tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    found = takt("can", "simulate", str(bus), "--bitrate", "500k", *options)
    assert found.code in (1, 2)
    assert found.out == ""
    assert said in found.err
    assert "Traceback" not in found.err


def test_offsets_that_are_wrong(takt: Takt, bus: Path, tmp_path: Path) -> None:
    path = tmp_path / "o.csv"
    for text, said in (("name,offset_ms\na,x\n", "o.csv:2: not a name"), ("w,1\n", 'o.csv:1: no message "w" is sent')):
        path.write_text(text)
        found = takt("can", "simulate", str(bus), "--bitrate", "500k", "--offsets", str(path))
        assert (found.code, said in found.err) == (2, True)


def test_data_at_a_higher_rate(takt: Takt, tmp_path: Path) -> None:
    path = tmp_path / "fd.csv"
    path.write_text(HEADER + "a,1,0,x,64,1,,\nb,2,0,y,16,1.7,,\nc,3,1,z,8,5,,\n")
    for seed in ("1", "2", "3"):
        options = ("--fd", "--data-bitrate", "2M", "--duration", "2s", "--seed", seed)
        said = takt("can", "simulate", str(path), "--bitrate", "500k", "--json", *options)
        found = json.loads(said.out)
        assert (said.code, found["verdict"]) == (0, "within")
        assert 0.4 < found["load"] < found["load_max"]
