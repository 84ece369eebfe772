# SPDX-License-Identifier: Apache-2.0
"""`takt reflect profile`: two nodes, also with a way between that is known. What it makes of what was seen:
test_profile_costs.py; what its program sees: reflect/linux/test/profile_test.c.
"""

from __future__ import annotations

import heapq
import json
import signal
import socket
import subprocess
import threading
import time
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from children import environment, takt_command
from command_line import Takt, documented, keys
from profiled_nodes import CHANNELS, NODE, STAGES, free_ports, system
from running import only_full
from takt.declare import channels as declared
from takt.declare import declaration
from takt.declare.schema import reader
from takt.reflect import admit, profile, profile_costs
from takt.reflect import keys as key_files
from takt.support import compile, provision

DELAY_S = 0.02


class Way(threading.Thread):
    """Two ports that replace the other node, one for each, and take `DELAY_S` from the one to the other."""

    def __init__(self, plant: int, station: int, for_plant: int, for_station: int) -> None:
        super().__init__(daemon=True)
        self.ends = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
        for end, port in zip(self.ends, (for_plant, for_station), strict=True):
            end.bind(("127.0.0.1", port))
            end.setblocking(False)
        self.to = {0: ("127.0.0.1", station), 1: ("127.0.0.1", plant)}
        self.ending = False

    def run(self) -> None:
        waiting: list[tuple[float, int, int, bytes]] = []
        count = 0
        while not self.ending:
            for side, end in enumerate(self.ends):
                try:
                    packet = end.recv(1 << 16)
                except OSError:  # nothing there, or nobody was where the last one went
                    continue
                count += 1
                heapq.heappush(waiting, (time.monotonic() + DELAY_S, count, side, packet))
            while waiting and waiting[0][0] <= time.monotonic():
                _, _, side, packet = heapq.heappop(waiting)
                self.ends[1 - side].sendto(packet, self.to[side])
            time.sleep(0.0002)


@contextmanager
def way(*ports: int) -> Iterator[None]:
    one = Way(*ports)
    one.start()
    try:
        yield
    finally:
        one.ending = True
        one.join()
        for end in one.ends:
            end.close()


