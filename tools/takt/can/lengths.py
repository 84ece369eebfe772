# SPDX-License-Identifier: Apache-2.0
"""How long the frame of a message occupies the bus, by ctypes: takt_can_length_max of net/can."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache

from takt.can.messages import CLASSIC_BYTES, Message
from takt.support import compile
from takt.support.c.can import Length, Rates, Shape


@dataclass(frozen=True)
class Rate:
    """Of a bus, in bit/s. `data`: of FD frames from their bit BRS on; None: they do not change it."""

    nominal: int
    data: int | None = None


@dataclass(frozen=True)
class Extent:
    """Of a frame with intermission: all its bits, and the time for them, rounded up."""

    bits: int
    ns: int


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(compile.host_library("can")))
    for name in ("takt_can_length_max", "takt_can_length_unstuffed"):
        function = getattr(library, name)
        function.argtypes, function.restype = [ctypes.POINTER(Shape)], Length
    library.takt_can_length_ns.argtypes = [Length, ctypes.POINTER(Rates)]
    library.takt_can_length_ns.restype = ctypes.c_uint64
    library.takt_can_bytes.argtypes = [ctypes.POINTER(Shape)]
    library.takt_can_dlc.argtypes = [ctypes.c_uint, ctypes.c_bool]
    library.takt_can_dlc.restype = ctypes.c_uint8
    return library


def is_fd(message: Message, every: bool) -> bool:
    """Whether it counts as an FD frame: as `every` one, or since it is too long for others."""
    return every or message.size > CLASSIC_BYTES


def code(size: int, fd: bool) -> int:
    """The least data length code of a frame that holds so many bytes."""
    found: int = _library().takt_can_dlc(size, fd)
    return found


def size_of(dlc: int, fd: bool) -> int:
    """Bytes of a frame with a data length code."""
    found: int = _library().takt_can_bytes(Shape(fd=fd, dlc=dlc))
    return found


def longest(message: Message, rate: Rate, every_fd: bool = False) -> Extent:
    """With as many stuff bits as any content may need."""
    return _extent(message, rate, every_fd, _library().takt_can_length_max)


def unstuffed(message: Message, rate: Rate, every_fd: bool = False) -> Extent:
    """Without stuff bits that depend on the content."""
    return _extent(message, rate, every_fd, _library().takt_can_length_unstuffed)


def _extent(message: Message, rate: Rate, every_fd: bool, function: ctypes._NamedFuncPointer) -> Extent:
    fd = is_fd(message, every_fd)
    dlc = code(message.size, fd)
    shape = Shape(extended=message.extended, remote=False, fd=fd, brs=fd and rate.data is not None, dlc=dlc)
    length = function(shape)
    rates = Rates(rate.nominal, max(rate.nominal, rate.data or 0))
    return Extent(length.nominal_bits + length.data_bits, _library().takt_can_length_ns(length, rates))
