# SPDX-License-Identifier: Apache-2.0
"""What public headers declare, in the order of their lines, each with the comment before it. libclang finds the
declarations; their text is the header's own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from takt.support import children, provision
from takt.support.errors import UserError
from takt.support.files import read_text, shown_path
from takt.support.provision import ROOT

LOCK = "hints"  # the lock with libclang
INCLUDES = (
    ".",
    "kernel/include",
    "kernel/config/preset/standard",
    "kernel/config/sched/budgets",
    "ports/host",
    "analysis/include",
    "net/can/include",
    "net/e2e/include",
    "net/clock/include",
    "reflect/core/include",
    "reflect/linux/include",
    "runner/include",
)
_PUBLIC = re.compile(r"(takt|TAKT)_\w+$")
_GUARD = re.compile(r"TAKT_\w+_H$")
_KINDS = {
    "FUNCTION_DECL": "function",
    "STRUCT_DECL": "type",
    "UNION_DECL": "type",
    "ENUM_DECL": "type",
    "VAR_DECL": "variable",
    "MACRO_DEFINITION": "macro",
}
_PRIVATE_ALL = re.compile(r"\b[Pp]rivate\b(?! part)|every field is private")
_PRIVATE_REST = re.compile(r"private, (?:as|except) ")


@dataclass(frozen=True)
class Item:
    """A declaration, or several that share a comment; without names: a text of the header.

    `kind`: of _KINDS, or "text". `code`: what a reader sees of it. `result`: of a function, the type as C writes it.
    """

    kind: str
    names: tuple[str, ...]
    comment: str
    code: str
    line: int
    result: str = ""


@dataclass(frozen=True)
class _Found:
    kind: str
    name: str
    first: int  # lines, from 1
    last: int
    result: str
    body: int  # of a function that is defined: the line of its brace; else 0


@cache
def _arguments() -> list[str]:
    """As for a build with processes, which declares all."""
    said = children.run(["gcc", "-E", "-v", "-x", "c", "/dev/null"], check=True).stderr
    listed = said.split("search starts here:")[-1].split("End of search")[0]
    system = [f"-isystem{line.strip()}" for line in listed.splitlines() if line.strip()]
    own = [f"-I{ROOT / name}" for name in INCLUDES]
    return ["-x", "c", "-std=gnu11", "-nostdinc", "-DTAKT_PROCESSES=1", *system, *own]


def _declarations(path: Path) -> list[_Found]:
    """All that are public, of the header itself."""
    provision.require_python(LOCK)
    from clang import cindex

    options = cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
    unit = cindex.Index.create().parse(str(path), _arguments(), None, options)
    wrong = [one for one in unit.diagnostics if one.severity >= cindex.Diagnostic.Error]
    if wrong:
        where = f"{shown_path(path)}:{wrong[0].location.line}"
        raise UserError(f"{where}: {wrong[0].spelling}", "correct the header so that it compiles")
    found: dict[tuple[str, str], _Found] = {}
    for cursor in unit.cursor.get_children():
        kind = _KINDS.get(cursor.kind.name)
        if kind is None or cursor.location.file is None or cursor.location.file.name != str(path):
            continue
        one = _one(cursor, kind)
        if one is not None:
            found.setdefault((kind, one.name or str(one.first)), one)
    return sorted(found.values(), key=lambda one: one.first)


def _one(cursor: Any, kind: str) -> _Found | None:
    anonymous = cursor.kind.name == "ENUM_DECL" and (cursor.is_anonymous() or not cursor.spelling.startswith("takt"))
    name = "" if anonymous else cursor.spelling
    if anonymous:
        names = [child.spelling for child in cursor.get_children()]
        if not names or not all(_PUBLIC.match(one) for one in names):
            return None
    elif not _PUBLIC.match(name) or _GUARD.match(name):
        return None
    if kind == "type" and not cursor.is_definition():
        return None
    body = [child.extent.start.line for child in cursor.get_children() if child.kind.name == "COMPOUND_STMT"]
    result = cursor.result_type.spelling if kind == "function" else ""
    return _Found(kind, name, cursor.extent.start.line, cursor.extent.end.line, result, body[0] if body else 0)


def items(path: Path) -> list[Item]:
    """All of a header, in order."""
    lines = read_text(path).split("\n")
    found = {one.first: one for one in _declarations(path)}
    made: list[Item] = []
    comment, number, attached = "", 1, False
    while number <= len(lines):
        line = lines[number - 1]
        if line.startswith("/*"):
            last = next(n for n in range(number, len(lines) + 1) if lines[n - 1].rstrip().endswith("*/"))
            if comment and not attached:
                made.append(Item("text", (), comment, "", number))
            comment, attached = "\n".join(lines[number - 1 : last]), False
            number = last + 1
            continue
        one = found.get(number)
        if one is not None:
            made.append(_item(one, lines, comment))
            attached = True
            number = max(one.last, number) + 1
            continue
        if not line.strip() or line.startswith("#include"):
            if comment and not attached:
                made.append(Item("text", (), comment, "", number))
            comment, attached = "", False
        elif not line.startswith("#"):  # of something private
            comment = "" if not attached else comment
        number += 1
    return list(_joined([one for one in made if "SPDX-License" not in one.comment or one.names]))


def _item(one: _Found, lines: list[str], comment: str) -> Item:
    trailing = re.search(r"/\*+<?\s*(.*?)\s*\*/\s*$", lines[one.first - 1])
    if one.kind == "function" and trailing and not comment:
        comment = f"/* {trailing[1]} */"
    text = lines[one.first - 1 : one.last]
    if one.kind == "function":
        code = _signature("\n".join(lines[one.first - 1 : one.body or one.last]))
    elif one.kind == "macro":
        code = _macro(text)
    elif one.kind == "variable":
        code = "\n".join(text)
    else:
        name = text[0].rstrip(" {")
        private = _PRIVATE_ALL.search(comment) is not None
        shown = [] if private else list(_fields(lines[one.first - 1 : one.last]))
        known = one.first == one.last or any("/* ..." not in line for line in shown[1:-1])
        code = "\n".join(shown) if shown and known else f"{name};"
    names = (
        (one.name,) if one.name else tuple(re.findall(r"\bTAKT_\w+(?= *[,=}/]|$)", "\n".join(text), re.MULTILINE)[:1])
    )
    return Item(one.kind, names, comment, code, one.first, one.result)


def _signature(text: str) -> str:
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return text.split("{")[0].split(";")[0].rstrip() + ";"


def _macro(lines: list[str]) -> str:
    """Its name and arguments; its value, if that is one line."""
    if len(lines) == 1:
        return re.sub(r"\s*/\*.*", "", lines[0])
    found = re.match(r"#define \w+(\([^)]*\))?", lines[0])
    return found[0] if found else lines[0]


def _fields(lines: list[str]) -> Iterator[str]:
    """A type without what is private in it."""
    kept: list[str] = []
    dropping = False
    for line in lines:
        text = line.strip()
        if _PRIVATE_REST.search(text):
            kept.append("    /* ... private */")
            break
        if re.search(r"/\* private|/\*\*< private", text) or dropping:
            dropping = not text.endswith("*/") and ("/*" in text or dropping)
            continue
        kept.append(line)
    else:
        yield from _without_empty_conditions(kept)
        return
    depth = sum(one.startswith("#if") for one in kept) - sum(one.startswith("#endif") for one in kept)
    yield from _without_empty_conditions([*kept, *["#endif"] * depth, lines[-1]])


def _without_empty_conditions(lines: list[str]) -> list[str]:
    text = "\n".join(lines)
    before = None
    while before != text:
        before = text
        text = re.sub(r"\n#if[^\n]*(\n#else[^\n]*)?\n#endif[^\n]*", "", text)
    return text.split("\n")


def _joined(found: list[Item]) -> Iterator[Item]:
    """Declarations of one kind that share a comment as one."""
    group: list[Item] = []
    for one in [*found, Item("end", (), "", "", 0)]:
        if group and not (one.comment and one.comment == group[0].comment and one.kind == group[0].kind):
            first = group[0]
            names = tuple(name for item in group for name in item.names)
            code = "\n".join(item.code for item in group)
            yield Item(first.kind, names, first.comment, code, first.line, first.result)
            group = []
        if one.kind == "text":
            yield one
        elif one.kind != "end":
            group.append(one)


def paragraphs(comment: str) -> list[str]:
    """A comment as Markdown: paragraphs, and items of lists."""
    text = re.sub(r"^/\*+", "", comment).removesuffix("*/")
    found: list[str] = [""]
    for line in text.split("\n"):
        bare = re.sub(r"^ \* ?", "", line) if line.startswith(" *") else line
        words = bare.strip()
        if not words:
            found.append("")
        elif words.startswith("- "):
            found.append(words)
        else:
            found[-1] = f"{found[-1]} {words}".strip()
    return [one for one in found if one]
