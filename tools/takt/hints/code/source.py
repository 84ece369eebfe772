# SPDX-License-Identifier: Apache-2.0
"""C files parsed by libclang: units, ranges of macros, and functions of libclang that its Python binding lacks."""

from __future__ import annotations

import bisect
import ctypes
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from takt.support import children, files
from takt.support.errors import UserError
from takt.support.provision import ROOT

Cursor = Any  # clang.cindex.Cursor: the package has no types

INCLUDES = (
    "",
    "kernel/include",
    "kernel/config/sched/bands",
    "ports/host",
    "analysis/include",
    "runner/include",
    "reflect/core/include",
    "library/shell/include",
    "library/can/include",
    "net/can/include",
    "net/clock/include",
    "net/e2e/include",
)
OWN = Path(__file__).parent / "include"  # replaces headers of gcc that libclang cannot read
AROUND = ("NAMESPACE", "LINKAGE_SPEC", "CLASS_DECL", "STRUCT_DECL")  # of declarations, in C++
TRANSPARENT = ("UNEXPOSED_EXPR", "PAREN_EXPR")


@cache
def library() -> Any:
    """clang.cindex; `takt.support.provision` has brought it (hints.lock)."""
    from clang import cindex

    lib = cindex.conf.lib
    lib.clang_Cursor_Evaluate.restype = ctypes.c_void_p
    for function in (lib.clang_EvalResult_getKind, lib.clang_EvalResult_getAsLongLong, lib.clang_EvalResult_dispose):
        function.argtypes = [ctypes.c_void_p]
    lib.clang_EvalResult_getAsLongLong.restype = ctypes.c_longlong
    return cindex


@cache
def _system_includes(compiler: str, language: str) -> tuple[str, ...]:
    """Where the host's compiler looks: libclang's package has no headers of its own."""
    command = [compiler, "-E", "-v", "-x", language, "/dev/null"]
    said = children.run(command, check=True, environment={**os.environ, "LC_ALL": "C"}).stderr
    listed = said.split("search starts here:")[-1].split("End of search")[0]
    return tuple(line.strip() for line in listed.splitlines() if line.strip())


def flags(folders: Sequence[Path], preset: str, standard: int, cxx: Sequence[str] | None = None) -> list[str]:
    """The compiler's options for an application's file: those of the host, with the kernel that has all services.
    `cxx`: further ones of a file in C++."""
    own = [*(ROOT / name for name in INCLUDES), ROOT / "kernel" / "config" / "preset" / preset, *folders]
    if cxx is None:
        language = [f"-std=gnu{standard}"]
        system = [OWN, *_system_includes("gcc", "c")]
    else:
        language = ["-xc++", f"-std=gnu++{standard}", "-nostdinc++", *cxx]
        system = list(_system_includes("g++", "c++"))
    included = [*(f"-isystem{name}" for name in system), *(f"-I{path}" for path in own)]
    return [*language, "-nostdinc", "-DTAKT_LEVELS=32", "-DTAKT_HEEDS_HINTS=1", *included]


@dataclass(eq=False)
class Unit:
    """One file. `macros`: byte ranges of the file that macros replace, in order. `top`: its declarations, those in
    extern "C" included; `inner`: those, and what is in namespaces and classes of C++."""

    path: Path
    text: bytes
    cursor: Cursor
    keep: Any = field(repr=False)  # libclang's unit lives as long as this
    cxx: bool = False
    macros: list[tuple[int, int]] = field(default_factory=list)
    top: list[Cursor] = field(default_factory=list)
    inner: list[Cursor] = field(default_factory=list)

    def holds(self, cursor: Cursor) -> bool:
        """Whether it is in the file itself, not in a header."""
        return _file_name(cursor) == str(self.path)

    def in_macro(self, offset: int) -> bool:
        index = bisect.bisect_right(self.macros, (offset, len(self.text))) - 1
        return index >= 0 and self.macros[index][0] <= offset < self.macros[index][1]

    def line_start(self, offset: int) -> int:
        return self.text.rfind(b"\n", 0, offset) + 1

    def line(self, offset: int) -> int:
        return self.text.count(b"\n", 0, offset) + 1


def _file_name(cursor: Cursor) -> str:
    file = cursor.location.file
    return file.name if file is not None else ""


