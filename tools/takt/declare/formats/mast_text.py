# SPDX-License-Identifier: Apache-2.0
"""The text of MAST models: objects with arguments in parentheses, `Name => value`. Names have no case."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from takt.declare.exchange.model import Source, quoted

_TOKEN = re.compile(r"(--[^\n]*)|(\n)|([ \t\r\f\v]+)|(=>|[(),;])|(\"[^\"\n]*\"|[^\s(),;=\"]+)")
_DEPTH_MAX = 16
_WORDS_MAX = 1_000_000
_UNIT = re.compile(r"--\s*unit:\s*(\w+)\s*", re.IGNORECASE)


@dataclass
class Word:
    line: int
    text: str


@dataclass
class Group:
    """What is in parentheses: arguments by name, in lower case, and values without a name."""

    line: int
    named: dict[str, Value] = field(default_factory=dict)
    values: list[Value] = field(default_factory=list)

    def text(self, key: str, default: str = "") -> str:
        """A word, in lower case; of what is no word, the default."""
        value = self.named.get(key)
        return value.text.lower() if isinstance(value, Word) else default

    def line_of(self, key: str) -> int:
        value = self.named.get(key)
        return self.line if value is None else value.line

    def groups(self, key: str) -> list[Group]:
        """The groups of a list, or the one that is in its location."""
        value = self.named.get(key)
        if not isinstance(value, Group):
            return []
        inner = [one for one in value.values if isinstance(one, Group)]
        return inner or ([value] if value.named else [])

    def words(self, key: str) -> list[Word]:
        value = self.named.get(key)
        if isinstance(value, Word):
            return [value]
        return [one for one in value.values if isinstance(one, Word)] if isinstance(value, Group) else []


Value = Word | Group


@dataclass
class Object:
    """`Operation (Type => Simple, Name => ...)`: the word before the parenthesis, in lower case."""

    kind: str
    line: int
    of: Group

    @property
    def name(self) -> str:
        return self.of.text("name")

    @property
    def shown(self) -> str:
        """The name as the file has it."""
        value = self.of.named.get("name")
        return value.text if isinstance(value, Word) else ""


def unit(text: str) -> str | None:
    """The unit that `takt export` writes in a comment."""
    for line in text.splitlines()[:20]:
        match = _UNIT.fullmatch(line.strip())
        if match:
            return match[1].lower()
    return None


def parse(source: Source, text: str) -> list[Object]:
    """The objects of a model. UserError: it is none, with its line."""
    found: list[Object] = []
    tokens = _tokens(source, text)
    for line, token in tokens:
        if token in ("(", ")", ",", ";", "=>"):
            source.fail(line, f"not MAST: {quoted(token)} where an object begins", "Operation (Type => Simple, ...);")
        opening = next(tokens, (line, ""))
        if opening[1] != "(":
            source.fail(opening[0], f"not MAST: expected ( after {quoted(token)}", f"{token[:40]} (Type => ...);")
        found.append(Object(token.lower(), line, _group(source, line, tokens)))
        end = next(tokens, (line, ""))
        if end[1] != ";":
            source.fail(end[0], f"not MAST: the object {quoted(token)} has no ; at its end", ");")
    return found


def _tokens(source: Source, text: str) -> Iterator[tuple[int, str]]:
    line, at, count = 1, 0, 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            source.fail(line, f"not MAST: {quoted(text[at])}", "names, numbers, => ( ) , ;")
        at = match.end()
        line += match[2] is not None
        word = match[4] or match[5]
        if word:
            count += 1
            if count > _WORDS_MAX:
                source.fail(line, f"more than {_WORDS_MAX} words", "a smaller model")
            yield line, word.strip('"') if word != '""' else word


def _group(source: Source, begun: int, tokens: Iterator[tuple[int, str]]) -> Group:
    """What follows an opening parenthesis, up to its closing one."""
    outermost = Group(begun)
    stack: list[tuple[Group, str | None]] = [(outermost, None)]  # each with the name of its value that comes
    value: Value | None = None
    for line, token in tokens:
        group, name = stack[-1]
        if token == "(":
            if value is not None:
                source.fail(line, "not MAST: a ( after a value", "a comma between them")
            if len(stack) >= _DEPTH_MAX:
                source.fail(line, f"not MAST: parentheses nested more than {_DEPTH_MAX} deep", "a flat list")
            stack.append((Group(line), None))
        elif token == "=>":
            if not isinstance(value, Word) or name is not None:
                source.fail(line, "not MAST: => without a name before it", "Name => value")
            stack[-1] = (group, value.text.lower())
            value = None
        elif token in (",", ")"):
            _put(source, line, group, name, value)
            stack[-1] = (group, None)
            value = None
            if token == ")":
                value, _ = stack.pop()
                if not stack:
                    return outermost
        elif token == ";" or value is not None:
            source.fail(line, f"not MAST: {quoted(token)} where , or ) was expected", "a comma, or )")
        else:
            value = Word(line, token)
    raise source.error(begun, "not MAST: the file ends within this object", "the whole file")


def _put(source: Source, line: int, group: Group, name: str | None, value: Value | None) -> None:
    if value is None:
        if name is not None or group.named or group.values:
            source.fail(line, "not MAST: a value is missing", "a value, or no comma")
        return
    if name is None:
        group.values.append(value)
    elif name in group.named:
        source.fail(line, f"{quoted(name)} is given twice", "one of them")
    else:
        group.named[name] = value
