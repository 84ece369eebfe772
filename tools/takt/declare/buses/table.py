# SPDX-License-Identifier: Apache-2.0
"""The tables of CAN buses, and what their keys may be."""

from __future__ import annotations

import re
from contextlib import suppress
from ipaddress import IPv4Address
from typing import Any

from takt.declare.buses import protected
from takt.declare.schema.kinds import (
    BOOLEAN,
    DURATION,
    FILE,
    IDENTIFIER,
    NAME,
    POSITIVE_DURATION,
    RATE,
    STRING,
    Key,
    Kind,
    Table,
    choice,
    integer,
    list_of,
    toml_type,
)
from takt.support.c.kernel import MESSAGE_MAX
from takt.support.durations import DRIFT_MAX_PPM
from takt.support.errors import UserError

STANDARD_MAX, EXTENDED_MAX = 0x7FF, 0x1FFF_FFFF
CLASSIC_BYTES, FD_BYTES = 8, 64
AUTO = "auto"
PORT_MAX = 0xFFFF
SCHEDULERS = ("fixed", "mts")
MASTERS_MAX = 8
_MULTICAST_NAME = re.compile(r"udp_multicast:([^:]*)(?::([0-9]{1,6}))?")


def _identifier(value: Any) -> int | None:
    if value == AUTO:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        number = value if isinstance(value, str) and re.fullmatch("0x[0-9a-fA-F]{1,8}", value) else "0x123"
        problem = f'expected a number or "{AUTO}", found {toml_type(value)}'
        raise UserError(problem, f'{number}, without quotes, or "{AUTO}"')
    if not 0 <= value <= EXTENDED_MAX:
        raise UserError("no identifier of CAN: these have up to 29 bits", f"0x0 to 0x{EXTENDED_MAX:X}")
    return value


_ID = Kind(
    f'integer 0 to 0x1FFFFFFF, or "{AUTO}"',
    _identifier,
    schema={"anyOf": [{"enum": [AUTO]}, {"type": "integer", "minimum": 0, "maximum": EXTENDED_MAX}]},
)


def _interface(value: Any) -> str:
    if not isinstance(value, str):
        raise UserError(f"expected a string, found {toml_type(value)}", '"can0"')
    group = _MULTICAST_NAME.fullmatch(value)
    if group is not None:
        port = int(group[2] or "1")
        with suppress(ValueError):
            if IPv4Address(group[1]).is_multicast and 0 < port <= PORT_MAX:
                return value
        raise UserError(f'"{value}" is no IPv4 multicast group', '"udp_multicast:239.74.163.2", with a port ":43113"')
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,15}", value):
        hint = '"can0", one that `ip link show type can` lists, or "udp_multicast:239.74.163.2"'
        raise UserError(f'"{value}" is no CAN interface of Linux', hint)
    return value


_INTERFACE = Kind("string", _interface, schema={"type": "string", "minLength": 1})

