# SPDX-License-Identifier: Apache-2.0
"""`[[node]]` and `[[channel]]` of system.toml, and the checks between them."""

from __future__ import annotations

import ipaddress
import zlib
from dataclasses import dataclass, replace
from typing import Any

from takt.declare.schema import machines
from takt.declare.schema.locate import Path as Where
from takt.declare.schema.reader import Document
from takt.support.c.admission import TIME_MAX_NS
from takt.support.c.areas import BYTES_MAX
from takt.support.durations import show
from takt.support.errors import did_you_mean
from takt.support.files import shown_path

BURST_MAX_NS = 10**9
PORT = 7411  # of the first node
_REQUIRED = ("rate", "send", "receive", "wake")
_TIED = ("command", "monitor", "background")  # pushed when written, and the reader is woken


@dataclass(frozen=True)
class Node:
    """A machine. Costs of its server; times in ns."""

    name: str
    rate_bps: int
    block_size: int
    mtu: int
    ipv6: bool
    burst_ns: int
    propagation_ns: int
    send_ns: int
    send_message_ns: int
    receive_ns: int
    receive_message_ns: int
    wake_ns: int
    address: str
    port: int

    @property
    def is_here(self) -> bool:
        """Whether its address is the loopback interface of its machine."""
        return ipaddress.ip_address(self.address).is_loopback


@dataclass(frozen=True)
class Channel:
    """A channel; `deadline_ns` None: no deadline is guaranteed."""

    name: str
    writer: str
    reader: str
    kind: str
    size: int
    period_ns: int
    deadline_ns: int | None
    synchronous: bool
    blocking: bool
    applications: bool
    write_ns: int
    read_ns: int
    group: str | None
    area: str
    every: bool
    depth: int
    active: bool
    chosen_by_writer: bool  # its group has one writer and several readers, so the writer's node chooses

    @property
    def number(self) -> int:
        """The channel's number in packets: the same on all nodes, since it follows from the name."""
        return zlib.crc32(self.name.encode())

    @property
    def group_number(self) -> int:
        """The group's number in plans, never 0."""
        return zlib.crc32((self.group or "").encode()) or 1

    @property
    def read_area(self) -> str:
        """The name of the reader's memory."""
        return self.area if self.group is None or self.chosen_by_writer else self.group


@dataclass(frozen=True)
class Plant:
    """All nodes and channels, in the order of the file."""

    nodes: tuple[Node, ...]
    channels: tuple[Channel, ...]


def plant(document: Document, tables: dict[str, Any]) -> Plant:
    """Nodes and channels from the tables that the schema has read, checked. Raises UserError."""
    refuse_network(document, tables)
    nodes = tuple(_node(document, values, index) for index, values in enumerate(tables["node"]))
    _check_unique(document, "node", [node.name for node in nodes])
    for index, node in enumerate(nodes):
        _check_same(document, index, node, nodes[0])
    names = [node.name for node in nodes]
    channels = tuple(_channel(document, values, index, names) for index, values in enumerate(tables["channel"]))
    _check_unique(document, "channel", [channel.name for channel in channels])
    channels = _with_kind_of_group(channels)
    channels = _with_first_active(tables["channel"], channels)
    _check_groups(document, channels)
    _check_ends(document, nodes, channels)
    return Plant(nodes, channels)


def refuse_network(document: Document, tables: dict[str, Any]) -> None:
    """UserError: the nodes are systems, so the file is no system itself."""
    index = next((index for index, values in enumerate(tables["node"]) if values["system"] is not None), None)
    if index is not None:
        values = tables["node"][index]
        folder = shown_path(document.path.parent / values["system"])
        problem = f"{_label('node', values['name'])}: the file is a network of systems, for takt check, report and run"
        document.fail(("node", index, "system"), problem, f"one of its systems here, such as {folder}")


def _label(kind: str, name: str) -> str:
    return f'[[{kind}]] "{name}"'


def _check_unique(document: Document, kind: str, names: list[str]) -> None:
    for index, name in enumerate(names):
        if name in names[:index]:
            document.fail((kind, index, "name"), f"{_label(kind, name)}: the name is taken", f'"{name}_2"')


def _check_times(document: Document, kind: str, values: dict[str, Any], keys: tuple[str, ...], where: Where) -> None:
    for key in keys:
        if (values[key] or 0) > TIME_MAX_NS:
            problem = f"{_label(kind, values['name'])}: {key} {show(values[key])} is longer than the analysis supports"
            document.fail((*where, key), problem, f'at most "{show(TIME_MAX_NS)}"')


