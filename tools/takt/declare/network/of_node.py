# SPDX-License-Identifier: Apache-2.0
"""A system that several nodes of a network run, as one of them has it: what it sends is called NODE_MESSAGE in the
network, with identifiers of the node's own. The calls of its program keep the names that the system has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NoReturn

from takt.declare.buses.table import EXTENDED_MAX, STANDARD_MAX
from takt.declare.schema.locate import Path as Where
from takt.declare.schema.model import Chain, Message, System
from takt.declare.schema.reader import Document
from takt.support.errors import did_you_mean


def system(document: Document, index: int, values: Mapping[str, Any], found: System, several: bool) -> System:
    """`values`: of the [[node]]. `several`: other nodes run it, too. UserError: identifiers that no message can
    have."""
    name, where = values["name"], ("node", index, "identifiers")
    if not several:
        if values["identifiers"]:
            problem = f'[[node]] "{name}": identifiers, and no other node runs this system'
            document.fail(where, problem, "id in the [[message]] tables of its file")
        return found
    identifiers = _Identifiers(document, where, name, found).read(values["identifiers"])
    names = {one.name: f"{name}_{one.name}" for one in found.messages if one.is_sent}

    def of_node(one: Message) -> Message:
        number = identifiers.get(one.name, one.identifier)
        extended = one.extended or (number or 0) > STANDARD_MAX
        return replace(one, name=names[one.name], identifier=number, extended=extended, called=one.called or one.name)

    def chain(one: Chain) -> Chain:
        return replace(one, path=tuple(names.get(step, step) for step in one.path))

    lines = {
        f"line {new}": found.metadata[f"line {old}"] for old, new in names.items() if f"line {old}" in found.metadata
    }
    return replace(
        found,
        name=name,
        node=name,
        messages=tuple(of_node(one) if one.is_sent else one for one in found.messages),
        chains=tuple(chain(one) for one in found.chains),
        metadata=found.metadata | lines,
    )


class _Identifiers:
    def __init__(self, document: Document, where: Where, node: str, found: System) -> None:
        self.document, self.where, self.node, self.found = document, where, node, found

    def fail(self, at: int, text: str, problem: str, hint: str) -> NoReturn:
        self.document.fail((*self.where, at), f'[[node]] "{self.node}": identifiers: "{text}": {problem}', hint)

    def read(self, texts: tuple[str, ...]) -> dict[str, int]:
        """By message."""
        sent = {one.name: one for one in self.found.messages if one.is_sent}
        buses = {bus.name: bus for bus in self.found.buses}
        identifiers: dict[str, int] = {}
        for at, text in enumerate(texts):
            name, _, number = (part.strip() for part in text.partition("="))
            if name not in sent:
                hint = did_you_mean(name, sent) or "MESSAGE=NUMBER of what the system sends"
                self.fail(at, text, f'the system sends no message "{name}"', hint)
            if name in identifiers:
                self.fail(at, text, "twice", "once for each message")
            try:
                identifiers[name] = int(number, 0)
            except ValueError:
                identifiers[name] = -1
            if not 0 <= identifiers[name] <= EXTENDED_MAX:
                self.fail(at, text, "no identifier", f'"{name}=0x123", up to {EXTENDED_MAX:#x}')
            if buses[sent[name].bus].scheduler != "fixed":
                self.fail(at, text, f"the scheduler of {sent[name].bus} gives all identifiers", "remove it")
        return identifiers
