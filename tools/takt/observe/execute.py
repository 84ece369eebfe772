# SPDX-License-Identifier: Apache-2.0
"""Runs a built image on its board, as a process of this machine, and collects the trace that it sends.

With a plant (a Python file that plays the outside world) the board and the plant go in lockstep over two FIFOs; the
protocol stands in chips/emulated/link.c.
"""

from __future__ import annotations

import fcntl
import os
import select
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from takt.declare.schema.boards import Board
from takt.image import simulator
from takt.image.build import Image
from takt.observe import cycles, pace, plants
from takt.observe.cycles import Cycles
from takt.observe.plants import PlantError, World
from takt.support import children, files, plain
from takt.support.c.board import LINK_FINISHED, LINK_REQUEST, BoardStatus
from takt.support.errors import UserError
from takt.support.names import line_of
from takt.support.version import refuse_other
from takt.trace.recording import PIECE, Recording

STREAM = "stream.bin"  # of a board that a person debugs, or is connected with
RECORDS = "records"  # a FIFO, of any other
CONSOLE = "console.txt"
INPUT = "input.bin"
DRAIN_NS = 50_000_000  # where sending takes no time, the trace ring is emptied this often
POLLING_MS = 3_000  # of processor time in which virtual time does not pass, and the run ends
CONSOLE_MAX = 1_000_000  # bytes of a console that are read, the last ones
POLL_S = 0.2
GATHER_S = (0.001, 0.02)  # in which more of a trace comes, the longer the less there was: each piece costs a turn
PLANT_S = 5.0  # after the end of the board, for what the plant still computes
_LENGTH = struct.Struct("<I")  # of a reply


@dataclass(frozen=True)
class Run:
    """What came of a run. `failure`: why it did not reach its end, in one sentence; `faulted`: with a fault, which the
    end of the console tells."""

    console: str
    failure: str | None
    plant: dict[str, Any] | None
    wall_s: float
    faulted: bool
    cycles: Cycles | None = None  # of a board that counts them


Progress = Callable[[int], None]
"""Called now and then with the virtual time in ns."""


@dataclass(frozen=True)
class Prepared:
    """A run that may start in `folder`."""

    image: Image
    board: Board
    folder: Path
    options: dict[str, object]
    world: World | None
    access_cycles: int = 0
    simulator: Path | None = None

    def command(self, gdb: str | None = None, real: bool = False) -> list[str]:
        """What runs it. `gdb`: where it waits for a debugger; `real`: time passes as outside."""
        link = Path("link") if self.world is not None else None
        return self.board.run_command(
            self.image.path, self.options, link, gdb, self.access_cycles, self.simulator, real
        )


def prepare(
    image: Image, board: Board, *, duration_ns: int | None, seed: int, plant: Path | None, access_cycles: int = 0
) -> Prepared:
    """A run in image.folder/run. `duration_ns`: None: until the plant or someone else ends it. `access_cycles`:
    boards.Board.run_command. UserError: the emulator is not there, the plant does not load, or another version of Takt
    built the image."""
    folder = image.folder / "run"
    folder.mkdir(exist_ok=True)
    options: dict[str, object] = {"stream": STREAM, "seed": seed, "proof": image.proof_hash}
    if duration_ns is not None:
        options["duration_ns"] = duration_ns
    if board.zero_overheads:
        options |= {"drain_ns": DRAIN_NS, "polling_ms": POLLING_MS}
    world = plants.load(plant, seed) if plant is not None else None
    if world is not None:
        options |= {"link_out": "link.request", "link_in": "link.reply"}
    program = simulator.require(board, pmp=image.protected, records=image.records)
    prepared = Prepared(image, board, folder, options, world, access_cycles, program)
    emulator = prepared.command()[0]
    if shutil.which(emulator) is None:
        raise UserError(f"{emulator} is not installed, and {board.name} needs it", "install it, or --board host")
    refuse_other(image.path)
    for left in (STREAM, cycles.FILE, INPUT):
        (folder / left).unlink(missing_ok=True)
    options |= {f"can{index}": f"{name}.log" for index, name in enumerate(image.buses)}
    if image.typed is not None:  # under a name without blanks, which a board's options cannot have
        shutil.copyfile(image.typed, folder / INPUT)
        options["input"] = INPUT
    return prepared


