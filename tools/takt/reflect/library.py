# SPDX-License-Identifier: Apache-2.0
"""The C interface of reflect/linux by ctypes: what takt/reflect.h and takt/area.h have, by the same names."""

from __future__ import annotations

import ctypes
from functools import cache

from takt.support import compile
from takt.support.files import text_of

OK, TIMEOUT, BUSY, LIMIT, STATE, EMPTY, OVERTAKEN = 0, 1, 2, 5, 6, 10, 12  # enum takt_status
NAME = 64  # TAKT_REFLECT_NAME
SIZE_MAX, DEPTH_MAX = 1 << 26, 4096
NOW, FOREVER = 0, 2**64 - 1


class Shape(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("depth", ctypes.c_uint32)]


class Stamp(ctypes.Structure):
    _fields_ = [("time_ns", ctypes.c_uint64), ("source", ctypes.c_uint32), ("length", ctypes.c_uint32)]


class Value(ctypes.Structure):
    _fields_ = [("number", ctypes.c_size_t), ("stamp", Stamp)]


class State(ctypes.Structure):
    _fields_ = [("shape", Shape), ("writers", ctypes.c_uint64), ("lost", ctypes.c_uint64)]


class Info(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char * NAME),
        ("writer", ctypes.c_int32),
        ("shape", Shape),
        ("newest", ctypes.c_uint64),
        ("time_ns", ctypes.c_uint64),
    ]


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
