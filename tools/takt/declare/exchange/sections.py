# SPDX-License-Identifier: Apache-2.0
"""Sections of resources within a job, as intervals of its execution: the longest of each resource, how many, and in
which others they lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from takt.declare.exchange.model import Use


@dataclass(frozen=True)
class Section:
    """From `begin_ns` to `end_ns` of a job's execution it holds the resource."""

    resource: str
    begin_ns: int
    end_ns: int


def uses(task: str, held: Sequence[Section]) -> list[tuple[str, Use]]:
    """A job's use of each resource. Sections that lie in others are nested: of two over the same interval the first
    of the list is the outer one. Those that only overlap count as nested, too: the later begins in the earlier."""
    order = sorted(range(len(held)), key=lambda index: (held[index].begin_ns, -held[index].end_ns, index))
    within: dict[str, dict[str, None]] = {}
    longest: dict[str, int] = {}
    for at, index in enumerate(order):
        one = held[index]
        longest[one.resource] = max(longest.get(one.resource, 0), one.end_ns - one.begin_ns)
        outer = within.setdefault(one.resource, {})
        for before in order[:at]:
            other = held[before]
            if other.resource != one.resource and other.end_ns > one.begin_ns:
                outer[other.resource] = None
                longest[other.resource] = max(longest[other.resource], one.end_ns - other.begin_ns)
    for _ in within:  # an outer hold is no shorter than an inner one, also where that is longer elsewhere
        for resource, outer in within.items():
            for name in outer:
                longest[name] = max(longest[name], longest[resource])
    count = {resource: sum(one.resource == resource for one in held) for resource in within}
    return [(one, Use(task, longest[one], count[one], tuple(outer))) for one, outer in within.items()]
