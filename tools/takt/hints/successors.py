# SPDX-License-Identifier: Apache-2.0
"""From each node of a function, the first lock on each path, or the event that rules out a hint."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from takt.hints.code import cxx
from takt.hints.code.calls import Call, Role, blocks
from takt.hints.code.expressions import Reader, Term, UnclearError, address, is_array, key_of, substituted
from takt.hints.code.source import Cursor, bare, kind, number_of
from takt.hints.flow import Node
from takt.hints.program import Function, Program, Target


@dataclass(frozen=True)
class Outcome:
    """`kind`: lock (of `term`), other (`why`), end (of the function), endless (perhaps), or test (number `test`).

    `waits`: the task blocks again first, so certainly no lock follows. `steps`: increments of variables before a test.
    """

    kind: str
    term: Term | None = None
    why: str = ""
    at: str = ""
    waits: bool = False
    test: int = 0
    steps: tuple[tuple[str, int], ...] = ()


Outcomes = frozenset[Outcome]
END = Outcome("end")
ENDLESS: Outcomes = frozenset([Outcome("endless")])
NOTHING: Outcomes = frozenset()
RECURSION = "recursion"
STEPS_MAX = 4  # before the test of a loop


def location_of(cursor: Cursor) -> str:
    return f"{Path(cursor.location.file.name).name}:{cursor.location.line}"


class Successors:
    """For every function the outcomes from its beginning (`begins`), and after its return (`after_return`)."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.begins: dict[str, Outcomes] = {}
        self.after_return: dict[str, Outcomes] = {}
        self.inside: dict[str, dict[Node, Outcomes]] = {}
        self.idle: dict[str, set[Node]] = {}  # beginnings of loops that may go round for ever, and decide nothing
        order = list(program.callees_first())
        for function in order:
            self.idle[function.key] = {node for node in function.flow.nodes if node.loop and self._idles(node)}
            self.inside[function.key] = self.solve(function)
            own = self.inside[function.key][function.flow.entry]
            self.begins[function.key] = self._other(RECURSION, function.cursor) if function.recursive else own
        for function in reversed(order):
            self.after_return[function.key] = self._after_function(function)

    @staticmethod
    def _other(why: str, cursor: Cursor, waits: bool = False) -> Outcomes:
        return frozenset([Outcome("other", why=why, at=location_of(cursor), waits=waits)])

    def solve(self, function: Function, tests: dict[int, Node] | None = None) -> dict[Node, Outcomes]:
        """Before each node; with `tests`, which is filled, the tests of loops are outcomes of their own."""
        found: dict[Node, Outcomes] = {}
        nodes = function.flow.nodes
        changed = True
        while changed:
            changed = False
            for node in nodes:
                after = NOTHING.union(*(found.get(other, NOTHING) for other in node.follows))
                if tests is not None and node.kind == "test" and node.loop:
                    tests[id(node)] = node
                    after = frozenset([Outcome("test", test=id(node), at=location_of(node.cursor))])
                now = self.before(function, node, after)
                if now != found.get(node):
                    found[node] = now
                    changed = True
        return found

    def _idles(self, head: Node) -> bool:
        """Whether a loop can come back to its beginning with nothing decided."""
        if head.kind != "join":
            return False
        ahead, seen = [head], set()
        while ahead:
            for other in ahead.pop().follows:
                if other is head:
                    return True
                if other not in seen and self._passes(other):
                    seen.add(other)
                    ahead.append(other)
        return False

    def _passes(self, node: Node) -> bool:
        """Whether the path goes on through the node."""
        if node.kind != "call":
            return node.kind in ("join", "test", "write", "unlock")
        target = self.program.target(node.cursor)
        if target.function is not None:
            return END in self.begins.get(target.function.key, NOTHING)
        return target.call is not None and target.call.role in (Role.PLAIN, Role.UNLOCK, Role.HINT)

    def before(self, function: Function, node: Node, after: Outcomes) -> Outcomes:
        if node.kind == "end":
            return frozenset([END])
        if node.kind == "unknown":
            return self._other(node.why, node.cursor)
        if node.kind == "write":
            return frozenset(_written(outcome, node) for outcome in after)
        if node in self.idle[function.key]:
            return after | ENDLESS
        if node.kind == "call":
            return self._call(function, node, self.program.target(node.cursor), after)
        return after

    def _call(self, function: Function, node: Node, target: Target, after: Outcomes) -> Outcomes:
        cursor = node.cursor
        if target.unknown:
            return self._other(target.unknown, cursor)
        if target.function is not None:
            return self._own(function, cursor, target.function, after)
        assert target.call is not None
        return self._kernels(function, cursor, target.call, after)

    def _kernels(self, function: Function, cursor: Cursor, call: Call, after: Outcomes) -> Outcomes:
        if call.role is Role.LOCK:
            return self.lock(function, cursor)
        if call.role is Role.END:
            return ENDLESS
        if call.role is Role.TRY:
            return self._other(call.why, cursor)
        return self._other(f"{cursor.spelling} blocks again before any lock", cursor, True) if blocks(call) else after

    def lock(self, function: Function, cursor: Cursor) -> Outcomes:
        """The mutex that a call names."""
        reader = Reader(function.flow.aliased)
        try:
            if cxx.is_constructor(cursor):
                term = address(reader.object(next(iter(cursor.get_children()))))
            elif cxx.call_of(cursor) is not None:
                term = cxx.mutex_of_monitor(function.unit, cursor)
            else:
                term = reader.pointer(list(cursor.get_children())[1])
        except UnclearError as error:
            return self._other(str(error), cursor)
        return frozenset([Outcome("lock", term, at=location_of(cursor))])

    def _own(self, function: Function, cursor: Cursor, callee: Function, after: Outcomes) -> Outcomes:
        arguments = self.arguments(function, cursor, callee)
        found: set[Outcome] = set()
        for outcome in self.begins.get(callee.key) or self._other(RECURSION, cursor):
            if outcome == END:
                found |= after
            elif outcome.kind == "lock":
                found.add(in_terms_of_the_caller(outcome, arguments))
            else:
                found.add(outcome)
        return frozenset(found)

    def arguments(self, function: Function, cursor: Cursor, callee: Function) -> dict[str, Term]:
        """The arguments for the parameters of the callee; those that are no plain expressions are left out."""
        reader = Reader(function.flow.aliased)
        found: dict[str, Term] = {}
        for parameter, argument in zip(callee.cursor.get_arguments(), list(cursor.get_children())[1:], strict=False):
            try:
                if _pointers_alike(parameter, argument):
                    found[key_of(parameter)] = reader.pointer(argument)
                elif _numbers_alike(parameter, argument):
                    found[key_of(parameter)] = reader.number(argument)
            except UnclearError:
                continue
        return found

    def _after_function(self, function: Function) -> Outcomes:
        if function.task:
            return self._other("the job ends before any lock", function.cursor, waits=True)
        if function.recursive:
            return self._other(RECURSION, function.cursor)
        if function.taken:
            return self._other(
                f"the callers of `{function.name}` are unknown: its address is taken at {function.taken}",
                function.cursor,
            )
        found: set[Outcome] = set()
        for key in function.callers:
            caller = self.program.functions[key]
            sites = [node for node in caller.flow.calls if self.program.target(node.cursor).function is function]
            for node in sites:
                found |= self._after_call(caller, node)
            if not sites:
                found |= self._other(f"`{caller.name}` calls it by an expression that is not its name", caller.cursor)
        return frozenset(found)

    def _after_call(self, caller: Function, node: Node) -> set[Outcome]:
        found: set[Outcome] = set()
        for outcome in self.after(caller, node):
            if outcome.kind == "lock" and outcome.term is not None and not outcome.term.fixed:
                why = f"the mutex is named in the caller, `{caller.name}`, by a variable"
                found.add(Outcome("other", why=why, at=outcome.at))
            else:
                found.add(outcome)
        return found

    def after(self, function: Function, node: Node) -> Outcomes:
        """The outcomes after a node; those after the function's return included."""
        inside = self.inside[function.key]
        return self.resolved(function, NOTHING.union(*(inside[other] for other in node.follows)))

    def resolved(self, function: Function, outcomes: Outcomes) -> Outcomes:
        if END not in outcomes:
            return outcomes
        return (outcomes - {END}) | self.after_return.get(function.key, self._other(RECURSION, function.cursor))


