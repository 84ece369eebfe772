# SPDX-License-Identifier: Apache-2.0
"""Which statements concern no other task: they read and write only variables that no other code can reach.

Such a statement needs no mutex. It may be evaluated after an unlock that follows it, since neither sees what the other
does: local variables whose address no expression takes, constants, and functions for which the same holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from takt.hints.code.expressions import is_array, is_local, key_of
from takt.hints.code.source import TRANSPARENT, Cursor, bare, kind, unary
from takt.hints.program import Function, Program

LOOPS = ("WHILE_STMT", "DO_STMT", "FOR_STMT")
LEAVES = {"BREAK_STMT": 3, "CONTINUE_STMT": 1}  # of IN_LOOP and IN_SWITCH, those in which they stay
LABELS = ("CASE_STMT", "DEFAULT_STMT")
IN_LOOP, IN_SWITCH = 1, 2
VALUES = ("INTEGER_LITERAL", "FLOATING_LITERAL", "CHARACTER_LITERAL", "CXX_BOOL_LITERAL_EXPR", "TYPE_REF", "NULL_STMT")
PLAIN = (
    *TRANSPARENT,
    *LOOPS,
    "COMPOUND_STMT",
    "IF_STMT",
    "SWITCH_STMT",
    "DECL_STMT",
    "BINARY_OPERATOR",
    "COMPOUND_ASSIGNMENT_OPERATOR",
    "CONDITIONAL_OPERATOR",
    "CSTYLE_CAST_EXPR",
    "INIT_LIST_EXPR",
)
SIZES = "CXX_UNARY_EXPR"
ARRAYS = ("CONSTANTARRAY", "INCOMPLETEARRAY")
WORK = "takt_work"  # it executes for a time, and does nothing else


class SharedError(Exception):
    """The statement may concern another task; says why."""


def escaping(body: Cursor) -> frozenset[str]:
    """Keys of the local variables whose address some expression of the function takes."""
    found: set[str] = set()

    def look(cursor: Cursor, parent: str) -> None:
        form = kind(cursor)
        if form == SIZES:
            return
        if (form == "UNARY_OPERATOR" and unary(cursor) == "&") or (
            form in ("DECL_REF_EXPR", "MEMBER_REF_EXPR") and is_array(cursor) and parent != "ARRAY_SUBSCRIPT_EXPR"
        ):
            found.update(_root(cursor))
        for number, child in enumerate(cursor.get_children()):
            index = form == "ARRAY_SUBSCRIPT_EXPR" and number > 0
            look(child, parent if form in TRANSPARENT else "" if index else form)

    look(body, "")
    return frozenset(found)


def _root(cursor: Cursor) -> Iterator[str]:
    """The local variable that an object is, or is a part of."""
    inner = bare(cursor)
    while kind(inner) in ("MEMBER_REF_EXPR", "ARRAY_SUBSCRIPT_EXPR") or (
        kind(inner) == "UNARY_OPERATOR" and unary(inner) == "&"
    ):
        first = next(iter(inner.get_children()), None)
        if first is None:
            return
        inner = bare(first)
    if kind(inner) == "DECL_REF_EXPR" and kind(inner.referenced) in ("VAR_DECL", "PARM_DECL"):
        yield key_of(inner.referenced)


class Private:
    """Answers for the functions of a program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.of_function = cache(self._of_function)
        self.escapes = cache(lambda key: escaping(program.functions[key].cursor))

    def require(self, function: Function, statement: Cursor, inside: int = 0) -> None:
        """SharedError: the statement is not private. `inside`: IN_LOOP | IN_SWITCH, of those that are private too."""
        form = kind(statement)
        where = f"line {statement.extent.start.line}"
        if form == "CALL_EXPR":
            self._call(function, statement, where)
        elif form in ("DECL_REF_EXPR", "MEMBER_REF_EXPR", "ARRAY_SUBSCRIPT_EXPR"):
            self._object(function, statement, where)
        elif form == "VAR_DECL":
            if statement.storage_class.name == "STATIC" or statement.type.is_volatile_qualified():
                raise SharedError(f"{where} declares `{statement.spelling}`, which is static or volatile")
            self._parts(function, statement, inside)
        elif form == "UNARY_OPERATOR":
            if unary(statement) not in ("+", "-", "~", "!", "++", "--"):
                raise SharedError(f"{where} uses memory through a pointer, or takes an address")
            self._parts(function, statement, inside)
        elif form in LABELS and not inside & IN_SWITCH:
            raise SharedError(f"{where} can be reached by a jump")
        elif form in LEAVES and not inside & LEAVES[form]:
            raise SharedError(f"{where} leaves the block")
        elif form in (*PLAIN, *LABELS):
            within = IN_SWITCH if form == "SWITCH_STMT" else IN_LOOP if form in LOOPS else 0
            self._parts(function, statement, inside | within)
        elif form not in (*VALUES, *LEAVES, SIZES):
            raise SharedError(f"{where} leaves the block, or is of a kind that is not followed")

    def _parts(self, function: Function, cursor: Cursor, inside: int) -> None:
        for part in cursor.get_children():
            self.require(function, part, inside)

    def _object(self, function: Function, cursor: Cursor, where: str) -> None:
        """A variable, a member or an element of one."""
        form = kind(cursor)
        if cursor.type.is_volatile_qualified():
            raise SharedError(f"{where} uses a volatile object")
        if form == "ARRAY_SUBSCRIPT_EXPR":
            base, index = cursor.get_children()
            if not is_array(bare(base)):
                raise SharedError(f"{where} uses memory through a pointer")
            self._object(function, bare(base), where)
            self.require(function, index)
        elif form == "MEMBER_REF_EXPR":
            base = bare(next(iter(cursor.get_children()), cursor))
            if base == cursor or base.type.get_canonical().kind.name == "POINTER":
                raise SharedError(f"{where} uses memory through a pointer")
            self.require(function, base)
        else:
            self._variable(function, cursor, where)

    def _variable(self, function: Function, cursor: Cursor, where: str) -> None:
        declaration = cursor.referenced
        name = declaration.spelling
        if kind(declaration) == "ENUM_CONSTANT_DECL":
            return
        if kind(declaration) not in ("VAR_DECL", "PARM_DECL") or declaration.type.is_volatile_qualified():
            raise SharedError(f"{where} uses `{name}`")
        if is_local(declaration):
            if key_of(declaration) in self.escapes(function.key):
                raise SharedError(f"{where} uses `{name}`, whose address is taken")
            return
        element = declaration.type.get_canonical()
        while element.kind.name in ARRAYS and not element.is_const_qualified():
            element = element.element_type.get_canonical()
        if not element.is_const_qualified():
            raise SharedError(f"{where} uses `{name}`, which other tasks may reach")

    def _call(self, function: Function, cursor: Cursor, where: str) -> None:
        callee, *arguments = cursor.get_children()
        target = self.program.target(cursor)
        if target.function is not None:
            why = self.of_function(target.function.key)
            if why:
                raise SharedError(f"{where} calls `{target.function.name}`: {why}")
        elif bare(callee).spelling != WORK:
            raise SharedError(f"{where} calls `{cursor.spelling}`, of which it is not known what it uses")
        for argument in arguments:
            self.require(function, argument)

    def _of_function(self, key: str) -> str:
        """Why calls of a function are not private; "": they are."""
        function = self.program.functions[key]
        if function.recursive or function.unit.cxx:
            return "recursion" if function.recursive else "C++ is not followed"
        try:
            for part in function.cursor.get_children():
                if kind(part) == "COMPOUND_STMT":
                    self._in_function(function, part)
        except SharedError as error:
            return str(error)
        return ""

    def _in_function(self, function: Function, statement: Cursor) -> None:
        """A statement of a function that is called: it may return."""
        if kind(statement) in (*LOOPS, "COMPOUND_STMT", "IF_STMT", "RETURN_STMT"):
            for part in statement.get_children():
                self._in_function(function, part)
        else:
            self.require(function, statement, IN_LOOP)  # which is in the function, if there is a `continue`
