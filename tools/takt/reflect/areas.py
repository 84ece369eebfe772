# SPDX-License-Identifier: Apache-2.0
"""Reflective memory in Python: `Writer` and `Reader` of areas of this machine, by name (in C: takt/reflect.h).

with Writer("pose", size=24) as pose:
    pose.write(numpy.array([x, y, z]))

with Reader("pose") as pose:
    while pose.wait(timeout_s=1.0):
        x, y, z = pose.take().array("<f8")
"""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from takt.reflect import library as c
from takt.support.errors import UserError

if TYPE_CHECKING:
    import numpy

    Bytes = bytes | bytearray | memoryview | numpy.ndarray[Any, Any]

DEPTH = 8


class AreaError(UserError):
    """The library refuses, in its own words; what to try stands with the command or the caller."""


@dataclass(frozen=True)
class Value:
    """A value, in memory of its own."""

    number: int  # of the writer's values, from 1
    time_ns: int  # CLOCK_MONOTONIC, when it was written
    source: int  # whose it is, where several may write; else 0
    data: bytearray

    def array(self, dtype: Any, shape: tuple[int, ...] | None = None) -> numpy.ndarray[Any, Any]:
        """The value as an array, without a copy: changing it changes `data` only. `dtype`, `shape`: NumPy's.
        ValueError when the value has no such length. Needs numpy."""
        import numpy as np

        found: np.ndarray[Any, Any] = np.frombuffer(self.data, dtype)
        return found if shape is None else found.reshape(shape)


@dataclass(frozen=True)
class Area:
    """What is known of a name."""

    name: str
    writer: int  # process
    size: int  # bytes of a value
    depth: int  # values that stand in it
    newest: int  # number of the newest; 0: there is none
    time_ns: int  # when that was written


def now_ns() -> int:
    """The time that writers stamp with: CLOCK_MONOTONIC, in ns."""
    found: int = c.library().takt_reflect_now()
    return found


def areas() -> list[Area]:
    """All that have a writer, by name. AreaError: the folder of names is not available."""
    room = 64
    while True:
        infos = (c.Info * room)()
        count: int = c.library().takt_reflect_list(infos, room)
        if count < 0:
            raise AreaError(c.why())
        if count <= room:
            found = [
                Area(info.name.decode(), info.writer, info.shape.size, info.shape.depth, info.newest, info.time_ns)
                for info in infos[:count]
            ]
            return sorted(found, key=lambda area: area.name)
        room = 2 * count


def opened(handle: ctypes.c_void_p) -> ctypes.c_void_p:
    """The handle, or ValueError, as of a file: it was closed."""
    if not handle:
        raise ValueError("it is closed")
    return handle


def _name(name: str) -> bytes:
    """For C, which says what is no name, whatever is in it. AreaError: a NUL, behind which C sees nothing."""
    if "\0" in name:
        raise AreaError(f"{name!r} is not a valid name: it contains a NUL")
    return os.fsencode(name)


class Writer:
    """Writes a name; no other process may write it meanwhile. Only one thread at a time may use it.

    `size`: bytes of a value at most, 1 .. 2^26. `depth`: how many values readers can be behind, a power of two,
    2 .. 4096. AreaError: the name has a writer, or is none, or there is no such shape.
    """

    def __init__(self, name: str, size: int, depth: int = DEPTH) -> None:
        if not (0 <= size < 2**32 and 0 <= depth < 2**32):
            raise AreaError(f"values of {size} bytes, {depth} deep: an area cannot have this shape")
        self._handle = ctypes.c_void_p()
        if c.library().takt_writer_open(ctypes.byref(self._handle), _name(name), c.Shape(size, depth)) != c.OK:
            raise AreaError(c.why())

    def write(self, value: Bytes) -> None:
        """The newest value from now on. AreaError: it is longer than values are here. Does not block."""
        data = bytes(memoryview(value))  # type: ignore[arg-type] # a NumPy array has it too
        if c.library().takt_writer_write(opened(self._handle), data, len(data)) != c.OK:
            raise AreaError(c.why())

    def close(self) -> None:
        """The name is free. A second time nothing happens."""
        c.library().takt_writer_close(self._handle)
        self._handle = ctypes.c_void_p()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Reader:
    """Reads a name, whether it has a writer or not yet, and goes on with each new one. One thread at a time uses it.

    AreaError: it is no name, or the folder of names is not available.
    """

    def __init__(self, name: str) -> None:
        self._handle = ctypes.c_void_p()
        if c.library().takt_reader_open(ctypes.byref(self._handle), _name(name)) != c.OK:
            raise AreaError(c.why())

    def wait(self, timeout_s: float | None = None) -> bool:
        """Blocks until there is a value that was neither read nor taken: true, or for so long: false."""
        until = c.FOREVER if timeout_s is None else now_ns() + round(timeout_s * 1e9)
        while True:  # in slices, between which Ctrl-C is heard
            slice_ns = min(until, now_ns() + 200_000_000)
            if c.library().takt_reader_wait(opened(self._handle), slice_ns) == c.OK:
                return True
            if slice_ns == until:
                return False

    def read(self) -> Value | None:
        """The newest value; None: there is none yet, or the writer is too fast for the depth of its area."""
        return self._get(c.library().takt_reader_read)

    def take(self) -> Value | None:
        """The oldest value that was not taken yet; None: there is none. Of those that were overwritten: `lost`."""
        return self._get(c.library().takt_reader_take)

    def _get(self, call: Any) -> Value | None:
        for _ in range(2):  # a second time if another writer with longer values came in between
            data = bytearray(max(self.size, 1))
            found = c.Value()
            room = (ctypes.c_char * len(data)).from_buffer(data)
            status = call(opened(self._handle), ctypes.addressof(room), len(data), ctypes.byref(found))
            del room
            if status == c.OK:
                del data[found.stamp.length :]
                return Value(found.number, found.stamp.time_ns, found.stamp.source, data)
            if status != c.LIMIT:
                return None
        raise AreaError(c.why())

    @property
    def size(self) -> int:
        """Bytes of a value at most; 0: no writer was found yet."""
        return int(self._state().shape.size)

    @property
    def writers(self) -> int:
        """That were found, one after the other."""
        return int(self._state().writers)

    @property
    def lost(self) -> int:
        """Values that were overwritten before they were taken."""
        return int(self._state().lost)

    def _state(self) -> c.State:
        state: c.State = c.library().takt_reader_state(opened(self._handle))
        return state

    def close(self) -> None:
        """A second time nothing happens."""
        c.library().takt_reader_close(self._handle)
        self._handle = ctypes.c_void_p()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
