# SPDX-License-Identifier: Apache-2.0
"""Which mutex an argument names: expressions that can be evaluated earlier, and mean the same there.

Such an expression consists of objects, fields, elements, constants, and values of local variables whose address is
not taken. So it has no side effect, and reads nothing that another task could change.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from takt.hints.code.source import Cursor, bare, binary, kind, number_of, unary


class UnclearError(Exception):
    """The argument cannot be evaluated before the wait; says why."""


@dataclass(frozen=True)
class Term:
    """`kind`: object, value, number, address, target, member, arrow, element, sum, or choice: of two, by a comparison.

    `name`: of a declaration, a field, an operator; a choice without one is by whether its first part is 0.

    `key` tells declarations apart; `local` those of a function, whose value may change.
    """

    kind: str
    name: str = ""
    key: str = ""
    local: bool = False
    parts: tuple[Term, ...] = ()
    number: int = 0

    def values(self) -> frozenset[str]:
        """Keys of the variables whose values it depends on."""
        own = frozenset([self.key]) if self.kind == "value" and self.local else frozenset()
        return own.union(*(part.values() for part in self.parts))

    def declarations(self) -> frozenset[tuple[str, str, bool]]:
        """Key, name and whether it is local, of every declaration in it."""
        own = frozenset([(self.key, self.name, self.local)]) if self.key else frozenset()
        return own.union(*(part.declarations() for part in self.parts))

    @property
    def fixed(self) -> bool:
        """A constant: it depends on no value and no local object."""
        return not any(local for _, _, local in self.declarations())


_FOLD: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "%": operator.mod,
    "/": operator.floordiv,
}
SPELT_TOKENS = 5
NULL = Term("number", "NULL")


def same(one: Term, other: Term) -> bool:
    return _plain(one) == _plain(other)


def _plain(term: Term) -> Term:
    """The term in a normal form: constants are folded, and their spelling is dropped."""
    parts = tuple(_plain(part) for part in term.parts)
    if term.kind == "sum" and all(part.kind == "number" for part in parts):
        left, right = (part.number for part in parts)
        number = _FOLD[term.name](left, right) if left >= 0 and right > 0 else -1
        if number >= 0:
            return Term("number", number=number)
    return replace(term, name="" if term.kind == "number" else term.name, parts=parts)


def key_of(declaration: Cursor) -> str:
    """Tells a declaration from every other: its USR, and of a local one its location."""
    if is_local(declaration):
        location = declaration.location
        return f"{location.file.name if location.file else ''}:{location.offset}"
    return str(declaration.canonical.get_usr())


def is_local(declaration: Cursor) -> bool:
    if kind(declaration) == "PARM_DECL":
        return True
    parent = declaration.semantic_parent
    inside = kind(declaration) == "VAR_DECL" and parent is not None and kind(parent) in ("FUNCTION_DECL", "CXX_METHOD")
    return inside and declaration.storage_class.name != "STATIC"


def is_array(cursor: Cursor) -> bool:
    return str(cursor.type.get_canonical().kind.name) in ("CONSTANTARRAY", "INCOMPLETEARRAY")


@dataclass(frozen=True)
class Reader:
    """Reads expressions of one function; `aliased`: keys of its variables whose address is taken."""

    aliased: Collection[str]

    def pointer(self, cursor: Cursor) -> Term:
        """The pointer that an expression yields. UnclearError."""
        cursor = bare(cursor)
        form = kind(cursor)
        if form == "UNARY_OPERATOR" and unary(cursor) == "&":
            return address(self.object(_only(cursor)))
        if form == "DECL_REF_EXPR":
            return self._variable(cursor, pointer=True)
        if form == "BINARY_OPERATOR" and binary(cursor) in ("+", "-"):
            return self._moved(cursor)
        if form in ("MEMBER_REF_EXPR", "ARRAY_SUBSCRIPT_EXPR") and is_array(cursor):
            return address(_element(self.object(cursor), Term("number", "0")))
        if number_of(_uncast(cursor)) == 0 or kind(cursor) == "CXX_NULL_PTR_LITERAL_EXPR":
            return NULL
        raise UnclearError(_described(cursor))

    def object(self, cursor: Cursor) -> Term:
        """The object that an expression denotes."""
        cursor = bare(cursor)
        form = kind(cursor)
        if form == "DECL_REF_EXPR":
            declaration = cursor.referenced
            if kind(declaration) not in ("VAR_DECL", "PARM_DECL"):
                raise UnclearError(_described(cursor))
            if declaration.storage_class.name == "STATIC" and kind(declaration.semantic_parent) == "FUNCTION_DECL":
                return Term("object", declaration.spelling, _static_key(declaration), local=True)
            return Term("object", declaration.spelling, key_of(declaration), is_local(declaration))
        if form == "MEMBER_REF_EXPR":
            return self._member(cursor)
        if form == "ARRAY_SUBSCRIPT_EXPR":
            base, index = cursor.get_children()
            return _element(self._elements(base), self.number(index))
        if form == "UNARY_OPERATOR" and unary(cursor) == "*":
            return _target(self.pointer(_only(cursor)))
        raise UnclearError(_described(cursor))

    def number(self, cursor: Cursor) -> Term:
        """An index, or an operand of a condition."""
        cursor = bare(cursor)
        if kind(cursor) == "DECL_REF_EXPR" and kind(cursor.referenced) in ("VAR_DECL", "PARM_DECL"):
            return self._variable(cursor, pointer=False)
        value = number_of(cursor)
        if value is not None:
            return Term("number", _spelling(cursor, value), number=value)
        if kind(cursor) == "BINARY_OPERATOR" and binary(cursor) in _FOLD:
            left, right = cursor.get_children()
            if binary(cursor) in ("%", "/") and not number_of(right):
                raise UnclearError(_described(cursor))  # it may be 0 where the lock is not reached
            return Term("sum", binary(cursor), parts=(self.number(left), self.number(right)))
        raise UnclearError(_described(cursor))

    def _member(self, cursor: Cursor) -> Term:
        children = list(cursor.get_children())
        if not children:
            raise UnclearError(_described(cursor))
        base = children[0]
        if is_array(bare(base)) or bare(base).type.get_canonical().kind.name == "POINTER":
            pointer = self.pointer(base)
            if pointer.kind == "address":
                return Term("member", cursor.spelling, parts=pointer.parts)
            return Term("arrow", cursor.spelling, parts=(pointer,))
        return Term("member", cursor.spelling, parts=(self.object(base),))

    def _elements(self, base: Cursor) -> Term:
        """The operand that is indexed: an array object, or a pointer's value."""
        inner = bare(base)
        return self.object(inner) if is_array(inner) else self.pointer(inner)

    def _moved(self, cursor: Cursor) -> Term:
        left, right = cursor.get_children()
        if binary(cursor) != "+" or is_array(bare(right)) or bare(right).type.get_canonical().kind.name == "POINTER":
            raise UnclearError(_described(cursor))
        return address(_element(self._elements(left), self.number(right)))

    def _variable(self, cursor: Cursor, *, pointer: bool) -> Term:
        declaration = cursor.referenced
        name = declaration.spelling
        if kind(declaration) not in ("VAR_DECL", "PARM_DECL"):
            raise UnclearError(_described(cursor))
        if is_array(cursor) and pointer:
            return address(_element(self.object(cursor), Term("number", "0")))
        if declaration.type.is_volatile_qualified():
            raise UnclearError(f"`{name}` is volatile")
        if declaration.type.get_canonical().kind.name in ("LVALUEREFERENCE", "RVALUEREFERENCE"):
            raise UnclearError(f"`{name}` is a reference to what may change")
        if not is_local(declaration):
            if declaration.type.is_const_qualified():
                return Term("value", name, key_of(declaration))
            raise UnclearError(f"`{name}` is no local variable and may change while the task waits")
        key = key_of(declaration)
        if key in self.aliased:
            raise UnclearError(f"`{name}` may change through its address")
        return Term("value", name, key, local=True)


