# SPDX-License-Identifier: Apache-2.0
"""The library of reflect/linux by ctypes; structures and numbers are those of its headers (takt.support.c)."""

from __future__ import annotations

import ctypes
from functools import cache

from takt.support import compile
from takt.support.c.areas import DEPTH_MAX, FOREVER, NAME, NOW, SIZE_MAX, Info, Shape, Stamp, State, Value
from takt.support.c.kernel import Status
from takt.support.files import text_of

__all__ = ["DEPTH_MAX", "FOREVER", "NAME", "NOW", "SIZE_MAX", "Info", "Shape", "Stamp", "State", "Status", "Value"]

OK, TIMEOUT, BUSY, LIMIT = Status.OK, Status.TIMEOUT, Status.BUSY, Status.LIMIT
STATE, EMPTY, OVERTAKEN = Status.STATE, Status.EMPTY, Status.OVERTAKEN

_HANDLE = ctypes.c_void_p
_FUNCTIONS = {
    "takt_reflect_error": (ctypes.c_char_p, []),
    "takt_reflect_now": (ctypes.c_uint64, []),
    "takt_reflect_list": (ctypes.c_int, [ctypes.POINTER(Info), ctypes.c_int]),
    "takt_writer_open": (ctypes.c_int, [ctypes.POINTER(_HANDLE), ctypes.c_char_p, Shape]),
    "takt_writer_write": (ctypes.c_int, [_HANDLE, ctypes.c_void_p, ctypes.c_size_t]),
    "takt_writer_close": (None, [_HANDLE]),
    "takt_reader_open": (ctypes.c_int, [ctypes.POINTER(_HANDLE), ctypes.c_char_p]),
    "takt_reader_read": (ctypes.c_int, [_HANDLE, ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(Value)]),
    "takt_reader_take": (ctypes.c_int, [_HANDLE, ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(Value)]),
    "takt_reader_wait": (ctypes.c_int, [_HANDLE, ctypes.c_uint64]),
    "takt_reader_state": (State, [_HANDLE]),
    "takt_reader_close": (None, [_HANDLE]),
}


@cache
def library() -> ctypes.CDLL:
    """The library, built when it is missing or old. Calls let other threads of Python run."""
    loaded = ctypes.CDLL(str(compile.host_library("reflect")))
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = result, arguments
    return loaded


def why() -> str:
    """What went wrong in the last call of this thread."""
    said: bytes = library().takt_reflect_error()
    return text_of(said)
