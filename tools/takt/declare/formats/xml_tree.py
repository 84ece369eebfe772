# SPDX-License-Identifier: Apache-2.0
"""XML of others, read by lxml without entities, document types, files or network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from takt.declare.exchange.model import Source
from takt.support import provision

LOCK = "models"
NODES_MAX = 500_000
_TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"
_DOCTYPE = re.compile(rb"<!DOCTYPE", re.IGNORECASE)


@dataclass
class Node:
    """An element: name and attributes without their namespaces (but xsi:type), its text without blanks around it."""

    name: str
    line: int
    attributes: dict[str, str]
    text: str
    children: list[Node] = field(default_factory=list)

    def all(self, *names: str) -> Iterator[Node]:
        """The children of these names; in lower case, as Cheddar writes both."""
        return (child for child in self.children if child.name.lower() in names)

    def first(self, *names: str) -> Node | None:
        return next(self.all(*names), None)

    def walk(self) -> Iterator[Node]:
        """It, and all below it, in the order of the file."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))


def read(source: Source, data: bytes) -> Node:
    """The root. UserError: not XML, or a document type, by which XML names files and entities."""
    provision.require_python(LOCK)
    from lxml import etree

    found = _DOCTYPE.search(data)
    if found:
        _refuse_doctype(source, data.count(b"\n", 0, found.start()) + 1)
    parser = etree.XMLParser(
        resolve_entities=False,
        load_dtd=False,
        dtd_validation=False,
        attribute_defaults=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        line = error.lineno or 0
        source.fail(
            line, f"not XML: {str(error).partition(', line ')[0]}", "the whole file, as the other tool wrote it"
        )
    if root is None:
        source.fail(0, "the file has no element", "the whole file, as the other tool wrote it")
    document = root.getroottree().docinfo
    if document.internalDTD is not None or document.doctype:
        _refuse_doctype(source, 1)  # in an encoding in which the bytes do not show it
    return _copied(source, root)


def _refuse_doctype(source: Source, line: int) -> None:
    source.fail(line, "a document type (<!DOCTYPE ...>): it may name other files", "remove it")


def _copied(source: Source, root: Any) -> Node:
    """The tree as our own nodes; no recursion, however deep it is."""
    top = _node(root)
    waiting, count = [(root, top)], 0
    while waiting:
        element, node = waiting.pop()
        for child in element:
            if not isinstance(child.tag, str):
                source.fail(child.sourceline or 0, "an entity that XML does not define", "its text in location of it")
            copied = _node(child)
            node.children.append(copied)
            waiting.append((child, copied))
            count += 1
            if count > NODES_MAX:
                source.fail(copied.line, f"more than {NODES_MAX} elements", "a smaller model")
    return top


def _node(element: Any) -> Node:
    attributes = {_key(str(key)): str(value) for key, value in element.attrib.items()}
    return Node(element.tag.rpartition("}")[2], element.sourceline or 0, attributes, (element.text or "").strip())


def _key(key: str) -> str:
    return "xsi:type" if key == _TYPE else key.rpartition("}")[2]
