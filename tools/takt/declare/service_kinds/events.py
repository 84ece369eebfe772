# SPDX-License-Identifier: Apache-2.0
"""Event flags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from takt.declare.schema.kinds import (
    NAME,
    Key,
    Table,
    choice,
    integer,
)
from takt.declare.schema.model import System
from takt.declare.schema.reader import Document
from takt.declare.schema.service import (
    Context,
    Service,
)

FLAGS = 0xFFFFFFFF

TABLE = Table(
    "events",
    '32 event flags. A task with the trigger "events NAME" is released by a set that makes `trigger_flags` satisfied;'
    " its job clears what it serves, with `takt_events_try_wait` or `takt_events_clear`, and then no release is lost."
    " No task waits for such flags.",
    (
        NAME,
        Key(
            "trigger_flags",
            integer(1, FLAGS),
            "With a task that is released: the flags for which it is.",
            default_text="all 32",
        ),
        Key(
            "trigger_mode",
            choice("any", "all"),
            "With a task that is released: must any of these flags be set, or all?",
            default="any",
        ),
    ),
)


@dataclass(frozen=True)
class Events:
    name: str
    trigger_flags: int | None = None  # None: all
    trigger_mode: str = "any"  # or "all"


def _check(document: Document, system: System, index: int, item: Events) -> None:
    released = any(task.trigger == f"events {item.name}" for task in system.tasks)
    for key in ("trigger_flags", "trigger_mode"):
        if key in document.data["events"][index] and not released:
            problem = f'[[events]] "{item.name}": {key}: it releases no task'
            document.fail(("events", index, key), problem, f'a task with trigger = "events {item.name}", or remove it')


def _define(item: Events, context: Context) -> Iterator[str]:
    trigger = context.trigger("events", item.name)
    if trigger is None:
        yield f"TAKT_EVENTS_DEFINE({item.name}, {context.ids[item.name]});"
        return
    flags = FLAGS if item.trigger_flags is None else item.trigger_flags
    mode = "TAKT_EVENTS_ALL" if item.trigger_mode == "all" else "0"
    arguments = f"{item.name}, {context.ids[item.name]}, UINT32_C({flags:#x}), {mode}, {trigger}"
    yield f"TAKT_EVENTS_TRIGGER_DEFINE({arguments});"


SERVICE = Service(
    TABLE,
    Events,
    _define,
    waited=True,
    gives_all=True,
    check=_check,
    releases=True,
    coalesced=True,
    handled=True,
)
