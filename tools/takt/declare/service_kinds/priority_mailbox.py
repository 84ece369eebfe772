# SPDX-License-Identifier: Apache-2.0
"""A queue of messages with priorities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from takt.declare.schema.kinds import (
    DURATION,
    IDENTIFIER,
    NAME,
    Key,
    Table,
    integer,
)
from takt.declare.schema.model import System
from takt.declare.schema.reader import Document
from takt.declare.schema.service import (
    ALIGNED,
    PRIORITY,
    Context,
    Service,
    bytes_of,
    fifo_word,
    message_keys,
    product,
    waiters_key,
)
from takt.declare.schema.service_calls import (
    IN,
    OUT,
    Call,
    Size,
    waits,
)
from takt.declare.service_kinds import senders
from takt.declare.service_kinds.senders import Sender
from takt.support.c.board_layouts import MESSAGE_BUFFER_HEAD
from takt.support.c.kernel import CAPACITY_MAX, MESSAGE_BUFFERED_MAX

TABLE = Table(
    "priority_mailbox",
    "A queue of messages of one size with priorities; 0 is received first. With `type`: `NAME_send`,"
    " `NAME_send_urgent`, `NAME_receive`, each also as `NAME_..._until` and `NAME_try_...`, and `NAME_broadcast`. A"
    ' task with the trigger "priority_mailbox NAME" is its handler: each stored message, urgent or not, releases a job'
    " of it, in its own priority, which takes the first message with `takt_priority_mailbox_try_receive`.",
    (
        NAME,
        *message_keys("message_size", MESSAGE_BUFFERED_MAX, "Bytes of a message; with protection 256 at most."),
        Key("capacity", integer(1, CAPACITY_MAX), "Messages that it holds.", required=True),
        Key(
            "handler",
            IDENTIFIER,
            "The C function, called for every message that is accepted, with the kernel locked: `void NAME(const void"
            " *message)`, or of `type`. It calls nothing of the kernel. Not with a task that is released.",
            default_text="none",
        ),
        Key(
            "wcet",
            DURATION,
            "Longest execution of the handler. The proof delays all tasks by it; it is also in the wcet of each sender"
            " or, when the mailbox is full, of each receiver.",
            default=0,
            default_text="`0 ns`, no handler",
        ),
        senders.SENDERS,
        waiters_key("Of a priority mailbox: for messages, and for room."),
    ),
)


@dataclass(frozen=True)
class PriorityMailbox:
    name: str
    message_size: int | None  # bytes
    capacity: int  # messages
    handler: str | None = None  # C function, called with the kernel locked
    wcet_ns: int = 0  # of the handler
    type: str | None = None
    include: str | None = None
    senders: tuple[Sender, ...] = ()  # of one that releases a task
    waiters: str = PRIORITY


def _read(_document: Document, values: dict[str, Any], _index: int) -> PriorityMailbox:
    rest = {key: value for key, value in values.items() if key != "wcet"}
    return PriorityMailbox(**{**rest, "wcet_ns": values["wcet"], "senders": senders.of(values)})


def _check(document: Document, system: System, index: int, item: PriorityMailbox) -> None:
    where, label = ("priority_mailbox", index), f'[[priority_mailbox]] "{item.name}"'
    if item.handler is not None and item.wcet_ns == 0:
        document.fail(where, f'{label}: "wcet" is missing', "the longest execution of its handler")
    if item.handler is None and item.wcet_ns > 0:
        document.fail((*where, "wcet"), f"{label}: wcet requires a handler", "add handler, or remove wcet")
    released = next((task.name for task in system.tasks if task.trigger == f"priority_mailbox {item.name}"), None)
    if item.handler is not None and released is not None:
        problem = f'{label}: handler: its messages release "{released}", which is their handler'
        document.fail((*where, "handler"), problem, f'remove handler and wcet, or the trigger of "{released}"')


_CALLS = (
    *waits("priority_mailbox", "send", f"{IN}, uint32_t priority", "message, priority"),
    *waits("priority_mailbox", "send_urgent", IN, "message"),
    *waits("priority_mailbox", "receive", OUT, "message"),
    Call("broadcast", IN, "takt_priority_mailbox_broadcast(&{item.name}, message)", returns="unsigned"),
)


def _define(item: PriorityMailbox, context: Context) -> Iterator[str]:
    storage, size = f"takti_storage_{item.name}", bytes_of(item.message_size, item.type)
    yield f"static uint8_t {storage}[TAKT_PRIORITY_MAILBOX_BYTES({size}, {item.capacity})] {ALIGNED};"
    trigger = context.trigger("priority_mailbox", item.name)
    if trigger is not None:
        arguments = f"{item.name}, {context.ids[item.name]}, {storage}, {size}, {item.capacity}, {trigger}"
        yield f"TAKT_PRIORITY_MAILBOX_{fifo_word(item)}TRIGGER_DEFINE({arguments});"
        return
    handler = "NULL"
    if item.handler is not None:
        handler = f"takti_arrival_{item.name}"
        yield f"static void {handler}(const void *message)\n{{\n    {item.handler}(message);\n}}"
    arguments = f"{context.ids[item.name]}, {storage}, {size}, {item.capacity}, {handler}"
    yield f"TAKT_PRIORITY_MAILBOX_{fifo_word(item)}DEFINE({item.name}, {arguments});"


SERVICE = Service(
    TABLE,
    PriorityMailbox,
    _define,
    read=_read,
    check=_check,
    size=Size("message_size", MESSAGE_BUFFERED_MAX),
    calls=_CALLS,
    handler="const {type} *message",
    proved=True,
    waited=True,
    gives_all=True,
    givers_wait=True,
    releases=True,
    queued=True,
    handled=True,
    copied=True,
    locked_ns=lambda item: item.wcet_ns,
    memory=lambda item: product(item, "message_size", "capacity", more=MESSAGE_BUFFER_HEAD),
)