def run(
    image: Image,
    board: Board,
    *,
    duration_ns: int | None,
    seed: int,
    plant: Path | None,
    progress: Progress,
    recording: Recording,
    access_cycles: int = 0,
    view: pace.View | None = None,
    more: Mapping[str, object] | None = None,
    beside_others: bool = False,
) -> Run:
    """One run in image.folder/run, whose trace `recording` takes. `view`: shows it at the pace of time outside; Ctrl-C
    then ends it, and alone where `duration_ns` is None. `more`: options. `beside_others`: not on one processor with the
    tool. UserError: the emulator is not there, or the plant does not load."""
    prepared = prepare(image, board, duration_ns=duration_ns, seed=seed, plant=plant, access_cycles=access_cycles)
    prepared.options.update(more or {})
    folder, world = prepared.folder, prepared.world
    started = time.monotonic()
    with ExitStack() as stack:
        console = stack.enter_context((folder / CONSOLE).open("wb"))
        ends = stack.enter_context(fifos(folder, world is not None))
        paced = None
        interrupted = False
        if view is not None:
            paced = stack.enter_context(pace.fifos(folder))
            prepared.options.update(stream=pace.STREAM, pace=pace.PACE)
        else:
            records = stack.enter_context(_records(folder))
            prepared.options.update(stream=RECORDS)
        look = stack.enter_context(children.one_processor(view is None and not beside_others))
        threads = stack.enter_context(ThreadPoolExecutor(1))
        process = children.start(
            prepared.command(),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            if view is not None and paced is not None:
                failure, interrupted = _followed(process, paced, view, recording, ends, world)
            else:
                taking = threads.submit(_take, process, records, recording)
                until, goes_on = _latest(duration_ns), _looking(process, look, progress)
                if world is None:
                    failure = _watch(process, recording, goes_on, until)
                else:
                    failure = lockstep(process, ends, world, goes_on, until)
        finally:
            if process.poll() is None:
                process.kill()
            code = process.wait()
        if view is None:
            taking.result()
    text = console_of(folder)
    if failure is None and code != 0:
        failure = explain(code, text)
    report = None
    try:
        report = world.report() if world is not None else None
        if world is not None and report is not None and interrupted and not world.finished:
            report = plants.without_verdict(report)
    except PlantError as error:
        failure = failure or f"the plant failed: {error}"
    wall_s = time.monotonic() - started
    counted = cycles.read(folder / cycles.FILE, image.path)
    return Run(text, failure, report, wall_s, code == BoardStatus.FAULT, counted)


def _looking(process: subprocess.Popen[bytes], look: Callable[[int], None], progress: Progress) -> Progress:
    """Tells of the progress, and has the processor looked at on which the process is."""

    def goes_on(time_ns: int) -> None:
        look(process.pid)
        progress(time_ns)

    return goes_on


def _latest(duration_ns: int | None) -> float:
    """When a run that begins now should have ended long ago."""
    return float("inf") if duration_ns is None else time.monotonic() + 120 + 20 * duration_ns / 1e9


def _followed(
    process: subprocess.Popen[bytes],
    paced: pace.Fifos,
    view: pace.View,
    recording: Recording,
    ends: Fifos,
    world: World | None,
) -> tuple[str | None, bool]:
    """Shows a run, and plays its plant, if it has one, beside that. Returns why it failed, or None, and whether Ctrl-C
    ended it."""
    with beside(process, ends, world) as played:
        failure, interrupted = pace.follow(process, paced, view, recording, played)
    return played() or failure, interrupted


Played = Callable[[], str | None]
"""Why the plant of a run ended before the board did, so far; None: it has not."""


@contextmanager
def beside(process: subprocess.Popen[bytes], ends: Fifos, world: World | None) -> Iterator[Played]:
    """Plays the plant of a run, if it has one, beside what the caller does; then the board is ended, if it still runs,
    and what the plant came to is known."""
    failures: list[str | None] = []

    def play() -> None:
        if world is not None:
            failures.append(lockstep(process, ends, world, lambda _time_ns: None, float("inf")))

    out = sys.stdout
    thread = threading.Thread(target=play, daemon=True)  # its code is the user's, and may not end
    thread.start()
    try:
        yield lambda: failures[0] if failures else None
    finally:
        runs, before = process.poll() is None, list(failures)
        if runs:
            process.kill()
        thread.join(PLANT_S)
        if thread.is_alive():
            sys.stdout = out  # what the plant prints goes elsewhere, as long as its code executes (plants.py)
            failures[:] = [f"the plant has not answered for {PLANT_S:.0f} s"]
        elif runs:
            failures[:] = before  # that the link ended with the board is no failure


@contextmanager
def _records(folder: Path) -> Iterator[int]:
    """The FIFO by which the trace comes; gone afterwards."""
    path = folder / RECORDS
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    end = os.open(path, os.O_RDWR | os.O_CLOEXEC)  # open for both, so that no open waits
    with suppress(OSError):  # the kernel allows less: then more calls are needed
        fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, PIECE)
    try:
        yield end
    finally:
        os.close(end)
        path.unlink(missing_ok=True)


def _take(process: subprocess.Popen[bytes], records: int, recording: Recording) -> None:
    """Takes the trace as it comes, until the board has ended and nothing is left. What fails ends the board."""
    least_s, most_s = GATHER_S
    pause_s = least_s
    try:
        with children.end_of(process) as ended:
            while True:
                ready, _, _ = select.select([records, *ended], [], [], POLL_S)
                if records in ready:
                    if recording.take(records) >= PIECE // 2:
                        pause_s = least_s
                        continue
                    select.select(ended, [], [], pause_s)
                    pause_s = min(2 * pause_s, most_s)
                elif process.poll() is not None:
                    return
    except BaseException:
        process.kill()
        raise


