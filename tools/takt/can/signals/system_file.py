# SPDX-License-Identifier: Apache-2.0
"""A system.toml for one node of a bus: its [[can]], its [[message]] tables, and tasks that send them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from takt.can.check import Question, period_of
from takt.can.messages import CLASSIC_BYTES, Message
from takt.can.signals import names
from takt.can.words import count, named
from takt.support.durations import show
from takt.support.errors import UserError, closest
from takt.support.names import shown

NAME_MAX = 63
WCET_NS = 20_000  # for each message: an estimate
_IDENTIFIER = re.compile(r"(?!takt[abir]?_)[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Asked:
    """What the command line says of it: `file`: as system.toml names it."""

    node: str
    question: Question
    file: str
    bus: str | None
    prefix: str


@dataclass(frozen=True)
class SystemFile:
    """`tasks`: the names of those that send, with what they send. `shared`: messages that other nodes send as well, or
    no one: they count as others'."""

    text: str
    tasks: dict[str, list[str]]
    shared: list[Message]


def of(messages: Sequence[Message], asked: Asked) -> SystemFile:
    """UserError: the file has no such node, or does not say how often messages are sent."""
    question = asked.question
    nodes = list(dict.fromkeys(name for one in messages for name in one.senders))
    own = [one for one in messages if one.senders == (asked.node,)]
    if not own:
        problem = f'no message has the sender "{shown(asked.node)}" alone'
        raise UserError(problem, closest(asked.node, nodes) if nodes else "a file that names senders")
    unknown = [one for one in messages if period_of(one, question) is None]
    if unknown:
        problem = f"{count(unknown, 'message')} without a cycle time: {named(unknown)}"
        raise UserError(problem, "--period 100ms, or another time for all of them")
    shared = [one for one in messages if len(one.senders) != 1]
    by_period: dict[int, list[Message]] = {}
    for one in own:
        by_period.setdefault(period_of(one, question) or 1, []).append(one)
    called = _called([f"send_{_plain(period)}" for period in sorted(by_period)], own, asked)
    tasks = dict(zip(sorted(by_period), called.tasks, strict=True))
    given = any(one.period_ns is None for one in messages)
    parts = [_HEAD.format(source=shown(asked.file), node=shown(asked.node)), 'board = "host"\n']
    parts += (_task(tasks[period], period, by_period[period]) for period in sorted(by_period))
    long = any(one.size > CLASSIC_BYTES for one in messages)
    parts += [_can(asked, called.bus, bool(shared), given, long)]
    parts += (
        _message(called.messages[one], called.bus, tasks[period], one, period)
        for period in sorted(by_period)
        for one in by_period[period]
    )
    found = {tasks[period]: [one.name for one in by_period[period]] for period in sorted(by_period)}
    return SystemFile("\n".join(parts), found, shared)


_HEAD = """\
# Made by takt can import from {source} for the node {node}: the messages that it sends, and tasks that send
# them, one for each period. The execution times of the tasks are estimates; takt check proves with them (docs/can.md).
[system]"""


@dataclass(frozen=True)
class _Called:
    """Names that are unique among all objects."""

    tasks: list[str]
    bus: str
    messages: dict[Message, str]


def _called(tasks: list[str], messages: list[Message], asked: Asked) -> _Called:
    bus = _identifier(asked.prefix)
    found = names.distinct([bus, *tasks, *(_identifier(one.name) for one in messages)])
    return _Called(found[1 : 1 + len(tasks)], found[0], dict(zip(messages, found[1 + len(tasks) :], strict=True)))


def _identifier(name: str) -> str:
    fits = _IDENTIFIER.fullmatch(name)
    if fits and not names.is_keyword(name) and len(name) < NAME_MAX - 4:
        return name
    plain = names.lower(name)
    return f"x_{plain}"[: NAME_MAX - 4] if plain.startswith("takt") else plain[: NAME_MAX - 4]


def _plain(ns: int) -> str:
    """A time as a part of a name: 10ms."""
    return show(ns).replace(" ", "").replace(".", "_")


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _time(ns: int) -> str:
    return f'"{show(ns)}"'


def _task(name: str, period_ns: int, sent: Sequence[Message]) -> str:
    wcet_ns = min(WCET_NS * len(sent), period_ns)
    return (
        f'[[task]]\nname = "{name}"\nperiod = {_time(period_ns)}\nwcet = {_time(wcet_ns)}  # an estimate: measure how '
        f"long it takes to send {count(sent, 'message')}\n"
    )


def _can(asked: Asked, name: str, variants: bool, given: bool, long: bool) -> str:
    question = asked.question
    data = question.rate.data or (question.rate.nominal if long and not question.fd else None)
    lines = ["[[can]]", f'name = "{name}"', f'bitrate = "{_rate(question.rate.nominal)}"']
    lines += ["fd = true"] * question.fd
    lines += [f'data_bitrate = "{_rate(data)}"  # so messages of more than 8 bytes are FD frames'] if data else []
    lines += [f"file = {_string(asked.file)}", f"node = {_string(asked.node)}"]
    lines += [f"file_bus = {_string(asked.bus)}"] if asked.bus is not None else []
    lines += [f"period = {_time(question.period_ns)}"] if given and question.period_ns else []
    lines += ["variants = true  # an assumption: of several senders in the file one sends"] * variants
    return "\n".join(lines) + "\n"


def _rate(bits: int) -> str:
    return f"{bits // 1000} kbit/s" if bits % 1000 == 0 else f"{bits} bit/s"


def _message(name: str, bus: str, task: str, one: Message, period_ns: int) -> str:
    deadline_ns = one.deadline_ns or period_ns
    lines = [
        "[[message]]",
        f'name = "{name}"',
        f'bus = "{bus}"',
        f'sender = "{task}"',
        f"bytes = {one.size}",
        f"id = {one.id_text}",
        *(["extended = true"] if one.extended else []),
        f"deadline = {_time(deadline_ns)}",
    ]
    return "\n".join(lines) + "\n"


def lines(found: SystemFile) -> Iterator[str]:
    """What it says to people, below the name of the file."""
    for task, sent in found.tasks.items():
        yield f"task {task} sends {count(sent, 'message')}: {', '.join(map(shown, sent[:5]))}{' ...' * (len(sent) > 5)}"
    if found.shared:
        how_many = count(found.shared, "message")
        yield f"note: {how_many} with several senders, or none, counted once: {named(found.shared)}"
