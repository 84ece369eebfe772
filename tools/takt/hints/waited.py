# SPDX-License-Identifier: Apache-2.0
"""The mutexes whose owner may wait for an object: a hint of one is no harm only if another task ends that wait.

An owner that waits for a call of the hinted task, which the task makes before it locks, would wait for ever: with the
hint the task does not run before the mutex is free (takt/hint.h).
"""

from __future__ import annotations

from takt.hints.code.calls import Role, blocks
from takt.hints.code.expressions import Reader, Term, UnclearError, same
from takt.hints.code.source import Cursor
from takt.hints.flow import Node
from takt.hints.program import Function, Program
from takt.hints.successors import Outcome, Successors, in_terms_of_the_caller

Position = tuple[Function, Node, Term | None]
"""A node of a function, where a task has the mutex."""


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
        """Whether a path from the lock to a wait has no unlock of its mutex."""
        term = next(iter(self.successors.lock(function, lock.cursor))).term
        ahead = self._behind(function, lock, term)
        seen = {self._key(one) for one in ahead}
        while ahead:
            where, node, mutex = ahead.pop()
            found = self._from(where, node, mutex)
            if found is None:
                return True
            ahead += [one for one in found if self._key(one) not in seen]
            seen.update(map(self._key, found))
        return False

    @staticmethod
    def _key(position: Position) -> tuple[str, Node, Term | None]:
        function, node, term = position
        return function.key, node, term

    def _from(self, function: Function, node: Node, term: Term | None) -> list[Position] | None:
        """Where a path goes on with the mutex; None: the task may wait here."""
        if node.kind == "unknown":
            return None
        if node.kind == "end":
            return self._callers(function, term)
        if node.kind == "call":
            callee = self.program.target(node.cursor).function
            if self._waits(node) or (callee is not None and callee.key in self.waiting):
                return None
            way = callee and self._always_unlocks(callee, callee.flow.entry, term, (function, node))
            if way or self._unlocks(function, node, term, None):
                return []
        return [(function, other, term) for other in node.follows]

    def _callers(self, function: Function, term: Term | None) -> list[Position] | None:
        """Behind each call of a function that returns with the mutex."""
        if function.taken or function.recursive or (function.task and function.callers):
            return None
        found: list[Position] = []
        for key in function.callers:
            caller = self.program.functions[key]
            for node in caller.flow.calls:
                if self.program.target(node.cursor).function is function:
                    named = self._named(caller, node, function, term)
                    found += self._behind(caller, node, named)
        return found

    def _behind(self, function: Function, call: Node, term: Term | None) -> list[Position]:
        """Behind a call that locks the mutex; of a test of its result the side on which it is locked."""
        found: list[Node] = []
        for node in call.follows:
            if node.kind == "test" and _holds(node.cursor, call.cursor):
                sides = [side for side in node.follows if self._always_unlocks(function, side, term, None)]
                found += node.usual or (sides if len(sides) == 1 else node.follows)
            else:
                found.append(node)
        return [(function, node, term) for node in found]

    def _named(self, caller: Function, node: Node, callee: Function, term: Term | None) -> Term | None:
        """The mutex by the arguments of a call."""
        if term is None:
            return None
        arguments = self.successors.arguments(caller, node.cursor, callee)
        return in_terms_of_the_caller(Outcome("lock", term), arguments).term

    def _always_unlocks(
        self, function: Function, start: Node, term: Term | None, called: tuple[Function, Node] | None
    ) -> bool:
        """Whether every path to the function's end has an unlock of the mutex, by functions that it calls too. What is
        not locked is not unlocked."""
        ahead, seen = [start], {start}
        while ahead:
            node = ahead.pop()
            if node.kind in ("end", "unknown"):
                return False
            if node.kind == "call" and self._unlocks(function, node, term, called):
                continue
            callee = self.program.target(node.cursor).function if node.kind == "call" and called is None else None
            if callee is not None and self._always_unlocks(callee, callee.flow.entry, term, (function, node)):
                continue
            ahead += [other for other in node.follows if other not in seen]
            seen.update(node.follows)
        return True

    def _unlocks(self, function: Function, node: Node, term: Term | None, called: tuple[Function, Node] | None) -> bool:
        """Whether a call unlocks the mutex; `called`: from where its function is called."""
        call = self.program.target(node.cursor).call
        if term is None or call is None or call.role is not Role.UNLOCK:
            return False
        try:
            unlocked: Term | None = Reader(function.flow.aliased).pointer(list(node.cursor.get_children())[1])
        except (UnclearError, IndexError):
            return False
        if called is not None:
            unlocked = self._named(*called, function, unlocked)
        return unlocked is not None and same(term, unlocked)


def _holds(outer: Cursor, inner: Cursor) -> bool:
    """Whether one expression is in another."""
    around, part = outer.extent, inner.extent
    return bool(around.start.offset <= part.start.offset and part.end.offset <= around.end.offset)
