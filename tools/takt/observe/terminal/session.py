# SPDX-License-Identifier: Apache-2.0
"""A run in real time whose console is this terminal, or standard input and output: bytes as they are, both ways."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import BinaryIO

import click

from takt.declare.schema import boards
from takt.observe import execute
from takt.observe import run as runs
from takt.observe.execute import CONSOLE, Prepared
from takt.prove.proof import Proved
from takt.support import children
from takt.support.durations import brief
from takt.support.errors import UserError, one_of
from takt.support.files import shown_path
from takt.trace.recording import PIECE

POLL_S = 0.1
PENDING_MAX = 4096  # bytes that were read and wait for the board
PIPE_BYTES = 4096  # of the pipe to the board: what was sent to it and not taken stays little
QUIET_S = 1.0  # after the end of the input, and nothing to be seen for so long, the run ends
LATEST_S = 10.0  # the same of a board that never falls silent
FORCED = "\ntakt: the run is being ended; to force it: kill -KILL {}, then stty sane for the terminal\n"

Ending = Callable[[], bool]
"""Whether the session is to end."""


def run(proved: Proved, duration_ns: int | None, seed: int, judge: runs.Judge) -> int:
    """Builds a system and connects its console until Ctrl-C, the end of the board, or `duration_ns`. Returns the exit
    code. UserError: as runs.run, or the board has no real time."""
    board = proved.board
    if not board.run_real:
        able = [name for name in boards.names() if boards.load(name).run_real]
        raise UserError(f"--console: time on {board.name} does not pass as outside", f"--board {one_of(able)}")
    with runs.image_to_run(proved, judge) as (image, _):
        plant = proved.system.plant_path
        prepared = execute.prepare(image, board, duration_ns=duration_ns, seed=seed, plant=plant)
        with _ends_by_signals() as ending:
            _say_what_it_is(proved)
            failure = _connect(prepared, proved.system.console is not None, duration_ns is not None, ending)
            return _tell(proved, prepared, failure)


def _say_what_it_is(proved: Proved) -> None:
    board = proved.board
    pace = f", in which a second takes {board.real_seconds}" if board.real_seconds > 1 else ""
    line = f"takt: console of {proved.system.name} on {board.name} in real time{pace}"
    deaf = "" if proved.system.console is not None else "; it takes no input: system.toml has no [console]"
    click.echo(f"{line}: nothing is held against the proof; Ctrl-C ends it{deaf}", err=True)


def _connect(prepared: Prepared, listens: bool, lasts: bool, ending: Ending) -> str | None:
    """Runs the board. `listens`: it takes input; `lasts`: it has a duration. Returns why it failed, or None."""
    with (prepared.folder / CONSOLE).open("wb") as copy, execute.fifos(prepared.folder, bool(prepared.world)) as ends:
        process = children.start(
            prepared.command(real=True),
            cwd=prepared.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        with execute.beside(process, ends, prepared.world) as played, _terminal() as typed:
            stopped = _carry(process, copy, listens, lasts or typed, lambda: ending() or played() is not None)
            failure = None if ending() else played()
        code = process.wait()
    if stopped or code == 0:
        return failure
    return execute.explain(code, execute.console_of(prepared.folder))


def _carry(process: subprocess.Popen[bytes], copy: BinaryIO, listens: bool, lasts: bool, over: Ending) -> bool:
    """Carries bytes both ways. Returns whether the board is to be stopped: its reader is gone, the input ended and all
    was said, or it is `over`; else it has ended by itself. `lasts`: the end of the input does not end it."""
    assert process.stdin is not None
    assert process.stdout is not None
    given, said = process.stdin.fileno(), process.stdout.fileno()
    os.set_blocking(given, False)
    fcntl.fcntl(given, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    pending = b""
    opened = True
    heard = ended = time.monotonic()
    while not over():
        reads = [said, *([0] if opened and listens and len(pending) < PENDING_MAX else [])]
        ready, takes, _ = select.select(reads, [given] if pending else [], [], POLL_S)
        if said in ready:
            data = os.read(said, 1 << 16)
            if not data:
                process.wait()
                return False
            copy.write(data)
            heard = time.monotonic()
            if not _show(data, over):
                return True
        if 0 in ready:
            data = _typed()
            opened, pending = bool(data), pending + data
            heard = ended = time.monotonic()
        if takes:
            pending = _hand_over(given, pending)
        if lasts or (listens and (opened or pending or _waiting(given))):
            ended = time.monotonic()
        elif time.monotonic() - heard > QUIET_S or time.monotonic() - ended > LATEST_S:
            return True
    return True


def _typed() -> bytes:
    """What was typed; nothing: the input has ended, or the terminal is gone."""
    try:
        return os.read(0, PENDING_MAX)
    except OSError:
        return b""


def _show(data: bytes, over: Ending) -> bool:
    """On standard output; False: nobody reads it any more, or it is `over` while nobody does."""
    try:
        while data:
            if select.select([], [1], [], POLL_S)[1]:
                data = data[os.write(1, data[: select.PIPE_BUF]) :]  # no more can be written without waiting
            elif over():
                return False
    except OSError:
        return False
    return True


def _hand_over(given: int, pending: bytes) -> bytes:
    """Hands bytes to the board, and returns those that it did not take yet."""
    try:
        return pending[os.write(given, pending) :]
    except BlockingIOError:
        return pending
    except OSError:  # it has ended, as its output will tell
        return b""


def _waiting(given: int) -> int:
    """Bytes that the board has not taken from its pipe."""
    return int(struct.unpack("i", fcntl.ioctl(given, termios.FIONREAD, bytes(4)))[0])


@contextmanager
def _ends_by_signals() -> Iterator[Ending]:
    """The signals that end a program end the session, in order: further ones do not interrupt that, and say how to."""
    came = False

    def end(_number: int, _frame: FrameType | None) -> None:
        nonlocal came
        if came:
            with suppress(OSError):
                os.write(2, FORCED.format(os.getpid()).encode())
        came = True

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield lambda: came
    finally:
        for number, handler in before.items():  # those that come after the last message change nothing either
            signal.signal(number, signal.SIG_IGN if came else handler)


@contextmanager
def _terminal() -> Iterator[bool]:
    """A terminal that hands over each key at once and echoes nothing, Ctrl-C aside; as it was afterwards. Yields
    whether standard input is one."""
    if not sys.stdin.isatty():
        yield False
        return
    before = termios.tcgetattr(0)
    mode = termios.tcgetattr(0)
    mode[0] &= ~termios.IXON
    mode[3] &= ~(termios.ICANON | termios.ECHO | termios.IEXTEN)
    for key in (termios.VQUIT, termios.VSUSP):
        mode[6][key] = b"\0"
    termios.tcsetattr(0, termios.TCSADRAIN, mode)
    try:
        yield True
    finally:
        with suppress(termios.error):  # it is gone
            termios.tcflush(0, termios.TCIFLUSH)  # what was typed for the board is no command line of the shell
            termios.tcsetattr(0, termios.TCSANOW, before)


def _tell(proved: Proved, prepared: Prepared, failure: str | None) -> int:
    """Writes the trace, and says how long it was and where it is."""
    recording = runs.recording_of(proved, prepared.image)
    stream = prepared.folder / execute.STREAM
    if stream.exists():
        with stream.open("rb") as records:
            while part := records.read(PIECE):
                recording.write(part)
    recording.end()
    how = "ended" if failure is None else f"failed: {failure}"
    kept = f" after {brief(recording.now_ns)} of the board's time; trace: {shown_path(runs.trace_path(prepared.image))}"
    click.echo(f"takt: {how}{'; preset lean keeps no trace' if proved.system.preset == 'lean' else kept}", err=True)
    return 0 if failure is None else 1
