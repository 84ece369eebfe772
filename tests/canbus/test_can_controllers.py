# SPDX-License-Identifier: Apache-2.0
"""`takt can check --controller`: how nodes queue, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Takt

HEADER = "name,id,extended,sender,bytes,period_ms,jitter_ms,deadline_ms\n"
# Two messages of each of two nodes, 270 us each at 500 kbit/s; "urgent" is due in time for one before it.
PAIRS = "urgent,1,0,a,8,100,,0.6\nother,2,0,b,8,100,,\nslow,3,0,a,8,100,,\nlast,4,0,b c,8,100,,\nalone,5,0,,8,100,,\n"
MESSAGE = 270_000


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


@pytest.mark.parametrize("command", ["assign", "simulate"])
def test_commands_that_know_queues_by_priority_only(takt: Takt, bus: Path, command: str) -> None:
    answer = takt("can", command, str(bus), "--bitrate", "500k", "--controller", "fifo")
    assert (answer.code, answer.out) == (2, "")
    assert "--controller: " in answer.err
    assert "by priority only" in answer.err


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
