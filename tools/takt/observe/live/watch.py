# SPDX-License-Identifier: Apache-2.0
"""`takt run --watch`: runs again when a file of the application changes.

Each run is a command of its own, so that a change ends it wherever it is, and nothing of it is left in the next one.
"""

from __future__ import annotations

import errno
import os
import queue
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from takt.declare import declaration
from takt.observe.live import application_files
from takt.observe.live.application_files import Files
from takt.support import children, provision
from takt.support.errors import INTERRUPTED, UserError
from takt.support.files import shown_path
from takt.support.names import shown
from takt.support.provision import ROOT

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent

LOCK = "watch"
QUIET_S = 0.2  # without a change: changes before it are one
BUSY_S = 2.0  # with changes all the time: of files that are none of the application's, as a rule
POLL_S = 0.1
END_S = 10.0  # a run that does not end within that is killed
NAMED = 3  # files that changed, in a message
_READ_ONLY = ("opened", "closed_no_write")  # events that are no change


def watch(application: str | None, protection: bool | None, arguments: Sequence[str]) -> int:
    """Runs `takt run ARGUMENTS`, and again after each change, until Ctrl-C. Returns the exit code of the last run that
    ended by itself, or by Ctrl-C into its report; INTERRUPTED: none did.

    UserError: there is no such application, or its folders cannot be watched.
    """
    declared = declaration.find(application)
    provision.require_python(LOCK)
    command = [sys.executable, "-m", "takt", "run", *arguments]
    return _Watch(declared, protection, command).go()


def arguments_of(context: click.Context, left_out: str) -> list[str]:
    """What this command was given, one option aside."""
    words: list[str] = []
    positional: list[str] = []
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") is click.core.ParameterSource.COMMANDLINE
        value = context.params.get(parameter.name or "")
        if not given or parameter.name == left_out:
            continue
        if isinstance(parameter, click.Option):
            words += _option(parameter, value)
        elif value is not None:
            positional.append(str(value))
    return [*words, "--", *positional] if positional else words


def _option(option: click.Option, value: Any) -> Iterator[str]:
    if option.is_flag:
        yield option.opts[0] if value else option.secondary_opts[0]
        return
    for one in value if option.multiple else [value]:
        yield f"{option.opts[0]}={one}"


class _Watch:
    def __init__(self, declared: Path, protection: bool | None, command: list[str]) -> None:
        self._declared = declared
        self._protection = protection
        self._command = command
        self._events: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._code = INTERRUPTED

    def go(self) -> int:
        files = self._find(None)
        try:
            while True:
                with self._watching(files.folders):
                    files = self._once(files)
        except KeyboardInterrupt:
            return self._code

    def _find(self, before: Files | None) -> Files:
        return application_files.find(self._declared, self._protection, before)

    def _once(self, files: Files) -> Files:
        """A run, and the wait for a change. Returns the files as they are then."""
        files = self._find(files)  # again: now that changes are noticed
        with self._run() as process:
            ended = False
            while True:
                if self._quiet_after_change():
                    now = self._find(files)
                    changed = files.changed(now)
                    if changed:
                        _say(f"{_names(changed)} changed: again\n")
                        return now
                    files = now
                if not ended and process.poll() is not None:
                    ended, self._code = True, process.returncode
                    _say(f"exit code {self._code}; waiting for a change of {self._waits_for(files)}, Ctrl-C ends")

    def _waits_for(self, files: Files) -> str:
        folder = shown_path(self._declared.parent)
        if not files.known:
            return f"any file in {folder}"
        return f"its {len(files.of)} files" if len(files.of) > 1 else shown_path(self._declared)

    def _quiet_after_change(self) -> bool:
        """Whether something changed, and nothing for QUIET_S since, or it has gone on for BUSY_S."""
        try:
            self._events.get(timeout=POLL_S)
        except queue.Empty:
            return False
        until = time.monotonic() + BUSY_S
        while time.monotonic() < until:
            try:
                self._events.get(timeout=QUIET_S)
            except queue.Empty:
                break
        return True

    @contextmanager
    def _watching(self, folders: frozenset[Path]) -> Iterator[None]:
        """Events of these folders, and of those in them, arrive in the queue."""
        from watchdog.observers import Observer

        events = self._events

        class Handler:
            """As watchdog.events.FileSystemEventHandler."""

            def dispatch(self, event: FileSystemEvent) -> None:
                if event.event_type not in _READ_ONLY:
                    events.put(None)

        observer = Observer()
        try:
            for folder in _outermost(folders):
                if folder.is_dir():
                    observer.schedule(Handler(), str(folder), recursive=True)
            observer.start()
        except OSError as error:
            raise _too_many(error, self._declared.parent) from None
        try:
            yield
        finally:
            observer.stop()
            observer.join()

    @contextmanager
    def _run(self) -> Iterator[subprocess.Popen[bytes]]:
        """A run; gone afterwards. In a session of its own: Ctrl-C reaches it through here, once."""
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "tools")}
        process = children.start(
            self._command, stdin=subprocess.DEVNULL, start_new_session=True, env=environment, ending=children.GENTLY
        )
        try:
            yield process
        except KeyboardInterrupt:
            code = _end(process, signal.SIGINT)
            self._code = self._code if code == INTERRUPTED else code
            raise
        finally:
            _end(process, signal.SIGTERM)


def _end(process: subprocess.Popen[bytes], number: int) -> int:
    """Ends a run, if it has not ended. Returns its exit code."""
    if process.poll() is None:
        process.send_signal(number)
        try:
            process.wait(END_S)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            process.kill()
    return process.wait()


def _outermost(folders: frozenset[Path]) -> list[Path]:
    """Those that are in none of the others."""
    real = sorted({folder.resolve() for folder in folders})
    return [folder for folder in real if not any(folder != other and folder.is_relative_to(other) for other in real)]


def _too_many(error: OSError, folder: Path) -> UserError:
    if error.errno == errno.ENOSPC:
        problem = f"{shown_path(folder)}: more folders than this machine watches (fs.inotify.max_user_watches)"
        return UserError(problem, "an application in a folder of its own, or a larger limit: sysctl")
    return UserError(f"{shown_path(folder)} cannot be watched: {error.strerror}", "takt run without --watch")


def _names(changed: list[Path]) -> str:
    more = len(changed) - NAMED
    return ", ".join(shown(path.name) for path in changed[:NAMED]) + (f" and {more} more" if more > 0 else "")


def _say(text: str) -> None:
    click.echo(f"takt: {text}", err=True)
