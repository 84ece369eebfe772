# SPDX-License-Identifier: Apache-2.0
"""A text taken apart: its identifiers, its messages and its headings, each with its line.

Identifiers of C, SystemVerilog and JavaScript are those outside comments and literals; of Python, those of its syntax
tree. In every other text, and in comments, an identifier is a word with an underscore in it, and the key of a line of
TOML. Messages are literals of strings, of Python with docstrings; in TOML and JSON, texts in quotes. Headings are
lines of Markdown that begin with #.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

IDENTIFIER, MESSAGE, HEADING, FILE_NAME = "identifier", "message", "heading", "file name"
C_LIKE = (".c", ".cpp", ".h", ".S", ".sv", ".svh", ".js", ".ld", ".rs", ".pml")
_LEXEMES = re.compile(
    r"""//[^\n]*|/\*.*?\*/          # a comment
    |"(?:\\.|[^"\\\n])*"            # a string
    |'(?:\\.|[^'\\\n])*'            # a character; of JavaScript a string
    |`(?:\\.|[^`\\])*`              # of JavaScript a template; of SystemVerilog no literal, but never two in a line
    """,
    re.VERBOSE | re.DOTALL,
)
_COMPOUND = re.compile(r"\w*[A-Za-z]\w*_\w*|_+[A-Za-z]\w*")
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Piece:
    """A part of a text that is checked."""

    kind: str
    line: int
    text: str


def parts(name: str) -> list[str]:
    """The words of an identifier or of a path: apart at what is no letter, and where a capital follows a small one."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def _lines(text: str, found: Iterator[re.Match[str]]) -> Iterator[tuple[int, str]]:
    """Of each match its line, from 1, and its text."""
    line, seen = 1, 0
    for match in found:
        line += text.count("\n", seen, match.start())
        seen = match.start()
        yield line, match[0]


def _c_pieces(text: str, quotes: str) -> Iterator[Piece]:
    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match[0])

    for line, found in _lines(text, _LEXEMES.finditer(text)):
        if found[0] in quotes:
            yield Piece(MESSAGE, line, found[1:-1])
    code = _LEXEMES.sub(blank, text)
    yield from (Piece(IDENTIFIER, line, name) for line, name in _lines(code, _NAME.finditer(code)))


def _python_names(node: ast.AST) -> list[str]:
    names: list[str | None] = []
    if isinstance(node, ast.Name):
        names = [node.id]
    elif isinstance(node, ast.Attribute):
        names = [node.attr]
    elif isinstance(node, ast.FunctionDef | ast.ClassDef):
        names = [node.name]
    elif isinstance(node, ast.arg | ast.keyword):
        names = [node.arg]
    elif isinstance(node, ast.alias):
        names = [node.name, node.asname]
    elif isinstance(node, ast.ImportFrom):
        names = [node.module]
    elif isinstance(node, ast.Global | ast.Nonlocal):
        names = list(node.names)
    return [name for name in names if name]


def _python_pieces(text: str) -> Iterator[Piece]:
    for node in ast.walk(ast.parse(text)):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield Piece(MESSAGE, line, node.value)
        yield from (Piece(IDENTIFIER, line, name) for name in _python_names(node))


def _other_pieces(name: str, text: str) -> Iterator[Piece]:
    code = False
    for number, line in enumerate(text.split("\n"), 1):
        code ^= line.startswith("```")
        if name.endswith((".md", ".md.in")) and line.startswith("#") and not code:
            yield Piece(HEADING, number, line)
        if key := re.match(r"\s*([\w-]+)\s*=", line) if name.endswith(".toml") else None:
            yield Piece(IDENTIFIER, number, key[1])
        if name.endswith((".toml", ".json")):
            yield from (Piece(MESSAGE, number, value) for value in re.findall(r'"((?:\\.|[^"\\])*)"', line))


def pieces(name: str, text: str) -> list[Piece]:
    """All parts of the text of a file, and its name. `name`: its path from the root."""
    found = [Piece(FILE_NAME, 0, name)]
    if name.endswith(".py"):
        found += _python_pieces(text)
    elif name.endswith(C_LIKE):
        found += _c_pieces(text, "\"'`" if name.endswith(".js") else '"')
    else:
        found += _other_pieces(name, text)
    return found + [Piece(IDENTIFIER, line, word) for line, word in _lines(text, _COMPOUND.finditer(text))]
