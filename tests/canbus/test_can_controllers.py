# SPDX-License-Identifier: Apache-2.0
"""`takt can check --controller`: how nodes queue, and what is said of it."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from command_line import Takt

HEADER = "name,id,extended,sender,bytes,period_ms,jitter_ms,deadline_ms\n"
# Two messages of each of two nodes, 270 us each at 500 kbit/s; "urgent" is due in time for one before it.
PAIRS = "urgent,1,0,a,8,100,,0.6\nother,2,0,b,8,100,,\nslow,3,0,a,8,100,,\nlast,4,0,b c,8,100,,\nalone,5,0,,8,100,,\n"
MESSAGE = 270_000
BUSES = 2000 if os.environ.get("TAKT_TEST_FULL") else 30


@pytest.fixture
def bus(tmp_path: Path) -> Path:
    path = tmp_path / "a.csv"
    path.write_text(HEADER + PAIRS)
    return path


def found(takt: Takt, bus: Path, *controllers: str) -> dict[str, Any]:
    options = [text for one in controllers for text in ("--controller", one)]
    said = takt("can", "check", str(bus), "--bitrate", "500k", "--json", *options)
    document: dict[str, Any] = json.loads(said.out)
    return document


def responses(document: dict[str, Any]) -> list[int]:
    return [one["response_ns"] // MESSAGE for one in document["messages"]]


def test_queues_of_nodes(takt: Takt, bus: Path) -> None:
    assert responses(found(takt, bus)) == [2, 3, 4, 5, 5]
    assert responses(found(takt, bus, "a=fifo")) == [4, 3, 4, 5, 5]
    assert responses(found(takt, bus, "b=fifo")) == [2, 5, 4, 5, 5]
    assert responses(found(takt, bus, "fifo", "a=priority")) == [2, 5, 4, 5, 5]
    assert responses(found(takt, bus, "1")) == [4, 5, 4, 5, 5]
    assert responses(found(takt, bus, "1/abort")) == [2, 3, 4, 5, 5]
    delayed = found(takt, bus, "a=1/abort:50us")
    assert delayed["messages"][0]["response_ns"] == 2 * MESSAGE + 50_000
    assert [one["controller"] for one in delayed["messages"]] == [
        "1/abort:50us",
        "priority",
        "1/abort:50us",
        "priority",
        "priority",
    ]


def test_the_queue_is_named_as_the_reason(takt: Takt, bus: Path) -> None:
    said = takt("can", "check", str(bus), "--bitrate", "500k", "--controller", "fifo")
    assert said.code == 1
    assert "urgent (0x001), due 600 us after its release, may take 1.08 ms" in said.out
    assert "It waits in its sender: a queues first in, first out; by priority it would take 540 us." in said.out
    assert "If every node queued by priority, all would arrive in time." in said.out
    assert "The least bit rate that proves: 900 kbit/s with these identifiers" in said.out  # 4 frames in 0.6 ms
    assert "counted once each, as queued by the first: last" in said.out
    assert found(takt, bus, "fifo")["late_by_priority"] == 0
    said = takt("can", "check", str(bus), "--bitrate", "400k", "--controller", "1")
    assert (
        "a queues in 1 buffer that cannot be aborted; by priority it would take 675 us, too long as well." in said.out
    )
    assert "If every node queued by priority, 1 message would be late." in said.out
    assert "queue" not in takt("can", "check", str(bus), "--bitrate", "400k").out


def test_the_queue_of_another_node_is_the_reason(takt: Takt, tmp_path: Path) -> None:
    """While slow waits for two of quick, two of fast gather behind it; then they go before quick."""
    rows = "fast,1,0,a,8,0.700,,\nquick,2,0,b,8,0.6,0.1,1\nslow,3,0,a,8,3,4,9\n"
    path = tmp_path / "a.csv"
    path.write_text(HEADER + rows)
    said = takt("can", "check", str(path), "--bitrate", "500k", "--controller", "a=fifo", "--all")
    quick = next(line for line in said.out.splitlines() if line.startswith("quick"))
    assert quick.endswith("LATE")
    assert "If every node queued by priority, all would arrive in time." in said.out


def observed(takt: Takt, bus: Path, *options: str) -> tuple[int, dict[str, int], dict[str, Any]]:
    """Of each message in units of a frame, rounded up; and the document."""
    said = takt("can", "simulate", str(bus), "--bitrate", "500k", "--duration", "90ms", "--json", *options)
    document: dict[str, Any] = json.loads(said.out)
    return said.code, {one["name"]: -(-one["observed_ns"] // MESSAGE) for one in document["messages"]}, document


def test_queues_in_simulation(takt: Takt, bus: Path, tmp_path: Path) -> None:
    """Of `a` two slow ones are queued when the urgent one comes, while the frame of `b` is sent."""
    bus.write_text(HEADER + PAIRS + "slower,6,0,a,8,100,,\n")
    offsets = tmp_path / "offsets.csv"
    offsets.write_text("name,offset_ms\nother,0\nslow,0\nslower,0\nurgent,0.05\nlast,20\nalone,40\n")
    options = ("--offsets", str(offsets), "--payload", "worst")
    alone = {"other": 1, "last": 1, "alone": 1}
    by_priority = {"urgent": 2, "slow": 3, "slower": 4, **alone}
    free_behind_one = {"slow": 2, "urgent": 3, "slower": 4, **alone}
    for kinds, expected in (
        ((), by_priority),
        (("3",), by_priority),
        (("2/abort",), by_priority),
        (("a=fifo",), {"slow": 2, "slower": 3, "urgent": 4, **alone}),
        (("b=fifo",), by_priority),
        (("1",), free_behind_one),
        (("2",), free_behind_one),
    ):
        chosen = [text for one in kinds for text in ("--controller", one)]
        code, found_in_frames, document = observed(takt, bus, *options, *chosen)
        assert (kinds, found_in_frames, code) == (kinds, expected, 0)
        assert all(one["observed_ns"] <= one["response_ns"] for one in document["messages"])
    assert {one["controller"] for one in document["messages"]} == {"2", "priority"}


def test_random_buses_stay_within_the_bounds_of_their_queues(takt: Takt, tmp_path: Path) -> None:
    """And some are later than bounds by priority allow, or the queues would not matter."""
    beyond = 0
    for seed in range(BUSES):
        chance = random.Random(seed)
        nodes = "abcd"[: chance.randint(2, 4)]
        count = chance.randint(4, 16)
        rows = [
            f"m{number},{number},0,{chance.choice(nodes)},{chance.randint(0, 8)},"
            f"{chance.choice((count, 2 * count, 5 * count)) * chance.choice((0.3, 0.4)):.1f},{chance.choice((0, 1))},\n"
            for number in range(count)
        ]
        path = tmp_path / "a.csv"
        path.write_text(HEADER + "".join(rows))
        kinds = [chance.choice(("priority", "fifo", "1", "2", "3", "2/abort")) for _ in nodes]
        chosen = [
            text for node, kind in zip(nodes, kinds, strict=True) if any(f",{node}," in row for row in rows)
            for text in ("--controller", f"{node}={kind}")
        ]  # fmt: skip
        options = ("--bitrate", "500k", "--payload", "worst", "--seed", str(seed), "--duration", "2s", "--json")
        said = takt("can", "simulate", str(path), *options, *chosen)
        document = json.loads(said.out)
        assert (said.code, document["verdict"]) == (0, "within"), f"seed {seed}: {chosen}"
        plain = json.loads(takt("can", "check", str(path), "--bitrate", "500k", "--json").out)
        beyond += any(
            one["response_ns"] is not None and other["observed_ns"] > one["response_ns"]
            for one, other in zip(plain["messages"], document["messages"], strict=True)
        )
    assert 20 * beyond > BUSES


def test_more_buffers_than_are_simulated(takt: Takt, bus: Path) -> None:
    answer = takt("can", "simulate", str(bus), "--bitrate", "500k", "--controller", "33")
    assert (answer.code, answer.out) == (2, "")
    assert "--controller: 33 buffers of a node are not simulated\n  try: at most 32" in answer.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("lifo",), '--controller: "lifo" is no controller'),
        (("a=",), '--controller: "" is no controller'),
        (("0",), "--controller: 0 buffers"),
        (("1001",), "--controller: 1001 buffers"),
        (("3/abort:5",), "--controller: the unit is missing"),
        (("d=fifo",), '--controller: no message has the sender "d"'),
        (("fifo", "3"), "--controller: two controllers for all nodes"),
        (("a=fifo", "a=3"), '--controller: two controllers for the node "a"'),
    ],
)
def test_bad_controllers(takt: Takt, bus: Path, options: tuple[str, ...], said: str) -> None:
    words = [text for one in options for text in ("--controller", one)]
    answer = takt("can", "check", str(bus), "--bitrate", "500k", *words)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert "try: " in answer.err
