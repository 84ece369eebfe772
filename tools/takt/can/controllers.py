# SPDX-License-Identifier: Apache-2.0
"""How the nodes of a bus queue what they send: by priority, by arrival, or in the buffers of a controller."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from takt.can.bounds import Sender
from takt.can.messages import Message
from takt.support import durations
from takt.support.c.analysis import CanQueue
from takt.support.errors import UserError, closest
from takt.support.names import shown

BUFFERS_MAX = 1_000
FORMS = "priority, fifo, 3, 3/abort or 3/abort:50us, for one node NODE=fifo"
_BUFFERS = re.compile(r"([0-9]{1,4})(?:(/abort)(?::(.+))?)?")


@dataclass(frozen=True)
class Controller:
    """As an option has it, and as it counts."""

    text: str
    sender: Sender

    @property
    def words(self) -> str:
        """After "queued"."""
        buffers = f"in {self.sender.buffers} buffer{'' if self.sender.buffers == 1 else 's'}"
        if self.sender.queue == CanQueue.ABORTABLE:
            return f"{buffers} that are aborted within {durations.show(self.sender.abort_ns)}"
        return {CanQueue.PRIORITY: "by priority", CanQueue.FIFO: "first in, first out"}.get(
            self.sender.queue, f"{buffers} that cannot be aborted"
        )


BY_PRIORITY = Controller("priority", Sender())


@dataclass(frozen=True)
class Controllers:
    """Of the nodes by name, and of all others."""

    default: Controller = BY_PRIORITY
    nodes: Mapping[str, Controller] = field(default_factory=dict)

    @property
    def all_by_priority(self) -> bool:
        return all(one.sender.queue == CanQueue.PRIORITY for one in (self.default, *self.nodes.values()))

    def is_held(self, message: Message) -> bool:
        """Whether its node may offer one with a higher identifier instead."""
        return self.of(message).sender.queue in (CanQueue.FIFO, CanQueue.BUFFERS)

    def of(self, message: Message) -> Controller:
        """Of its first sender. A message without one has a queue of its own."""
        return self.of_node(message.senders[0] if message.senders else None)

    def of_node(self, name: str | None) -> Controller:
        """None: of messages without a sender."""
        return BY_PRIORITY if name is None else self.nodes.get(name, self.default)

    def without(self, node: str) -> Controllers:
        """With this node's queue by priority."""
        return Controllers(self.default, {**self.nodes, node: BY_PRIORITY})


ALL_BY_PRIORITY = Controllers()


def senders(messages: Sequence[Message], controllers: Controllers) -> tuple[list[int], list[Sender]]:
    """Of each message the index of its sender, and these; ([0, ...], []) if all are by priority."""
    if controllers.all_by_priority:
        return [0] * len(messages), []
    indices: dict[str, int] = {}
    found: list[Sender] = []
    of_messages = []
    for one in messages:
        index = indices.setdefault(one.senders[0], len(found)) if one.senders else len(found)
        if index == len(found):
            found.append(controllers.of(one).sender)
        of_messages.append(index)
    return of_messages, found


def controller(text: str) -> Controller:
    """Of a word such as 3/abort. UserError: it is none."""
    if text in ("priority", "fifo"):
        return Controller(text, Sender(CanQueue.FIFO) if text == "fifo" else Sender())
    found = _BUFFERS.fullmatch(text)
    if found is None:
        raise UserError(f'"{shown(text[:60])}" is no controller', FORMS)
    count = int(found[1])
    if not 1 <= count <= BUFFERS_MAX:
        raise UserError(f"{count} buffers", f"1 to {BUFFERS_MAX}")
    queue = CanQueue.ABORTABLE if found[2] else CanQueue.BUFFERS
    return Controller(text, Sender(queue, count, durations.parse(found[3]) if found[3] else 0))


def parse(texts: Iterable[str], messages: Sequence[Message]) -> Controllers:
    """Of options such as fifo and engine=3/abort. UserError: one is none, its node sends nothing, or it is given
    twice."""
    names = list(dict.fromkeys(name for one in messages for name in one.senders))
    default: Controller | None = None
    nodes: dict[str, Controller] = {}
    for text in texts:
        name, equals, kind = text.rpartition("=")
        name, how = name.strip(), controller(kind.strip())
        if not equals:
            if default is not None:
                raise UserError("two controllers for all nodes", "NODE=fifo for one of them")
            default = how
        elif name not in names:
            raise UserError(f'no message has the sender "{shown(name[:60])}"', closest(name, names) or FORMS)
        elif name in nodes:
            raise UserError(f'two controllers for the node "{shown(name)}"', "one for each node")
        else:
            nodes[name] = how
    return Controllers(default or BY_PRIORITY, nodes)
