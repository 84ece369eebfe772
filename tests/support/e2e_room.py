# SPDX-License-Identifier: Apache-2.0
"""net/e2e by ctypes, and the same profiles as the package autosar-e2e has them."""

from __future__ import annotations

import ctypes
import enum
import random
from dataclasses import dataclass
from functools import cache
from typing import Any

from takt.support import compile, provision

COUNTERS = {1: 15, 2: 16, 5: 256}
PROTECTION = {1: 2, 2: 2, 5: 3}  # bytes
MODES = ("BOTH", "ALT", "LOW", "NIBBLE")
NEVER = 2**64 - 1


class Status(enum.IntEnum):
    OK = 0x00
    NONEWDATA = 0x01
    SYNC = 0x03
    INITIAL = 0x04
    ERROR = 0x07
    REPEATED = 0x08
    OKSOMELOST = 0x20
    WRONGSEQUENCE = 0x40


class State(enum.IntEnum):
    VALID = 0
    NODATA = 2
    INIT = 3
    INVALID = 4
    STALE = 16


class _Quorum(ctypes.Structure):
    _fields_ = (("ok_min", ctypes.c_uint8), ("error_max", ctypes.c_uint8))


class _Config(ctypes.Structure):
    _fields_ = (
        ("profile", ctypes.c_int),
        ("mode", ctypes.c_int),
        ("size", ctypes.c_uint8),
        ("offset", ctypes.c_uint8),
        ("data_id", ctypes.c_uint16),
        ("data_ids", ctypes.c_char_p),
        *((name, ctypes.c_uint8) for name in ("delta_max", "no_new_max", "sync", "window")),
        *((name, _Quorum) for name in ("init", "valid", "invalid")),
        ("fresh_ns", ctypes.c_uint64),
    )


class _Receiver(ctypes.Structure):
    _fields_ = (
        ("accepted_ns", ctypes.c_uint64),
        ("right", ctypes.c_uint32),
        ("errors", ctypes.c_uint32),
        ("state", ctypes.c_int),
        *((name, ctypes.c_uint8) for name in ("counter", "delta_max", "no_new", "sync")),
        ("started", ctypes.c_bool),
    )


class _Result(ctypes.Structure):
    _fields_ = (
        ("status", ctypes.c_int),
        ("state", ctypes.c_int),
        ("lost", ctypes.c_uint8),
        ("accepted", ctypes.c_bool),
        ("age_ns", ctypes.c_uint64),
    )


class _Arrival(ctypes.Structure):
    _fields_ = (("data", ctypes.c_char_p), ("time_ns", ctypes.c_uint64))


@cache
def library() -> ctypes.CDLL:
    found = ctypes.CDLL(str(compile.host_library("e2e")))
    found.takt_e2e_is_right.restype = ctypes.c_bool
    found.takt_e2e_next.restype = ctypes.c_uint8
    found.takt_e2e_receive.restype = _Result
    found.takt_e2e_receive.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64]
    return found


@dataclass(frozen=True)
class Config:
    """Of both ends. `quorums`: (ok_min, error_max) of INIT, VALID, INVALID."""

    profile: int
    size: int = 8
    mode: int = 0
    offset: int = 0
    data_id: int = 0x123
    data_ids: bytes = bytes(range(1, 17))
    delta_max: int = 2
    no_new_max: int = 14
    sync: int = 1
    window: int = 8
    quorums: tuple[tuple[int, int], ...] = ((1, 0), (1, 1), (2, 0))
    fresh_ns: int = NEVER

    @property
    def in_c(self) -> _Config:
        return _Config(
            *(self.profile, self.mode, self.size, self.offset, self.data_id),
            self.data_ids if self.profile == 2 else None,
            *(self.delta_max, self.no_new_max, self.sync, self.window),
            *(_Quorum(*one) for one in self.quorums),
            self.fresh_ns,
        )


@dataclass(frozen=True)
class Result:
    status: Status
    state: State
    lost: int
    accepted: bool
    age_ns: int


