# SPDX-License-Identifier: Apache-2.0
"""What our own carrier needs on the nodes: a server each, with a plan from a declaration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from takt.declare.channels import Channel, Plant
from takt.declare.channels import Node as Declared
from takt.reflect import admit, keys, plan
from takt.reproduce.midart.nodes import ADDRESSES, MEGABITS, PRIORITY

PORT = 7411
BLOCK = 2872  # two frames, whole: heads take less of the link than with one, and an urgent packet waits for two
FOLDER = "/tmp/names"  # on a node, whose /tmp is its own
SERVES = "serves"  # what a server says once it does
EARLY = 0.9  # of the period: what is declared, since releases are nearer at times
HEADS = 1.07  # by which a message is longer on the wire; bulk may follow each other so closely
DEADLINE = 0.05  # of the period
DEPTH, DEPTH_MAX = 32, 4096


@dataclass(frozen=True)
class Costs:
    """Of a node's server, in ns."""

    send: int = 15_000
    send_message: int = 30_000
    receive: int = 15_000
    receive_message: int = 30_000
    wake: int = 150_000


def depth_of(count: int, period_ns: int) -> int:
    """Values that an area keeps: all, where they are written without a pause."""
    wanted = DEPTH if period_ns else min(count, DEPTH_MAX)
    return 1 << max(1, (wanted - 1).bit_length())


def _node(name: str, block: int) -> Declared:
    costs = Costs()
    return Declared(
        name=name,
        rate_bps=MEGABITS * 1_000_000,
        block_size=block or BLOCK,
        mtu=1500,
        ipv6=False,
        burst_ns=costs.wake,
        propagation_ns=0,
        send_ns=costs.send,
        send_message_ns=costs.send_message,
        receive_ns=costs.receive,
        receive_message_ns=costs.receive_message,
        wake_ns=costs.wake,
        address=ADDRESSES[name],
        port=PORT,
    )


class Wanted(Protocol):
    """Of a stream (runs.Stream) what is declared."""

    @property
    def name(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def period_ns(self) -> int: ...
    @property
    def count(self) -> int: ...
    @property
    def urgent(self) -> bool: ...
    @property
    def asked_ns(self) -> int: ...


def _channel(stream: Wanted) -> Channel:
    """A stream that is urgent has a deadline, a twentieth of its period; others have none. One whose reader does not
    want each value is pushed as often as he asks."""
    wire_ns = round(stream.size * 8 * HEADS * 1000 / MEGABITS)
    period_ns = round(stream.period_ns * EARLY) if stream.urgent else wire_ns
    deadline_ns = round(stream.period_ns * DEADLINE) if stream.urgent else None
    return Channel(
        name=stream.name,
        writer="a",
        reader="b",
        kind="trend" if stream.asked_ns else "command" if stream.urgent else "background",
        size=stream.size,
        period_ns=stream.asked_ns or period_ns,
        deadline_ns=stream.asked_ns or deadline_ns,
        synchronous=not stream.asked_ns,
        blocking=True,
        applications=not stream.asked_ns,
        write_ns=0,
        read_ns=0,
        group=None,
        area=stream.name,
        every=not stream.asked_ns,
        depth=depth_of(stream.count, stream.period_ns),
        chosen_by_writer=False,
        active=True,
    )


def plans(streams: Sequence[Wanted], block: int) -> dict[str, str]:
    """By node. A stream of which admission does not prove that it keeps its deadline is promoted at once, and sent all
    the same: bulk that may follow each other as fast as the link can asks a port for all of its time."""
    plant = Plant(tuple(_node(name, block) for name in ADDRESSES), tuple(_channel(stream) for stream in streams))
    _, judged = admit.judge(plant)
    results = [one if one.fits else replace(one, inequality="fits", promotion_ns=0) for one in judged]
    made = keys.new(plant)
    return {name: plan.text(plant, results, name, made, PRIORITY) for name in ADDRESSES}
