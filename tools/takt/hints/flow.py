# SPDX-License-Identifier: Apache-2.0
"""The control flow graph of a function: its calls, writes and tests, in the order in which C evaluates them.

It is built from the end: each part is given its successor. C leaves open in which order most operands are evaluated;
where that could matter, because two of them make calls, the expression is UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from takt.hints.code import cxx
from takt.hints.code.expressions import key_of
from takt.hints.code.source import Cursor, Unit, bare, below, binary, kind, number_of, unary
from takt.hints.code.syntax import aliased, counts, for_parts, holds_at_first, writes, writes_of

UNEVALUATED = ("CXX_UNARY_EXPR", "GENERIC_SELECTION_EXPR", "TYPE_REF", "LABEL_REF", *cxx.INSIDE)
UNREAD = ("CXX_NEW_EXPR", "CXX_DELETE_EXPR", "CXX_THROW_EXPR")
DECLARES = "a variable in the head of a loop or switch"
STATEMENTS_INSIDE = ("StmtExpr", "STMT_EXPR")

Quiet = Callable[[Cursor], bool]


@dataclass(frozen=True)
class Spot:
    """The position of a call. `slot`: that of its statement in the enclosing one: list, body, label or none.

    `first`: the statement evaluates it once, before any other call or write.
    """

    statement: Cursor
    slot: str
    first: bool


@dataclass(eq=False)
class Node:
    """`kind`: call, write, test, join, unlock (of a section of C++), return (also at the end of the body), end (of the
    function) or unknown."""

    kind: str
    cursor: Cursor = None
    follows: list[Node] = field(default_factory=list)
    spot: Spot | None = None
    key: str = ""  # write: of the variable
    step: int | None = None  # write: the constant that is added to it
    why: str = ""  # unknown
    loop: bool = False  # test: decides whether a loop goes on; join: it may do so for ever
    usual: list[Node] = field(default_factory=list)  # test of a lock's status: where it goes if that is TAKT_OK


@dataclass
class Flow:
    """The graph of one function. `calls`: its call nodes, in the order of the text."""

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
    sections: int = 0  # of C++, that its end unlocks
    leave_sections: int = 0  # where `leave` goes
    again_sections: int = 0


@dataclass(frozen=True)
class _Position:
    """Where an expression is evaluated; `first` as of Spot."""

    statement: Cursor
    slot: str
    first: bool = True

    def later(self) -> _Position:
        return _Position(self.statement, self.slot, False)

    def spot(self) -> Spot:
        return Spot(self.statement, self.slot, self.first and self.slot != "none")


def _last(cursor: Cursor) -> Cursor:
    """The last operand of an expression with commas."""
    cursor = bare(cursor)
    while kind(cursor) == "BINARY_OPERATOR" and binary(cursor) == ",":
        cursor = bare(list(cursor.get_children())[1])
    return cursor


def _inside(around: _Around, leave: Node, again: Node) -> _Around:
    """In the body of a loop."""
    return replace(around, leave=leave, again=again, leave_sections=around.sections, again_sections=around.sections)


def _sections(cursors: Iterable[Cursor]) -> list[Cursor]:
    """The sections of C++ that statements declare, until the end of their scope."""
    declared = (part for one in cursors for part in (one.get_children() if kind(one) == "DECL_STMT" else (one,)))
    return [part for part in declared if cxx.is_section(part)]


class Builder:
    """Builds the flow of one function. `quiet(call)`: the call has no effect on hints.

    `succeeds(call)`: it returns TAKT_OK and nothing else. `locks(call)`: it locks a mutex, and fails only by an error.
    """

    def __init__(self, unit: Unit, function: Cursor, quiet: Quiet, succeeds: Quiet, locks: Quiet) -> None:
        self.unit, self.quiet, self.succeeds, self.locks = unit, quiet, succeeds, locks
        self.nodes: list[Node] = []
        self.labels: dict[str, Node] = {}
        self.kept = False  # the section that an expression begins is a variable
        self.end = self.node("end")
        body = next(child for child in function.get_children() if kind(child) == "COMPOUND_STMT")
        self.aliased = aliased(body)
        self.sections = any(cxx.is_section(part) for part in below(body))
        falls = self.node("return", self._unlocks(len(_sections(body.get_children())), self.end), cursor=body)
        falls.spot = Spot(body, "end", True)
        self.entry = self.statement(body, falls, _Around(), "body")

    def flow(self) -> Flow:
        calls = sorted(
            (node for node in self.nodes if node.kind == "call"), key=lambda node: int(node.cursor.extent.start.offset)
        )
        return Flow(self.entry, self.end, self.nodes, calls, self.aliased)

    def _unlocks(self, count: int, then: Node) -> Node:
        for _ in range(count):
            then = self.node("unlock", then)
        return then

    def node(self, kind: str, *follows: Node, cursor: Cursor = None, why: str = "", loop: bool = False) -> Node:
        made = Node(kind, cursor, list(follows), why=why, loop=loop)
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
        why = "a try block" if kind(cursor) == "CXX_TRY_STMT" else "assembler, or a statement of an unknown kind"
        return self.node("unknown", cursor=cursor, why=why)

    def _compound_stmt(self, cursor: Cursor, then: Node, around: _Around, slot: str) -> Node:
        children = list(cursor.get_children())
        if then.kind != "return" or then.cursor != cursor:  # else the function's body, whose sections end behind it
            then = self._unlocks(len(_sections(children)), then)
        del slot
        for number, child in reversed(list(enumerate(children))):
            inside = replace(around, sections=around.sections + len(_sections(children[:number])))
            then = self.statement(child, then, inside, "list")
        return then

    def _if_stmt(self, cursor: Cursor, then: Node, around: _Around, slot: str) -> Node:
        children = list(cursor.get_children())
        if kind(children[0]) in ("DECL_STMT", "VAR_DECL"):
            return self._if_declares(cursor, children, then, around)
        test, yes, *no = children
        taken = self.statement(yes, then, around, "body")
        other = self.statement(no[0], then, around, "body") if no else then
        return self.condition(test, taken, other, cursor, slot)

    def _if_declares(self, cursor: Cursor, children: list[Cursor], then: Node, around: _Around) -> Node:
        """`if (T x = ...)`, and `if (T x = ...; test)`."""
        first = [child for child in children[:2] if kind(child) in ("DECL_STMT", "VAR_DECL")]
        opened = len(_sections(first))
        then, around = self._unlocks(opened, then), replace(around, sections=around.sections + opened)
        test, yes, *no = children[len(first) :]
        taken = self.statement(yes, then, around, "body")
        other = self.statement(no[0], then, around, "body") if no else then
        entry = self.condition(test, taken, other, cursor, "none")
        for child in reversed(first):
            entry = self.full(child, entry, cursor, "none")
        return entry

    def _cxx_for_range_stmt(self, cursor: Cursor, then: Node, around: _Around, slot: str) -> Node:
        *parts, body = cursor.get_children()
        if any(self._busy(part) for part in parts):
            return self.node("unknown", cursor=cursor, why="a loop over what a call returns")
        del slot
        head = self.node("join", cursor=cursor, loop=True)
        head.follows += [self.statement(body, head, _inside(around, then, head), "body"), then]
        return head

    def _while_stmt(self, cursor: Cursor, then: Node, around: _Around, slot: str) -> Node:
        del slot
        test, *rest = cursor.get_children()
        if len(rest) != 1:
            return self.node("unknown", cursor=cursor, why=DECLARES)
        body = rest[0]
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
        if any(kind(child) == "VAR_DECL" for child in cursor.get_children()):
            return self.node("unknown", cursor=cursor, why=DECLARES)
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
        value, *rest = cursor.get_children()
        if len(rest) != 1:
            return self.node("unknown", cursor=cursor, why=DECLARES)
        body = rest[0]
        cases: list[Node] = []
        default: list[bool] = []
        inside = replace(around, leave=then, cases=cases, has_default=default, leave_sections=around.sections)
        self.statement(body, then, inside, "body")
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
        if self.sections:
            return self.node("unknown", cursor=cursor, why="goto, in a function with sections")
        return self._label(next(iter(cursor.get_children())).spelling)

    def _break_stmt(self, cursor: Cursor, then: Node, around: _Around, slot: str) -> Node:
        del cursor, slot
        return self._unlocks(around.sections - around.leave_sections, around.leave or then)

    def _continue_stmt(self, cursor: Cursor, then: Node, around: _Around, slot: str) -> Node:
        del cursor, slot
        return self._unlocks(around.sections - around.again_sections, around.again or then)

    def _return_stmt(self, cursor: Cursor, then: Node, around: _Around, slot: str) -> Node:
        del then
        leaves = self.node("return", self._unlocks(around.sections, self.end), cursor=cursor)
        leaves.spot = Spot(cursor, slot, not self._busy(cursor) and slot != "none")
        return self.full(cursor, leaves, cursor, slot)

    # Expressions. `spot`: of the first call in it, if there is one.

    def full(self, cursor: Cursor, then: Node, statement: Cursor, slot: str) -> Node:
        """An expression to its end."""
        return self.value(cursor, then, _Position(statement, slot))

    def condition(
        self, cursor: Cursor, yes: Node, no: Node, statement: Cursor, slot: str, *, loop: bool = False
    ) -> Node:
        return self._decide(cursor, yes, no, _Position(statement, slot), loop)

    def _decide(self, cursor: Cursor, yes: Node, no: Node, position: _Position, loop: bool) -> Node:
        inner = bare(cursor)
        if kind(inner) == "UNARY_OPERATOR" and unary(inner) == "!":
            return self._decide(next(iter(inner.get_children())), no, yes, position, False)
        if kind(inner) == "BINARY_OPERATOR" and binary(inner) in ("&&", "||"):
            left, right = inner.get_children()
            last = self._decide(right, yes, no, position.later(), False)
            ways = (last, no) if binary(inner) == "&&" else (yes, last)
            return self._decide(left, *ways, position, False)
        value = self._constant(inner)
        if value is not None:
            return yes if value else no
        sure, usual = self._compared(inner, self.succeeds), self._compared(inner, self.locks)
        test = self.node("test", yes, no, cursor=inner, loop=loop) if sure is None else yes if sure else no
        if sure is None and usual is not None:
            test.usual.append(yes if usual else no)
        return self.value(inner, test, position)

    def _constant(self, cursor: Cursor) -> bool | None:
        value = None if self._busy(cursor) else number_of(cursor)
        return None if value is None else value != 0

    @staticmethod
    def _compared(cursor: Cursor, succeeds: Quiet) -> bool | None:
        """The result of a comparison with TAKT_OK if the call returns that."""
        if kind(cursor) != "BINARY_OPERATOR" or binary(cursor) not in ("==", "!="):
            return None
        sides = [_last(side) for side in cursor.get_children()]
        calls = [side for side in sides if kind(side) == "CALL_EXPR" and succeeds(side)]
        if len(calls) == 1 and any(number_of(side) == 0 for side in sides if side not in calls):
            return binary(cursor) == "=="
        return None

    def _busy(self, cursor: Cursor) -> bool:
        return any(kind(part) == "CALL_EXPR" and not self.quiet(part) for part in below(cursor))

    def value(self, cursor: Cursor, then: Node, position: _Position) -> Node:
        form = kind(cursor)
        if form in UNEVALUATED:
            return then
        if form == "CALL_EXPR":
            return self._call(cursor, then, position)
        if form == "BINARY_OPERATOR" and binary(cursor) in ("&&", "||"):
            return self._decide(cursor, then, then, position, False)
        if form == "DECL_STMT" or (form == "BINARY_OPERATOR" and binary(cursor) == ","):
            return self._in_order(list(cursor.get_children()), then, position)
        if form == "VAR_DECL":
            return self._variable(cursor, then, position)
        return self._operator(cursor, then, position)

    def _variable(self, cursor: Cursor, then: Node, position: _Position) -> Node:
        if cursor.storage_class.name == "STATIC" and self._busy(cursor):
            return self.node("unknown", cursor=cursor, why="a call that only the first round makes")
        inner = [child for child in cursor.get_children() if child.kind.is_expression()]
        before, self.kept = self.kept, cxx.is_section(cursor)
        entry = self._operands(inner, self._write(cursor, then, key_of(cursor), None), position)
        self.kept = before
        return entry

    def _operator(self, cursor: Cursor, then: Node, position: _Position) -> Node:
        form = kind(cursor)
        if form in UNREAD:
            return self.node("unknown", cursor=cursor, why="new, delete or throw")
        if form in STATEMENTS_INSIDE:
            return self._inside_out(cursor, then)
        if form == "CONDITIONAL_OPERATOR":
            test, yes, no = cursor.get_children()
            after = position.later()
            return self._decide(test, self.value(yes, then, after), self.value(no, then, after), position, False)
        for key, step in writes_of(cursor):
            then = self._write(cursor, then, key, step)
        return self._operands(list(cursor.get_children()), then, position)

    def _inside_out(self, cursor: Cursor, then: Node) -> Node:
        """Statements in an expression, as GNU C has them."""
        body = next((child for child in cursor.get_children() if kind(child) == "COMPOUND_STMT"), None)
        if body is None or any(kind(part) in ("BREAK_STMT", "CONTINUE_STMT") for part in below(cursor)):
            return self.node("unknown", cursor=cursor, why="statements in an expression")
        return self.statement(body, then, _Around(), "body")

    def _in_order(self, parts: list[Cursor], then: Node, position: _Position) -> Node:
        for number, part in reversed(list(enumerate(parts))):
            before = parts[:number]
            plain = not any(self._busy(other) or kind(other) == "VAR_DECL" or list(writes(other)) for other in before)
            then = self.value(part, then, position if plain else position.later())
        return then

    def _operands(self, parts: list[Cursor], then: Node, position: _Position) -> Node:
        busy = [part for part in parts if self._busy(part)]
        if len(busy) > 1:
            return self.node("unknown", cursor=busy[0], why="C does not say which of several calls comes first")
        others = [part for part in parts if part not in busy]
        plain = not any(list(writes(part)) for part in others)
        if busy:  # writes of the other operands may come after the call
            for part in others:
                for key, _ in writes(part):
                    then = self._write(part, then, key, None)
        for part in reversed(parts):
            then = self.value(part, then, position if plain else position.later())
        return then

    def _call(self, cursor: Cursor, then: Node, position: _Position) -> Node:
        node = then
        inner = any(self._busy(part) for part in cursor.get_children())
        if not self.quiet(cursor):
            if cxx.call_of(cursor) is cxx.SECTION and not self.kept:
                then = self.node("unlock", then)  # at the end of the expression, at the latest
            node = self.node("call", then, cursor=cursor)
            node.spot = (position.later() if inner else position).spot()
        return self._operands(list(cursor.get_children()), node, position)

    def _write(self, cursor: Cursor, then: Node, key: str, step: int | None) -> Node:
        node = self.node("write", then, cursor=cursor)
        node.key, node.step = key, step
        return node
