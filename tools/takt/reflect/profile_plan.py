# SPDX-License-Identifier: Apache-2.0
"""Plans of the servers that `takt reflect profile` runs: values go from one node to another, and back from its memory
(reflect/linux/profile)."""

from __future__ import annotations

import hashlib

from takt.declare.channels import Channel, Node, Plant
from takt.reflect.keys import Keys
from takt.support.errors import UserError

AREAS = ("profile.out", "profile.back", "profile.figures")  # channels 1, 2 and 3: stages.h
FIGURES_BYTES = 1 << 15
SIZE_LEAST = 1 << 20  # of values, so that many of the greatest blocks follow each other
PERIOD_NS = 1000  # nothing is held back: the profiler writes when the value before is there
FIGURES_PERIOD_NS = 20_000_000
UNPACED_BPS = 10**12
DEPTH = 2


def between(plant: Plant, node: str, other: str) -> tuple[Channel, ...]:
    """The channels of these two, either way."""
    return tuple(channel for channel in plant.channels if {channel.writer, channel.reader} == {node, other})


def size(plant: Plant) -> int:
    """Bytes of the profiler's values at most, the same on all nodes."""
    return max([SIZE_LEAST, *(channel.size for channel in plant.channels)])


def keys(plant: Plant, node: str, other: str, found: dict[str, Keys]) -> list[Keys]:
    """Of the profiler's channels, from those of the first that these two declare: who has none of these has none of
    those, and neither leads to the other. UserError: they declare none."""
    channels = sorted(between(plant, node, other), key=lambda channel: channel.number)
    if not channels:
        raise UserError(f'no [[channel]] between "{node}" and "{other}", so no keys', "two nodes that have one")
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
    return f"receiver {number + 1} {AREAS[number]} {AREAS[number]} {size} {DEPTH} {PERIOD_NS} 0 0 {ends}"


def measuring(
    node: Node, other: Node, size: int, rate_bps: int, block: int, priority: int, found: list[Keys] | None
) -> str:
    """Of the node that measures, which sends blocks of that size at that rate."""
    lines = [
        *_head(node, rate_bps, block, priority),
        _sender(0, AREAS[0], size, PERIOD_NS, found),
        _receiver(1, size, other, found),
        _receiver(2, FIGURES_BYTES, other, found),
        "end",
    ]
    return "\n".join(lines) + "\n"


def answering(node: Node, other: Node, size: int, priority: int, found: list[Keys] | None) -> str:
    """Of the node that answers, as it is declared: what comes goes back from the memory that it came to."""
    lines = [
        *_head(node, node.rate_bps, node.block_size, priority),
        _sender(1, AREAS[0], size, PERIOD_NS, found),
        _sender(2, AREAS[2], FIGURES_BYTES, FIGURES_PERIOD_NS, found),
        _receiver(0, size, other, found),
        "end",
    ]
    return "\n".join(lines) + "\n"
