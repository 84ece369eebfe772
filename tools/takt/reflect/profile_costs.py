# SPDX-License-Identifier: Apache-2.0
"""What `takt reflect profile` makes of times that were seen: what admission reads (docs/decisions/0021-admission.md),
and the best size of blocks (seed 002, 6.4). The most that was seen, with a margin, is no bound."""

from __future__ import annotations

import hashlib
import json
import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from takt.declare.channels import Channel, Node, Plant
from takt.reflect.keys import Keys
from takt.support.c.admission import (
    BLOCK_MAX,
    PROFILE_BACK,
    PROFILE_DEPTH,
    PROFILE_FIGURES,
    PROFILE_FIGURES_BYTES,
    PROFILE_OUT,
    WIRE_HEAD,
    WIRE_TAG,
)
from takt.support.durations import show, with_margin
from takt.support.errors import UserError

HEADS = WIRE_HEAD + WIRE_TAG + 8  # of a packet, its tag, UDP
ENOUGH = 0.93  # of the best: what is urgent waits less for smaller blocks
FRAMES = (1, 2, 4, 8, 16, 32)
SMALLER = (256, 512, 1024)
SLOWER = 0.97  # a link that carries less than this of what is declared is another one

Figures = Mapping[str, Any]  # of one node: stages.h, taktr_stages_print


@dataclass(frozen=True)
class Costs:
    """Of a node, in ns, as [[node]] has them."""

    send: int
    send_message: int
    receive: int
    receive_message: int
    wake: int
    propagation: int


@dataclass(frozen=True)
class Speed:
    """How fast blocks of a size came, one after the other; bit/s of values, and on the wire."""

    block: int
    goodput_bps: int
    wire_bps: int
    lost: int


def candidates(mtu: int, ipv6: bool) -> list[int]:
    """Sizes of blocks that fill their frames, and some that are less than one."""
    head = 40 if ipv6 else 20
    frame = mtu - head
    fragment = (frame - (8 if ipv6 else 0)) // 8 * 8  # a fragment's head is one more in IPv6
    whole = [frame - HEADS, *(frames * fragment - HEADS for frames in FRAMES[1:])]
    sizes = {*(size for size in SMALLER if size < whole[0]), *(min(size, BLOCK_MAX) for size in whole)}
    return sorted(sizes)


def speed(block: int, trains: list[dict[str, int]], lost: int) -> Speed | None:
    """The median of what came; None: there was none that says something."""
    trains = [train for train in trains if train["ns"] > 0]
    if not trains:
        return None
    goodput, wire = (
        statistics.median(train[key] * 8 * 10**9 / train["ns"] for train in trains) for key in ("bytes", "wire_bytes")
    )
    return Speed(block, int(goodput), int(wire), lost)


def best(speeds: list[Speed], declared_bps: int) -> Speed:
    """The smallest that is nearly as fast as the fastest, at that rate of the link or what it carries."""

    def paced(speed: Speed) -> float:
        return speed.goodput_bps * min(1.0, declared_bps / speed.wire_bps)

    fastest = max(map(paced, speeds))
    return min((speed for speed in speeds if paced(speed) >= ENOUGH * fastest), key=lambda speed: speed.block)


def _most(figures: Figures, *stages: str) -> int:
    return max(int(figures["stages"][stage]["most_ns"]) for stage in stages)


def _median(figures: Figures, stage: str) -> int:
    return int(figures["stages"][stage]["median_ns"])


def _first_and_others(figures: Figures, first: str, following: str, small: str, margin: int) -> tuple[int, int]:
    """Of each block, and once a message; together they are what the first (or last) block took."""
    once = _most(figures, first, small)
    each = _most(figures, following) or once
    return with_margin(each, margin), 0 if once <= each else with_margin(once - each, margin)


def propagation(here: Figures, there: Figures, wire_ns: int) -> int:
    """Half of what is left of the way to the other memory and back, without what both servers did and `wire_ns`, on
    both links: in the median."""
    known = sum(_median(figures, stage) for figures in (here, there) for stage in ("send_small", "receive_small"))
    return max(0, _median(here, "memory") - known - _median(there, "hand_over") - wire_ns) // 2


def costs(figures: Figures, propagation_ns: int, margin: int) -> Costs:
    """Of the node whose figures these are."""
    send, send_message = _first_and_others(figures, "send_first", "send_next", "send_small", margin)
    receive, receive_message = _first_and_others(figures, "receive_last", "receive_next", "receive_small", margin)
    return Costs(
        send=send,
        send_message=send_message,
        receive=receive,
        receive_message=receive_message,
        wake=with_margin(_most(figures, "hand_over", "timer"), margin),
        propagation=with_margin(propagation_ns, margin),
    )


def rate(declared_bps: int, speeds: list[Speed]) -> int:
    """What to declare of the link: as it is, or what it carries if that is less, to two digits, rounded down."""
    carried = max(speed.wire_bps for speed in speeds)
    if carried >= SLOWER * declared_bps:
        return declared_bps
    unit = int(10 ** max(0, len(str(carried)) - 2))
    return carried // unit * unit


