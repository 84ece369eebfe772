# SPDX-License-Identifier: Apache-2.0
"""`takt reproduce midart`: the two nodes, what logs say, sums. No time is tested."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import Takt, documented, keys
from takt.reproduce.midart import carriers, experiments, nodes, ours, page, runs, tables
from takt.reproduce.midart.figures import beyond
from takt.reproduce.midart.nodes import Node
from takt.reproduce.midart.runs import Log, RunError, Stream
from takt.support.errors import UserError

MS = 1_000_000
FULL = bool(os.environ.get("TAKT_TEST_FULL"))


def possible() -> str:
    """Why there can be no nodes here; empty: there can."""
    try:
        nodes.refuse_unless_possible()
    except UserError as error:
        return str(error)
    return ""


@pytest.fixture(scope="module")
def pair() -> Iterator[dict[str, Node]]:
    if why := possible():
        pytest.skip(why)
    with nodes.two(carriers.build(("takt", "udp"))) as made:
        yield made
    assert all(nodes.gone(node) for node in made.values())


def inside(node: Node, *command: str) -> str:
    return subprocess.run(node.inside(command), capture_output=True, text=True, check=False).stdout.strip()


def test_nodes_share_nothing_but_the_link(pair: dict[str, Node]) -> None:
    first, second = pair["a"], pair["b"]
    for folder in ("/dev/shm", "/tmp", "/run"):
        inside(first, "touch", f"{folder}/takt-of-a")
        assert inside(first, "ls", f"{folder}/takt-of-a")
        assert not inside(second, "ls", f"{folder}/takt-of-a")
        assert not Path(folder, "takt-of-a").exists()
    links = json.loads(inside(first, "ip", "-json", "link"))
    assert [link["ifname"] for link in links if "UP" in link["flags"]] == ["lo", nodes.LINK]
    said, _ = first.start(["sh", "-c", "id -u; ls -d /proc/[0-9]* | wc -l"]).communicate()
    user, processes = map(int, said.split())
    assert user == nodes.USERS["a"] != nodes.USERS["b"]
    assert processes < 10
    said, _ = first.start(["sh", "-c", "ping -c 1 -W 2 10.77.0.2 > /dev/null 2>&1; cat"], given="to read").communicate()
    assert said == "to read"


@pytest.mark.parametrize("name", ["takt", *(["udp"] if FULL else [])])
def test_values_come_over_the_link_alone(pair: dict[str, Node], name: str) -> None:
    """And none where it is down."""
    how = next(iter(carriers.configurations((name,), ("default",))))
    streams = [Stream("T1", 1024, 20 * MS, 20, urgent=True), Stream("T2", 60_000, 20 * MS, 20)]
    done = runs.run(pair, how, streams)
    for seen in done.streams.values():
        assert len(seen.sent) == 20
        assert len(seen.received) + seen.lost == 20
        assert len(seen.received) > 10
        assert seen.broken == 0
    assert done.counters["a"]["bytes"] > 20 * 61_024 / 2
    pair["a"].network("ip", "link", "set", nodes.LINK, "down")
    try:
        with pytest.raises(RunError, match=r"received nothing|calls failed"):
            runs.run(pair, how, streams[:1])
    finally:
        pair["a"].network("ip", "link", "set", nodes.LINK, "up")


def test_what_two_logs_say() -> None:
    stream = Stream("x", 100, 1000, 4)
    writer = Log([(1, 10, 11, 12), (2, 1010, 1020, 1030), (3, 2010, 2011, 2012), (4, 3010, 3011, 3020)], 0, 0, 0)
    reader = Log([(1, 10, 5010, 0), (3, 2010, 7010, 0), (3, 2010, 7500, 0), (4, 3010, 9010, 0)], 1, 2, 0)
    seen = runs.seen(stream, writer, reader)
    assert (seen.lost, seen.broken, seen.again) == (1, 2, 1)
    assert seen.latencies_us() == [5.0, 5.0, 6.0]
    assert seen.receive_periods_us() == [2.0]
    assert seen.send_us() == [0.001, 0.01, 0.001, 0.009]
    assert seen.bytes_per_s() == 100 * 2 / 4000 * 1e9
    with pytest.raises(RunError, match="value 9 was received that was not sent"):
        runs.seen(stream, writer, Log([(9, 10, 20, 0)], 1, 0, 0))


def test_a_log_that_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "x.log"
    for words in ([], [1, 0, 0], [2, 0, 0, 0, 1, 2, 3, 4]):
        path.write_bytes(b"".join(word.to_bytes(8, "little") for word in words))
        with pytest.raises(RunError, match="cut off"):
            runs.read_log(path)
    path.write_bytes(b"".join(word.to_bytes(8, "little") for word in [1, 5, 6, 7, 1, 2, 3, 4]))
    assert runs.read_log(path) == Log([(1, 2, 3, 4)], 5, 6, 7)


def test_quantiles() -> None:
    assert runs.quantile([], 0.5) is None
    assert [runs.quantile([4.0, 1.0, 3.0, 2.0], part) for part in (0.25, 0.5, 0.51, 0.99, 1.0)] == [1, 2, 3, 4, 4]
    assert beyond([2.0, 1.0]) == [(1.0, 1.0), (2.0, 0.5)]
    assert beyond([]) == []


def test_what_is_declared_of_streams() -> None:
    streams = [Stream("T1", 1024, 20 * MS, 100, urgent=True), Stream("T2", 65_000, 10 * MS, 9), Stream("t", 8, MS, 9)]
    streams[2] = Stream("t", 8, MS, 9, asked_ns=100 * MS)
    lines = [line.split() for line in ours.plans(streams, 0)["a"].splitlines()]
    senders = {line[2]: line for line in lines if line[0] == "sender"}
    assert senders["T1"][4:8] == ["1024", "sync", "every", str(18 * MS)]
    assert senders["T2"][4:7] == ["65000", "bulk", "every"]
    assert senders["t"][4:8] == ["8", "async", "last", str(100 * MS)]
    assert not [line for line in lines if line[0] == "refused"]
    assert [len(line[10]) for line in senders.values()] == [64] * 3  # keys
    assert [ours.depth_of(count, 0) for count in (1, 2, 3, 100, 9999)] == [2, 2, 4, 128, 4096]


def test_ratios_are_by_the_best_of_the_peers() -> None:
    def row(carrier: str, setting: str, stream: str, us: int) -> dict[str, object]:
        names = {"carrier": carrier, "setting": setting, "stream": stream, "load": 54}
        return {**names, "round_p99_us": us, "latency_us": {"p50": us}}

    priority = [row("takt", "default", "T1", 500), row("udp", "default", "T1", 5000), row("udp", "best", "T1", 1)]
    priority += [row("zenoh", "default", "T1", 4000), row("takt", "default", "T2", 11), row("udp", "default", "T2", 10)]
    found = tables.ratios({"priority": priority, "filtered": []})
    assert found == {"T1_54": 0.125, "T2_54": 1.1, "filtered": None}


def test_what_ours_does_alone() -> None:
    def urgent(setting: str, load: int, lost: int, broken: int) -> dict[str, object]:
        return {"carrier": "takt", "setting": setting, "load": load, "lost": lost, "broken": broken}

    def reader(setting: str, period: int, p99: int | None) -> dict[str, object]:
        return {"carrier": "takt", "setting": setting, "period_us": period, "round_p99_us": p99}

    priority = [urgent("default", 54, 0, 0), urgent("default", 85, 1, 0), urgent("default", 85, 0, 2)]
    priority.append(urgent("best", 85, 40, 0))
    readers = [reader("default", 50_000, 1000), reader("default", 70_000, 2100), reader("default", 90_000, None)]
    readers.append(reader("best", 50_000, 50_000))
    found = tables.alone({"priority": priority, "readers": readers})
    assert found == {"lost_54": 0, "lost_85": 3, "deviation": 0.03}
    assert tables.alone({"priority": [], "readers": []}) == {"deviation": None}


def test_the_median_round_is_of_rounds() -> None:
    stream = Stream("x", 100, 1000, 4)
    pool = experiments.Pool()
    for late in (0, 9000, 3000):
        writer = Log([(1, 10, 11, 12), (2, 1010, 1020, 1030), (3, 2010, 2011, 2012)], 0, 0, 0)
        reader = Log([(1, 10, 5010, 0), (2, 1010, 6010, 0), (3, 2010, 7010 + late, 0)], 0, 0, 0)
        pool.add(runs.seen(stream, writer, reader))
    assert pool.lists["deviations_us"] == [0.0, 0.0, 0.0, 9.0, 0.0, 3.0]
    assert (pool.round_p99("deviations_us"), pool.round_p99("latencies_us")) == (3, 8)
    pool = experiments.Pool()
    pool.add(runs.seen(stream, writer, Log([], 0, 0, 0)))
    assert pool.round_p99("deviations_us") is None


def test_the_kept_figures(takt: Takt) -> None:
    said = takt("reproduce", "midart", "--kept", "--json")
    assert said.code == 0, said.err
    document = json.loads(said.out)
    assert set(keys(document)) == documented("reproduce midart")
    assert set(experiments.EXPERIMENTS) <= set(document)
    assert takt("reproduce", "midart", "--kept", "--short").code == 2
    for goals, found in ((page.GOALS, tables.ratios(document)), (page.GOALS_ALONE, tables.alone(document))):
        for name, (words, wanted) in goals.items():
            value = found[name]
            assert value is not None, words
            assert value <= wanted, words
