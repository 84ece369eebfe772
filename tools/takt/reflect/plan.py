# SPDX-License-Identifier: Apache-2.0
"""The plan of a node's server: lines as reflect/linux/server/plan.h says."""

from __future__ import annotations

from takt.declare.channels import Channel, Node, Plant
from takt.reflect import keys
from takt.reflect.admit_library import Result
from takt.reflect.keys import Keys
from takt.support.c.admission import Inequality
from takt.support.errors import UserError, did_you_mean


def node_named(plant: Plant, name: str) -> Node:
    """The node. UserError: there is none of that name."""
    for node in plant.nodes:
        if node.name == name:
            return node
    names = [node.name for node in plant.nodes]
    raise UserError(f'no [[node]] "{name}"', did_you_mean(name, names) or ", ".join(names))


def needs_keys(plant: Plant, name: str) -> bool:
    """Whether packets of that node go to other machines, or come from there."""
    others = {end for channel in keys.of_node(plant, name) for end in (channel.writer, channel.reader)}
    return any(not node.is_here for node in plant.nodes if node.name in {name, *others})


def text(plant: Plant, results: list[Result], name: str, found: dict[str, Keys], priority: int) -> str:
    """The plan of a node. `found`: keys by channel, of all or none."""
    node = node_named(plant, name)
    lines = [
        "takt-reflectd 1",
        f"node {node.name} {node.address} {node.port}",
        f"link {node.rate_bps} {node.mtu} {node.burst_ns} {int(node.ipv6)} {node.block_size}",
        f"priority {priority}",
    ]
    rows = sorted(zip(plant.channels, results, strict=True), key=lambda row: row[0].number)
    for channel, result in rows:
        if channel.writer == name:
            lines += _sender(channel, result, node, found.get(channel.name))
    for channel, result in rows:
        if channel.reader == name:
            lines.append(_receiver(channel, result, node_named(plant, channel.writer), found.get(channel.name)))
    return "\n".join([*lines, "end"]) + "\n"


def _keys(found: Keys | None) -> str:
    return "-" if found is None else f"{found.to_reader} {found.to_writer}"


def _sender(channel: Channel, result: Result, node: Node, found: Keys | None) -> list[str]:
    kind = "bulk" if channel.deadline_ns is None else "sync" if channel.synchronous else "async"
    values = "every" if channel.every else "last"
    lines = [
        f"sender {channel.number} {channel.name} {channel.area} {channel.size} {kind} {values} {channel.period_ns}"
        f" {result.promotion_ns} {result.level} {_keys(found)}"
    ]
    if kind != "async":
        delay_ns = node.wake_ns + (channel.write_ns if channel.applications else 0)
        lines.append(f"jitter {channel.number} {result.jitter_ns} {delay_ns}")
    if channel.chosen_by_writer:
        lines.append(f"group {channel.number} {channel.group_number} {result.pause_ns} {int(channel.active)}")
    if not result.fits:
        failed = Inequality[result.inequality.upper()]
        lines.append(f"refused {channel.number} {result.left_ns} {result.right_ns} {failed:d}")
    return lines


def _receiver(channel: Channel, result: Result, writer: Node, found: Keys | None) -> str:
    return (
        f"receiver {channel.number} {channel.name} {channel.read_area} {channel.size} {channel.depth}"
        f" {channel.period_ns} {channel.deadline_ns or 0} {result.pause_ns} {writer.address} {writer.port}"
        f" {int(channel.active or channel.chosen_by_writer)} {_keys(found)}"
    )
