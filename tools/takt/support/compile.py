# SPDX-License-Identifier: Apache-2.0
"""CMake and Ninja: a preset configured into a folder and built, and the host's shared library of the analysis."""

from __future__ import annotations

import fcntl
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import click

from takt.support import children, console, files, link_words, plain, provision
from takt.support.errors import UserError, did_you_mean
from takt.support.files import shown_path
from takt.support.names import CXX_HEADERS
from takt.support.provision import ROOT

BUILD = ROOT / "build"
QUIET_S = 0.4  # a build with nothing to do takes less, and says nothing
LINES_MAX = 60  # of a failed build
ROOM_LEAST = 100_000  # bytes of a disk that is as good as full
_MEND = "correct the first error above"


Supply = Callable[[Collection[str]], bool]
"""Compiles what defines these names. False: there was no more of it."""


def compile_preset(
    preset: str, folder: Path, settings: dict[str, str], activity: str, target: str, supply: Supply | None = None
) -> None:
    """Configures a CMake preset into `folder` when its settings changed, and builds `target`, one or several. A link
    that failed is repeated after `supply` compiled more, of the names that it did not find."""
    _compile(["--preset", preset, "-S", str(ROOT)], folder, {"preset": preset, **settings}, activity, target, supply)


def compile_more(folder: Path, target: str, activity: str) -> None:
    """Builds further targets of a folder that compile_preset has configured, and says nothing of it."""
    _ninja(folder, target, activity)


def compile_project(source: Path, folder: Path, settings: dict[str, str], activity: str, target: str) -> None:
    """The same for a CMake project of its own, in `source`."""
    _compile(["-G", "Ninja", "-S", str(source)], folder, settings, activity, target)


def _compile(
    start: list[str],
    folder: Path,
    settings: dict[str, str],
    activity: str,
    target: str,
    supply: Supply | None = None,
) -> None:
    stamp = folder / "takt-settings.json"
    wanted = json.dumps(settings, indent=2)
    fresh = (folder / "build.ninja").exists() and stamp.exists() and files.read_text(stamp) == wanted
    if fresh:
        _ninja(folder, target, activity, QUIET_S, supply)
        return
    defines = [f"-D{name}={value}" for name, value in settings.items() if name != "preset"]
    stamp.unlink(missing_ok=True)
    with console.doing(activity):
        _configure(["cmake", *start, "-B", str(folder), *defines], folder)
        _ninja(folder, target, activity, supply=supply)
    files.write_whole(stamp, wanted)


def _configure(command: list[str], folder: Path) -> None:
    done = children.run(command, together=True, cwd=ROOT, ending=children.GENTLY)
    if done.returncode != 0:
        refuse_full("CMake", folder, done.stdout)
        lines = plain.restored(done.stdout).splitlines()
        raise UserError("\n".join(["CMake refuses", *lines[-LINES_MAX:]]), _MEND)


def _ninja(
    folder: Path, target: str, activity: str, quiet_s: float | None = None, supply: Supply | None = None
) -> None:
    """Builds. What the compiler said of files that it did compile goes to standard error, also when the build fails or
    is interrupted: the next one finds them done, and says nothing of them. UserError: what was said of the others.

    `quiet_s`: what usually has nothing to do says so only when it takes longer."""
    command = ["ninja", "-C", str(folder), *target.split()]
    while True:
        with tempfile.TemporaryFile() as log:
            try:
                code = _wait(command, log, activity, quiet_s)
            finally:
                log.seek(0)
                printed = files.text_of(log.read())
                said = read_ninja(plain.restored(printed))
                for line in said.warnings:
                    click.echo(line, err=True)
        if code == 0:
            return
        if supply is None or not supply(link_words.undefined(said.errors)):
            refuse_full(activity, folder, printed)
            raise said.error(activity)


def refuse_full(activity: str, folder: Path, printed: str) -> None:
    """UserError: it failed because a disk is full, whatever else the programs said of it."""
    full = [path for path in (folder, Path(tempfile.gettempdir())) if _is_full(path)]
    if full or _FULL.search(printed):
        disk = shown_path(full[0] if full else folder)
        raise UserError(f"{activity} failed: no space left on the disk of {disk}", "free some space and run it again")


def _is_full(path: Path) -> bool:
    disk = os.statvfs(path)
    return disk.f_bavail * disk.f_frsize < ROOM_LEAST or (disk.f_files > 0 and disk.f_favail == 0)


