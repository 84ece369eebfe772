# SPDX-License-Identifier: Apache-2.0
"""CMake and Ninja: a preset configured into a folder and built, and the host's shared library of the analysis."""

from __future__ import annotations

import fcntl
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from takt import children, console, files, plain, provision
from takt.errors import UserError
from takt.files import shown_path
from takt.provision import ROOT

BUILD = ROOT / "build"


def compile_preset(preset: str, folder: Path, settings: dict[str, str], what: str, target: str) -> None:
    """Configures a CMake preset into `folder` when its settings changed, and builds `target`."""
    _compile(["--preset", preset, "-S", str(ROOT)], folder, {"preset": preset, **settings}, what, target)


def compile_project(source: Path, folder: Path, settings: dict[str, str], what: str, target: str) -> None:
    """The same for a CMake project of its own, in `source`."""
    _compile(["-G", "Ninja", "-S", str(source)], folder, settings, what, target)


def _compile(start: list[str], folder: Path, settings: dict[str, str], what: str, target: str) -> None:
    stamp = folder / "takt-settings.json"
    wanted = json.dumps(settings, indent=2)
    fresh = (folder / "build.ninja").exists() and stamp.exists() and files.read_text(stamp) == wanted
    if not fresh:
        defines = [f"-D{name}={value}" for name, value in settings.items() if name != "preset"]
        stamp.unlink(missing_ok=True)
        with console.doing(what):
            _run(["cmake", *start, "-B", str(folder), *defines], "CMake refuses")
            _run(["ninja", "-C", str(folder), target], f"{what} failed")
        stamp.write_text(wanted, encoding="utf-8")
        return
    _check(_patiently(["ninja", "-C", str(folder), target], what), f"{what} failed")


def _patiently(command: list[str], what: str) -> tuple[int, str]:
    """Runs what usually has nothing to do, and says so only when it takes a while."""
    with children.start(
        command, ending=children.GENTLY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=ROOT
    ) as process:
        try:
            output, _ = process.communicate(timeout=0.4)
        except subprocess.TimeoutExpired:
            with console.doing(what):
                output, _ = process.communicate()
        return process.returncode, plain.told(files.text_of(output))


def _run(command: list[str], problem: str) -> None:
    done = children.run(command, together=True, cwd=ROOT, ending=children.GENTLY)
    _check((done.returncode, plain.told(done.stdout)), problem)


def _check(done: tuple[int, str], problem: str) -> None:
    code, output = done
    if code != 0:
        lines = [line for line in output.splitlines() if not line.startswith(("ninja: Entering", "["))]
        raise UserError(f"{problem}\n" + "\n".join(lines[-60:]), "mend the first error above")


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One at a time works in a folder; who has to wait says so."""
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
