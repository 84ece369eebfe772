# SPDX-License-Identifier: Apache-2.0
"""Which messages of a bus share a clock, and when they are released by it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from takt.can.bounds import Phase
from takt.can.messages import Message


def clock(message: Message) -> str | None:
    """The node that releases it, every period exactly. None: it is sent on events too, or no or several nodes send it,
    so its releases have no fixed distance from others."""
    return message.senders[0] if len(message.senders) == 1 and not message.event else None


def counted(messages: Sequence[Message]) -> list[Message]:
    """Those whose offsets count: given, of a node that has several such."""
    given = [one for one in messages if one.offset_ns is not None and clock(one) is not None]
    nodes = Counter(clock(one) for one in given)
    return [one for one in given if nodes[clock(one)] > 1]


def phases(messages: Sequence[Message], count: int) -> list[Phase]:
    """Of `count` frames by priority, the first of them those of `messages`; of those whose offsets do not count each
    has a clock of its own."""
    first: dict[str, int] = {}
    found = []
    for index, one in enumerate(messages):
        name = clock(one)
        if name is None or one.offset_ns is None:
            found.append(Phase(index, 0))
        else:
            found.append(Phase(first.setdefault(name, index), one.offset_ns))
    return [*found, *(Phase(index, 0) for index in range(len(messages), count))]
