# SPDX-License-Identifier: Apache-2.0
"""The reader of traces (replay/, in C) by ctypes. Standard library only where the library is built, as it is in gdb."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from takt.support.c.replay import (
    BINS,
    EVENT,
    OUT_MIN,
    PIECE,
    Budget,
    Choice,
    Condition,
    EventRow,
    Figures,
    Out,
    Piece,
    Setup,
    Task,
    Totals,
)

_BUILT = Path(__file__).resolve().parents[3] / "build/host-tools/libtakt_replay.so"
EVENTS = 4096
"""Events that are given at a time."""

_HANDLE, _NUMBER = ctypes.c_void_p, ctypes.c_uint32
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "new": (_HANDLE, [ctypes.POINTER(Setup)]),
    "free": (None, [_HANDLE]),
    "choose": (None, [_HANDLE, ctypes.c_uint8, ctypes.c_uint8]),
    "choose_message": (None, [_HANDLE, ctypes.c_uint16]),
    "choose_object": (None, [_HANDLE, ctypes.c_uint16, ctypes.c_uint16, ctypes.c_bool]),
    "choose_time": (None, [_HANDLE, ctypes.c_uint64, ctypes.c_uint64]),
    "feed": (ctypes.c_size_t, [_HANDLE, ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(Out)]),
    "take": (ctypes.c_size_t, [_HANDLE, ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(Out)]),
    "finish": (None, [_HANDLE, ctypes.POINTER(Out)]),
    "advance": (None, [_HANDLE, ctypes.c_uint64]),
    "totals": (ctypes.POINTER(Totals), [_HANDLE]),
    "figures": (ctypes.POINTER(Figures), [_HANDLE, _NUMBER]),
    "locks": (ctypes.c_uint64, [_HANDLE, _NUMBER, _NUMBER]),
    "messages": (ctypes.c_uint64, [_HANDLE, ctypes.c_uint16]),
    "busy": (ctypes.POINTER(ctypes.c_uint64), [_HANDLE, _NUMBER]),
    "begun": (ctypes.POINTER(ctypes.c_uint64), [_HANDLE]),
    "task": (ctypes.POINTER(Task), [_HANDLE, _NUMBER]),
    "condition": (Condition, [_HANDLE, _NUMBER]),
    "running": (_NUMBER, [_HANDLE]),
    "interrupt": (_NUMBER, [_HANDLE, ctypes.POINTER(_NUMBER)]),
    "actor": (ctypes.c_bool, [_HANDLE, ctypes.POINTER(ctypes.c_int32), ctypes.POINTER(_NUMBER)]),
}


def _address(data: bytes) -> int:
    """Where the bytes are, while they are."""
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0


@cache
def load() -> ctypes.CDLL:
    """The library; built when it is missing or old, unless this is the debugger's Python."""
    try:
        from takt.support import compile
    except ImportError:  # no packages here
        path = _BUILT
    else:
        path = compile.host_library("replay")
    library = ctypes.CDLL(str(path))
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, f"takt_replay_{name}")
        function.restype, function.argtypes = result, arguments
    return library


class Declared(NamedTuple):
    """What the numbers of a trace mean, as far as reading it needs that."""

    tasks: int = 0
    kinds: bytes = b""  # of objects, a number each, below KIND_DELAY or KIND_OTHER
    edf: bytes = b""  # of bands: 1, else 0
    budgets: tuple[tuple[int, int, bool, bool], ...] = ()  # of tasks: the fields of a Budget
    cooperative: bool = False
    from_start: bool = True  # the first record is that of a run; False: what was before is not known


class Reader:
    """One trace as it is read. What it gives of events and pieces are rows, as EVENT and PIECE of takt.support.c.replay
    unpack them."""

    def __init__(self, declared: Declared, pieces: bool = False) -> None:
        self.c = load()
        self.handle: int | None = self._made(declared)
        self.totals: Totals = self.c.takt_replay_totals(self.handle).contents
        room = max(EVENTS, declared.tasks + 4) if pieces else 0
        self._events = ctypes.create_string_buffer(max(EVENTS, OUT_MIN) * EVENT.size)
        self._pieces = ctypes.create_string_buffer(room * PIECE.size + 1)
        self._out = Out(
            events=ctypes.cast(self._events, ctypes.POINTER(EventRow)),
            events_capacity=max(EVENTS, OUT_MIN),
            pieces=ctypes.cast(self._pieces, ctypes.POINTER(Piece)),
            pieces_capacity=room,
        )
        self._by_out = ctypes.byref(self._out)

    def _made(self, declared: Declared) -> int:
        numbers = ctypes.POINTER(ctypes.c_uint8)
        budgets = (Budget * max(declared.tasks, 1))(*(Budget(*one) for one in declared.budgets))
        handle = self.c.takt_replay_new(
            Setup(
                tasks=declared.tasks,
                objects=len(declared.kinds),
                kinds=ctypes.cast(_address(declared.kinds), numbers),
                bands=len(declared.edf),
                edf=ctypes.cast(_address(declared.edf), numbers),
                budgets=ctypes.cast(budgets, ctypes.POINTER(Budget)),
                cooperative=declared.cooperative,
                from_start=declared.from_start,
            )
        )
        if not handle:
            raise MemoryError
        return int(handle)

    def __del__(self) -> None:
        handle, self.handle = getattr(self, "handle", None), None
        if handle:
            self.c.takt_replay_free(handle)

    def give(self, event: int, choice: Choice = Choice.GIVE) -> None:
        """Has events of a kind given."""
        self.c.takt_replay_choose(self.handle, event, choice)

    def choose_time(self, from_ns: int, to_ns: int) -> None:
        """Has pieces given that begin in [from_ns, to_ns)."""
        self.c.takt_replay_choose_time(self.handle, from_ns, to_ns)

    def begun(self) -> list[int]:
        """How many pieces begin in each part of the time (totals.bin_ns)."""
        return list(self.c.takt_replay_begun(self.handle)[:BINS])

    def busy(self, lane: int) -> list[int]:
        """What a lane executed in each, ns: a task, then interrupts, then idle."""
        row = self.c.takt_replay_busy(self.handle, lane)
        return list(row[:BINS]) if row else [0] * BINS

    def chunks(self, data: bytes) -> Iterator[int]:
        """Reads records, as far as they are whole and not damaged; at each stop, what is given is to be taken. How many
        bytes were read so far."""
        yield from self.chunks_at(_address(data), len(data))

    def chunks_at(self, address: int, size: int) -> Iterator[int]:
        """The same of records at an address."""
        taken, more = 0, -1
        while more and not self.totals.error:
            more = int(self.c.takt_replay_feed(self.handle, address + taken, size - taken, self._by_out))
            taken += more
            yield taken

    def feed(self, data: bytes) -> int:
        """The same, where nothing is given that is to be taken. Returns how many bytes were read."""
        return max(self.chunks(data))

    def take(self, rows: bytes) -> int:
        """The same of events, as rows. Returns how many rows were taken."""
        return int(self.c.takt_replay_take(self.handle, rows, len(rows) // EVENT.size, self._by_out))

    def finish(self) -> None:
        """No record follows."""
        self.c.takt_replay_finish(self.handle, self._by_out)

    def events(self) -> memoryview:
        """Those that the last call gave, until the next."""
        return memoryview(self._events)[: self._out.events_count * EVENT.size]

    def pieces(self) -> memoryview:
        """The same of pieces."""
        return memoryview(self._pieces)[: self._out.pieces_count * PIECE.size]
