# SPDX-License-Identifier: Apache-2.0
"""`[[node]]` and `[[channel]]` of system.toml: what is checked between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from takt.durations import show
from takt.errors import did_you_mean
from takt.locate import Path as Where
from takt.reader import Document

TIME_MAX_NS = 1 << 60  # TAKT_ADMIT_TIME_MAX_NS
BURST_MAX_NS = 10**9
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


@dataclass(frozen=True)
class Channel:
    """A channel; `deadline_ns` None: none is guaranteed."""

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


@dataclass(frozen=True)
class Plant:
    """All of a file, in its order."""

    nodes: tuple[Node, ...]
    channels: tuple[Channel, ...]


def plant(document: Document, tables: dict[str, Any]) -> Plant:
    """Nodes and channels of what was read by the schema, checked. Raises UserError."""
    nodes = tuple(_node(document, values, ("node", index)) for index, values in enumerate(tables["node"]))
    _check_unique(document, "node", [node.name for node in nodes])
    for index, node in enumerate(nodes):
        _check_same(document, index, node, nodes[0])
    names = [node.name for node in nodes]
    channels = tuple(_channel(document, values, index, names) for index, values in enumerate(tables["channel"]))
    _check_unique(document, "channel", [channel.name for channel in channels])
    _check_groups(document, channels)
    return Plant(nodes, channels)


def _label(kind: str, name: str) -> str:
    return f'[[{kind}]] "{name}"'


def _check_unique(document: Document, kind: str, names: list[str]) -> None:
    for index, name in enumerate(names):
        if name in names[:index]:
            document.fail((kind, index, "name"), f"{_label(kind, name)}: the name is taken", f'"{name}_2"')


def _check_times(document: Document, kind: str, values: dict[str, Any], keys: tuple[str, ...], where: Where) -> None:
    for key in keys:
        if (values[key] or 0) > TIME_MAX_NS:
            problem = f"{_label(kind, values['name'])}: {key} {show(values[key])} is longer than is counted here"
            document.fail((*where, key), problem, f'at most "{show(TIME_MAX_NS)}"')


def _node(document: Document, values: dict[str, Any], where: Where) -> Node:
    costs = ("send", "receive", "send_message", "receive_message", "propagation")
    _check_times(document, "node", values, costs, where)
    label, wake = _label("node", values["name"]), values["wake"]
    burst = wake if values["burst"] is None else values["burst"]
    if burst < wake:
        problem = f"{label}: burst {show(burst)} is shorter than wake {show(wake)}: what a late thread loses stays lost"
        document.fail((*where, "burst"), problem, f'at least "{show(wake)}", or leave it out')
    if burst > BURST_MAX_NS:
        key = "wake" if values["burst"] is None else "burst"
        document.fail((*where, key), f"{label}: {key} {show(burst)} is longer than a second", 'at most "1 s"')
    return Node(
        name=values["name"],
        rate_bps=values["rate"],
        block_size=values["block"],
        mtu=values["mtu"],
        ipv6=values["ipv6"],
        burst_ns=burst,
        wake_ns=wake,
        **{f"{key}_ns": values[key] for key in costs},
    )


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
        problem = f'{label}: writer and reader are both "{values["writer"]}": within a node nothing is sent'
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
        problem = f'{label}: ends = "applications", but it is not both synchronous and blocking: nothing says when'
        document.fail((*where, "ends"), problem, 'ends = "memories"')
    applications = (values["ends"] or ("applications" if both else "memories")) == "applications"
    if "write_wcet" in raw and not applications:
        problem = f"{label}: write_wcet means nothing where the deadline begins with the push"
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
    )


def _check_groups(document: Document, channels: tuple[Channel, ...]) -> None:
    first: dict[str, Channel] = {}
    for index, channel in enumerate(channels):
        if channel.group is None:
            continue
        other = first.setdefault(channel.group, channel)
        if other.reader != channel.reader:
            problem = f'{_label("channel", channel.name)}: group "{channel.group}" is read on "{other.reader}"'
            document.fail(("channel", index, "group"), problem, "another group, or the same reader")
