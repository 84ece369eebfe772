# SPDX-License-Identifier: Apache-2.0
"""A pipe: a stream of bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from takt.declare.schema.kinds import (
    NAME,
    Key,
    Table,
    integer,
)
from takt.declare.schema.service import (
    Context,
    Service,
)
from takt.support.c.kernel import PIPE_CAPACITY_MIN

TABLE = Table(
    "pipe",
    "A stream of bytes.",
    (NAME, Key("capacity", integer(1, 1 << 20), "Bytes that it holds; with protection 32 or more.", required=True)),
)


@dataclass(frozen=True)
class Pipe:
    name: str
    capacity: int  # bytes


def _define(item: Pipe, context: Context) -> Iterator[str]:
    storage = f"takti_storage_{item.name}"
    yield f"static uint8_t {storage}[{item.capacity}];"
    yield f"TAKT_PIPE_DEFINE({item.name}, {context.ids[item.name]}, {storage}, {item.capacity});"


def _in_process(item: Pipe) -> tuple[str, str] | None:
    if item.capacity >= PIPE_CAPACITY_MIN:
        return None
    problem = f"capacity = {item.capacity}: a transfer would take too many steps"
    return problem, f"{PIPE_CAPACITY_MIN} or more, or protection = false"


SERVICE = Service(
    TABLE,
    Pipe,
    _define,
    waited=True,
    gives_all=True,
    givers_wait=True,
    handled=True,
    in_process=_in_process,
    memory=lambda item: (f"capacity = {item.capacity}", item.capacity),
)