def _written(outcome: Outcome, node: Node) -> Outcome:
    """Before a write. A test remembers the one step to its variable."""
    if outcome.kind == "lock" and outcome.term is not None and node.key in outcome.term.values():
        return Outcome("other", why=f"`{_name(node)}` changes before the lock", at=location_of(node.cursor))
    if outcome.kind == "test" and len(outcome.steps) == STEPS_MAX:
        return Outcome("other", why="too many variables change before the loop goes on", at=location_of(node.cursor))
    if outcome.kind == "test":
        return replace(outcome, steps=(*outcome.steps, (node.key, node.step if node.step is not None else 0)))
    return outcome


def _name(node: Node) -> str:
    if kind(node.cursor) == "VAR_DECL":
        return str(node.cursor.spelling)
    first = bare(next(iter(node.cursor.get_children()), node.cursor))
    return str(first.spelling or "a variable")


def in_terms_of_the_caller(outcome: Outcome, arguments: dict[str, Term]) -> Outcome:
    """A lock of a function, by the arguments of its call; or the reason why it cannot be named there."""
    assert outcome.term is not None

    def refuse(term: Term) -> UnclearError:
        return UnclearError(f"`{term.name}` is not visible in the caller")

    try:
        return replace(outcome, term=substituted(outcome.term, arguments, refuse))
    except UnclearError as error:
        return Outcome("other", why=str(error), at=outcome.at)


def _pointers_alike(parameter: Cursor, argument: Cursor) -> bool:
    inner = bare(argument)
    wanted, passed = parameter.type.get_canonical(), inner.type.get_canonical()
    if wanted.kind.name != "POINTER":
        return False
    pointed = passed.element_type if is_array(inner) else passed.get_pointee()
    return _unqualified(wanted.get_pointee()) == _unqualified(pointed)


def _unqualified(type_: Cursor) -> str:
    return str(type_.get_canonical().spelling).replace("const ", "")


def _numbers_alike(parameter: Cursor, argument: Cursor) -> bool:
    inner = bare(argument)
    value = number_of(inner)
    if value is not None:
        return 0 <= value < 128
    return bool(parameter.type.get_canonical().spelling == inner.type.get_canonical().spelling)
