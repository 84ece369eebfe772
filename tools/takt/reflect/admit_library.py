# SPDX-License-Identifier: Apache-2.0
"""Admission of channels by ctypes: takt_admit of reflect/core/include/takt/admit.h."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

from takt.declare.channels import Channel, Node, Plant
from takt.support import compile
from takt.support.c import admission as c

OK, REFUSED, UNDECIDED, INVALID = c.Status.OK, c.Status.REFUSED, c.Status.UNDECIDED, c.Status.INVALID
CHANNELS_MAX = c.CHANNELS_MAX
ITERATIONS = 1_000_000
JITTER_SHARES = c.SHARES  # as much of a period as fits
CONTROL_NS = c.NODE_RETRY_NS
_WORDS: dict[str, type[IntEnum]] = {"inequality": c.Inequality, "stage": c.Stage, "band": c.Band}


@dataclass(frozen=True)
class Result:
    """struct takt_admit_result, its enumerations as words."""

    inequality: str
    stage: str
    left_ns: int
    right_ns: int
    band: str
    level: int
    response_ns: int
    promotion_ns: int
    jitter_ns: int
    push_ns: int
    network_ns: int
    receive_ns: int
    bound_ns: int
    pause_ns: int

    @property
    def fits(self) -> bool:
        return self.inequality == "fits"


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(compile.host_library("admit")))
    library.takt_admit.argtypes = [ctypes.POINTER(c.Set), ctypes.POINTER(c.Space), ctypes.POINTER(c.Result)]
    return library


def _node(node: Node) -> c.Node:
    return c.Node(
        link=c.Link(rate_bps=node.rate_bps, mtu=node.mtu, burst_ns=node.burst_ns, ipv6=node.ipv6),
        block_size=node.block_size,
        propagation_ns=node.propagation_ns,
        send_ns=node.send_ns,
        send_message_ns=node.send_message_ns,
        receive_ns=node.receive_ns,
        receive_message_ns=node.receive_message_ns,
        wake_ns=node.wake_ns,
    )


def _channel(channel: Channel, nodes: list[str], groups: list[str]) -> c.Channel:
    return c.Channel(
        writer=nodes.index(channel.writer),
        reader=nodes.index(channel.reader),
        group=0 if channel.group is None or channel.chosen_by_writer else 1 + groups.index(channel.group),
        writer_group=1 + groups.index(channel.group) if channel.group and channel.chosen_by_writer else 0,
        push=c.Push.SYNCHRONOUS if channel.synchronous else c.Push.ASYNCHRONOUS,
        read=c.Read.BLOCKING if channel.blocking else c.Read.POLLING,
        ends=c.Ends.APPLICATIONS if channel.applications else c.Ends.MEMORIES,
        size=channel.size,
        period_ns=channel.period_ns,
        deadline_ns=channel.deadline_ns or 0,
        write_ns=channel.write_ns,
        read_ns=channel.read_ns,
    )


def admit(plant: Plant) -> tuple[int, list[Result]]:
    """takt_admit: a status, and a result for each channel unless it is INVALID."""
    nodes = [node.name for node in plant.nodes]
    groups = sorted({channel.group for channel in plant.channels if channel.group is not None})
    count = len(plant.channels)
    declared = c.Set(
        nodes=(c.Node * len(nodes))(*(_node(node) for node in plant.nodes)),
        node_count=len(nodes),
        channels=(c.Channel * count)(*(_channel(channel, nodes, groups) for channel in plant.channels)),
        channel_count=count,
        iterations=ITERATIONS,
        control_ns=CONTROL_NS,
        jitter_shares=JITTER_SHARES,
    )
    space = c.Space(
        works=(c.Work * count)(),
        tasks=(c.AnalysisTask * (count + 1))(),
        responses_ns=(ctypes.c_uint64 * count)(),
        statuses=(ctypes.c_uint32 * count)(),
        streams=(c.Stream * (count + 1))(),
    )
    results = (c.Result * count)()
    status: int = _library().takt_admit(ctypes.byref(declared), ctypes.byref(space), results)
    return status, [] if status == INVALID else [_result(found) for found in results]


def _result(found: c.Result) -> Result:
    fields = {name: getattr(found, name) for name, *_ in c.Result._fields_}
    words = {name: of(fields[name]).name.lower() for name, of in _WORDS.items()}
    return Result(**{**fields, **words})
