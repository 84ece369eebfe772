# SPDX-License-Identifier: Apache-2.0
"""The variables that an expression writes, and the loops with a fixed number of rounds."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator

from takt.hints.code.expressions import is_array, is_local, key_of
from takt.hints.code.source import ASSIGNMENTS, Cursor, Unit, bare, below, binary, kind, number_of, unary

_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "!=": operator.ne,
}


COMPARISONS = frozenset([*_COMPARE, "=="])


def local_variable(cursor: Cursor) -> str | None:
    """The key of the local variable that an expression names."""
    inner = bare(cursor)
    if kind(inner) != "DECL_REF_EXPR" or kind(inner.referenced) not in ("VAR_DECL", "PARM_DECL"):
        return None
    return key_of(inner.referenced) if is_local(inner.referenced) else None


def writes_of(cursor: Cursor) -> Iterator[tuple[str, int | None]]:
    """The local variable that an operator itself writes, and the constant that it adds; None: it sets another value."""
    form = kind(cursor)
    if form in ("BINARY_OPERATOR", "COMPOUND_ASSIGNMENT_OPERATOR") and binary(cursor) in ASSIGNMENTS:
        left, right = cursor.get_children()
        key = local_variable(left)
        if key is not None:
            step = number_of(right) if binary(cursor) in ("+=", "-=") else None
            yield key, -step if step is not None and binary(cursor) == "-=" else step
    if form == "UNARY_OPERATOR" and unary(cursor) in ("++", "--"):
        key = local_variable(next(iter(cursor.get_children())))
        if key is not None:
            yield key, 1 if unary(cursor) == "++" else -1


def writes(cursor: Cursor) -> Iterator[tuple[str, int | None]]:
    """The same for everything in it."""
    for part in below(cursor):
        yield from writes_of(part)


def aliased(body: Cursor) -> frozenset[str]:
    """Local variables whose address is taken; structures and arrays are left out, since their values are not used."""
    found = set()
    for part in below(body):
        if kind(part) == "UNARY_OPERATOR" and unary(part) == "&":
            inner = bare(next(iter(part.get_children())))
            key = local_variable(inner)
            if key is not None and not is_array(inner):
                found.add(key)
        if kind(part) in ("ASM_STMT", "MS_ASM_STMT", "LAMBDA_EXPR", "CXX_FOR_RANGE_STMT"):
            found.update(key for key in (local_variable(inner) for inner in below(part)) if key is not None)
        if kind(part) in ("CALL_EXPR", "RETURN_STMT") or (
            kind(part) == "VAR_DECL" and part.type.get_canonical().kind.name in ("LVALUEREFERENCE", "RVALUEREFERENCE")
        ):  # of C++, what is referred to; values have a conversion around them
            found.update(
                key
                for key in (local_variable(inner) for inner in part.get_children() if kind(inner) == "DECL_REF_EXPR")
                if key is not None
            )
    return frozenset(found)


def for_parts(unit: Unit, loop: Cursor) -> tuple[Cursor, Cursor, Cursor, Cursor] | None:
    """Beginning, test, step and body of a `for`, each None if it is not there; None: a macro wrote it."""
    ends = _for_ends(unit, loop)
    if ends is None:
        return None
    parts: list[Cursor] = [None, None, None, None]
    for child in loop.get_children():
        start = child.extent.start.offset
        parts[sum(start > end for end in ends)] = child
    return parts[0], parts[1], parts[2], parts[3]


def _for_ends(unit: Unit, loop: Cursor) -> list[int] | None:
    """Offsets of the two semicolons and the closing parenthesis."""
    depth = 0
    ends: list[int] = []
    for token in loop.get_tokens():
        offset = token.extent.start.offset
        if token.spelling == "(":
            depth += 1
        elif token.spelling == ")":
            depth -= 1
        if (token.spelling == ";" and depth == 1) or (token.spelling == ")" and depth == 0):
            if unit.in_macro(offset):
                return None
            ends.append(offset)
        if len(ends) == 3:
            return ends if not unit.in_macro(loop.extent.start.offset) else None
    return None


def _comparison(test: Cursor) -> tuple[str, str, Cursor] | None:
    """Key of the variable on the left, operator, right side."""
    test = bare(test)
    if kind(test) != "BINARY_OPERATOR" or binary(test) not in _COMPARE:
        return None
    left, right = test.get_children()
    key = local_variable(left)
    return None if key is None else (key, binary(test), bare(right))


def counts(test: Cursor, step: Cursor, body: Cursor) -> bool:
    """Whether the number of rounds of a `for` is fixed when it begins: its limit does not change in the loop."""
    compared = _comparison(test)
    steps = list(writes(step))
    if compared is None or len(steps) != 1 or steps[0][0] != compared[0] or not steps[0][1]:
        return False
    key, sign, limit = compared
    towards = {"<": 1, "<=": 1, ">": -1, ">=": -1}.get(sign)
    if towards is not None and towards * steps[0][1] < 0:
        return False
    watched = {key} | ({local_variable(limit)} - {None})
    if number_of(limit) is None and local_variable(limit) is None:
        return False
    changed = {written for written, _ in writes(body)} | aliased(body)
    return not watched & changed


def holds_at_first(first: Cursor, test: Cursor) -> bool:
    """Whether the test of a loop is true before the first round, by constants."""
    compared = _comparison(test)
    if first is None or compared is None:
        return False
    begins = _begins(first, compared[0])
    limit = number_of(compared[2])
    return begins is not None and limit is not None and _COMPARE[compared[1]](begins, limit)


def _begins(first: Cursor, key: str) -> int | None:
    """The constant that the first part of a `for` gives a variable, and does nothing else."""
    if kind(first) == "DECL_STMT":
        variables = list(first.get_children())
        if len(variables) == 1 and key_of(variables[0]) == key:
            values = [child for child in variables[0].get_children() if child.kind.is_expression()]
            return number_of(values[0]) if len(values) == 1 else None
        return None
    if kind(first) == "BINARY_OPERATOR" and binary(first) == "=":
        left, right = first.get_children()
        return number_of(right) if local_variable(left) == key else None
    return None
