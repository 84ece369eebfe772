# SPDX-License-Identifier: Apache-2.0
"""The part of the schema with machines and the channels of reflective memory between them."""

from __future__ import annotations

from typing import Any

from takt.declare.schema.kinds import (
    ADDRESS,
    BOOLEAN,
    DURATION,
    FILE,
    IDENTIFIER,
    NAME,
    POSITIVE_DURATION,
    RATE,
    STRING,
    Key,
    Table,
    choice,
    integer,
    list_of,
)
from takt.support.c.admission import BLOCK_MAX
from takt.support.c.areas import SIZE_MAX

KINDS = ("command", "media", "monitor", "trend", "background")
_MACHINE: dict[str, Any] = {"default_text": "**required** without `system`"}
_NOTHING: dict[str, Any] = {"default": 0, "default_text": "`0 ns`"}

NODE = Table(
    "node",
    "With `system`, a node of a network: a system that `takt check` proves together with the others (docs/network.md)."
    " Else a machine that channels go from or to, for `takt reflect`: its link, and the longest execution times of its"
    " server (docs/decisions/0021-admission.md).",
    (
        NAME,
        Key(
            "system",
            FILE,
            "The folder of the system that runs on it, or its file. All nodes of the file have one then, and no key but"
            " these.",
            default_text="none: a machine",
        ),
        Key(
            "identifiers",
            list_of(STRING),
            'With `system`, where several nodes run one: those of messages that this one sends, `["speed=0x201"]`. Its'
            " messages are called NODE_MESSAGE in the network.",
            default=(),
            default_text="those of its system",
        ),
        Key("rate", RATE, "Of its link, each way: `bit/s`, `kbit/s`, `Mbit/s` or `Gbit/s`.", **_MACHINE),
        Key("send", DURATION, "Execution for a block that is sent.", **_MACHINE),
        Key("receive", DURATION, "Execution for a block that has come.", **_MACHINE),
        Key("wake", DURATION, "The longest from a thread of the server being ready until it runs.", **_MACHINE),
        Key("send_message", DURATION, "Execution once a message, before its first block.", **_NOTHING),
        Key(
            "receive_message",
            DURATION,
            "Execution once a message, after its last block, until a reader can take it.",
            **_NOTHING,
        ),
        Key("propagation", DURATION, "From the end of a block on this link to the port behind it.", **_NOTHING),
        Key(
            "burst",
            DURATION,
            "How late a thread may be and still make up for it, in time of the link: at least `wake`, at most 1 s."
            " Blocks that make up for a delay wait in front of the link.",
            default_text="`wake`",
        ),
        Key("block", integer(1, BLOCK_MAX), "Bytes of a value that one packet has.", default=1392),
        Key("mtu", integer(576, 65535), "Bytes of an IP packet at most; the same for all nodes.", default=1500),
        Key("ipv6", BOOLEAN, "The same for all nodes.", default=False, default_text="`false`"),
        Key(
            "address",
            ADDRESS,
            "Where its server is, as a number. If it is not of the machine itself, its channels need keys"
            " (`takt reflect keys`).",
            default_text="`127.0.0.1`, or `::1`",
        ),
        Key("port", integer(1, 65535), "UDP port of its server.", default_text="`7411` and on, in the order of nodes"),
    ),
)

CHANNEL = Table(
    "channel",
    "A channel of reflective memory, for `takt reflect`: a value written on one node must be in a memory of another"
    " within `deadline`. `command`, `monitor` and `background` are pushed when they are written and wake their reader;"
    " `media` and `trend` are pushed once a `period`, and their reader looks when it likes.",
    (
        NAME,
        Key("writer", IDENTIFIER, "The `[[node]]` where it is written.", required=True),
        Key("reader", IDENTIFIER, "The one where it is read.", required=True),
        Key(
            "kind",
            choice(*KINDS),
            "The purpose, which sets defaults. `background`: no deadline is guaranteed.",
            required=True,
        ),
        Key("size", integer(1, SIZE_MAX), "Bytes of a value.", required=True),
        Key(
            "period",
            POSITIVE_DURATION,
            "Between two pushes; if each write is pushed, the least between two writes. Faster ones are held back.",
            required=True,
        ),
        Key(
            "deadline",
            POSITIVE_DURATION,
            "From the begin of the write (`memories`: the release of the push) to the end of the read.",
            default_text="**required** except for `background`, which has none",
        ),
        Key(
            "push", choice("synchronous", "asynchronous"), "At each write, or each `period`.", default_text="by `kind`"
        ),
        Key("read", choice("blocking", "polling"), "Is the reader woken by a value?", default_text="by `kind`"),
        Key(
            "ends",
            choice("applications", "memories"),
            "Where the deadline begins: with the write, or with the push. The first if synchronous and blocking only.",
            default_text="`applications` if they can be",
        ),
        Key("write_wcet", DURATION, "With `applications`: the longest that the write takes.", **_NOTHING),
        Key("read_wcet", DURATION, "The longest from a value in the memory to the end of its read.", **_NOTHING),
        Key(
            "group",
            IDENTIFIER,
            "Channels of one group have one reader's memory, or one writer's (`area`) and readers on several nodes,"
            " and one of them is active: they count as the greatest. The node that they share chooses it.",
            default_text="none",
        ),
        Key(
            "area",
            IDENTIFIER,
            "Name of the memory where it is written; where it is read, too, or the group's. Channels from one memory to"
            " several nodes have the same.",
            default_text="the channel's name",
        ),
        Key(
            "values",
            choice("last", "every"),
            "Which values are pushed: the newest, or each one in order, as far as `depth` allows.",
            default="last",
        ),
        Key("depth", integer(2, 4096), "Number of values in the reader's memory: a power of two.", default=8),
        Key(
            "active",
            BOOLEAN,
            "Does it start with its reader's server, or its writer's if its group has one writer? Of a group one may.",
            default_text="`true`; of a group the first",
        ),
    ),
)

TABLES = (NODE, CHANNEL)