CAN = Table(
    "can",
    "A CAN bus that this system is a node of. Its messages are the `[[message]]` tables that name it, and those of"
    " other nodes in `file`; `takt check` proves that all arrive in time (docs/can.md).",
    (
        NAME,
        Key("bitrate", RATE, "10 kbit/s to 1 Mbit/s.", required=True),
        Key("fd", BOOLEAN, "Is every message an FD frame?", default=False, default_text="`false`"),
        Key(
            "data_bitrate",
            RATE,
            "Of the data of FD frames, up to 10 Mbit/s. With it, messages of more than 8 bytes are FD frames.",
            default_text="as `bitrate`",
        ),
        Key(
            "errors",
            STRING,
            'A bound on errors, as `takt can check --errors` has it: `"10ms"` (least distance), `"3/100ms"` (in any'
            ' 100 ms), `"3/100ms/2ms"` (in bursts of 2 ms). Or `"random:1e-7"` (of the bits), `"random:10/s"`: then'
            " deadlines are proved without errors, and beside them is the probability of a miss.",
            default_text="none: there are no errors",
        ),
        Key(
            "drift",
            integer(0, DRIFT_MAX_PPM),
            "By how many ppm the clocks of nodes may be wrong, each on its own, as `takt can check --drift` has it. In"
            " `takt run` the other nodes of a driven bus have such clocks.",
            default=0,
        ),
        Key(
            "controller",
            STRING,
            "How this system queues what it sends, as `takt can check --controller` has it: `priority`, `fifo`, `3`"
            " (buffers that cannot be aborted), `3/abort`, `3/abort:50us`.",
            default="priority",
        ),
        Key(
            "others",
            list_of(STRING),
            'How other nodes queue: the same, `["fifo"]`, or for one node `["engine=fifo"]`.',
            default=(),
            default_text="by priority",
        ),
        Key(
            "identifiers",
            STRING,
            f'Those that `id = "{AUTO}"` may give: `"0x100-0x6FF"`; with more than three digits of 29 bits.',
            default_text="all; of 11 bits up to 0x7EF",
        ),
        Key(
            "file",
            FILE,
            "A description of the bus (.dbc, .kcd, .arxml, .sym, .csv). Its messages count as sent by other nodes, with"
            " their least distances where they are sent on events, but those of `node`, and those that a `[[message]]`"
            " describes by the same identifier.",
            default_text="none",
        ),
        Key("file_bus", STRING, "Of a `file` that describes several buses, the name of this one.", default_text="none"),
        Key(
            "variants",
            BOOLEAN,
            "Does one node send each message of `file` to which that gives several senders, or none? It counts once"
            " then, as queued by the first.",
            default=False,
            default_text="`false`: such messages are refused",
        ),
        Key(
            "driver",
            BOOLEAN,
            "Does Takt drive the controller of the board? Then the program sends with `takt_can_send_NAME`, and"
            " receives by the state message `NAME_value` or the mailbox `NAME_queue` (docs/can.md). On `host`,"
            " `mps2-an385` and `rv32-virt`.",
            default=False,
            default_text="`false`: the program does",
        ),
        Key(
            "interface",
            _INTERFACE,
            "With `driver`, on `host`: the CAN interface of the machine on which the frames are sent and received"
            ' (SocketCAN), such as `"can0"`, or `"udp_multicast:239.74.163.2"`: the bus of that group among programs of'
            " this machine, as python-can has it. A run then passes in real time, and does not hold messages of this"
            ' bus against their bounds (docs/can.md). Requires `controller = "1"`.',
            default_text="none: a simulated bus",
        ),
        Key(
            "scheduler",
            choice(*SCHEDULERS),
            "What identifiers carry. `fixed`: nothing. `mts`: those of fast messages their deadlines (the mixed traffic"
            f' scheduler); every `id` is then `"{AUTO}"`, those of `file` do not count, and there is no `driver`: the'
            " program drives takt/can_mts.h (docs/can.md).",
            default="fixed",
        ),
        Key("epoch", POSITIVE_DURATION, "With `mts`: its length.", default_text="chosen for the most margin"),
        Key(
            "masters",
            integer(1, MASTERS_MAX),
            "With `mts`: nodes that send ticks, if those before them do not.",
            default_text="2",
        ),
        Key(
            "handlers",
            STRING,
            "With `mts`: longest times of a node to react, to compute and to write new identifiers, as"
            " `takt can check --handlers` has it.",
            default_text='`"5us/40us/20us"`',
        ),
        Key("node", STRING, "What `file` calls this system.", default_text="the system's name"),
        Key(
            "period",
            POSITIVE_DURATION,
            "Of messages of `file` without a cycle time.",
            default_text="none: they are refused",
        ),
        Key(
            "jitter",
            STRING,
            'Of messages of `file` without one: `"10%"` of the period, or a time.',
            default_text="none",
        ),
    ),
    later=("sample_point",),
)

MESSAGE = Table(
    "message",
    "A message on a CAN bus, from a task of this system (`sender`), from another node (`from`), or a copy of a"
    " message of another bus (`forwards`). One of a task is queued at any time between the release of a job of its"
    " sender and the end of that, so the bound on the task's response is its jitter. With `driver` Takt sends it, else"
    " the program does (docs/can.md).",
    (
        NAME,
        Key("bus", IDENTIFIER, "The `[[can]]`.", required=True),
        Key(
            "sender",
            IDENTIFIER,
            "The task that sends it, at most once a job.",
            default_text="**required** without `from` and `forwards`",
        ),
        Key(
            "from",
            STRING,
            "The other node that sends it.",
            default_text="**required** without `sender` and `forwards`",
        ),
        Key(
            "forwards",
            IDENTIFIER,
            "The message of another bus, `from` another node, of which this one is the copy: the driver sends it as"
            " soon as that is received. Its length and period are those of that one. Requires `driver` on both buses"
            " (docs/can.md).",
            default_text="none",
        ),
        Key("receivers", list_of(IDENTIFIER), "Tasks of this system that receive it.", default=(), default_text="none"),
        Key(
            "queue",
            integer(1, MESSAGE_MAX),
            "With `driver` and `receivers`: received messages wait in the mailbox `NAME_queue`, so many at most.",
            default_text="none: the state message `NAME_value` has the last one",
        ),
        Key(
            "bytes",
            integer(0, FD_BYTES),
            "Its length. More than 8: with `fd` or `data_bitrate`.",
            default_text="**required**; with `forwards` that of the message",
        ),
        Key(
            "id",
            _ID,
            f"Its identifier. `{AUTO}`: the proof gives one, so that the largest response / deadline of the bus is as"
            " small as it can be, and prints it.",
            default_text="**required**; with `forwards` that of the message",
        ),
        Key(
            "extended",
            BOOLEAN,
            "Has it an identifier of 29 bits?",
            default=False,
            default_text="`true` of an `id` above 0x7FF",
        ),
        Key(
            "period",
            POSITIVE_DURATION,
            "Least time between two; of a periodic task a multiple of its period.",
            default_text="the task's; **required** with `from`; with `forwards` that of the message",
        ),
        Key("jitter", DURATION, "With `from`: how late it may be queued.", default=0, default_text="`0 ns`"),
        Key(
            "deadline",
            POSITIVE_DURATION,
            "From the release of the job that sends it (with `from`: of the message; with `forwards`: of the message"
            " that is forwarded, by its sender) to the end of its frame.",
            default_text="with `from` or `forwards` the period; else none: best effort, with an identifier below all"
            " others",
        ),
        *protected.KEYS,
    ),
)

TABLES = (CAN, MESSAGE)
