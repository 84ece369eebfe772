# SPDX-License-Identifier: Apache-2.0
"""Decides for each blocking call and each end of a job: a hint, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from takt.hints import sets
from takt.hints.code.calls import Role, blocks
from takt.hints.code.expressions import NULL, Reader, Term, UnclearError, same, written
from takt.hints.code.source import Cursor, bare, binary, kind
from takt.hints.code.syntax import COMPARISONS
from takt.hints.edit import IN_BLOCK, STATIC, NotThereError, Point, form_of
from takt.hints.facts import Facts
from takt.hints.flow import Node
from takt.hints.program import Function, Program, calls_in
from takt.hints.scope import Scope
from takt.hints.sequences import Sequences, Terms, of_set
from takt.hints.successors import ENDLESS, Outcome, Outcomes, Successors
from takt.hints.waited import Waited

JOB_END = "end of job"


@dataclass(frozen=True)
class Expected:
    """The mutex that a hint has to name, `term`, or why there is none. `at`: where the mutex is locked.

    `known`: all paths are known, so that a hint of another mutex is wrong.
    """

    term: Term | None = None
    why: str = ""
    at: str = ""
    known: bool = False
    following: tuple[Term, ...] = ()  # after `term` on every path


class Decisions:
    """`fifo`: mutexes with waiters in FIFO order, on which a hint has no effect. `alone`: names of functions that are
    the entries of one task each."""

    def __init__(
        self, program: Program, fifo: frozenset[str] = frozenset(), alone: frozenset[str] = frozenset()
    ) -> None:
        self.program = program
        self.fifo = fifo
        self.alone = alone
        self.successors = Successors(program)
        self.sequences = Sequences(program, self.successors)
        self.waited = Waited(program, self.successors)
        self.facts = Facts(program)

    def all(self) -> list[Point]:
        """In the order of the files and of their lines."""
        found: dict[tuple[Path, int, str], Point] = {}
        for function in self.program.functions.values():
            for point in self._of(function):
                found.setdefault((point.path, point.offset, point.call), point)
        return sorted(found.values(), key=lambda point: (str(point.path), point.offset))

    def _of(self, function: Function) -> Iterator[Point]:
        nodes = {int(node.cursor.extent.start.offset): node for node in function.flow.calls}
        scope = Scope(function)
        for cursor in calls_in(function.cursor):
            call = self.program.target(cursor).call
            if call is None or not blocks(call):
                continue
            point = _point(function, cursor, cursor.spelling)
            node = nodes.get(int(cursor.extent.start.offset))
            if call.role is not Role.WAIT:
                yield replace(point, why=call.why)
            elif node is None:
                yield replace(point, why=self._unknown_at(function, cursor))
            else:
                yield self._decided(point, function, node, self.expected(function, node), scope)
        if function.task == "job":
            yield from self._job_ends(function, scope)

    def _job_ends(self, function: Function, scope: Scope) -> Iterator[Point]:
        reached = self.facts.held[function.key]
        outcomes = self.successors.resolved(function, self.successors.begins[function.key])
        expected = _agreed(outcomes) or Expected(why=_differing(outcomes), known=_known(outcomes))
        if expected.term is not None and not expected.term.fixed:
            expected = Expected(why="the mutex is not known before the next job")
        expected = self._ahead(expected, self.sequences.of_job(function))
        if function.callers:
            expected = Expected(why=f"`{function.name}` is called as a function, too")
        for node in function.flow.nodes:
            if node.kind == "return" and node in reached:
                point = _point(function, node.cursor, JOB_END)
                if node.spot is not None and node.spot.slot == "end":
                    end = node.cursor.extent.end
                    point = replace(point, offset=end.offset - 1, line=end.line)
                yield self._decided(point, function, node, expected, scope)

    @staticmethod
    def _unknown_at(function: Function, cursor: Cursor) -> str:
        for node in function.flow.nodes:
            if node.kind == "unknown":
                extent = node.cursor.extent
                if extent.start.offset <= cursor.extent.start.offset < extent.end.offset:
                    return node.why
        return "C does not say which of several calls comes first"

    def expected(self, function: Function, node: Node) -> Expected:
        outcomes = self.successors.after(function, node)
        if not _hard(outcomes):
            used = function.task or function.taken or function.callers
            why = "no lock follows" if used else f"no task calls `{function.name}`"
            return Expected(why=why, known=bool(used))
        found = _agreed(outcomes) or self._by_loop(function, node)
        if found is not None:
            return self._ahead(found, self.sequences.after(function, node))
        return Expected(why=_differing(outcomes), known=_known(outcomes))

    def _ahead(self, expected: Expected, locked: Terms | None) -> Expected:
        """With the mutexes behind the first that a set may name; or no hint, if an owner may wait for a call before the
        lock."""
        if expected.term is None:
            return expected
        waited = (term for term in _flat([expected.term]) if term != NULL and self.waited.may(term))
        mutex = next(waited, None) if locked == () else None
        if mutex is not None:
            return Expected(why=f"an owner of `{written(mutex)}` may wait for a call before the lock", at=expected.at)
        named = of_set(locked)
        if not named or not same(named[0], expected.term):
            return expected
        return replace(expected, following=tuple(term for term in named[1:] if self._fifo(term) is None))

    def _fifo(self, term: Term) -> str | None:
        """A mutex with waiters in FIFO order among those of a term."""
        return next((one for one in map(written, _flat([term])) if one.removeprefix("&") in self.fifo), None)

    def _by_loop(self, function: Function, node: Node) -> Expected | None:
        """5.4.1: the test of the loop, which nothing changes until then, decides which mutex, or none."""
        tests: dict[int, Node] = {}
        before = self.successors.solve(function, tests)
        outcomes = _hard(frozenset[Outcome]().union(*(before[other] for other in node.follows)))
        if len(outcomes) != 1 or outcomes[0].kind != "test":
            return None
        test = tests[outcomes[0].test]
        inside = self.successors.inside[function.key]
        sides = [_one(self.successors.resolved(function, inside[other])) for other in test.follows]
        if None in sides or all(side == NULL for side in sides):
            return None
        condition = self._condition(function, test.cursor, dict(outcomes[0].steps), len(outcomes[0].steps))
        if condition is None:
            return None
        parts = tuple(side for side in sides if side is not None)
        choice = replace(condition, kind="choice", parts=(*condition.parts, *parts))
        return Expected(choice, at=outcomes[0].at, known=True)

    @staticmethod
    def _condition(function: Function, cursor: Cursor, steps: dict[str, int], count: int) -> Term | None:
        """The test of a loop with the steps applied; a variable with two steps is refused."""
        reader = Reader(function.flow.aliased)
        cursor = bare(cursor)
        compares = kind(cursor) == "BINARY_OPERATOR" and binary(cursor) in COMPARISONS
        sides = list(cursor.get_children()) if compares else [cursor]
        try:
            terms = [_stepped(reader.number(side), side, steps, count) for side in sides]
        except UnclearError:
            return None
        if len(terms) == 1:
            return Term("choice", "", parts=(terms[0], Term("number", "")))
        return Term("choice", binary(cursor), parts=tuple(terms))

    def _decided(self, point: Point, function: Function, node: Node, expected: Expected, scope: Scope) -> Point:
        if self.facts.held[function.key].get(node, 0) > 0:
            return replace(point, why="a mutex is held, or its lock failed: a hint has no effect")
        hints = self.facts.hints[function.key].get(node, frozenset([None]))
        present = [hint for hint in hints if hint is not None]
        if present:
            return self._checked(point, function, present, None in hints, expected)
        if expected.term is None:
            return replace(point, why=expected.why)
        fifo = self._fifo(expected.term)
        if fifo is not None:
            return replace(point, why=f"the waiters of `{fifo}` are in FIFO order: a hint has no effect")
        assert node.spot is not None
        try:
            form = form_of(function.unit, node.cursor, node.spot)
            scope.require(expected.term, form.offset)
        except NotThereError as error:
            return replace(point, why=str(error))
        single = replace(point, outcome="insert", mutex=written(expected.term), form=form, at=expected.at)
        return self._as_set(single, function, expected, scope) if expected.following else single

    def _as_set(self, single: Point, function: Function, expected: Expected, scope: Scope) -> Point:
        """A hint of all mutexes that are locked, or of the first alone, and why."""
        assert expected.term is not None
        assert single.form is not None
        terms = (expected.term, *expected.following)[: sets.MAX]
        try:
            for term in terms[1:]:
                scope.require(term, single.form.offset)
            alone = function.name in self.alone and function.key not in self.program.configured
            sets.require(function.unit.cxx, terms, function.name if single.call == JOB_END else None, alone)
        except NotThereError as error:
            names = ", ".join(map(written, terms))
            return replace(single, why=f"the first of `{names}`, of which no set is named: {error}")
        form = STATIC if single.call == JOB_END else IN_BLOCK
        return replace(single, mutex=", ".join(map(written, terms)), of_set=form)

    def _checked(
        self, point: Point, function: Function, present: list[Node], partly: bool, expected: Expected
    ) -> Point:
        """A point that has hints already: they are right, wrong, or cannot be checked."""
        if len(present) == 1 and present[0].cursor.spelling == "takt_hint_next_set":
            named = sets.named(function, present[0])
            if named is not None:
                return self._set_checked(point, named, partly, expected)
        terms = [self._said(function, hint) for hint in present]
        said = [term for term in terms if term is not None]
        if len(said) < len(terms):
            return replace(point, outcome="kept", why="it has a hint that takt hints cannot check")
        kept = replace(point, outcome="kept", mutex=" or ".join(dict.fromkeys(written(term) for term in said)))
        if all(same(term, NULL) for term in said):
            return replace(kept, why="NULL: the code wants no hint here")
        if expected.term is None:
            return replace(kept, outcome="wrong" if expected.known else "kept", why=expected.why)
        return _compared(kept, said, expected.term, expected.at, partly)

    @staticmethod
    def _set_checked(point: Point, named: tuple[Term, ...], partly: bool, expected: Expected) -> Point:
        """A point that has a hint of a set."""
        kept = replace(point, outcome="kept", mutex=", ".join(map(written, named)), of_set=IN_BLOCK)
        if expected.term is None:
            return replace(kept, outcome="wrong" if expected.known else "kept", why=expected.why)
        checked = _compared(kept, [named[0]], expected.term, expected.at, partly)
        if checked.why or sets.in_order(named[1:], expected.following):
            return checked
        return replace(checked, why="not every path locks these mutexes in this order")

    def _said(self, function: Function, hint: Node) -> Term | None:
        """The mutex that a hint names; None: it cannot be followed, such as a hint of a set."""
        if hint.cursor.spelling != "takt_hint_next":
            return None
        argument = bare(list(hint.cursor.get_children())[1])
        reader = Reader(function.flow.aliased)
        try:
            if kind(argument) != "CONDITIONAL_OPERATOR":
                return reader.pointer(argument)
            test, yes, no = argument.get_children()
            condition = self._condition(function, test, {}, 0)
            if condition is None:
                condition = Term("choice", "?", parts=(NULL, NULL))
            return replace(condition, parts=(*condition.parts, reader.pointer(yes), reader.pointer(no)))
        except UnclearError:
            return None


def _point(function: Function, cursor: Cursor, call: str) -> Point:
    start = cursor.extent.start
    return Point(Path(start.file.name), start.offset, start.line, call, function.name)


def _hard(outcomes: Outcomes) -> list[Outcome]:
    return sorted(outcomes - ENDLESS, key=lambda outcome: (outcome.at, outcome.kind))


def _agreed(outcomes: Outcomes) -> Expected | None:
    """The mutex that every path locks first."""
    hard = _hard(outcomes)
    first = hard[0] if hard else None
    if first is None or first.term is None or not all(o.term is not None and same(o.term, first.term) for o in hard):
        return None
    if not first.term.fixed and outcomes & ENDLESS:
        why = f"`{written(first.term)}` may not be locked, and may not be valid before"
        return Expected(why=why, at=first.at)
    return Expected(first.term, at=first.at, known=True)


def _one(outcomes: Outcomes) -> Term | None:
    """For one side of a loop's test: the mutex, NULL if the task waits before any lock, None if that is not known."""
    hard = _hard(outcomes)
    agreed = _agreed(outcomes)
    if agreed is not None:
        return agreed.term if agreed.term is not None and agreed.term.fixed else None
    return NULL if hard and all(outcome.waits for outcome in hard) else None


