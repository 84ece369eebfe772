# SPDX-License-Identifier: Apache-2.0
"""The flow of control of a function: what is called, written and decided, in the order in which C evaluates it.

Built from the end: each part is given what follows it. C leaves open in which order most operands are evaluated; where
that could matter, because two of them call something, the expression is UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from takt.hints.expressions import key_of
from takt.hints.source import Cursor, Unit, bare, below, binary, kind, number_of, unary
from takt.hints.syntax import aliased, counts, for_parts, holds_at_first, writes, writes_of

UNEVALUATED = ("CXX_UNARY_EXPR", "GENERIC_SELECTION_EXPR", "TYPE_REF", "LABEL_REF")
STATEMENTS_INSIDE = ("StmtExpr", "STMT_EXPR")

Quiet = Callable[[Cursor], bool]


@dataclass(frozen=True)
class Spot:
    """Where a call stands. `slot`: of its statement in the one around it: list, body, label or none.

    `first`: it is evaluated once whenever the statement begins, and nothing is called or written in that before it.
    """

    statement: Cursor
    slot: str
    first: bool


@dataclass(eq=False)
class Node:
    """`what`: call, write, test, join, return (also at the end of the body), end (of the function) or unknown."""

    what: str
    cursor: Cursor = None
    follows: list[Node] = field(default_factory=list)
    spot: Spot | None = None
    key: str = ""  # write: of the variable
    step: int | None = None  # write: what is added to it
    why: str = ""  # unknown
    loop: bool = False  # test: decides whether a loop goes on; join: it may do so for ever


@dataclass
class Flow:
    """Of one function. `calls`: nodes, in the order of the text."""

    entry: Node
    end: Node
    nodes: list[Node]
    calls: list[Node]
    aliased: frozenset[str]


@dataclass(frozen=True)
class _Around:
    """Where control goes from inside a statement. `cases`: of the nearest switch, filled as they are met."""

    leave: Node | None = None
    again: Node | None = None
    cases: list[Node] | None = None
    has_default: list[bool] | None = None


@dataclass(frozen=True)
class _Place:
    """Where an expression is evaluated; `first` as of Spot."""

    statement: Cursor
    slot: str
    first: bool = True

    def later(self) -> _Place:
        return _Place(self.statement, self.slot, False)

    def spot(self) -> Spot:
        return Spot(self.statement, self.slot, self.first and self.slot != "none")


def _last(cursor: Cursor) -> Cursor:
    """What an expression with commas yields."""
    cursor = bare(cursor)
    while kind(cursor) == "BINARY_OPERATOR" and binary(cursor) == ",":
        cursor = bare(list(cursor.get_children())[1])
    return cursor


def _inside(around: _Around, leave: Node, again: Node) -> _Around:
    """In the body of a loop."""
    return _Around(leave, again, around.cases, around.has_default)


class Builder:
    """Builds the flow of one function. `quiet(call)`: the call does nothing that matters here.

    `succeeds(call)`: it returns TAKT_OK and nothing else.
    """

    def __init__(self, unit: Unit, function: Cursor, quiet: Quiet, succeeds: Quiet) -> None:
        self.unit, self.quiet, self.succeeds = unit, quiet, succeeds
        self.nodes: list[Node] = []
        self.labels: dict[str, Node] = {}
        self.end = self.node("end")
        body = next(child for child in function.get_children() if kind(child) == "COMPOUND_STMT")
        self.aliased = aliased(body)
        falls = self.node("return", self.end, cursor=body)
        falls.spot = Spot(body, "end", True)
        self.entry = self.statement(body, falls, _Around(), "body")

    def flow(self) -> Flow:
        calls = sorted(
            (node for node in self.nodes if node.what == "call"), key=lambda node: int(node.cursor.extent.start.offset)
        )
        return Flow(self.entry, self.end, self.nodes, calls, self.aliased)

    def node(self, what: str, *follows: Node, cursor: Cursor = None, why: str = "", loop: bool = False) -> Node:
        made = Node(what, cursor, list(follows), why=why, loop=loop)
        self.nodes.append(made)
        return made

    # Statements. Each returns where it begins.

    def statement(self, cursor: Cursor, then: Node, around: _Around, slot: str) -> Node:
        method = getattr(self, f"_{kind(cursor).lower()}", None)
        if method is not None:
            entry: Node = method(cursor, then, around, slot)
            return entry
        if cursor.kind.is_expression() or kind(cursor) in ("DECL_STMT", "NULL_STMT"):
            return self.full(cursor, then, cursor, slot)
        return self.node("unknown", cursor=cursor, why="assembler, or a statement that is not known")

    def _compound_stmt(self, cursor: Cursor, then: Node, around: _Around, slot: str) -> Node:
        del slot
        for child in reversed(list(cursor.get_children())):
            then = self.statement(child, then, around, "list")
        return then

    def _if_stmt(self, cursor: Cursor, then: Node, around: _Around, slot: str) -> Node:
        test, yes, *no = cursor.get_children()
        taken = self.statement(yes, then, around, "body")
        other = self.statement(no[0], then, around, "body") if no else then
        return self.condition(test, taken, other, cursor, slot)

    def _while_stmt(self, cursor: Cursor, then: Node, around: _Around, slot: str) -> Node:
        del slot
        test, body = cursor.get_children()
        head = self.node("join", cursor=cursor, loop=True)
        inside = self.statement(body, head, _inside(around, then, head), "body")
        head.follows.append(self.condition(test, inside, then, cursor, "none", loop=True))
        return head

    def _do_stmt(self, cursor: Cursor, then: Node, around: _Around, slot: str) -> Node:
        del slot
        body, test = cursor.get_children()
        again = self.node("join", cursor=cursor, loop=True)
        entry = self.statement(body, again, _inside(around, then, again), "body")
        again.follows.append(self.condition(test, entry, then, cursor, "none", loop=True))
        return entry

    def _for_stmt(self, cursor: Cursor, then: Node, around: _Around, slot: str) -> Node:
        parts = for_parts(self.unit, cursor)
        if parts is None:
            return self.node("unknown", cursor=cursor, why="a loop that a macro makes")
        first, test, step, body = parts
        counted = test is not None and step is not None and counts(test, step, body)
        head = self.node("join", cursor=cursor, loop=not counted)
        again = self.node("join", head) if step is None else self.full(step, head, cursor, "none")
        inside = self.statement(body, again, _inside(around, then, again), "body")
        head.follows.append(inside if test is None else self.condition(test, inside, then, cursor, "none", loop=True))
        entry = inside if counted and holds_at_first(first, test) else head
        return entry if first is None else self.full(first, entry, cursor, slot)

    def _switch_stmt(self, cursor: Cursor, then: Node, around: _Around, slot: str) -> Node:
        value, body = cursor.get_children()
        cases: list[Node] = []
        default: list[bool] = []
        self.statement(body, then, _Around(then, around.again, cases, default), "body")
        choice = self.node("join", *cases, *([] if default else [then]))
        return self.full(value, choice, cursor, slot)

    def _case_stmt(self, cursor: Cursor, then: Node, around: _Around, slot: str) -> Node:
        *_, inner = cursor.get_children()
        entry = self.statement(inner, then, around, "label" if slot in ("list", "label") else "none")
        if around.cases is not None:
            around.cases.append(entry)
        return entry

    def _default_stmt(self, cursor: Cursor, then: Node, around: _Around, slot: str) -> Node:
        if around.has_default is not None:
            around.has_default.append(True)
        return self._case_stmt(cursor, then, around, slot)

    def _label_stmt(self, cursor: Cursor, then: Node, around: _Around, slot: str) -> Node:
        *_, inner = cursor.get_children()
        label = self._label(cursor.spelling)
        label.follows.append(self.statement(inner, then, around, "label" if slot in ("list", "label") else "none"))
        return label

    def _label(self, name: str) -> Node:
        if name not in self.labels:
            self.labels[name] = self.node("join", loop=True)
        return self.labels[name]

    def _goto_stmt(self, cursor: Cursor, then: Node, around: _Around, slot: str) -> Node:
        del then, around, slot
        return self._label(next(iter(cursor.get_children())).spelling)

    def _break_stmt(self, cursor: Cursor, then: Node, around: _Around, slot: str) -> Node:
        del cursor, slot
        return around.leave or then

    def _continue_stmt(self, cursor: Cursor, then: Node, around: _Around, slot: str) -> Node:
        del cursor, slot
        return around.again or then

    def _return_stmt(self, cursor: Cursor, then: Node, around: _Around, slot: str) -> Node:
        del then, around
        leaves = self.node("return", self.end, cursor=cursor)
        leaves.spot = Spot(cursor, slot, not self._busy(cursor) and slot != "none")
        return self.full(cursor, leaves, cursor, slot)

    # Expressions. `spot`: of the first call in it, if there is one.

    def full(self, cursor: Cursor, then: Node, statement: Cursor, slot: str) -> Node:
        """An expression to its end."""
        return self.value(cursor, then, _Place(statement, slot))

    def condition(
        self, cursor: Cursor, yes: Node, no: Node, statement: Cursor, slot: str, *, loop: bool = False
    ) -> Node:
        return self._decide(cursor, yes, no, _Place(statement, slot), loop)

    def _decide(self, cursor: Cursor, yes: Node, no: Node, place: _Place, loop: bool) -> Node:
        inner = bare(cursor)
        if kind(inner) == "UNARY_OPERATOR" and unary(inner) == "!":
            return self._decide(next(iter(inner.get_children())), no, yes, place, False)
        if kind(inner) == "BINARY_OPERATOR" and binary(inner) in ("&&", "||"):
            left, right = inner.get_children()
            last = self._decide(right, yes, no, place.later(), False)
            ways = (last, no) if binary(inner) == "&&" else (yes, last)
            return self._decide(left, *ways, place, False)
        value = self._constant(inner)
        if value is not None:
            return yes if value else no
        sure = self._sure(inner)
        test = self.node("test", yes, no, cursor=inner, loop=loop) if sure is None else yes if sure else no
        return self.value(inner, test, place)

    def _constant(self, cursor: Cursor) -> bool | None:
        value = None if self._busy(cursor) else number_of(cursor)
        return None if value is None else value != 0

    def _sure(self, cursor: Cursor) -> bool | None:
        """What a comparison with TAKT_OK yields when the call cannot fail."""
        if kind(cursor) != "BINARY_OPERATOR" or binary(cursor) not in ("==", "!="):
            return None
        sides = [_last(side) for side in cursor.get_children()]
        calls = [side for side in sides if kind(side) == "CALL_EXPR" and self.succeeds(side)]
        if len(calls) == 1 and any(number_of(side) == 0 for side in sides if side not in calls):
            return binary(cursor) == "=="
        return None

    def _busy(self, cursor: Cursor) -> bool:
        return any(kind(part) == "CALL_EXPR" and not self.quiet(part) for part in below(cursor))

    def value(self, cursor: Cursor, then: Node, place: _Place) -> Node:
        what = kind(cursor)
        if what in UNEVALUATED:
            return then
        if what == "CALL_EXPR":
            return self._call(cursor, then, place)
        if what == "BINARY_OPERATOR" and binary(cursor) in ("&&", "||"):
            return self._decide(cursor, then, then, place, False)
        if what == "DECL_STMT" or (what == "BINARY_OPERATOR" and binary(cursor) == ","):
            return self._in_order(list(cursor.get_children()), then, place)
        if what == "VAR_DECL":
            inner = [child for child in cursor.get_children() if child.kind.is_expression()]
            return self._operands(inner, self._write(cursor, then, key_of(cursor), None), place)
        return self._operator(cursor, then, place)

    def _operator(self, cursor: Cursor, then: Node, place: _Place) -> Node:
        what = kind(cursor)
        if what in STATEMENTS_INSIDE:
            return self._inside_out(cursor, then)
        if what == "CONDITIONAL_OPERATOR":
            test, yes, no = cursor.get_children()
            after = place.later()
            return self._decide(test, self.value(yes, then, after), self.value(no, then, after), place, False)
        for key, step in writes_of(cursor):
            then = self._write(cursor, then, key, step)
        return self._operands(list(cursor.get_children()), then, place)

    def _inside_out(self, cursor: Cursor, then: Node) -> Node:
        """Statements in an expression, as GNU C has them."""
        body = next((child for child in cursor.get_children() if kind(child) == "COMPOUND_STMT"), None)
        if body is None or any(kind(part) in ("BREAK_STMT", "CONTINUE_STMT") for part in below(cursor)):
            return self.node("unknown", cursor=cursor, why="statements in an expression")
        return self.statement(body, then, _Around(), "body")

    def _in_order(self, parts: list[Cursor], then: Node, place: _Place) -> Node:
        for number, part in reversed(list(enumerate(parts))):
            before = parts[:number]
            plain = not any(self._busy(other) or kind(other) == "VAR_DECL" or list(writes(other)) for other in before)
            then = self.value(part, then, place if plain else place.later())
        return then

    def _operands(self, parts: list[Cursor], then: Node, place: _Place) -> Node:
        busy = [part for part in parts if self._busy(part)]
        if len(busy) > 1:
            return self.node("unknown", cursor=busy[0], why="C does not say which of several calls comes first")
        others = [part for part in parts if part not in busy]
        plain = not any(list(writes(part)) for part in others)
        if busy:  # what the others write may come after what this one calls
            for part in others:
                for key, _ in writes(part):
                    then = self._write(part, then, key, None)
        for part in reversed(parts):
            then = self.value(part, then, place if plain else place.later())
        return then

    def _call(self, cursor: Cursor, then: Node, place: _Place) -> Node:
        node = then
        inner = any(self._busy(part) for part in cursor.get_children())
        if not self.quiet(cursor):
            node = self.node("call", then, cursor=cursor)
            node.spot = (place.later() if inner else place).spot()
        return self._operands(list(cursor.get_children()), node, place)

    def _write(self, cursor: Cursor, then: Node, key: str, step: int | None) -> Node:
        node = self.node("write", then, cursor=cursor)
        node.key, node.step = key, step
        return node
