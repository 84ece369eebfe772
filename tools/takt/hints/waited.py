# SPDX-License-Identifier: Apache-2.0
"""The mutexes whose owner may wait for an object: a hint of one is no harm only if another task ends that wait.

An owner that waits for a call of the hinted task, which the task makes before it locks, would wait for ever: with the
hint the task does not run before the mutex is free (takt/hint.h).
"""

from __future__ import annotations

from takt.hints.code.calls import Role, blocks
from takt.hints.code.expressions import Reader, Term, UnclearError, same
from takt.hints.flow import Node
from takt.hints.program import Function, Program
from takt.hints.successors import Successors


class Waited:
    """Of a program. Where it is not known which mutex a function locks, any may be one."""

    def __init__(self, program: Program, successors: Successors) -> None:
        self.program, self.successors = program, successors
        own = {key for key, function in program.functions.items() if any(map(self._waits, function.flow.calls))}
        self.waiting = own | {key for key, function in program.functions.items() if program.reached(function) & own}
        self.mutexes: list[Term] = []
        self.any = False
        for function in program.functions.values():
            for node in function.flow.calls:
                call = program.target(node.cursor).call
                if call is not None and call.role in (Role.LOCK, Role.TRY) and self._held(function, node):
                    self._add(function, node)

    def _add(self, function: Function, node: Node) -> None:
        outcome = next(iter(self.successors.lock(function, node.cursor)))
        if outcome.term is None or not outcome.term.fixed:
            self.any = True
        else:
            self.mutexes.append(outcome.term)

    def may(self, term: Term) -> bool:
        """Whether an owner of the mutex may wait for an object."""
        return self.any or not term.fixed or any(same(term, other) for other in self.mutexes)

    def _waits(self, node: Node) -> bool:
        target = self.program.target(node.cursor)
        return bool(target.unknown) or (
            target.call is not None and blocks(target.call) and target.call.role is not Role.LOCK
        )

    def _held(self, function: Function, lock: Node) -> bool:
        """Whether a path from the lock to a wait has no unlock of its mutex. A function that returns with it: yes."""
        term = next(iter(self.successors.lock(function, lock.cursor))).term
        ahead, seen = list(lock.follows), set(lock.follows)
        while ahead:
            node = ahead.pop()
            if node.kind in ("unknown", "end") and not (node.kind == "end" and function.task and not function.callers):
                return True
            if node.kind == "call":
                target = self.program.target(node.cursor)
                if self._waits(node) or (target.function is not None and target.function.key in self.waiting):
                    return True
                if self._unlocks(function, node, term):
                    continue
            ahead += [other for other in node.follows if other not in seen]
            seen.update(node.follows)
        return False

    def _unlocks(self, function: Function, node: Node, term: Term | None) -> bool:
        call = self.program.target(node.cursor).call
        if term is None or call is None or call.role is not Role.UNLOCK:
            return False
        try:
            return same(term, Reader(function.flow.aliased).pointer(list(node.cursor.get_children())[1]))
        except (UnclearError, IndexError):
            return False