def _wait(command: list[str], log: IO[bytes], activity: str, quiet_s: float | None) -> int:
    environment = {**os.environ, "NINJA_STATUS": "[%f/%t] "}  # which read_ninja reads
    with children.start(
        command, ending=children.GENTLY, stdout=log, stderr=subprocess.STDOUT, cwd=ROOT, env=environment
    ) as process:
        try:
            return children.wait(process, quiet_s)
        except subprocess.TimeoutExpired:
            with console.doing(activity):
                return process.wait()
        finally:
            process.terminate()  # interrupted: ninja ends its compilers


class HeaderError(UserError):
    """A compiler did not find a header, which is included in `location`: FILE:LINE."""

    def __init__(self, problem: str, hint: str, header: str, location: str) -> None:
        super().__init__(problem, hint)
        self.header = header
        self.location = location


@dataclass(frozen=True)
class Said:
    """What ninja's commands printed: those that ended well, and those that failed."""

    warnings: tuple[str, ...]
    errors: tuple[str, ...]

    def error(self, activity: str) -> UserError:
        """What to tell the user of the failure of `activity`."""
        beyond = {name: size for line in self.errors for name, size in _BEYOND.findall(line)}
        if beyond:
            holds = {"code": "code and constants", "ram": "data and stacks"}
            parts = [
                f"{holds.get(name, name.removeprefix('r_'))}, {size} bytes too many" for name, size in beyond.items()
            ]
            hint = "reduce the largest parts, which takt report shows for an image that fits; or use another board"
            return UserError(f"{activity} failed: it does not fit into the board's memory: {'; '.join(parts)}", hint)
        if any(_KILLED.search(line) for line in self.errors):
            hint = "run the same command again, with more memory free unless a user killed it"
            return UserError(f"{activity} failed: a program that it started was killed", hint)
        if not any(_REFUSED.search(line) for line in self.errors):
            linked = link_words.explain(activity, self.errors)
            if linked is not None:
                return linked
        problem = "\n".join([f"{activity} failed", *self.shown_errors()])
        header = next(filter(None, map(_HEADER.search, self.errors)), None)
        if header is not None:
            return HeaderError(problem, self.hint(), header["name"], header["at"])
        return UserError(problem, self.hint())

    def hint(self) -> str:
        """Of errors of a compiler."""
        first = next((line for line in self.errors if _REFUSED.search(line)), "")
        if _GENERATED.match(first):
            return (
                "correct system.toml: the line was generated from a name or type in it that differs from the one in C"
            )
        unknown = _UNKNOWN.search(first)
        if unknown is not None and (hint := _hint_of_name(next(filter(None, unknown.groups())))):
            return hint
        header = _HEADER.search(first)
        if header is not None:
            return _hint_of_header(header["name"])
        return next((hint for pattern, hint in _KEYS if pattern.search(first)), _MEND)

    def shown_errors(self) -> list[str]:
        """Of many lines LINES_MAX, with the first error."""
        if len(self.errors) <= LINES_MAX:
            return list(self.errors)
        first = next((folder_ for folder_, line in enumerate(self.errors) if _ERROR.search(line)), 0)
        begin = max(0, first - 2)
        shown = self.errors[begin : begin + LINES_MAX]
        return [*shown, f"... and {len(self.errors) - len(shown)} more lines"]


_HEADER = re.compile(r"(?P<at>\S.*?:\d+)(?::\d+)?: fatal error: (?P<name>\S+): No such file or directory")
_KEYS = (
    (
        re.compile(r"exception handling disabled"),
        "a status in place of throw; or on host and Cortex-M exceptions = true and cxx_library = true in [build]",
    ),
    (
        re.compile(r"'?(typeid|dynamic_cast)\W.*-fno-rtti"),
        "a virtual function in its place; or on host and Cortex-M rtti = true and cxx_library = true in [build]",
    ),
    (re.compile(r"unrecognized command-line option"), "correct c_flags or cxx_flags in [build] of system.toml"),
)
"""What a compiler refuses, and the key that is for it."""


_KERNELS = {
    "freertos": re.compile(r"(FreeRTOS|FreeRTOSConfig|semphr|event_groups|stream_buffer|message_buffer)\.h"),
    "zephyr": re.compile(r"zephyr/"),
    "threadx": re.compile(r"tx_(api|port|user)\.h"),
}
"""Headers of kernels of which docs/ has a page."""


