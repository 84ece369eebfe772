# SPDX-License-Identifier: Apache-2.0
"""The facts at each call: how many mutexes the task holds at least, and which hints are in effect."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from takt.hints.code.calls import Role, blocks
from takt.hints.flow import Flow, Node
from takt.hints.program import Function, Program

HELD_MAX = 8  # counted from -HELD_MAX to this, in either direction
Fact = TypeVar("Fact")

Hints = frozenset[Node | None]  # None: none on some path


def forward(
    flow: Flow, start: Fact, passed: Callable[[Node, Fact], Fact], join: Callable[[Fact, Fact], Fact]
) -> dict[Node, Fact]:
    """Before each node that is reached."""
    found = {flow.entry: start}
    ahead = [flow.entry]
    while ahead:
        node = ahead.pop()
        after = passed(node, found[node])
        for other in node.follows:
            now = join(found[other], after) if other in found else after
            if other not in found or now != found[other]:
                found[other] = now
                ahead.append(other)
    return found


class Facts:
    """The facts before each node of every function."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.change: dict[str, int] = {}  # of the mutexes held, by a call of a function, at least
        self.held: dict[str, dict[Node, int]] = {}
        self.hints: dict[str, dict[Node, Hints]] = {}
        order = list(program.callees_first())
        for function in order:
            inside = self._held(function, 0)
            self.change[function.key] = 0 if function.recursive else inside.get(function.flow.end, 0)
        for function in reversed(order):
            self.held[function.key] = self._held(function, min(self._at_calls(function, self.held, 0), default=0))
            hints: Iterable[Hints] = self._at_calls(function, self.hints, NONE)
            self.hints[function.key] = forward(function.flow, NONE_AT_ALL.union(*hints) or NONE, self._hinted, _union)

    def _at_calls(self, function: Function, known: Mapping[str, Mapping[Node, Fact]], nothing: Fact) -> list[Fact]:
        """The facts at the calls of a function; `nothing` where it begins as a task, or its caller is not known."""
        found = [nothing] if function.task or function.taken or function.recursive else []
        for key in function.callers:
            if key not in known:
                return [nothing]
            for node in self.program.functions[key].flow.calls:
                if self.program.target(node.cursor).function is function and node in known[key]:
                    found.append(known[key][node])
        return found

    def _held(self, function: Function, start: int) -> dict[Node, int]:
        return forward(function.flow, start, self._holding, min)

    def _holding(self, node: Node, held: int) -> int:
        if node.kind == "unlock":
            return max(-HELD_MAX, held - 1)
        if node.kind != "call":
            return held
        target = self.program.target(node.cursor)
        if target.function is not None:
            held += self.change.get(target.function.key, 0)
        elif target.call is not None:
            held += target.call.holds
        return max(-HELD_MAX, min(held, HELD_MAX))

    def _hinted(self, node: Node, hints: Hints) -> Hints:
        if node.kind != "call":
            return hints
        target = self.program.target(node.cursor)
        if target.call is None:
            return NONE
        if target.call.role is Role.HINT:
            return frozenset([node])
        return NONE if blocks(target.call) or target.call.role is Role.TRY else hints


NONE: Hints = frozenset([None])
NONE_AT_ALL: Hints = frozenset()


def _union(one: Hints, other: Hints) -> Hints:
    return one | other
