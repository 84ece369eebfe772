# SPDX-License-Identifier: Apache-2.0
"""The buses of a network: those of its systems with one name are one bus. Each message is sent by one node; the others
declare with `from` what they expect of it, and it is checked that both say the same. A message from a node that is
none of the network counts as its receivers declare it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NoReturn

from takt.can.check import Question
from takt.can.controllers import Controllers
from takt.can.identifiers.assign import identifier_of
from takt.can.messages import Identifier
from takt.can.messages import Message as Frame
from takt.declare.chains.path import task_of
from takt.declare.network.read import Network, Node
from takt.declare.schema.model import Bus, Message
from takt.declare.schema.reader import located
from takt.prove.bus import traffic
from takt.prove.bus.traffic import File, Traffic
from takt.prove.network import forwarded
from takt.support.durations import show
from takt.support.errors import did_you_mean
from takt.support.names import shown

COMMON = (
    "bitrate",
    "data_bitrate",
    "fd",
    "errors",
    "drift_ppm",
    "identifiers",
    "others",
    "scheduler",
    "epoch_ns",
    "masters",
    "handlers",
)
"""Keys of [[can]] that say what the bus is, and not what a system does on it."""


@dataclass(frozen=True)
class Member:
    """A node on a bus, with what its system declares of it."""

    node: Node
    traffic: Traffic

    @property
    def bus(self) -> Bus:
        return self.traffic.bus

    def label(self, one: Message) -> str:
        return f'[[message]] "{one.name}" of {self.node.name}'

    def fail(self, name: str, problem: str, hint: str) -> NoReturn:
        """UserError at the table `name` of its system."""
        raise located(self.node.system, name, shown(problem), shown(hint))


@dataclass(frozen=True)
class Expected:
    """What a node declares with `from` of a message that another node of the network sends."""

    member: Member
    message: Message

    def refutations(self, period_ns: int | None, jitter_ns: int) -> Iterator[tuple[str, str, str]]:
        """What does not hold, if it is sent so often and so unevenly: the message, a sentence, and the value that would
        do."""
        one = self.message
        label = f'[[message]] "{one.name}"'
        if period_ns is not None and (one.period_ns or 0) > period_ns:
            problem = f'{label} expects one every {show(one.period_ns or 0)}, and "{one.origin}" sends it every'
            yield one.name, f"{problem} {show(period_ns)}", f'{label}: period = "{show(period_ns)}"'
        if one.jitter_ns < jitter_ns:
            problem = f'{label} expects it up to {show(one.jitter_ns)} late, and "{one.origin}" sends it up to'
            yield one.name, f"{problem} {show(jitter_ns)} late", f'{label}: jitter = "{show(jitter_ns)}"'


@dataclass(frozen=True)
class Joined:
    """A bus of the network. `traffic`: as of one system, whose tasks are called NODE.TASK."""

    name: str
    members: tuple[Member, ...]
    traffic: Traffic
    expected: tuple[Expected, ...]


def buses(network: Network) -> list[Joined]:
    """In the order in which systems declare them. UserError: what they say together is no bus."""
    members: dict[str, list[Member]] = {}
    for node in network.nodes:
        for bus in node.system.buses:
            members.setdefault(bus.name, []).append(Member(node, traffic.of(node.system, bus)))
    found = [_Bus(network, name, tuple(those)).joined() for name, those in members.items()]
    traffics = forwarded.linked(network, [one.traffic for one in found])
    return [replace(one, traffic=traffic) for one, traffic in zip(found, traffics, strict=True)]


class _Bus:
    def __init__(self, network: Network, name: str, members: tuple[Member, ...]) -> None:
        self.network, self.name, self.members = network, name, members

    def joined(self) -> Joined:
        self._refuse_unlike()
        expected = list(self._expected())
        messages = [self._whole(member, one) for member, one in self.sent.values()]
        messages += [one for _, one in self._external().values()]
        self._refuse_identifiers(messages)
        file = next((member.bus.file for member in self.members if member.bus.file is not None), None)
        driver = all(member.bus.driver for member in self.members)
        found = Traffic(
            bus=replace(self.members[0].bus, file=file, driver=driver),
            node=self.network.name,
            messages=tuple(messages),
            periods_ns={one.name: self._period_ns(one) for one in messages},
            file=self._file(messages),
            question=self._question(),
        )
        return Joined(self.name, self.members, found, tuple(expected))

    @cached_property
    def sent(self) -> dict[str, tuple[Member, Message]]:
        """By name, what nodes of the network send. UserError: two send one name."""
        found: dict[str, tuple[Member, Message]] = {}
        for member in self.members:
            for one in member.traffic.messages:
                if not one.is_sent:
                    continue
                if one.name in found:
                    other = found[one.name][0].node.name
                    problem = f"{member.label(one)}: {other} sends one of that name on {self.name}, too"
                    member.fail(one.name, problem, f'another name, or from = "{other}" if it receives that')
                found[one.name] = (member, one)
        return found

    def _refuse_unlike(self) -> None:
        """UserError: they declare different buses."""
        first = self.members[0]
        for member in self.members[1:]:
            for key in COMMON:
                mine, other = getattr(member.bus, key), getattr(first.bus, key)
                if mine != other:
                    problem = f'[[can]] "{self.name}" of {member.node.name}: {_key(key)} is {_text(mine)}, and'
                    problem += f" {_text(other)} of {first.node.name}: it is one bus"
                    member.fail(self.name, problem, f"the same in both, or another name of the bus in {key_of(member)}")

    def _expected(self) -> Iterator[Expected]:
        """What is declared with `from` of nodes of the network. UserError: these send no such message."""
        for member in self.members:
            for one in member.traffic.messages:
                if one.origin is None or self.network.node(one.origin) is None:
                    continue
                if one.origin == member.node.name:
                    member.fail(
                        one.name, f'{member.label(one)}: from = "{one.origin}" is itself', "sender, and its task"
                    )
                sender = self.sent.get(one.name)
                if sender is None or sender[0].node.name != one.origin:
                    self._refuse_unsent(member, one)
                self._refuse_different(member, one, *sender)
                yield Expected(member, one)

    def _refuse_unsent(self, member: Member, one: Message) -> NoReturn:
        names = [name for name, (other, _) in self.sent.items() if other.node.name == one.origin]
        problem = f'{member.label(one)}: "{one.origin}" sends no message of that name on {self.name}'
        hint = did_you_mean(one.name, names) or f'[[message]] with name = "{one.name}" and a sender in {one.origin}'
        member.fail(one.name, problem, hint)

    def _refuse_different(self, member: Member, one: Message, sender: Member, other: Message) -> None:
        for key, mine, theirs in (
            ("bytes", one.size, other.size),
            ("id", _id(one), _id(other)),
            ("extended", one.extended, other.extended),
            ("protection", *(_protection(copy) for copy in (one, other))),
        ):
            if mine != theirs:
                problem = f"{member.label(one)}: {key} = {_text(mine)}, and {sender.node.name} sends it with"
                member.fail(one.name, f"{problem} {key} = {_text(theirs)}", f"{key} = {_text(theirs)}")

    def _external(self) -> dict[str, tuple[Member, Message]]:
        """Messages of nodes that are none of the network, by name. UserError: they are declared differently."""
        found: dict[str, tuple[Member, Message]] = {}
        for member in self.members:
            for one in member.traffic.messages:
                if one.origin is None or self.network.node(one.origin) is not None:
                    continue
                if one.name in self.sent:
                    node = self.sent[one.name][0].node.name
                    problem = f'{member.label(one)}: from = "{one.origin}", and {node} sends it'
                    member.fail(one.name, problem, f'from = "{node}"')
                other = found.setdefault(one.name, (member, one))
                for field in ("origin", "size", "identifier", "extended", "period_ns", "jitter_ns", "deadline_ns"):
                    if getattr(one, field) != getattr(other[1], field):
                        problem = f"{member.label(one)}: {other[0].node.name} declares it differently ({_key(field)})"
                        member.fail(one.name, problem, "the same in both, or another name")
        return found

    def _whole(self, member: Member, one: Message) -> Message:
        """A message of a node as it counts in the network: with the shortest deadline of those that declare it."""
        copies = [
            (other, copy)
            for other in self.members
            for copy in other.traffic.messages
            if copy.name == one.name and copy.origin == member.node.name
        ]
        wanted = [copy.deadline_ns for _, copy in [(member, one), *copies] if copy.deadline_ns is not None]
        receivers = (task_of(other.node.name, task) for other, copy in copies for task in copy.receivers)
        return replace(
            one,
            sender=None if one.sender is None else task_of(member.node.name, one.sender),
            origin=member.node.name,
            receivers=tuple(receivers),
            deadline_ns=min(wanted, default=None),
        )

    def _period_ns(self, one: Message) -> int | None:
        if one.sender is None:
            return one.period_ns  # of no node of the network, or forwarded (forwarded.linked)
        return self.sent[one.name][0].traffic.periods_ns[one.name]

    def _refuse_identifiers(self, messages: list[Message]) -> None:
        """UserError: two messages have one identifier."""
        found: dict[Identifier, Message] = {}
        for one in messages:
            if one.identifier is None:
                continue
            other = found.setdefault((one.identifier, one.extended), one)
            if other is not one:
                member = next(member for member in self.members if one.name in member.traffic.periods_ns)
                problem = f"{member.label(one)}: id = {one.identifier:#x} is that of {other.name}, which"
                hint = "another id" if one.called is None else f'identifiers in [[node]] "{member.node.name}"'
                member.fail(one.name, f'{problem} "{other.origin}" sends: two senders of one identifier', hint)

    def _file(self, messages: list[Message]) -> File:
        """What files of the bus say of other nodes, each frame once."""
        declared = {(one.identifier, one.extended): one for one in messages if one.identifier is not None}
        own = {member.traffic.node: member.node.name for member in self.members}
        others: dict[Identifier, tuple[Member, Frame]] = {}
        for member in self.members:
            for frame in member.traffic.file.others:
                identifier = identifier_of(frame)
                if identifier in declared:
                    self._refuse_sender(member, frame, declared[identifier], own)
                    continue
                if frame.senders and set(frame.senders) <= set(own):
                    continue
                first, other = others.setdefault(identifier, (member, frame))
                if frame != other:
                    problem = f'[[can]] "{self.name}" of {member.node.name}: file: {frame.name} ({frame.id_text}) is'
                    member.fail(self.name, f"{problem} another message for {first.node.name}", "one file for both")
        ours = {identifier_of(frame): frame for member in self.members for frame in member.traffic.file.ours}
        unsent = tuple(frame for identifier, frame in ours.items() if identifier not in declared)
        return File(tuple(frame for _, frame in others.values()), unsent)

    def _refuse_sender(self, member: Member, frame: Frame, one: Message, own: dict[str, str]) -> None:
        """UserError: a file has another node send what a node of the network declares."""
        names = [own.get(name, name) for name in frame.senders]
        if names and one.origin not in names:
            problem = f'[[can]] "{self.name}" of {member.node.name}: in its file {names[0]} sends {frame.name}'
            problem += f' ({frame.id_text}), which "{one.origin}" sends here: two senders of one identifier'
            member.fail(self.name, problem, f'another id, or node = "{names[0]}" in the [[can]] of {one.origin}')

    def _question(self) -> Question:
        """Of the first node, with how each of the nodes queues."""
        first = self.members[0].traffic.question
        queues = dict(first.controllers.nodes)
        for member in self.members:
            queues.pop(member.traffic.node, None)
        for member in self.members:
            queues[member.node.name] = member.traffic.question.controllers.nodes[member.traffic.node]
        with_file = next((member for member in self.members if member.bus.file is not None), self.members[0])
        jitter = with_file.traffic.question.jitter
        return replace(first, jitter=jitter, controllers=Controllers(first.controllers.default, queues))


def key_of(member: Member) -> str:
    return f'[[can]] of "{member.node.name}"'


def _of(member: Member, name: str) -> Iterator[Message]:
    return (one for one in member.traffic.messages if one.name == name)


def _protection(one: Message) -> str | None:
    """What both ends must have, as one text."""
    if one.protection is None:
        return None
    ids = one.protection.data_id
    text = f"[{', '.join(map(str, ids))}]" if isinstance(ids, tuple) else f"{ids:#x}"
    mode = f" ({one.protection.mode})" if one.protection.profile == 1 else ""
    return f"e2e-{one.protection.profile}, data_id {text}{mode}"


def _id(one: Message) -> str:
    return "auto" if one.identifier is None else f"{one.identifier:#x}"


def _key(field: str) -> str:
    return {"origin": "from", "size": "bytes", "identifier": "id"}.get(
        field, field.removesuffix("_ns").removesuffix("_ppm")
    )


def _text(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) and not value.startswith("0x") else str(value)