def _known(outcomes: Outcomes) -> bool:
    return all(outcome.waits for outcome in _hard(outcomes))


def _differing(outcomes: Outcomes) -> str:
    """Why the paths do not agree."""
    hard = _hard(outcomes)
    others = [outcome for outcome in hard if outcome.term is None]
    locks = [outcome for outcome in hard if outcome.term is not None]
    said = [f"`{written(lock.term)}` is locked at {lock.at}" for lock in locks if lock.term is not None]
    unclear = sorted(others, key=lambda outcome: outcome.waits)
    said += [f"{unclear[0].why} ({unclear[0].at})"] if unclear else []
    if len(said) == 1:
        return said[0]
    return f"{said[0]}, but on another path {said[-1]}" if said else "no lock follows"


def _compared(kept: Point, said: list[Term], expected: Term, at: str, partly: bool) -> Point:
    """Compares the hints of a point with the expected one."""
    wanted = _flat([expected])
    if not all(any(same(term, other) for other in wanted) for term in _flat(said)):
        return replace(kept, outcome="wrong", why=f"`{written(expected)}` comes next", at=at)
    if partly:
        return replace(kept, why="on some paths only")
    if (len(wanted) > 1 or len(said) > 1) and not (len(said) == 1 and same(said[0], expected)):
        return replace(kept, why="its condition is not checked")
    return kept


def _stepped(term: Term, cursor: Cursor, steps: dict[str, int], count: int) -> Term:
    """An operand of a test after the steps. UnclearError: not known, or it could wrap around."""
    if not term.values() & set(steps):
        return term
    if term.kind != "value" or len(steps) != count or steps[term.key] == 0 or bare(cursor).type.get_size() < 4:
        raise UnclearError("")
    step = steps[term.key]
    number = Term("number", str(abs(step)), number=abs(step))
    return Term("sum", "+" if step > 0 else "-", parts=(term, number))


def _flat(terms: list[Term]) -> list[Term]:
    """The mutexes that choices choose from."""
    return [part for term in terms for part in (term.parts[2:] if term.kind == "choice" else (term,))]