def _uncast(cursor: Cursor) -> Cursor:
    """Of ((void *)0) the 0."""
    while kind(cursor) == "CSTYLE_CAST_EXPR":
        cursor = bare(list(cursor.get_children())[-1])
    return cursor


def _static_key(declaration: Cursor) -> str:
    location = declaration.location
    return f"{location.file.name if location.file else ''}:{location.offset}"


def _only(cursor: Cursor) -> Cursor:
    return next(iter(cursor.get_children()))


def address(term: Term) -> Term:
    if term.kind == "target":
        return term.parts[0]
    return Term("address", parts=(term,))


def _target(pointer: Term) -> Term:
    return pointer.parts[0] if pointer.kind == "address" else Term("target", parts=(pointer,))


def _element(base: Term, index: Term) -> Term:
    return Term("element", parts=(base, index))


def _described(cursor: Cursor) -> str:
    form = kind(cursor)
    if form == "CALL_EXPR":
        return "its mutex is returned by a call"
    if form == "CONDITIONAL_OPERATOR":
        return "its mutex depends on a condition"
    if form in ("MEMBER_REF_EXPR", "ARRAY_SUBSCRIPT_EXPR") or (form == "UNARY_OPERATOR" and unary(cursor) == "*"):
        return "its mutex is read from memory, which may change while the task waits"
    if form == "UNARY_OPERATOR" or (form == "BINARY_OPERATOR" and "=" in binary(cursor)):
        return "its mutex cannot be named twice: the expression has an effect"
    return "its mutex cannot be determined"