_UNKNOWN = re.compile(
    r"'(\w+)' (?:un|was not )declared|function '(\w+)'|unknown type name '(\w+)'|'(\w+)' does not name"
)
_PAGE = "docs/from-{}.md: what to declare and to call in its place"
_NAMES = (
    (re.compile(r"TASK_\w+"), 'TASK_NAME of a [[task]] of system.toml, and #include "takt_app.h"'),
    (re.compile(r"takt_\w+|TAKT_\w+"), '#include "takt_app.h"; docs/calls.md has every call'),
    (
        re.compile(
            r"(x|v|ux|ul|pv)(Queue|Semaphore|Task|Timer|EventGroup|StreamBuffer|MessageBuffer|PortMalloc)\w+"
            r"|(Queue|Semaphore|Task|Timer|EventGroup)Handle_t|(Base|UBase|Tick)Type_t|pd[A-Z_]+|port[A-Z_]+|config[A-Z_]+"
        ),
        _PAGE.format("freertos"),
    ),
    (re.compile(r"k_[a-z_]+|K_[A-Z_]+"), _PAGE.format("zephyr")),
    (re.compile(r"tx_[a-z_]+|TX_[A-Z_]+"), _PAGE.format("threadx")),
)
"""Names that a compiler does not know, and where they are from."""


def _hint_of_name(name: str) -> str:
    return next((hint for names, hint in _NAMES if names.fullmatch(name)), "")


def _hint_of_header(name: str) -> str:
    """What to try where a header was not found."""
    kernel = next((kernel for kernel, headers in _KERNELS.items() if headers.match(name)), None)
    if kernel is not None:
        return _PAGE.format(kernel)
    if name in CXX_HEADERS:
        return f"a header of C in its place: <{name}> is of the C++ library, and not here (docs/build.md, C++)"
    if "." in name or "/" in name:
        return f'include = ["FOLDER"] in [build] of system.toml, with the folder that has {name}'
    return f"a header of the C++ library: {did_you_mean(name, sorted(CXX_HEADERS))}"


_STEP = re.compile(r"\[\d+/\d+\] ")
_SILENT = re.compile(
    r"ninja: (?!error)"
    r"|-- "  # CMake's, where its own files changed
    r"|.*: warning: section `\.takt_memory_\w+' type changed to PROGBITS$"  # host: zeros get room in link_script.py
)
_BEYOND = re.compile(r"region `(\w+)' overflowed by (\d+) bytes")
_FULL = re.compile(r"No space left on device|Disk quota exceeded|ar: unable to copy file")
_KILLED = re.compile(r"Killed signal terminated program|ninja: build stopped: interrupted|\bKilled$", re.MULTILINE)
_REFUSED = re.compile(r"^(?!collect2).*?: (fatal )?error: |: Error: ")  # of a compiler or assembler
_GENERATED = re.compile(r"[^:]*/generated/[^:/]+:")
_ERROR = re.compile(r"\berror\b|undefined reference|multiple definition|cannot find|will not fit")


def read_ninja(output: str) -> Said:
    """Reads what ninja printed, with its status as `_wait` sets it."""
    warnings: list[str] = []
    errors: list[str] = []
    failed, command = False, 0  # command: the line of a failed one, which is left out
    for number, line in enumerate(output.splitlines()):
        if _STEP.match(line):
            failed = False
        elif line.startswith("FAILED: "):
            failed, command = True, number + 1
        elif (failed and number == command) or _SILENT.match(line):
            continue
        elif failed or line.startswith("ninja: error"):
            errors.append(line)
        else:
            warnings.append(line)
    return Said(tuple(warnings), tuple(errors or output.splitlines()[-LINES_MAX:]))


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """A lock on a folder; a process that has to wait says so."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w", encoding="utf-8") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with console.doing(f"waiting for another takt in {shown_path(folder)}"):
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def host_library(room: str = "analysis") -> Path:
    """build/host-tools' libtakt_ROOM.so, `analysis`, `admit` or `reflect`, built when it is missing or old."""
    provision.require("host")
    folder = BUILD / "host-tools"
    with locked(folder):
        compile_preset("host-tools", folder, {}, f"building {room} for this machine", f"takt_{room}_shared")
    return folder / f"libtakt_{room}.so"


def host_program(name: str) -> Path:
    """build/host-tools' takt-NAME, built when it is missing or old."""
    provision.require("host", "reflect")
    folder = BUILD / "host-tools"
    target = f"takt_{name.replace('-', '_')}"
    with locked(folder):
        compile_preset("host-tools", folder, {}, f"building takt-{name} for this machine", target)
    return folder / f"takt-{name}"