def console_of(folder: Path) -> str:
    """The end of what the board of a run printed."""
    return plain.restored(files.text_of(files.read_last(folder / CONSOLE, CONSOLE_MAX)))


def explain(code: int, console: str) -> str:
    """Why a board ended with that exit code."""
    if code == BoardStatus.STALE:
        return "the image carries the hash of another proof: it was not built from these tables"
    last = console.strip().splitlines()[-1:]  # of any program
    if code == BoardStatus.POLLING:
        why = "on this board time passes only while every task waits, and in takt_work()"
        return f"{line_of(last[0])}: {why}; in a loop that polls call takt_delay() or takt_work()"
    how = f"signal {-code}{_meaning(-code)}" if code < 0 else f"exit code {code}"
    said = f'the last line of its console: "{line_of(last[0])}"' if last else "it printed nothing"
    return f"the board ended with {how}; {said}"


def _meaning(number: int) -> str:
    """What a signal is called, and what is behind it mostly."""
    words = {
        signal.SIGSEGV: "invalid memory access: a wrong pointer, or a stack overflow",
        signal.SIGBUS: "invalid memory access",
        signal.SIGFPE: "usually a division by zero",
        signal.SIGILL: "an illegal instruction",
        signal.SIGABRT: "abort(), or a failed assert() of C",
        signal.SIGKILL: "killed by another program, or the machine is out of memory",
    }
    return f" ({words[signal.Signals(number)]})" if number in words else ""


def _watch(process: subprocess.Popen[bytes], recording: Recording, progress: Progress, until: float) -> str | None:
    """Waits for the end, telling the progress from what arrives."""
    while True:
        try:
            children.wait(process, POLL_S)
            return None
        except subprocess.TimeoutExpired:
            progress(recording.now_ns)
        if time.monotonic() > until:
            return "it was stopped after far more real time than this duration should take"


@dataclass(frozen=True)
class Fifos:
    """Both ends are open here for reading and writing, so that no open waits and none sees an early end."""

    request: int = -1
    reply: int = -1
    serial: int = -1  # what the board transmits; -1: it comes with the request


@contextmanager
def fifos(folder: Path, wanted: bool) -> Iterator[Fifos]:
    """The FIFOs of a plant in a folder, if one takes part; gone afterwards."""
    if not wanted:
        yield Fifos()
        return
    names = ("link.request", "link.reply", "link.out", "link.in")
    for name in names:
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)
    opened = [os.open(folder / name, os.O_RDWR) for name in names[:3]]
    try:
        yield Fifos(*opened)
    finally:
        for end in opened:
            os.close(end)
        for name in names:
            (folder / name).unlink(missing_ok=True)


class _LinkError(Exception):
    """The board's end of the link is gone, or too slow."""


def lockstep(
    process: subprocess.Popen[bytes], ends: Fifos, world: World, progress: Progress, until: float
) -> str | None:
    """Answers every request of the board until either side is finished."""
    separate = "chardev:link" in process.args if isinstance(process.args, list) else False
    shown = 0.0
    try:
        while True:
            head = _receive(process, ends.request, LINK_REQUEST.size, until)
            if head is None:
                return None
            now_ns_low, now_ns_high, length = LINK_REQUEST.unpack(head)
            time_ns = now_ns_high << 32 | now_ns_low
            sent = _receive(process, ends.serial if separate else ends.request, length, until)
            if sent is None:
                raise _LinkError("the link closed within a request")
            try:
                received = world.exchange(time_ns, sent)
                finished = world.finished
            except PlantError as error:
                return f"the plant failed at {time_ns} ns: {error}"
            if finished:
                os.write(ends.reply, _LENGTH.pack(LINK_FINISHED))
                children.wait(process, max(1.0, until - time.monotonic()))
                return None
            os.write(ends.reply, _LENGTH.pack(len(received)) + received)
            if time.monotonic() - shown > POLL_S:
                shown = time.monotonic()
                progress(time_ns)
    except (_LinkError, subprocess.TimeoutExpired) as error:
        return f"the link to the plant failed: {error}"


def _receive(process: subprocess.Popen[bytes], fifo: int, length: int, until: float) -> bytes | None:
    """Exactly `length` bytes; None when the board has ended before the first."""
    data = b""
    arrives = select.poll()
    arrives.register(fifo, select.POLLIN)
    while len(data) < length:
        if arrives.poll(POLL_S * 1000):
            data += os.read(fifo, length - len(data))
        elif process.poll() is not None:
            if data:
                raise _LinkError("the board ended within a request")
            return None
        elif time.monotonic() > until:
            raise _LinkError("the board does not answer")
    return data