def show_rate(bps: int) -> str:
    """As system.toml has it, exactly."""
    for unit, size in (("Gbit/s", 10**9), ("Mbit/s", 10**6), ("kbit/s", 10**3)):
        if bps >= size and bps % (size // 1000) == 0:
            return f"{bps // size}.{bps % size * 1000 // size:03d}".rstrip("0").rstrip(".") + f" {unit}"
    return f"{bps} bit/s"


def toml(raw: Mapping[str, Any], node: Node, found: Costs, measured: Mapping[str, str | int]) -> str:
    """A [[node]] as it is declared, with the measured values; `measured` has those that it does not declare."""
    new: dict[str, Any] = {**measured, **{key: show(time) for key, time in vars(found).items()}}
    if "burst" in raw and node.burst_ns < found.wake:
        new["burst"] = show(found.wake)
    values = {**raw, **new}
    return "[[node]]\n" + "".join(f"{key} = {_value(value)}\n" for key, value in values.items())


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, (bool, int)) else json.dumps(str(value), ensure_ascii=False)


def wire_ns(rate_bps: int, wire_bytes: int) -> int:
    """How long bytes are on a link, rounded up."""
    return math.ceil(wire_bytes * 8 * 10**9 / rate_bps)


_CHANNELS = {PROFILE_OUT: "profile.out", PROFILE_BACK: "profile.back", PROFILE_FIGURES: "profile.figures"}
AREAS = tuple(_CHANNELS[number] for number in sorted(_CHANNELS))
SIZE_LEAST = 1 << 20  # of values, so that many of the greatest blocks follow each other
PERIOD_NS = 1000  # nothing is held back: the profiler writes when the value before is there
FIGURES_PERIOD_NS = 20_000_000
UNPACED_BPS = 10**12


def between(plant: Plant, node: str, other: str) -> tuple[Channel, ...]:
    """The channels of these two, either way."""
    return tuple(channel for channel in plant.channels if {channel.writer, channel.reader} == {node, other})


def size(plant: Plant) -> int:
    """Bytes of the profiler's values at most, the same on all nodes."""
    return max([SIZE_LEAST, *(channel.size for channel in plant.channels)])


def keys(plant: Plant, node: str, other: str, found: dict[str, Keys]) -> list[Keys]:
    """Of the profiler's channels, from those of the first that these two declare: a profiler without them has none of
    those, and neither leads to the other. UserError: they declare none."""
    channels = sorted(between(plant, node, other), key=lambda channel: channel.number)
    if not channels:
        raise UserError(
            f'no [[channel]] between "{node}" and "{other}", so they have no keys', "two nodes with a channel"
        )
    first = found[channels[0].name]

    def derived(key: str, area: str) -> str:
        return hashlib.blake2b(
            area.encode(), key=bytes.fromhex(key), person=b"takt profile", digest_size=32
        ).hexdigest()

    return [Keys(derived(first.to_reader, area), derived(first.to_writer, area)) for area in AREAS]


def _head(node: Node, rate_bps: int, block: int, priority: int) -> list[str]:
    return [
        "takt-reflectd 1",
        f"node {node.name} {node.address} {node.port}",
        f"link {rate_bps} {node.mtu} {node.burst_ns} {int(node.ipv6)} {block}",
        f"priority {priority}",
    ]


def _shown(found: list[Keys] | None, number: int) -> str:
    return "-" if found is None else f"{found[number].to_reader} {found[number].to_writer}"


def _sender(number: int, area: str, size: int, period_ns: int, found: list[Keys] | None) -> str:
    return f"sender {number + 1} {AREAS[number]} {area} {size} sync last {period_ns} 0 {number} {_shown(found, number)}"


def _receiver(number: int, size: int, writer: Node, found: list[Keys] | None) -> str:
    ends = f"{writer.address} {writer.port} 1 {_shown(found, number)}"
    return f"receiver {number + 1} {AREAS[number]} {AREAS[number]} {size} {PROFILE_DEPTH} {PERIOD_NS} 0 0 {ends}"


def measuring(
    node: Node, other: Node, size: int, rate_bps: int, block: int, priority: int, found: list[Keys] | None
) -> str:
    """Of the node that measures, which sends blocks of that size at that rate."""
    lines = [
        *_head(node, rate_bps, block, priority),
        _sender(0, AREAS[0], size, PERIOD_NS, found),
        _receiver(1, size, other, found),
        _receiver(2, PROFILE_FIGURES_BYTES, other, found),
        "end",
    ]
    return "\n".join(lines) + "\n"


def answering(node: Node, other: Node, size: int, priority: int, found: list[Keys] | None) -> str:
    """Of the node that answers, as it is declared: what comes goes back from the memory that it came to."""
    lines = [
        *_head(node, node.rate_bps, node.block_size, priority),
        _sender(1, AREAS[0], size, PERIOD_NS, found),
        _sender(2, AREAS[2], PROFILE_FIGURES_BYTES, FIGURES_PERIOD_NS, found),
        _receiver(0, size, other, found),
        "end",
    ]
    return "\n".join(lines) + "\n"
