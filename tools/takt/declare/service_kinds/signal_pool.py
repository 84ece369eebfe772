# SPDX-License-Identifier: Apache-2.0
"""A pool of signals: buffers that go from task to task by pointer."""

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
    ALIGNED,
    Context,
    Service,
    bytes_of,
    copies,
    message_keys,
    product,
)
from takt.declare.schema.service_calls import (
    Call,
    Size,
)
from takt.support.c.board_layouts import SIGNAL_HEAD
from takt.support.c.kernel import CAPACITY_MAX, SIGNAL_DATA_MAX

TABLE = Table(
    "signal_pool",
    "Signals: numbered buffers that go from task to task by pointer. With `type`: `NAME_data`.",
    (
        NAME,
        *message_keys("data_size", SIGNAL_DATA_MAX, "Bytes of a signal's data; with protection 256 at most."),
        Key("count", integer(1, CAPACITY_MAX), "Signals.", required=True),
    ),
)


@dataclass(frozen=True)
class SignalPool:
    name: str
    data_size: int | None  # bytes
    count: int  # signals
    type: str | None = None
    include: str | None = None


_CALLS = (
    Call(
        "data",
        "const struct takt_signal *signal",
        "({item.type} *)takt_signal_data(signal)",
        returns="{item.type} *",
        require="signal->pool == &{item.name}",
    ),
)


def copies_type(item: SignalPool, process: str) -> str:
    """Declares them."""
    size = bytes_of(item.data_size, item.type)
    return f"uint8_t {copies(item.name, process)}[TAKT_SIGNAL_BYTES({size}) * {item.count}] {ALIGNED}"


def _define(item: SignalPool, context: Context) -> Iterator[str]:
    storage, size = f"takti_storage_{item.name}", bytes_of(item.data_size, item.type)
    yield f"static uint8_t {storage}[TAKT_SIGNAL_BYTES({size}) * {item.count}] {ALIGNED};"
    if not context.system.protection:
        yield f"TAKT_SIGNAL_POOL_DEFINE({item.name}, {storage}, {size}, {item.count});"
        return
    using = context.users(item.name)
    yield from (f"extern {copies_type(item, name)};" for name in using if name is not None)
    table = ", ".join("NULL" if name is None else copies(item.name, name) for name in using)
    yield f"static uint8_t *const takti_copies_{item.name}[] = {{{table}}};"
    arguments = (
        f"{item.name}, {storage}, {size}, {item.count}, takti_copies_{item.name}, {context.handle(item.name):#x}"
    )
    yield f"TAKT_SIGNAL_POOL_COPIED_DEFINE({arguments});"


SERVICE = Service(
    TABLE,
    SignalPool,
    _define,
    size=Size("data_size", SIGNAL_DATA_MAX, uncopied=True),
    calls=_CALLS,
    handled=True,
    copied=True,
    memory=lambda item: product(item, "data_size", "count", more=SIGNAL_HEAD),
)
