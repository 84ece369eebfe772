# SPDX-License-Identifier: Apache-2.0
"""Identifiers in XML files: attributes of messages in KCD, elements of frame triggerings in ARXML.

The parser gives positions in bytes, which are those of the text as UTF-8, whatever the file's own encoding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from takt.can.messages import fail
from takt.can.rewrite.mention import Mention

_ATTRIBUTE = re.compile(rb"""\sid\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_TAG_END = re.compile(rb"""(?:[^>"']|"[^"]*"|'[^']*')*>""")


@dataclass
class _Reader:
    """`found`: start, end, number, extended and bus of each identifier, in bytes."""

    data: bytes
    bus: str | None
    parser: expat.XMLParserType
    path: list[str] = field(default_factory=list)
    name: str | None = None  # of the bus that is read
    found: list[tuple[int, int, int, bool]] = field(default_factory=list)
    span: tuple[int, int] | None = None  # of the identifier of an open frame triggering
    extended: bool = False

    def wanted(self) -> bool:
        return self.bus is None or self.bus == self.name

    def kcd_start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        if tag == "Bus":
            self.name = attributes.get("name")
        elif tag == "Message" and "id" in attributes and self.wanted():
            start = self.parser.CurrentByteIndex
            end = _TAG_END.match(self.data, start)
            token = _ATTRIBUTE.search(self.data, start, end.end() if end else len(self.data))
            if token is not None:
                group = 1 if token[1] is not None else 2
                extended = attributes.get("format") == "extended"
                self.found.append((*token.span(group), int(attributes["id"], 0), extended))

    def arxml_start(self, tag: str, _: dict[str, str]) -> None:
        self.path.append(tag.rpartition(":")[2])
        if self.path[-1] == "CAN-FRAME-TRIGGERING":
            self.span, self.extended = None, False

    def arxml_text(self, text: str) -> None:
        below = self.path[-2:-1]
        if self.path[-1:] == ["SHORT-NAME"] and below == ["CAN-CLUSTER"]:
            self.name = text
        elif below != ["CAN-FRAME-TRIGGERING"] or not text.strip():
            return
        elif self.path[-1] == "CAN-ADDRESSING-MODE":
            self.extended = text.strip() == "EXTENDED"
        elif self.path[-1] == "IDENTIFIER":
            raw = text.encode()
            start = self.parser.CurrentByteIndex + len(raw) - len(raw.lstrip())
            self.span = start, start + len(raw.strip())

    def arxml_end(self, _: str) -> None:
        tag = self.path.pop()
        if tag == "CAN-FRAME-TRIGGERING" and self.span is not None and self.wanted():
            token = self.data[slice(*self.span)]
            self.found.append((*self.span, int(token, 0), self.extended))


def mentions(path: Path, text: str, kind: str, bus: str | None) -> Iterator[Mention]:
    """In the order of the file. UserError: it is no XML, or is made of entities."""
    data = text.encode()
    parser = expat.ParserCreate("utf-8")
    reader = _Reader(data, bus, parser)

    def entities(name: str, *_: object) -> None:
        fail(path, parser.CurrentLineNumber, f"it declares an entity, {name}", "a file without entities")

    parser.EntityDeclHandler = entities
    if kind == "kcd":
        parser.StartElementHandler = reader.kcd_start
    else:
        parser.StartElementHandler, parser.EndElementHandler = reader.arxml_start, reader.arxml_end
        parser.CharacterDataHandler = reader.arxml_text
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError) as error:
        fail(path, parser.CurrentLineNumber, f"no XML with identifiers that are numbers: {error}", "correct it")
    at, position = 0, 0
    for start, end, number, extended in reader.found:
        position += len(data[at:start].decode())
        at = start
        yield Mention(position, position + end - start, (number, extended))
