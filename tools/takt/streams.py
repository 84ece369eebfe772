# SPDX-License-Identifier: Apache-2.0
"""The three standard streams in every state: closed, full, a pipe without a reader, or of another encoding.

A result that cannot be written is `OutputLost`, exit code NO; progress and messages that cannot be are dropped.
Standard library only.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import select
import sys
from typing import Any

from takt.support.errors import NO
from takt.support.names import shown

_ESCAPED = "takt-escaped"  # what an encoding lacks is written as `\xNN` or `\uNNNN`


class OutputLost(Exception):  # noqa: N818 (as BrokenPipeError, it is no mistake of the user)
    """Standard output takes no more: what came of a command is not known outside."""


class _Stream(io.RawIOBase):
    """A descriptor. `loses`: what cannot be written is dropped."""

    def __init__(self, descriptor: int, loses: bool) -> None:
        self._descriptor = descriptor
        self._loses = loses

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def write(self, data: Any) -> int:
        try:
            while True:
                try:
                    return os.write(self._descriptor, data)
                except BlockingIOError:  # another program has set the terminal so
                    select.select([], [self._descriptor], [])
        except OSError as error:
            if not self._loses:
                _drop(self._descriptor)  # or Python would try again at its exit
                if error.errno == errno.EPIPE:
                    raise BrokenPipeError(error.errno, error.strerror) from None
                raise OutputLost(f"standard output: {error.strerror}") from None
            return len(data)


def _drop(descriptor: int) -> None:
    """What is written there from now on goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def open_closed() -> None:
    """Opens what is closed of the descriptors 0 to 2, so that no file of ours gets their numbers.

    Standard input is then at its end, standard output can only be read, so that a result is lost, and standard error
    goes nowhere. The launcher does the same.
    """
    for descriptor, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            opened = os.open(os.devnull, mode)
            if opened != descriptor:
                os.dup2(opened, descriptor)
                os.close(opened)


def prepare() -> None:
    """Makes sys.stdin, sys.stdout and sys.stderr of this process so. Called once, before anything is written."""
    codecs.register_error(_ESCAPED, _escape)
    open_closed()
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, encoding="utf-8", errors="backslashreplace", closefd=False)
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        before = getattr(sys, name)
        encoding = before.encoding if before is not None else "utf-8"
        raw = _Stream(descriptor, loses=descriptor == 2)
        buffered = io.BufferedWriter(raw)
        text = io.TextIOWrapper(buffered, encoding, _ESCAPED, line_buffering=descriptor == 2 or raw.isatty())
        setattr(sys, name, text)


def finish(code: int) -> int:
    """Writes out what is left. Returns the exit code: a success that cannot be reported is NO."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return code or NO
    except OutputLost as error:
        print(f"takt: {error}", file=sys.stderr)
        return code or NO
    return code


def _escape(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    found = error.object[error.start : error.end]
    lone = "".join(shown(one) for one in found)
    return lone.encode("ascii", "backslashreplace").decode(), error.end
