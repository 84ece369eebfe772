# SPDX-License-Identifier: Apache-2.0
"""Streams of the C library on boards: the functions that printf and its like call through the pointers of a stream."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Protocol

from takt.declare.code import said
from takt.declare.schema.model import System

_PUT = ("printf.c:collect", "printf.c:put", "__file_str_put", "__file_str_put_alloc")
_GET = ("stdin.c:stdin_get", "__file_str_get")
POINTERS = {
    **dict.fromkeys(
        ("vfprintf", "__d_vfprintf", "__f_vfprintf", "__i_vfprintf", "fputc", "putc", "fputs", "fwrite"), _PUT
    ),
    **dict.fromkeys(("fgetc", "getc"), _GET),
}
"""Functions of picolibc that call through a pointer of their stream, and what it points at in streams of ours and of
that library: by short names. A title in machine code may be any name of a function."""
POINTED = tuple(name for name in (*_PUT, *_GET) if ":" not in name)
"""Those that are machine code."""

_KINDS = ("", "__d_", "__f_", "__i_")  # of numbers: all, and those of link_flags
_TAKE_A_STREAM = {
    *POINTERS,
    *(f"{kind}vfscanf" for kind in _KINDS),
    *("fprintf", "fscanf", "fgets", "fread", "getline", "getdelim"),
}
_OF_TEXTS = "printf vprintf sprintf snprintf vsprintf vsnprintf asprintf vasprintf scanf vscanf sscanf vsscanf".split()
_OF_THE_LIBRARY = {
    *_TAKE_A_STREAM,
    *(f"{kind}{name}" for kind in _KINDS for name in _OF_TEXTS),
    *("puts", "putchar", "getchar", "perror", "scanf_getc", "skip_spaces", "putval"),
}
"""Those, and their callers which bring the stream themselves."""
_MAKES = re.compile(
    rb"\bFDEV_SETUP_|\bfdev_?\w*\(|\bf(?:un)?open\w*\(|\bfmemopen\(|\bopen_memstream\(|__file\b|\b[pg]et\s*="
)

_IN_PROCESS = re.compile(r"takt_(?:user_(\w+)|(getchar|v?scanf)_\w*)")  # takt/process_names.h


class Calls(Protocol):
    """What is used of takt.image.stack.Graph."""

    callees: dict[str, set[str]]
    compiled: set[str]
    linked: set[str]
    unknown: dict[str, str]


def pointers(system: System, calls: Calls, short: Callable[[str], str]) -> Mapping[str, tuple[str, ...]]:
    """What functions of the C library may call, in an image that has been read. If they may be given a stream of the
    application's own, `unknown` says so of them."""
    reason = _other_streams(system, calls, short)
    if not reason:
        return POINTERS
    calls.unknown.update((title, reason) for title in calls.callees if short(title) in POINTERS)
    return {}


def _other_streams(system: System, calls: Calls, short: Callable[[str], str]) -> str:
    """Why a stream may be neither ours nor the library's; "": none may."""

    def plain(title: str) -> str:
        return _IN_PROCESS.sub(r"\1\2", short(title))

    callers = {
        title
        for title, callees in calls.callees.items()
        if title.rpartition(":")[2] in calls.linked
        and plain(title) not in _OF_THE_LIBRARY
        and not _TAKE_A_STREAM.isdisjoint(map(short, callees))
    }
    if not callers:
        return ""
    if not callers <= calls.compiled or system.build.libraries:
        return f"{short(min(callers))} calls it, perhaps with a stream of its own"
    return "the application makes streams of its own" if said.anywhere(system, _MAKES) else ""
