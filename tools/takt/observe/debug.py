# SPDX-License-Identifier: Apache-2.0
"""`takt run --gdb`: an image on its board under gdb, stopped at its first task (docs/debugging.md)."""

from __future__ import annotations

import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from takt.observe import execute
from takt.observe.execute import Fifos, Prepared
from takt.support import children, plain, provision
from takt.support.errors import UserError
from takt.support.files import shown_path
from takt.support.provision import ROOT

DEBUGGER = "gdb-multiarch"  # knows the processors of every board, and this machine's
EXTENSION = ROOT / "tools" / "takt" / "gdb" / "takt_gdb.py"
SERVER_S = 10.0
POLL_S = 0.02


@dataclass(frozen=True)
class Wanted:
    """How to debug. `port`: only wait there for any debugger. `script`: a file of gdb's commands; no terminal."""

    port: int | None = None
    script: Path | None = None


def debug(prepared: Prepared, wanted: Wanted) -> int:
    """Runs until the debugger ends. Returns the exit code: 0, or 1 when gdb says that its script failed.

    UserError: there is no debugger, the emulator does not start, or nothing on this board waits for a debugger.
    """
    served = bool(prepared.board.run_gdb)
    if prepared.board.simulator:
        raise UserError(
            f"{prepared.board.name} cannot be debugged: its simulator has no gdb server", "--board rv32-virt"
        )
    if wanted.port is None:
        provision.require("gdb")
    elif not served:
        raise UserError(f"--gdb-port: {prepared.board.name} has no gdb server", "--gdb, which starts gdb itself")
    with execute.fifos(prepared.folder, prepared.world is not None) as ends:
        if not served:
            command = [*_debugger(wanted), *_script(wanted), "--args", *prepared.command()]
            with _process(command, prepared) as gdb, _world(gdb, ends, prepared):
                return _wait(gdb, wanted)
        with tempfile.TemporaryDirectory(prefix="takt-") as folder:
            socket = Path(folder) / "gdb"
            server = f"unix:{socket},server=on,wait=off" if wanted.port is None else f"tcp:127.0.0.1:{wanted.port}"
            with _process(prepared.command(server), prepared, apart=True) as board, _world(board, ends, prepared):
                if wanted.port is not None:
                    return _serve(board, prepared, wanted.port)
                _await(board, socket)
                connect = ["-ex", "python commands.end_with_gdb()", "-ex", f"target remote {socket}"]
                command = [*_debugger(wanted), str(prepared.image.path), *connect, *_script(wanted)]
                with _process(command, prepared) as gdb:
                    return _wait(gdb, wanted)


def _debugger(wanted: Wanted) -> list[str]:
    """gdb with the extension; a script does the same whatever a person's settings are."""
    return [DEBUGGER, "-q", *(["-nx", "-batch"] if wanted.script is not None else []), "-x", str(EXTENSION)]


def _script(wanted: Wanted) -> list[str]:
    """What gdb does first."""
    return ["-ex", "takt start", *(["-x", str(plain.path(wanted.script))] if wanted.script is not None else [])]


def _serve(board: subprocess.Popen[bytes], prepared: Prepared, port: int) -> int:
    """Waits for the end of a board that a debugger of the user's stops and continues."""
    time.sleep(POLL_S)
    if board.poll() is None:
        image, extension = (shlex.quote(shown_path(path)) for path in (prepared.image.path, EXTENSION))
        click.echo(f"takt: {prepared.board.name} waits for a debugger at 127.0.0.1:{port}; Ctrl-C stops it")
        click.echo(f"  {DEBUGGER} {image} -x {extension} -ex 'target remote 127.0.0.1:{port}' -ex 'takt start'")
    if board.wait() != 0:
        raise UserError(
            f"the board ended with exit code {board.returncode}", "another --gdb-port, if that port is in use"
        )
    return 0


def _wait(gdb: subprocess.Popen[bytes], wanted: Wanted) -> int:
    """Ctrl-C is gdb's, which shares the terminal."""
    before = signal.signal(signal.SIGINT, lambda _number, _frame: None)
    try:
        code = gdb.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    return 1 if wanted.script is not None and code != 0 else 0


def _await(board: subprocess.Popen[bytes], socket: Path) -> None:
    """Until the emulator listens."""
    until = time.monotonic() + SERVER_S
    while not socket.exists():
        if board.poll() is not None or time.monotonic() > until:
            raise UserError("the emulator did not start; its own messages are above", "takt run without --gdb")
        time.sleep(POLL_S)


@contextmanager
def _process(command: Sequence[str], prepared: Prepared, apart: bool = False) -> Iterator[subprocess.Popen[bytes]]:
    """A process in the folder of the run that writes to our terminal; gone afterwards.

    `apart`: what is typed does not reach it, Ctrl-C neither.
    """
    with children.start(
        command, cwd=prepared.folder, stdin=subprocess.DEVNULL if apart else None, start_new_session=apart
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


@contextmanager
def _world(process: subprocess.Popen[bytes], ends: Fifos, prepared: Prepared) -> Iterator[None]:
    """The plant, if there is one, beside whatever the debugger does: it waits as long as the board stands still."""
    try:
        with execute.beside(process, ends, prepared.world) as played:
            yield
    finally:
        failure = played()
        if failure is not None:
            click.echo(f"takt: {failure}", err=True)