def _node(document: Document, values: dict[str, Any], index: int) -> Node:
    where: Where = ("node", index)
    costs = ("send", "receive", "send_message", "receive_message", "propagation")
    _check_times(document, "node", values, costs, where)
    label, wake = _label("node", values["name"]), values["wake"]
    if values["identifiers"]:
        document.fail((*where, "identifiers"), f"{label}: identifiers is of a node with system", "remove identifiers")
    for key in _REQUIRED:
        if values[key] is None:
            document.fail(where, f'{label}: "{key}" is missing', f"{key} = ... ({_meaning(key)})")
    burst = wake if values["burst"] is None else values["burst"]
    if burst < wake:
        problem = f"{label}: burst {show(burst)} is shorter than wake {show(wake)}: a late thread cannot make up for it"
        document.fail((*where, "burst"), problem, f'at least "{show(wake)}", or leave it out')
    if burst > BURST_MAX_NS:
        key = "wake" if values["burst"] is None else "burst"
        document.fail((*where, key), f"{label}: {key} {show(burst)} is longer than a second", 'at most "1 s"')
    address = values["address"] or ("::1" if values["ipv6"] else "127.0.0.1")
    if (ipaddress.ip_address(address).version == 6) != values["ipv6"]:
        problem = f"{label}: address {address}, and ipv6 = {str(values['ipv6']).lower()}"
        document.fail((*where, "address"), problem, f"ipv6 = {str(not values['ipv6']).lower()} for all nodes")
    port = PORT + index if values["port"] is None else values["port"]
    if port > 65535:
        document.fail(where, f"{label}: no UDP port is left for this node", 'port = 7411, and another "address"')
    return Node(
        name=values["name"],
        address=address,
        port=port,
        rate_bps=values["rate"],
        block_size=values["block"],
        mtu=values["mtu"],
        ipv6=values["ipv6"],
        burst_ns=burst,
        wake_ns=wake,
        **{f"{key}_ns": values[key] for key in costs},
    )


def _meaning(name: str) -> str:
    key = machines.NODE.key(name)
    return f"{key.kind.name}: {key.doc}" if key else ""


def _check_same(document: Document, index: int, node: Node, first: Node) -> None:
    for key in ("mtu", "ipv6"):
        mine, other = getattr(node, key), getattr(first, key)
        if mine != other:
            shown, wanted = str(mine).lower(), str(other).lower()
            problem = f'{_label("node", node.name)}: {key} {shown} is not that of "{first.name}", {wanted}'
            document.fail(("node", index, key), problem, f"{key} = {wanted} for all nodes")


def _check_node(document: Document, values: dict[str, Any], key: str, where: Where, nodes: list[str]) -> None:
    name = values[key]
    if name not in nodes:
        problem = f'{_label("channel", values["name"])}: {key} = "{name}": no such node'
        document.fail((*where, key), problem, did_you_mean(name, nodes) or f'[[node]] with name = "{name}"')


def _channel(document: Document, values: dict[str, Any], index: int, nodes: list[str]) -> Channel:
    where: Where = ("channel", index)
    label = _label("channel", values["name"])
    raw = document.data["channel"][index]
    _check_node(document, values, "writer", where, nodes)
    _check_node(document, values, "reader", where, nodes)
    if values["writer"] == values["reader"]:
        problem = f'{label}: writer and reader are both "{values["writer"]}": there is no transfer within a node'
        document.fail((*where, "reader"), problem, "another node, or no channel: the area itself is shared there")
    _check_times(document, "channel", values, ("period", "deadline", "write_wcet", "read_wcet"), where)
    if values["kind"] == "background" and values["deadline"] is not None:
        document.fail((*where, "deadline"), f"{label}: background has no deadline", 'remove it, or kind = "monitor"')
    if values["kind"] != "background" and values["deadline"] is None:
        document.fail(where, f'{label}: "deadline" is missing', 'deadline = "20 ms", or kind = "background"')
    tied = values["kind"] in _TIED
    synchronous = (values["push"] or ("synchronous" if tied else "asynchronous")) == "synchronous"
    blocking = (values["read"] or ("blocking" if tied else "polling")) == "blocking"
    both = synchronous and blocking
    if values["ends"] == "applications" and not both:
        problem = f'{label}: ends = "applications" requires a channel that is synchronous and blocking'
        document.fail((*where, "ends"), problem, 'ends = "memories"')
    applications = (values["ends"] or ("applications" if both else "memories")) == "applications"
    if "write_wcet" in raw and not applications:
        problem = f"{label}: write_wcet is not used if the deadline begins with the push"
        document.fail((*where, "write_wcet"), problem, "remove it")
    return Channel(
        name=values["name"],
        writer=values["writer"],
        reader=values["reader"],
        kind=values["kind"],
        size=values["size"],
        period_ns=values["period"],
        deadline_ns=values["deadline"],
        synchronous=synchronous,
        blocking=blocking,
        applications=applications,
        write_ns=values["write_wcet"],
        read_ns=values["read_wcet"],
        group=values["group"],
        area=values["area"] or values["name"],
        every=values["values"] == "every",
        depth=values["depth"],
        active=values["active"] is not False if values["group"] is None else values["active"] is True,
        chosen_by_writer=False,
    )


def _with_kind_of_group(channels: tuple[Channel, ...]) -> tuple[Channel, ...]:
    readers: dict[str | None, set[str]] = {}
    for channel in channels:
        readers.setdefault(channel.group, set()).add(channel.reader)
    return tuple(
        replace(channel, chosen_by_writer=channel.group is not None and len(readers[channel.group]) > 1)
        for channel in channels
    )


