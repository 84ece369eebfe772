# SPDX-License-Identifier: Apache-2.0
"""Messages that a node of a network forwards from one of its buses to another: of what they are the copies. The period
of a copy is that of the message that was sent first; its jitter follows from the bound of its source among the messages
of all nodes (takt.prove.bus.together)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from takt.declare.network.read import Network, Node
from takt.declare.schema.model import Message
from takt.declare.schema.reader import located
from takt.prove.bus.together import Source, Sources
from takt.prove.bus.traffic import Traffic

Key = tuple[str, str]
"""Bus and name of a message."""


def _node(network: Network, one: Message) -> Node:
    """That forwards it."""
    return next(node for node in network.nodes if node.name == one.origin)


def _source(network: Network, one: Message) -> Key | None:
    """None: it is no copy."""
    if one.forwards is None:
        return None
    return _node(network, one).system.message(one.forwards).bus, one.forwards


def linked(network: Network, buses: Sequence[Traffic]) -> list[Traffic]:
    """With the periods of copies. UserError: copies of each other, which no node sends first."""
    messages = {(bus.bus.name, one.name): one for bus in buses for one in bus.messages}
    periods_ns = {(bus.bus.name, name): ns for bus in buses for name, ns in bus.periods_ns.items()}
    sources = {key: _source(network, one) for key, one in messages.items()}

    def first(key: Key) -> Key:
        seen = [key]
        while (source := sources[seen[-1]]) is not None:
            if source in seen:
                _refuse_circle(network, messages, seen[seen.index(source) :])
            seen.append(source)
        return seen[-1]

    found = []
    for bus in buses:
        keys = {name: (bus.bus.name, name) for name in bus.periods_ns}
        known = {name: periods_ns[first(key)] for name, key in keys.items()}
        passed_on = frozenset(name for name, key in keys.items() if key in sources.values())
        found.append(replace(bus, periods_ns=known, forwarded=passed_on))
    return found


def _refuse_circle(network: Network, messages: Mapping[Key, Message], keys: Sequence[Key]) -> None:
    one = messages[keys[0]]
    names = ", ".join(f"{name} on {bus}" for bus, name in keys)
    problem = f'[[message]] "{one.name}" of {one.origin}: forwards = "{one.forwards}": copies of each other alone'
    raise located(_node(network, one).system, one.name, f"{problem} ({names})", "a sender of one of them")


def sources(network: Network, buses: Sequence[Traffic], handled_ns: Mapping[str, int | None]) -> Sources:
    """Of all copies. `handled_ns`: by node, a bound on an interrupt and its handler."""
    messages = {(bus.bus.name, one.name): one for bus in buses for one in bus.messages}
    found = {key: (one, _source(network, one)) for key, one in messages.items()}
    return {
        key: Source(messages[source], handled_ns[one.origin or ""])
        for key, (one, source) in found.items()
        if source is not None
    }
