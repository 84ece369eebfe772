# SPDX-License-Identifier: Apache-2.0
"""Two ends of ISO-TP, that of net/can and one of can-isotp, in time of a test."""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable
from functools import cache

import isotp
from isotp import AddressingMode, CanMessage, TransportLayerLogic
from takt.support import compile
from takt.support.c import can as c

LENGTHS = (8, 12, 16, 20, 24, 32, 48, 64)
MS = 1_000_000
BITS_NS = 50_000  # that a frame takes
MAX = 10_000


@cache
def library() -> ctypes.CDLL:
    found = ctypes.CDLL(str(compile.host_library("can")))
    for name in ("normal", "mixed", "extended", "normal_fixed", "mixed_fixed"):
        getattr(found, f"takt_can_isotp_{name}").restype = c.IsotpAddress
    for name in ("next", "config_is_valid"):
        getattr(found, f"takt_can_isotp_{name}").restype = ctypes.c_bool
    found.takt_can_isotp_wake_ns.restype = ctypes.c_uint64
    return found


class Clock:
    """The time of both ends. can-isotp reads it through the module `time` of its tools."""

    def __init__(self) -> None:
        self.now_ns = 1_000_000_000

    def perf_counter_ns(self) -> int:
        return self.now_ns


class Ours:
    """An end in C. Its frames are transmitted, and so confirmed, BITS_NS after they were fetched."""

    def __init__(self, clock: Clock, config: c.IsotpConfig) -> None:
        self.clock, self.channel = clock, c.Isotp()
        self.buffer = (ctypes.c_uint8 * MAX)()
        config.buffer = ctypes.cast(self.buffer, ctypes.POINTER(ctypes.c_uint8))
        config.size = config.size or MAX
        assert library().takt_can_isotp_config_is_valid(ctypes.byref(config))
        library().takt_can_isotp_init(ctypes.byref(self.channel), ctypes.byref(config))
        self.confirm_ns: int | None = None
        self.message: ctypes.Array[ctypes.c_uint8] | None = None

    def _now(self) -> ctypes.c_uint64:
        return ctypes.c_uint64(self.clock.now_ns)

    def send(self, payload: bytes) -> int:
        self.message = (ctypes.c_uint8 * len(payload))(*payload)
        length = ctypes.c_uint32(len(payload))
        return int(library().takt_can_isotp_send(ctypes.byref(self.channel), self.message, length, self._now()))

    def sent(self) -> c.IsotpResult:
        return c.IsotpResult(library().takt_can_isotp_sent(ctypes.byref(self.channel)))

    def failure(self) -> c.IsotpResult:
        return c.IsotpResult(library().takt_can_isotp_failure(ctypes.byref(self.channel)))

    def take(self) -> bytes | None:
        """The message that was received."""
        length = library().takt_can_isotp_received(ctypes.byref(self.channel))
        if length == 0:
            return None
        payload = bytes(self.buffer[:length])
        library().takt_can_isotp_release(ctypes.byref(self.channel), self._now())
        return payload

    def receive(self, message: CanMessage) -> None:
        assert len(message.data) in (*range(1, 8), *LENGTHS)
        size = LENGTHS.index(len(message.data)) + 8 if len(message.data) > 7 else len(message.data)
        shape = c.Shape(extended=message.is_extended_id, fd=message.is_fd, brs=message.bitrate_switch, dlc=size)
        data = (ctypes.c_uint8 * c.DATA_MAX)(*message.data)
        frame = c.Frame(shape=shape, id=message.arbitration_id, data=data)
        library().takt_can_isotp_receive(ctypes.byref(self.channel), ctypes.byref(frame), self._now())

    def wake_ns(self) -> int:
        wake_ns = int(library().takt_can_isotp_wake_ns(ctypes.byref(self.channel)))
        return wake_ns if self.confirm_ns is None else min(wake_ns, self.confirm_ns)

    def step(self) -> CanMessage | None:
        """The next frame, if there is one now."""
        if self.confirm_ns is not None and self.clock.now_ns >= self.confirm_ns:
            self.confirm_ns = None
            library().takt_can_isotp_confirm(ctypes.byref(self.channel), self._now())
        frame = c.Frame()
        if not library().takt_can_isotp_next(ctypes.byref(self.channel), self._now(), ctypes.byref(frame)):
            return None
        assert self.confirm_ns is None
        self.confirm_ns = self.clock.now_ns + BITS_NS
        shape = frame.shape
        size = shape.dlc if shape.dlc <= 8 else LENGTHS[shape.dlc - 8]
        return CanMessage(frame.id, shape.dlc, bytes(frame.data[:size]), shape.extended, shape.fd, shape.brs)


class Theirs:
    """An end that can-isotp is."""

    def __init__(self, address: isotp.Address, params: dict[str, object]) -> None:
        self.arrived: deque[CanMessage] = deque()
        self.leaving: deque[CanMessage] = deque()
        self.errors: list[Exception] = []
        self.layer = TransportLayerLogic(
            rxfn=lambda timeout: self.arrived.popleft() if self.arrived else None,
            txfn=self.leaving.append,
            address=address,
            error_handler=self.errors.append,
            params=params,
        )

    def receive(self, message: CanMessage) -> None:
        if self.layer.address.is_for_me(message):
            self.arrived.append(message)

    def wakes_ns(self, clock: Clock) -> list[int]:
        timers = (self.layer.timer_rx_fc, self.layer.timer_rx_cf, self.layer.timer_tx_stmin)
        running = [timer for timer in timers if not timer.is_stopped() and timer.elapsed_ns() <= timer.timeout]
        return [clock.now_ns + timer.remaining_ns() + 1 for timer in running]

    def step(self) -> CanMessage | None:
        self.layer.process()
        return self.leaving.popleft() if self.leaving else None


def run(clock: Clock, ours: Ours, theirs: Theirs, done: Callable[[], bool], limit_ns: int = 3600 * 10**9) -> None:
    """Steps both until `done`. A frame takes BITS_NS; while there is none, time goes on to what comes next."""
    end_ns = clock.now_ns + limit_ns
    while not done():
        assert clock.now_ns < end_ns
        mine, other = ours.step(), theirs.step()
        if mine is None and other is None and not theirs.arrived:
            later = [time_ns for time_ns in (ours.wake_ns(), *theirs.wakes_ns(clock)) if time_ns > clock.now_ns]
            clock.now_ns = max(clock.now_ns + 1, min([*later, end_ns]))
            continue
        clock.now_ns += BITS_NS
        if mine is not None:
            theirs.receive(mine)
        if other is not None:
            ours.receive(other)


def second_times() -> c.IsotpTimes:
    second = 10**9
    return c.IsotpTimes(as_ns=second, ar_ns=second, bs_ns=second, br_ns=second // 2, cs_ns=second // 2, cr_ns=second)


def usual(**changes: object) -> c.IsotpConfig:
    ids = c.IsotpIds(extended=False, send_id=0x7E8, receive_id=0x7E0)
    config = c.IsotpConfig(address=library().takt_can_isotp_normal(ids), times=second_times(), tx_dl=8)
    for name, value in changes.items():
        setattr(config, name, value)
    return config


def their_end(**params: object) -> Theirs:
    return Theirs(isotp.Address(AddressingMode.Normal_11bits, txid=0x7E0, rxid=0x7E8), params)