def parse(path: Path, arguments: Sequence[str], texts: Mapping[Path, bytes]) -> Unit:
    """Parses a file, or its text in `texts`. UserError: it does not compile."""
    clang = library()
    unsaved = [(str(name), text) for name, text in texts.items()]
    text = texts[path] if path in texts else files.read(path, files.TEXT_MAX)
    options = clang.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
    try:
        made = clang.Index.create().parse(str(path), list(arguments), unsaved, options)
    except clang.TranslationUnitLoadError:
        raise UserError(f"{files.shown_path(path)}: cannot be read as C", "./takt build") from None
    for diagnostic in made.diagnostics:
        if diagnostic.severity >= clang.Diagnostic.Error:
            location = diagnostic.location
            name = files.shown_path(Path(location.file.name) if location.file is not None else path)
            raise UserError(
                f"{name}:{location.line}: {diagnostic.spelling}", "./takt build, which shows the compiler's messages"
            )
    unit = Unit(path, text, made.cursor, made, "-xc++" in arguments)
    for child in made.cursor.get_children():
        if child.kind == clang.CursorKind.MACRO_INSTANTIATION and unit.holds(child):
            unit.macros.append((child.extent.start.offset, child.extent.end.offset))
        elif not child.kind.is_preprocessing():
            unit.top += child.get_children() if kind(child) == "LINKAGE_SPEC" else [child]
    unit.inner = [cursor for one in unit.top for cursor in _within(one)]
    unit.macros = _outermost(sorted(unit.macros))
    return unit


def _within(cursor: Cursor) -> Iterator[Cursor]:
    yield cursor
    if kind(cursor) in AROUND:
        for child in cursor.get_children():
            yield from _within(child)


def _outermost(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in ranges:
        if not found or start >= found[-1][1]:
            found.append((start, end))
    return found


def kind(cursor: Cursor) -> str:
    return str(cursor.kind.name)


def bare(cursor: Cursor) -> Cursor:
    """The expression without parentheses and implicit conversions."""
    while kind(cursor) in TRANSPARENT:
        children = list(cursor.get_children())
        if len(children) != 1 or kind(children[0]) == "TYPE_REF":
            break
        cursor = children[0]
    return cursor


def binary(cursor: Cursor) -> str:
    """The operator of a binary expression: "<", "&&", "=", "+=" ..."""
    lib = library().conf.lib
    number = lib.clang_getCursorBinaryOperatorKind(cursor)
    return _BINARY[number] if number < len(_BINARY) else "?"


def unary(cursor: Cursor) -> str:
    """The operator of a unary expression; "++" and "--" for both sides."""
    number = library().conf.lib.clang_getCursorUnaryOperatorKind(cursor)
    return _UNARY[number] if number < len(_UNARY) else "?"


# In the order of clang-c/Index.h, 17 and later.
_BINARY = "? .* ->* * / % + - << >> <=> < > <= >= == != & ^ | && || = *= /= %= += -= <<= >>= &= ^= |= ,".split()
_UNARY = "? ++ -- ++ -- & * + - ~ ! real imag extension await".split()
ASSIGNMENTS = frozenset("= *= /= %= += -= <<= >>= &= ^= |=".split())


def number_of(cursor: Cursor) -> int | None:
    """The value of an integer constant expression."""
    lib = library().conf.lib
    result = lib.clang_Cursor_Evaluate(cursor)
    if not result:
        return None
    try:
        return int(lib.clang_EvalResult_getAsLongLong(result)) if lib.clang_EvalResult_getKind(result) == 1 else None
    finally:
        lib.clang_EvalResult_dispose(result)


def walk(cursor: Cursor, found: Callable[[Cursor, Cursor], bool]) -> None:
    """Every cursor below it, with its parent; `found` says whether to go further down."""
    for child in cursor.get_children():
        if found(child, cursor):
            walk(child, found)


def below(cursor: Cursor) -> Iterator[Cursor]:
    """Every cursor below it, itself first."""
    yield cursor
    for child in cursor.get_children():
        yield from below(child)


def scratch() -> tempfile.TemporaryDirectory[str]:
    """A temporary folder for generated files."""
    return tempfile.TemporaryDirectory(prefix="takt-hints-")
