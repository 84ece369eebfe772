# SPDX-License-Identifier: Apache-2.0
"""A pipe: a stream of bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from takt.declare.schema.kinds import (
    NAME,
    Key,
    Table,
    integer,
)
from takt.declare.schema.model import System
from takt.declare.schema.reader import Document
from takt.declare.schema.service import (
    Context,
    Service,
)
from takt.declare.service_kinds import senders
from takt.declare.service_kinds.senders import Sender
from takt.support.c.kernel import PIPE_CAPACITY_MIN

TABLE = Table(
    "pipe",
    'A stream of bytes. A task with the trigger "pipe NAME" is released by each write that leaves at least'
    " `trigger_bytes` in it, and its job reads with `takt_pipe_try_read` until it is empty.",
    (
        NAME,
        Key("capacity", integer(1, 1 << 20), "Bytes that it holds; with protection 32 or more.", required=True),
        Key(
            "trigger_bytes",
            integer(1, 1 << 20),
            "With a task that is released: with how many bytes in the pipe a write does.",
            default_text="1",
        ),
        senders.WRITERS,
    ),
)


@dataclass(frozen=True)
class Pipe:
    name: str
    capacity: int  # bytes
    trigger_bytes: int | None = None  # None: 1
    senders: tuple[Sender, ...] = ()  # of one that releases a task


def _read(_document: Document, values: dict[str, Any], _index: int) -> Pipe:
    return Pipe(values["name"], values["capacity"], values["trigger_bytes"], senders.of(values))


def _check(document: Document, system: System, index: int, item: Pipe) -> None:
    where, label = ("pipe", index, "trigger_bytes"), f'[[pipe]] "{item.name}": trigger_bytes'
    if item.trigger_bytes is None:
        return
    if not any(task.trigger == f"pipe {item.name}" for task in system.tasks):
        hint = f'a task with trigger = "pipe {item.name}", or remove it'
        document.fail(where, f"{label}: it releases no task", hint)
    if item.trigger_bytes > item.capacity:
        problem = f"{label} = {item.trigger_bytes} is over capacity {item.capacity}: no write would release the task"
        document.fail(where, problem, f"at most {item.capacity}")


def _define(item: Pipe, context: Context) -> Iterator[str]:
    storage = f"takti_storage_{item.name}"
    yield f"static uint8_t {storage}[{item.capacity}];"
    arguments = f"{item.name}, {context.ids[item.name]}, {storage}, {item.capacity}"
    trigger = context.trigger("pipe", item.name)
    if trigger is None:
        yield f"TAKT_PIPE_DEFINE({arguments});"
    else:
        yield f"TAKT_PIPE_TRIGGER_DEFINE({arguments}, {item.trigger_bytes or 1}, {trigger});"


def _in_process(item: Pipe) -> tuple[str, str] | None:
    if item.capacity >= PIPE_CAPACITY_MIN:
        return None
    problem = f"capacity = {item.capacity}: a transfer would take too many steps"
    return problem, f"{PIPE_CAPACITY_MIN} or more, or protection = false"


SERVICE = Service(
    TABLE,
    Pipe,
    _define,
    read=_read,
    check=_check,
    waited=True,
    releases=True,
    drained=True,
    proved=True,
    gives_all=True,
    givers_wait=True,
    handled=True,
    in_process=_in_process,
    memory=lambda item: (f"capacity = {item.capacity}", item.capacity),
)
