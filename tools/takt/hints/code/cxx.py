# SPDX-License-Identifier: Apache-2.0
"""C++: sections and monitors of takt/takt.hpp, and what the compiler calls unseen.

Constructors, destructors, operators, templates, lambda expressions and initial values are run where no call is written.
A file in which one of these may wait or lock is not read.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from takt.hints.code.calls import CONDITION, MUTEX, TABLE, Call, Role
from takt.hints.code.expressions import Term, UnclearError, address, key_of
from takt.hints.code.source import Cursor, Unit, below, kind

FUNCTIONS = ("FUNCTION_DECL", "CXX_METHOD")
INSIDE = ("LAMBDA_EXPR", "CLASS_DECL", "STRUCT_DECL")  # of a function, with functions of their own
UNSEEN = (
    "CONSTRUCTOR",
    "DESTRUCTOR",
    "CONVERSION_FUNCTION",
    "FUNCTION_TEMPLATE",
    "CLASS_TEMPLATE",
    "CLASS_TEMPLATE_PARTIAL_SPECIALIZATION",
)
_VALUES = ("VAR_DECL", "FIELD_DECL", "PARM_DECL")
_GUARDS = frozenset({"Section", "Monitor", "enter", "enter_until"})
_NAME = re.compile(r"\b[A-Za-z_]\w*")
_SECTION = re.compile(r"takt::(Section<takt_(?P<of>mutex|ceiling)>|Monitor<.*, (?P<lock>[^,<>]+)>::Entry)")
_MONITOR = re.compile(r"takt::Monitor<.*, (?P<lock>[^,<>]+)>")
LOUD = frozenset(name for name, call in TABLE.items() if call.role is not Role.PLAIN)

SECTION = Call(Role.LOCK, MUTEX, holds=1)
CEILING = Call(Role.DEAF, MUTEX, holds=1)
WHOLE = Call(Role.LOCK, MUTEX)  # Monitor::call: unlocks before it returns
WAIT = Call(Role.DEAF, CONDITION)
PLAIN = Call(Role.PLAIN)
_METHODS = {"enter": SECTION, "enter_until": SECTION, "call": WHOLE, "wait": WAIT, "wait_until": WAIT}


def is_constructor(call: Cursor) -> bool:
    return call.referenced is not None and kind(call.referenced) == "CONSTRUCTOR"


def _spelled(cursor: Cursor) -> str:
    return str(cursor.type.get_canonical().spelling).replace("const ", "").rstrip(" &")


def is_section(variable: Cursor) -> bool:
    """Whether the end of its scope unlocks."""
    return kind(variable) == "VAR_DECL" and _SECTION.fullmatch(_spelled(variable)) is not None


def call_of(call: Cursor) -> Call | None:
    """A call of takt.hpp, or of what only the compiler calls, which never waits; None: it is none of these."""
    named = call.referenced
    if named is None or kind(named) not in ("CONSTRUCTOR", "CONVERSION_FUNCTION", "CXX_METHOD"):
        return None
    owner = named.semantic_parent
    ours = owner is not None and owner.spelling in ("Section", "Monitor", "Entry") and _is_ours(named)
    if kind(named) == "CXX_METHOD":
        return _METHODS.get(named.spelling, PLAIN) if ours else None
    if kind(named) == "CONSTRUCTOR" and ours and owner.spelling == "Section" and list(call.get_children()):
        found = _SECTION.fullmatch(_spelled(call))
        return SECTION if found is not None and found["of"] == "mutex" else CEILING
    return PLAIN


def _is_ours(cursor: Cursor) -> bool:
    file = cursor.location.file
    return file is not None and str(file.name).endswith("/takt/takt.hpp")


def mutex_of_monitor(unit: Unit, call: Cursor) -> Term:
    """The mutex of a monitor that is entered. UnclearError."""
    member = next(iter(call.get_children()))
    found = next(filter(None, (_MONITOR.fullmatch(_spelled(part)) for part in below(member))), None)
    name = found["lock"] if found is not None else ""
    for cursor in unit.top:
        if kind(cursor) == "VAR_DECL" and cursor.spelling == name:
            return address(Term("object", name, key_of(cursor)))
    raise UnclearError("its mutex is in a namespace, or has no name")


def unseen(cursors: Collection[Cursor]) -> Iterator[Cursor]:
    """What the compiler runs unseen, in declarations of an application."""
    for cursor in cursors:
        form = kind(cursor)
        operator = form in FUNCTIONS and cursor.spelling.startswith("operator")
        if operator or form in (*UNSEEN, *_VALUES):
            yield cursor
        elif form in FUNCTIONS:
            yield from cursor.get_arguments()  # with what they are unless a call says it
        if form in (*FUNCTIONS, *_VALUES):
            yield from (part for part in below(cursor) if kind(part) in INSIDE)


def waits_unseen(cursors: Collection[Cursor], loud: Collection[str]) -> bool:
    """Whether what is run unseen may wait or lock. `loud`: names of functions that do."""
    for cursor in unseen(cursors):
        names = {str(token.spelling) for token in cursor.get_tokens() if _NAME.fullmatch(token.spelling)}
        refused = {*LOUD, *loud} if kind(cursor) in _VALUES else {*LOUD, *loud, *_GUARDS}
        if names & refused:
            return True
    return False
