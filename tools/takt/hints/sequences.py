# SPDX-License-Identifier: Apache-2.0
"""From each node of a function, the mutexes that every path locks from there on before the task waits or serves.

The sets of seed 000, 5.4.2. A path is a sequence of different mutexes in the order of their first locks. It ends at a
wait for anything but a mutex, at a lock with a timeout, at a try_lock, and at a call that may wake another task: one
that owns a later mutex could wait for that call. Paths on which a lock fails do not count, nor do those that never end:
there a hint costs a wait for a section that the task's blocking has already, as any wrong one of a declared user.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from takt.hints.code.calls import Role, serves
from takt.hints.code.expressions import Term, same
from takt.hints.code.source import Cursor
from takt.hints.flow import Node
from takt.hints.program import Function, Program
from takt.hints.successors import Outcome, Successors, in_terms_of_the_caller

Terms = tuple[Term, ...]
TIMED = "timed"  # the kind of a term that stands for a mutex whose lock may time out


@dataclass(frozen=True)
class Ahead:
    """`ended`: what all paths that end have in common at their beginning; None: no path ends. `through`: what is locked
    on the way to the function's end; None: no path reaches it. `several`: on such paths different ones, which then are
    in `ended`."""

    ended: Terms | None = None
    through: Terms | None = None
    several: bool = False


NOWHERE = Ahead()
ENDED = Ahead(ended=())
THROUGH = Ahead(through=())


def common(one: Terms | None, other: Terms | None) -> Terms | None:
    """The longest common beginning."""
    if one is None or other is None:
        return other if one is None else one
    count = 0
    while count < min(len(one), len(other)) and same(one[count], other[count]):
        count += 1
    return one[:count]


def joined(one: Ahead, other: Ahead) -> Ahead:
    """Of paths that part here."""
    both = [each.through for each in (one, other) if each.through is not None]
    several = one.several or other.several or (len(both) == 2 and not alike(*both))
    ended = common(one.ended, other.ended)
    if not several:
        return Ahead(ended, both[0] if both else None)
    for each in both:
        ended = common(ended, each)
    return Ahead(ended, None, True)


def alike(one: Terms, other: Terms) -> bool:
    return len(one) == len(other) and all(map(same, one, other))


def then(first: Terms, rest: Terms) -> Terms:
    """One after the other, each mutex once."""
    return first + tuple(term for term in rest if not any(same(term, known) for known in first))


def composed(first: Ahead, after: Ahead) -> Ahead:
    """What follows `first`, and behind its end `after`."""
    way = first.through
    if way is None:
        return Ahead(first.ended)
    ended, through = (None if terms is None else then(way, terms) for terms in (after.ended, after.through))
    return Ahead(common(first.ended, ended), through, after.several)


def cut(ahead: Ahead, keep: Callable[[Term], bool]) -> Ahead:
    """Up to the first term that is not kept."""

    def kept(terms: Terms) -> Terms:
        count = next((number for number, term in enumerate(terms) if not keep(term)), len(terms))
        return terms[:count]

    ended = None if ahead.ended is None else kept(ahead.ended)
    if ahead.through is None or len(kept(ahead.through)) == len(ahead.through):
        return Ahead(ended, ahead.through, ahead.several)
    return Ahead(common(ended, kept(ahead.through)), None, True)


class Sequences:
    """For every function the mutexes ahead of each of its nodes, and after its return."""

    def __init__(self, program: Program, successors: Successors) -> None:
        self.program, self.successors = program, successors
        self.inside: dict[str, dict[Node, Ahead]] = {}
        self.after_return: dict[str, Ahead] = {}
        order = list(program.callees_first())
        for function in order:
            self.inside[function.key] = self._solved(function)
        for function in reversed(order):
            self.after_return[function.key] = self._after_function(function)

    def _solved(self, function: Function) -> dict[Node, Ahead]:
        found: dict[Node, Ahead] = {}
        changed = True
        while changed:  # values only get shorter
            changed = False
            for node in function.flow.nodes:
                after = self._joined(found.get(other, NOWHERE) for other in (node.usual or node.follows))
                now = joined(found.get(node, NOWHERE), self._before(function, node, after))
                if now != found.get(node, NOWHERE):
                    found[node] = now
                    changed = True
        return found

    @staticmethod
    def _joined(parts: Iterable[Ahead]) -> Ahead:
        found = NOWHERE
        for part in parts:
            found = joined(found, part)
        return found

    def _before(self, function: Function, node: Node, after: Ahead) -> Ahead:
        if node.kind == "end":
            return THROUGH
        if node.kind == "unknown":
            return ENDED
        if node.kind == "write":
            return cut(after, lambda term: node.key not in term.values())
        return self._call(function, node.cursor, after) if node.kind == "call" else after

    def _call(self, function: Function, cursor: Cursor, after: Ahead) -> Ahead:
        target = self.program.target(cursor)
        if target.function is not None:
            if target.function.recursive:
                return ENDED
            return composed(self._in_caller(function, cursor, target.function), after)
        if target.call is None:
            return ENDED
        if target.call.role is Role.LOCK:
            return self._lock(function, cursor, after)
        if target.call.role is Role.END:
            return NOWHERE
        return ENDED if serves(cursor.spelling, target.call) else after

    def _lock(self, function: Function, cursor: Cursor, after: Ahead) -> Ahead:
        term = next(iter(self.successors.lock(function, cursor))).term
        if term is None:
            return ENDED
        if cursor.spelling == "takt_mutex_lock_until":
            return Ahead(ended=(Term(TIMED, parts=(term,)),))
        return composed(Ahead(through=(term,)), after)

    def _in_caller(self, function: Function, cursor: Cursor, callee: Function) -> Ahead:
        """What a call of a function locks, by its arguments."""
        arguments = self.successors.arguments(function, cursor, callee)
        own = self.inside[callee.key].get(callee.flow.entry, NOWHERE)

        def named(term: Term) -> Term | None:
            return in_terms_of_the_caller(Outcome("lock", term), arguments).term

        def renamed(terms: Terms) -> Terms:
            found: Terms = ()
            for term in terms:
                found = then(found, tuple(part for part in (named(term),) if part is not None))
            return found

        known = cut(own, lambda term: named(term) is not None)
        ended, through = (None if terms is None else renamed(terms) for terms in (known.ended, known.through))
        return Ahead(ended, through, known.several)

    def _after_function(self, function: Function) -> Ahead:
        if function.task or function.taken or function.recursive:
            return ENDED
        found = NOWHERE
        for key in function.callers:
            caller = self.program.functions[key]
            sites = [node for node in caller.flow.calls if self.program.target(node.cursor).function is function]
            found = self._joined([found, *(self._after(caller, node) for node in sites), *([] if sites else [ENDED])])
        return cut(found, lambda term: term.fixed)

    def _after(self, function: Function, node: Node) -> Ahead:
        inside = self.inside[function.key]
        return self._resolved(function, self._joined(inside.get(other, NOWHERE) for other in node.follows))

    def _resolved(self, function: Function, ahead: Ahead) -> Ahead:
        if ahead.through is None:
            return ahead
        return composed(ahead, self.after_return.get(function.key, ENDED))

    def after(self, function: Function, node: Node) -> Terms | None:
        """What every path locks after a node. Empty: on some path the task waits or serves first; None: none ends."""
        return self._after(function, node).ended

    def of_job(self, function: Function) -> Terms | None:
        """The same of a whole job."""
        return self._resolved(function, self.inside[function.key].get(function.flow.entry, NOWHERE)).ended


def of_set(locked: Terms | None) -> Terms:
    """Those that a set may name: constants, up to a lock that may time out."""
    return cut(Ahead(locked), lambda term: term.fixed and term.kind != TIMED).ended or ()