class Ours:
    """Both ends, in C."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self._config = config.in_c
        self._receiver = _Receiver()
        library().takt_e2e_start(ctypes.byref(self._receiver))

    def protected(self, data: bytes, counter: int) -> bytes:
        """The data with counter and check."""
        found = ctypes.create_string_buffer(data, len(data))
        library().takt_e2e_protect(ctypes.byref(self._config), ctypes.c_uint8(counter), found)
        return found.raw

    def is_right(self, data: bytes) -> bool:
        counter = ctypes.c_uint8()
        return bool(library().takt_e2e_is_right(ctypes.byref(self._config), data, ctypes.byref(counter)))

    def next(self, counter: int) -> int:
        return int(library().takt_e2e_next(ctypes.byref(self._config), ctypes.c_uint8(counter)))

    def receive(self, data: bytes | None, came_ns: int = 0, now_ns: int = 0) -> Result:
        """One cycle; None: nothing came."""
        arrival = None if data is None else ctypes.byref(_Arrival(data, came_ns))
        config, receiver = ctypes.byref(self._config), ctypes.byref(self._receiver)
        found = library().takt_e2e_receive(config, receiver, arrival, now_ns)
        return Result(Status(found.status), State(found.state), found.lost, found.accepted, found.age_ns)


def package() -> Any:
    """autosar-e2e, which is installed when it is first asked for."""
    provision.require_python("e2e")
    import e2e

    return e2e


class Theirs:
    """The bytes of both ends, by autosar-e2e."""

    def __init__(self, config: Config) -> None:
        profile = getattr(package(), f"p0{config.profile}")
        self._protect = getattr(profile, f"e2e_p0{config.profile}_protect")
        self._check = getattr(profile, f"e2e_p0{config.profile}_check")
        self._id = config.data_ids if config.profile == 2 else config.data_id
        self._more: dict[str, int] = {} if config.profile == 2 else {"offset": config.offset}
        if config.profile == 1:
            self._more["data_id_mode"] = getattr(profile, f"E2E_P01_DATAID_{MODES[config.mode]}")

    def protected(self, data: bytes) -> bytes:
        """With the counter that the data has."""
        found = bytearray(data)
        self._protect(found, self._id, increment_counter=False, **self._more)
        return bytes(found)

    def after(self, data: bytes) -> bytes:
        """With the counter after that one."""
        found = bytearray(data)
        self._protect(found, self._id, **self._more)
        return bytes(found)

    def is_right(self, data: bytes) -> bool:
        return bool(self._check(bytearray(data), self._id, **self._more))  # p01 takes no bytes


def random_config(choose: random.Random, profile: int) -> Config:
    size = choose.randint(PROTECTION[profile], 40)
    mode = choose.randrange(4) if profile == 1 else 0
    window = choose.choice([1, 2, 5, 10, 32])
    return Config(
        profile=profile,
        size=size,
        mode=mode,
        offset=0 if profile == 2 else choose.randint(0, size - PROTECTION[profile]),
        data_id=choose.getrandbits(12 if MODES[mode] == "NIBBLE" else 16),
        data_ids=choose.randbytes(16),
        delta_max=choose.randint(1, COUNTERS[profile] - 1) if choose.random() < 0.3 else choose.randint(1, 3),
        no_new_max=choose.randint(0, 14),
        sync=choose.randint(0, 3),
        window=window,
        quorums=tuple((choose.randint(0, min(window, 4)), choose.randint(0, 2)) for _ in range(3)),
        fresh_ns=choose.choice([NEVER, choose.randint(1, 30)]),
    )


def with_counter(config: Config, data: bytes, counter: int) -> bytes:
    """Bytes whose counter is that, and nothing else of the protection."""
    found = bytearray(data)
    if config.profile == 5:
        found[config.offset + 2] = counter
    else:
        found[config.offset + 1] = found[config.offset + 1] & 0xF0 | counter
    return bytes(found)
