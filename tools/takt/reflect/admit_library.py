# SPDX-License-Identifier: Apache-2.0
"""The C interface of admission by ctypes: structures and constants of reflect/core/include/takt/admit.h, same names."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache

from takt.declare.channels import Channel, Node, Plant
from takt.prove import analysis_library
from takt.support import compile

OK, REFUSED, UNDECIDED, INVALID = range(4)  # enum takt_admit_status
BANDS = ("highest", "high", "mid")  # enum takt_admit_band
STAGES = ("write", "push", "network", "receive", "read")  # enum takt_admit_stage
INEQUALITIES = ("fits", "load", "overlap", "deadline", "unknown")  # enum takt_admit_inequality
CHANNELS_MAX = 4096
ITERATIONS = 1_000_000
JITTER_SHARES = 256  # TAKT_ADMIT_SHARES: as much of a period as fits
CONTROL_NS = 50_000_000  # TAKT_NODE_RETRY_NS

_U16, _U32, _U64, _SIZE = ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_size_t


class _Link(ctypes.Structure):
    _fields_ = [("rate_bps", _U64), ("mtu", _U32), ("burst_ns", _U32), ("ipv6", ctypes.c_bool)]


class _Node(ctypes.Structure):
    _fields_ = [
        ("link", _Link),
        ("block_size", _U32),
        ("propagation_ns", _U64),
        ("send_ns", _U64),
        ("send_message_ns", _U64),
        ("receive_ns", _U64),
        ("receive_message_ns", _U64),
        ("wake_ns", _U64),
    ]


class _Channel(ctypes.Structure):
    _fields_ = [
        ("writer", _U16),
        ("reader", _U16),
        ("group", _U16),
        ("writer_group", _U16),
        ("push", _U16),
        ("read", _U16),
        ("ends", _U16),
        ("size", _U32),
        ("period_ns", _U64),
        ("deadline_ns", _U64),
        ("write_ns", _U64),
        ("read_ns", _U64),
    ]


class _Work(ctypes.Structure):
    _fields_ = [(f"private_{number}", _U64) for number in range(9)] + [
        (name, _SIZE) for name in ("task", "order", "by_writer")
    ]


class _Stream(ctypes.Structure):
    _fields_ = [(f"private_{number}", _U64) for number in range(5)] + [("writer", _SIZE)]


class _Set(ctypes.Structure):
    _fields_ = [
        ("nodes", ctypes.POINTER(_Node)),
        ("node_count", _SIZE),
        ("channels", ctypes.POINTER(_Channel)),
        ("channel_count", _SIZE),
        ("iterations", _U32),
        ("control_ns", _U64),
        ("jitter_shares", _U32),
    ]


class _Space(ctypes.Structure):
    _fields_ = [
        ("works", ctypes.POINTER(_Work)),
        ("tasks", ctypes.POINTER(analysis_library.Task)),
        ("responses_ns", ctypes.POINTER(_U64)),
        ("statuses", ctypes.POINTER(ctypes.c_int)),
        ("streams", ctypes.POINTER(_Stream)),
    ]


class _Result(ctypes.Structure):
    _fields_ = [
        ("inequality", ctypes.c_int),
        ("stage", ctypes.c_int),
        ("left_ns", _U64),
        ("right_ns", _U64),
        ("band", ctypes.c_int),
        ("level", _U32),
        ("response_ns", _U64),
        ("promotion_ns", _U64),
        ("jitter_ns", _U64),
        ("push_ns", _U64),
        ("network_ns", _U64),
        ("receive_ns", _U64),
        ("bound_ns", _U64),
        ("pause_ns", _U64),
    ]


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
    library.takt_admit.argtypes = [ctypes.POINTER(_Set), ctypes.POINTER(_Space), ctypes.POINTER(_Result)]
    return library


def _node(node: Node) -> _Node:
    link = _Link(node.rate_bps, node.mtu, node.burst_ns, node.ipv6)
    times = (node.propagation_ns, node.send_ns, node.send_message_ns, node.receive_ns, node.receive_message_ns)
    return _Node(link, node.block_size, *times, node.wake_ns)


def _channel(channel: Channel, nodes: list[str], groups: list[str]) -> _Channel:
    return _Channel(
        writer=nodes.index(channel.writer),
        reader=nodes.index(channel.reader),
        group=0 if channel.group is None or channel.chosen_by_writer else 1 + groups.index(channel.group),
        writer_group=1 + groups.index(channel.group) if channel.group and channel.chosen_by_writer else 0,
        push=0 if channel.synchronous else 1,
        read=0 if channel.blocking else 1,
        ends=0 if channel.applications else 1,
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
    declared = _Set(
        (_Node * len(nodes))(*(_node(node) for node in plant.nodes)),
        len(nodes),
        (_Channel * count)(*(_channel(channel, nodes, groups) for channel in plant.channels)),
        count,
        ITERATIONS,
        CONTROL_NS,
        JITTER_SHARES,
    )
    space = _Space(
        (_Work * count)(),
        (analysis_library.Task * (count + 1))(),
        (_U64 * count)(),
        (ctypes.c_int * count)(),
        (_Stream * (count + 1))(),
    )
    results = (_Result * count)()
    status: int = _library().takt_admit(ctypes.byref(declared), ctypes.byref(space), results)
    return status, [] if status == INVALID else [_result(found) for found in results]


def _result(found: _Result) -> Result:
    fields = {name: getattr(found, name) for name, *_ in _Result._fields_}
    words = {"inequality": INEQUALITIES, "stage": STAGES, "band": BANDS}
    return Result(**{name: words[name][value] if name in words else value for name, value in fields.items()})
