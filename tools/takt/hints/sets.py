# SPDX-License-Identifier: Apache-2.0
"""Hints of sets of mutexes: what those in the code name, and where one may be written."""

from __future__ import annotations

from collections.abc import Sequence

from takt.hints.code.expressions import Reader, Term, UnclearError, same
from takt.hints.code.source import Cursor, bare, below, kind
from takt.hints.edit import NotThereError
from takt.hints.flow import Node
from takt.hints.program import Function
from takt.support.c.kernel import HINT_SET_MAX

MAX = HINT_SET_MAX
MADE = "takti_hint_set"  # by TAKT_HINT_NEXT_SET_STATIC
ADDRESSES = ("address", "object", "member", "element", "number", "sum")


def require(cxx: bool, terms: Sequence[Term], job: str | None, alone: bool) -> None:
    """NotThereError: a set of these cannot be written. `job`: the function at the end of which it is; `alone`: one
    task runs it."""
    if cxx:
        raise NotThereError("C++ has no compound literals")
    if job is not None and not alone:
        raise NotThereError(f"`{job}` may be run by several tasks, and each would need a set of its own")
    if job is not None and not all(map(_constant, terms)):
        raise NotThereError("their addresses are not constant")


def _constant(term: Term) -> bool:
    return term.kind in ADDRESSES and all(map(_constant, term.parts))


def named(function: Function, hint: Node) -> tuple[Term, ...] | None:
    """The mutexes of a hint that a macro of takt/hint.h made; None: another set, which the code may change."""
    made = bare(list(hint.cursor.get_children())[1])
    variable = next((part.referenced for part in below(made) if kind(part) == "DECL_REF_EXPR"), None)
    if variable is not None and variable.spelling == MADE:
        made = variable
    lists = [part for part in below(made) if kind(part) == "INIT_LIST_EXPR"]
    if made is variable:
        arrays = (part.referenced for part in below(made) if kind(part) == "DECL_REF_EXPR")
        lists += [part for array in arrays for part in below(array) if kind(part) == "INIT_LIST_EXPR"]
    elif kind(_first(made)) != "COMPOUND_LITERAL_EXPR":
        return None
    reader = Reader(function.flow.aliased)
    try:
        return tuple(reader.pointer(part) for part in lists[1].get_children()) if len(lists) > 1 else None
    except UnclearError:
        return None


def _first(cursor: Cursor) -> Cursor:
    """The operand of an address."""
    return bare(next(iter(cursor.get_children()), cursor))


def in_order(some: Sequence[Term], every: Sequence[Term]) -> bool:
    """Whether these are among the others, in their order."""
    rest = iter(every)
    return all(any(same(term, other) for other in rest) for term in some)