@contextmanager
def answering(app: Path, folder: Path, *words: object) -> Iterator[None]:
    ends = ("--node", "station", "--with", "plant", "--answer", "--priority", 0)
    command = takt_command("reflect", "profile", app, *ends, *words)
    with subprocess.Popen(
        command,
        env={**environment(), "TAKT_REFLECT_FOLDER": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.readline() == "station answers\n", process.stderr.read()
            yield
        finally:
            process.send_signal(signal.SIGTERM)
    assert process.returncode == 0


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAKT_REFLECT_FOLDER", str(tmp_path / "plant"))


def test_a_way_that_is_known(tmp_path: Path) -> None:
    """Admission's propagation is the way's delay, whatever processors take: the way of packets is four times as long as
    all of that on a machine that does other things."""
    compile.host_program("reflect-profile")
    plant, station, for_plant, for_station = free_ports(4)
    here = system(tmp_path / "here.toml", plant, for_plant, rate="100 Mbit/s")
    there = system(tmp_path / "there.toml", for_station, station, rate="100 Mbit/s")
    key_files.make(admit.load(str(here)), tmp_path / "keys")
    files = {name: str(tmp_path / "keys" / f"{name}.keys") for name in ("plant", "station")}
    pair = profile.pair_of(str(here), "plant", "station", files["plant"], 0)
    with (
        answering(there, tmp_path / "station", "--keys", files["station"]),
        way(plant, station, for_plant, for_station),
    ):
        measuring = profile.Measuring(pair, compile.host_program("reflect-profile"))
        seen = measuring.one(10**8, 1392, 20, 10, 3000, 30)
    found = profile.costs_of(pair, seen, 10**8, 0)
    assert seen["lost"] == 0
    for costs in found:
        assert DELAY_S * 1e9 <= costs.propagation < 3 * DELAY_S * 1e9
        assert 1000 <= costs.send < 20_000_000
        assert 1000 <= costs.receive < 20_000_000
        assert costs.wake >= 1000
    trip = seen["here"]["stages"]["trip"]
    assert trip["count"] == 20
    assert trip["least_ns"] >= seen["here"]["stages"]["memory"]["least_ns"] >= 2 * DELAY_S * 1e9


HOLD = "echo held; exec cat"
LINK = """set -e
ip link add wire type veth peer name wire netns {other}
ip address add 10.77.2.1/24 dev wire
ip link set wire up
tc qdisc add dev wire root tbf rate {rate}mbit burst 3028 limit 1514000 overhead 24
"""


def own_networks() -> bool:
    return subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False).returncode == 0


@only_full
@pytest.mark.skipif(not own_networks(), reason="no network of our own here")
def test_a_link_whose_rate_is_known(tmp_path: Path) -> None:
    """Two networks with a link between that lets so much through: with heads and gaps blocks of all sizes fill it, one
    frame is the smallest block that nearly does, and what is declared beyond its rate is noticed. Slow enough for
    processors that are busy."""
    rate = 10
    provision.require("link")
    app = system(tmp_path / "system.toml", 7411, 7412, rate="1 Gbit/s", more='address = "10.77.2.1"')
    app.write_text(app.read_text().replace("port = 7412", 'port = 7412\naddress = "10.77.2.2"'), encoding="utf-8")
    key_files.make(admit.load(str(app)), tmp_path / "keys")
    compile.host_program("reflect-profile")

    def words(holder: subprocess.Popen[str], node: str, other: str, *more: str) -> list[str]:
        inside = ["nsenter", f"--target={holder.pid}", "--net", "env", f"TAKT_REFLECT_FOLDER={tmp_path / node}"]
        command = takt_command("reflect", "profile", app, "--node", node, "--with", other)
        return [*inside, *command, "--priority", "0", "--keys", str(tmp_path / "keys" / f"{node}.keys"), *more]

    with ExitStack() as stack:
        held = []
        for _ in range(2):
            one = stack.enter_context(
                subprocess.Popen(
                    ["unshare", "--net", "sh", "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
                )
            )
            assert one.stdin is not None
            assert one.stdout is not None
            assert one.stdout.readline() == "held\n"
            stack.callback(one.stdin.close)
            held.append(one)
        for holder, script in (
            (held[0], LINK.format(other=held[1].pid, rate=rate)),
            (held[1], "ip address add 10.77.2.2/24 dev wire && ip link set wire up"),
        ):
            subprocess.run(["nsenter", f"--target={holder.pid}", "--net", "sh", "-c", script], check=True)
        answer = stack.enter_context(
            subprocess.Popen(
                words(held[1], "station", "plant", "--answer"), stdout=subprocess.PIPE, text=True, env=environment()
            )
        )
        stack.callback(answer.terminate)
        assert answer.stdout is not None
        assert answer.stdout.readline() == "station answers\n"
        done = subprocess.run(
            words(held[0], "plant", "station", "--json"), capture_output=True, text=True, check=False, env=environment()
        )
        assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for row in found["blocks"]:
        assert row["wire_bps"] == pytest.approx(rate * 1e6, rel=0.05)
    assert found["block"] == 1392
    assert found["rate_bps"] == pytest.approx(rate * 1e6, rel=0.05)
    assert f'rate = "{profile_costs.show_rate(found["rate_bps"])}"' in found["toml"]


@only_full
def test_two_nodes(takt: Takt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_costs, "SMALLER", ())
    monkeypatch.setattr(profile_costs, "FRAMES", (1, 16))
    plant, station = free_ports(2)
    app = system(tmp_path / "system.toml", plant, station, more='burst = "600 us"')
    words = ("reflect", "profile", app, "--node", "plant", "--with", "station", "--priority", 0)
    with answering(app, tmp_path / "station"):
        said = takt(*words, "--json")
        assert said.code == 0, said.err
        written = takt(*words, "--to", tmp_path / "measured.toml")
        assert (written.code, written.out.splitlines()[-1]) == (0, f"Written: {tmp_path / 'measured.toml'}.")
        again = takt(*words, "--to", tmp_path / "measured.toml")
        assert (again.code, again.err.splitlines()[0]) == (
            2,
            f"takt: {tmp_path / 'measured.toml'}: the file exists already",
        )
    found = json.loads(said.out)
    assert set(keys(found)) == documented("reflect profile APP")
    assert [row["block"] for row in found["blocks"]] == [1392, 16 * 1480 - 88]
    assert found["block"] in (1392, 16 * 1480 - 88)
    assert found["lost"] == 0
    assert [node["name"] for node in found["nodes"]] == ["plant", "station"]
    assert not any(node["real_time"] for node in found["nodes"])
    for node in found["nodes"]:
        for stage in STAGES[:2] if found["block"] == 1392 else STAGES[:1]:
            assert 0 < node["stages"][stage]["median_ns"] < 10**8
    for text in (found["toml"], (tmp_path / "measured.toml").read_text(encoding="utf-8")):
        (tmp_path / "next.toml").write_text(text + CHANNELS, encoding="utf-8")
        said = takt("reflect", "admit", tmp_path / "next.toml", "--dry-run", "--json")
        assert said.code == 0, said.err + text
        assert [node["name"] for node in tomllib.loads(text)["node"]] == ["plant", "station"]
    document = reader.load(tmp_path / "next.toml")
    nodes = declared.plant(document, declaration.read_tables(document)).nodes
    assert nodes[0].port == plant
    assert nodes[0].burst_ns >= nodes[0].wake_ns
    assert nodes[1].block_size == 1392


def test_other_keys(takt: Takt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile, "PATIENCE_S", 1)
    app = system(tmp_path / "system.toml", *free_ports(2))
    for folder in ("keys", "others"):
        key_files.make(admit.load(str(app)), tmp_path / folder)
    with answering(app, tmp_path / "station", "--keys", tmp_path / "keys" / "station.keys"):
        said = takt(
            *("reflect", "profile", app, "--node", "plant", "--with", "station", "--priority", 0),
            *("--keys", tmp_path / "others" / "plant.keys", "--to", tmp_path / "measured.toml"),
        )
    assert said.code == 2
    assert said.err.splitlines()[-2:] == [
        'takt: "station" does not answer at 127.0.0.1, or has different keys',
        "  try: start on its machine: takt reflect profile APP --node station --with plant --answer",
    ]
    assert not (tmp_path / "measured.toml").exists()


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--node", "plant", "--with", "plant"), '--node and --with are both "plant"'),
        (("--node", "plant", "--with", "statoin"), 'no [[node]] "statoin"'),
        (("--node", "plant", "--with", "far"), '"plant" and "far" are on other machines, and have no keys'),
    ],
)
def test_misuse(takt: Takt, tmp_path: Path, words: tuple[str, ...], problem: str) -> None:
    app = system(tmp_path / "system.toml", *free_ports(2))
    far = NODE.format(name="far", rate="1 Gbit/s", port=7400, more='address = "192.168.77.2"')
    app.write_text(far + app.read_text(encoding="utf-8"), encoding="utf-8")
    said = takt("reflect", "profile", app, *words)
    assert (said.code, said.err.splitlines()[0]) == (2, f"takt: {problem}")