def _spelling(cursor: Cursor, value: int) -> str:
    """As the file spells a constant, if that is short and plain; else its digits."""
    tokens = [str(token.spelling) for token in cursor.get_tokens()]
    plain = all(token.isidentifier() or token.isalnum() or token in _FOLD for token in tokens)
    if plain and 0 < len(tokens) <= SPELT_TOKENS:
        return " ".join(tokens)
    return str(value)


def written(term: Term) -> str:
    """The expression in C."""
    if term.kind in ("object", "value", "number"):
        return term.name
    inner = [written(part) for part in term.parts]
    if term.kind in ("address", "target"):
        return f"&{inner[0]}" if term.kind == "address" else f"(*{inner[0]})"
    if term.kind == "sum":
        left = inner[0] if term.name in ("+", "-") else _braced(term, 0)
        return f"{left} {term.name} {_braced(term, 1)}"
    if term.kind == "choice":
        return f"{inner[0]} {term.name} {inner[1]} ? {inner[2]} : {inner[3]}".replace("  ", "")
    if term.kind == "element":
        return f"{_braced(term, 0)}[{inner[1]}]"
    return f"{_braced(term, 0)}{'->' if term.kind == 'arrow' else '.'}{term.name}"


def _braced(term: Term, part: int) -> str:
    inner = term.parts[part]
    text = written(inner)
    return f"({text})" if inner.kind in ("address", "sum") or " " in text else text


def substituted(term: Term, arguments: Mapping[str, Term], refuse: Callable[[Term], UnclearError]) -> Term:
    """The term with a call's arguments for the parameters; `refuse`: the error for a local variable of the callee."""
    if term.kind == "value" and term.local:
        if term.key not in arguments:
            raise refuse(term)
        return arguments[term.key]
    if term.kind == "object" and term.local:
        raise refuse(term)
    parts = tuple(substituted(part, arguments, refuse) for part in term.parts)
    if term.kind == "arrow" and parts[0].kind == "address":
        return Term("member", term.name, parts=parts[0].parts)
    if term.kind == "target":
        return _target(parts[0])
    if term.kind == "address":
        return address(parts[0])
    return replace(term, parts=parts)