def _with_first_active(tables: list[dict[str, Any]], channels: tuple[Channel, ...]) -> tuple[Channel, ...]:
    """The channel that is active at first, in a group that does not name one."""
    settled = {channel.group for channel in channels if channel.active}
    found = list(channels)
    for index, channel in enumerate(channels):
        if channel.group is not None and channel.group not in settled and tables[index]["active"] is None:
            found[index] = replace(channel, active=True)
            settled.add(channel.group)
    return tuple(found)


def _check_groups(document: Document, channels: tuple[Channel, ...]) -> None:
    active: dict[str, str] = {}
    for index, channel in enumerate(channels):
        if channel.group is not None and channel.active:
            running = active.setdefault(channel.group, channel.name)
            if running != channel.name:
                problem = f'{_label("channel", channel.name)}: active, and so is "{running}" of its group'
                document.fail(("channel", index, "active"), problem, "active = false for all but one")
    first: dict[str, Channel] = {}
    read: dict[tuple[str, str], Channel] = {}
    for index, channel in enumerate(channels):
        if channel.group is None:
            continue
        other = first.setdefault(channel.group, channel)
        label = _label("channel", channel.name)
        if channel.chosen_by_writer and (other.writer, other.area) != (channel.writer, channel.area):
            problem = f'{label}: group "{channel.group}" is read on "{other.reader}", and written elsewhere'
            hint = f'reader = "{other.reader}", or writer = "{other.writer}" and area = "{other.area}"'
            document.fail(("channel", index, "group"), problem, hint)
        if channel.chosen_by_writer and _band(other) != _band(channel):
            problem = f'{label}: pushed in another way than "{other.name}" of its group'
            document.fail(("channel", index, "kind"), problem, "the same push, with a deadline or without, for all")
        same = read.setdefault((channel.group, channel.reader), channel)
        if channel.chosen_by_writer and same is not channel:
            problem = f'{label}: its group of one writer has a channel to {channel.reader} already, "{same.name}"'
            document.fail(("channel", index, "reader"), problem, "another reader")


def _band(channel: Channel) -> tuple[bool, bool]:
    return channel.synchronous, channel.deadline_ns is None


def _check_ends(document: Document, nodes: tuple[Node, ...], channels: tuple[Channel, ...]) -> None:
    """UserError: two nodes or channels that servers could not distinguish."""
    addresses: dict[tuple[str, int], str] = {}
    for index, node in enumerate(nodes):
        other = addresses.setdefault((node.address, node.port), node.name)
        if other != node.name:
            problem = f'{_label("node", node.name)}: address and port are those of "{other}"'
            document.fail(("node", index, "port"), problem, "another port")
    numbers: dict[int, str] = {}
    for index, channel in enumerate(channels):
        if numbers.setdefault(channel.number, channel.name) != channel.name:
            problem = f'{_label("channel", channel.name)}: its number in packets is that of "{numbers[channel.number]}"'
            document.fail(("channel", index, "name"), problem, f'"{channel.name}_2"')
        if channel.depth & (channel.depth - 1):
            problem = f"{_label('channel', channel.name)}: depth {channel.depth} is no power of two"
            document.fail(("channel", index, "depth"), problem, f"{1 << channel.depth.bit_length()}")
        if channel.size * channel.depth > BYTES_MAX:
            whole = f"size {channel.size}, depth {channel.depth}: {channel.size * channel.depth} bytes"
            problem = f"{_label('channel', channel.name)}: {whole}, and at most {BYTES_MAX} ({BYTES_MAX >> 20} MiB) are"
            document.fail(("channel", index, "depth"), f"{problem} possible", "a smaller one of them")
    _check_areas(document, channels)


def _check_areas(document: Document, channels: tuple[Channel, ...]) -> None:
    """UserError: a reader's memory with two writers outside of one group, or with values of different sizes."""
    read: dict[tuple[str, str], Channel] = {}
    written: dict[tuple[str, str], Channel] = {}
    for index, channel in enumerate(channels):
        source = written.setdefault((channel.writer, channel.area), channel)
        if source.size != channel.size:
            problem = f'{_label("channel", channel.name)}: size {channel.size}, and "{source.name}" of the same area'
            document.fail(("channel", index, "size"), f"{problem} has {source.size}", f"{source.size}, or another area")
        other = read.setdefault((channel.reader, channel.read_area), channel)
        if other is channel:
            continue
        if channel.group is None or other.group != channel.group:
            problem = f'{_label("channel", channel.name)}: "{other.name}" has the area "{channel.read_area}" on'
            document.fail(
                ("channel", index, "area" if channel.group is None else "group"),
                f"{problem} {channel.reader}",
                "another area, or one group for both",
            )
        for key, mine, wanted in (("size", channel.size, other.size), ("depth", channel.depth, other.depth)):
            if mine != wanted:
                problem = (
                    f'{_label("channel", channel.name)}: {key} {mine}, and "{other.name}" of its group has {wanted}'
                )
                document.fail(("channel", index, key), problem, f"{wanted} for both")
