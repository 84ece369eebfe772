# SPDX-License-Identifier: Apache-2.0
"""The messages of a CAN bus as they are sent: those of [[message]], and those of the bus's file. What a [[can]] and its
file say in words is read here: UserError at the line of its table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import NoReturn

from takt.can import check, controllers, words
from takt.can.bounds import NO_ERRORS
from takt.can.check import Jitter, Question
from takt.can.commands import values
from takt.can.controllers import Controllers
from takt.can.files import read as files
from takt.can.identifiers.assign import identifier_of
from takt.can.lengths import Rate
from takt.can.messages import CLASSIC_BYTES, Identifier
from takt.can.messages import Message as Frame
from takt.declare.buses.read import path_of
from takt.declare.schema.model import Bus, Message, System
from takt.declare.schema.reader import located
from takt.support.errors import UserError
from takt.support.files import shown_path
from takt.support.names import shown


@dataclass(frozen=True)
class File:
    """Of a bus's file the messages that other nodes send, and that a [[message]] does not describe; those that this
    system sends; and those that a [[message]] describes."""

    others: tuple[Frame, ...] = ()
    ours: tuple[Frame, ...] = ()
    described: tuple[Frame, ...] = ()


@dataclass(frozen=True)
class Traffic:
    """Of one bus. `messages`: its [[message]] tables; `periods_ns`: of each, None: best effort of a
    background task. `question`: what is asked of all messages. `forwarded`: those that another node forwards."""

    bus: Bus
    node: str  # this system
    messages: tuple[Message, ...]
    periods_ns: Mapping[str, int | None]
    file: File
    question: Question
    forwarded: frozenset[str] = frozenset()

    @property
    def taken(self) -> set[Identifier]:
        """Identifiers that no other message may get."""
        fixed = {(one.identifier, one.extended) for one in self.messages if one.identifier is not None}
        return fixed | {identifier_of(one) for one in (*self.file.others, *self.file.ours)}

    @property
    def unsent(self) -> list[Frame]:
        """Those that the file has this system send, and no [[message]] describes."""
        return list(self.file.ours)

    def frame(self, one: Message, jitter_ns: int, identifier: int | None = None) -> Frame:
        """A [[message]] as it is sent."""
        return Frame(
            name=one.name,
            identifier=one.identifier if one.identifier is not None else identifier or 0,
            extended=one.extended,
            senders=(one.origin or self.node,),
            size=one.size,
            period_ns=self.periods_ns[one.name],
            jitter_ns=jitter_ns if one.sender is not None or one.forwards is not None else one.jitter_ns,
            deadline_ns=one.deadline_ns,
        )


@contextmanager
def at(system: System, bus: Bus, key: str) -> Iterator[None]:
    """UserError within: at the table, with its key."""
    try:
        yield
    except UserError as error:
        raise located(system, bus.name, f'[[can]] "{bus.name}": {key}: {error.problem}', error.hint) from None


def _fail(system: System, one: Message, problem: str, hint: str) -> NoReturn:
    raise located(system, one.name, f'[[message]] "{one.name}": {shown(problem)}', shown(hint))


def of(system: System, bus: Bus) -> Traffic:
    """UserError: what they say together is no bus."""
    node = bus.node or system.name
    messages = tuple(one for one in system.messages if one.bus == bus.name)
    described = frozenset((one.identifier, one.extended) for one in messages if one.identifier is not None)
    with at(system, bus, "file"):
        file = _file(path_of(system, bus), bus, node, described) if bus.file else File()
    periods_ns = {one.name: _period_ns(system, one) for one in messages}
    found = Traffic(bus, node, messages, periods_ns, file, Question(Rate(bus.bitrate, bus.data_bitrate)))
    _refuse_senders(system, found)
    found = replace(found, question=_question(system, found))
    if not found.question.controllers.all_by_priority:
        _refuse_queued(system, found)
    return found


def _period_ns(system: System, one: Message) -> int | None:
    """Of a periodic task a multiple of its period, also where that was changed."""
    if one.sender is None:
        return one.period_ns
    task = system.task(one.sender)
    if one.period_ns is None or task.period_ns is None:
        return one.period_ns if one.period_ns is not None else task.separation_ns
    return max(1, one.period_ns // task.period_ns) * task.period_ns


def _refuse_senders(system: System, found: Traffic) -> None:
    """UserError: a message has another sender in the file, or this node is called another one."""
    in_file = {identifier_of(one): one for one in found.file.described}
    for one in found.messages:
        if one.origin == found.node:
            _fail(system, one, f'from = "{one.origin}" is this system', "sender, and the task of it")
        other = in_file.get((one.identifier or 0, one.extended)) if one.identifier is not None else None
        if other is not None and other.senders and (one.origin or found.node) not in other.senders:
            here = f'task "{one.sender}"' if one.sender else f'"{one.origin or found.node}"'
            there = ", ".join(f'"{name}"' for name in other.senders)
            problem = f"two senders: {here} here, and {there} in {found.bus.file} ({other.name}, {other.id_text})"
            _fail(system, one, problem, f"another id, or node = {there.partition(',')[0]} in [[can]] if it is the same")


def _question(system: System, found: Traffic) -> Question:
    bus = found.bus
    frames = [*found.file.others, *(found.frame(one, 0) for one in found.messages)]
    jitter, errors, at_random = Jitter(), NO_ERRORS, None
    if bus.jitter is not None:
        with at(system, bus, f'jitter = "{bus.jitter}"'):
            jitter = values.jitter(bus.jitter)
    if bus.errors is not None:
        with at(system, bus, f'errors = "{bus.errors}"'):
            errors, at_random = values.errors(bus.errors)
    with at(system, bus, f'controller = "{bus.controller}"'):
        own = controllers.controller(bus.controller)
    with at(system, bus, "others"):
        others = controllers.parse(bus.others, frames)
        if found.node in others.nodes:
            raise UserError(f'"{found.node}" is this system', "controller, instead")
    queues = Controllers(others.default, {**others.nodes, found.node: own})
    return replace(
        found.question,
        jitter=jitter,
        errors=errors,
        at_random=at_random,
        fd=bus.fd,
        period_ns=None,
        events=True,
        controllers=queues,
        drift_ppm=bus.drift_ppm,
    )


def _refuse_queued(system: System, found: Traffic) -> None:
    """UserError: a message without a deadline in a queue where others wait for it, however often it is sent."""
    for one in found.messages:
        if one.deadline_ns is None:
            how = found.question.controllers.of(found.frame(one, 0))
            if how != controllers.BY_PRIORITY:
                problem = f'no deadline, and "{found.node}" queues {how.words}: others wait for it there'
                _fail(system, one, problem, f'a deadline, or controller = "priority" in [[can]] "{found.bus.name}"')


def _file(path: Path, bus: Bus, node: str, described: frozenset[Identifier]) -> File:
    """UserError: it cannot be read, or a message in it has not one sender, or no period."""
    now = path.stat() if path.exists() else None  # if not, reading it says so
    return _read(path, bus, node, described, (now.st_mtime_ns, now.st_size) if now else (0, 0))


@lru_cache(maxsize=8)
def _read(path: Path, bus: Bus, node: str, described: frozenset[Identifier], _of: tuple[int, int]) -> File:
    """A proof asks for it many times."""
    try:
        messages = files.load(path, bus.file_bus)
    except UserError as error:
        raise UserError(error.problem, error.hint.replace("--bus", "file_bus")) from None
    known = [one for one in messages if identifier_of(one) in described]
    rest = [one for one in messages if identifier_of(one) not in described]
    ours = [one for one in rest if one.senders == (node,)]
    others = [one for one in rest if one.senders != (node,)]
    unclear = [one for one in others if len(one.senders) != 1]
    if unclear and not bus.variants:
        hint = 'variants = true, if one node sends each; else a [[message]] with its id, and from = "NODE"'
        _refuse(path, unclear, "with several senders, or none", hint)
    long = [one for one in others if one.size > CLASSIC_BYTES]
    if long and not bus.fd and bus.data_bitrate is None:
        _refuse(path, long, "of more than 8 bytes", 'data_bitrate = "2 Mbit/s", or fd = true if all are FD frames')
    question = Question(Rate(1), period_ns=bus.period_ns, events=True)
    often = [check.period_of(one, question) for one in others]
    unknown = [one for one, period in zip(others, often, strict=True) if period is None]
    if unknown:
        _refuse(path, unknown, "without a cycle time", 'period = "100 ms", or another time for all of them')
    counted = tuple(replace(one, period_ns=period) for one, period in zip(others, often, strict=True))
    return File(counted, tuple(ours), tuple(known))


def _refuse(path: Path, messages: Sequence[Frame], what: str, hint: str) -> NoReturn:
    raise UserError(f"{shown_path(path)}: {words.count(messages, 'message')} {what}: {words.named(messages)}", hint)


def jitters(messages: Sequence[Message], responses_ns: Mapping[str, int | None]) -> dict[str, int] | str:
    """How late each message of a task may be queued, by the bound on its response; or the task that has none."""
    found = {}
    for one in messages:
        if one.sender is None or one.deadline_ns is None:
            continue
        response_ns = responses_ns.get(one.sender)
        if response_ns is None:
            return one.sender
        found[one.name] = response_ns
    return found
