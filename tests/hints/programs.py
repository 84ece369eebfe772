# SPDX-License-Identifier: Apache-2.0
"""The small programs of programs/: what each one's header expects, what the tool makes of it, and what it does.

NAME.c, and NAME_part.c if it has two files. In its header, for each blocking call but locks of a mutex, in order:

    1: MUTEX before LINE    a hint of MUTEX is inserted on a line before one that begins with LINE
    1: MUTEX in LINE        it is inserted into, or before what follows on, a line that begins with LINE
    1: left: REASON         it is left alone, for a reason with REASON in it; wrong and kept: likewise
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kernel_sources import host_sources
from running import FULL
from takt.hints.apply import Application, Found, apply
from takt.hints.edit import Point
from takt.support.provision import ROOT

FOLDER = Path(__file__).parent / "programs"
EVERY = sorted(path.stem for path in FOLDER.glob("*.c") if not path.stem.endswith("_part"))
NAMES = EVERY if FULL else EVERY[::3]  # a compilation of each
SERVER = """
[[task]]
name = "server"
entry = "server"
style = "loop"
period = "20 ms"
wcet = "100 us"
[[semaphore]]
name = "go"
"""
"""Of a declaration: a task that waits in a loop, and what it may wait for."""
SYSTEM = (
    """
[system]
board = "host"

[[task]]
name = "reader"
entry = "reader"
period = "10 ms"
wcet = "100 us"

[[mutex]]
name = "data"
users = [{ task = "reader", hold = "50 us" }, { task = "server", hold = "50 us" }]
"""
    + SERVER
)
"""A declaration whose tasks share a mutex, and its code."""

CODE = """#include "takt_app.h"

void reader(void *argument)
{
    (void)argument;
    if (takt_mutex_lock(&data) == TAKT_OK) {
        takt_mutex_unlock(&data);
    }
    (void)takt_semaphore_post(&go);
}

void server(void *argument)
{
    (void)argument;
    for (;;) {
        takt_job_wait();
        if (takt_mutex_lock(&data) == TAKT_OK) {
            takt_mutex_unlock(&data);
        }
    }
}
"""
LOCKS = ("takt_mutex_lock", "takt_mutex_lock_until")

_EXPECTED = re.compile(r"^ \* (\d+): (?:(left|wrong|kept): (.*)|(.*?) (before|in) (.*))$", re.MULTILINE)
_INCLUDES = (
    "",
    "kernel/include",
    "kernel/config/preset/debug",
    "kernel/config/sched/bands",
    "ports/host",
    "analysis/include",
)
_FLAGS = [
    "-std=gnu11",
    "-O1",
    "-ffunction-sections",
    "-DTAKT_LEVELS=32",
    "-DTAKT_HEEDS_HINTS=1",
    "-Wno-unused-result",
    *(f"-I{ROOT / name}" for name in _INCLUDES),
]


@dataclass(frozen=True)
class Expected:
    """`outcome`: as of a point. `text`: of its reason, or its mutex. `where`: before or in; `line`: how it begins."""

    outcome: str
    text: str
    where: str = ""
    line: str = ""


def expected(name: str) -> list[Expected]:
    """What the header of a program says, by number."""
    head = (FOLDER / f"{name}.c").read_text(encoding="utf-8").split("*/")[1]
    rows = _EXPECTED.findall(head)
    assert [int(row[0]) for row in rows] == list(range(1, len(rows) + 1)), f"{name}: numbers of its header"
    return [Expected(row[1], row[2]) if row[1] else Expected("insert", *row[3:]) for row in rows]


def files(name: str, folder: Path = FOLDER) -> tuple[Path, ...]:
    return tuple(path for path in (folder / f"{name}.c", folder / f"{name}_part.c") if path.exists())


@cache
def found(name: str) -> Found:
    """What the tool makes of a program."""
    return apply(Application(files(name), preset="debug"))


def points(name: str) -> list[Point]:
    """Those that the header counts: of the program's own files, and no locks."""
    own = files(name)
    return [point for point in found(name).points if point.path in own and point.call not in LOCKS]


def written(folder: Path) -> dict[str, tuple[Path, ...]]:
    """Every program with its hints, in a folder; unchanged files stay where they are."""
    made: dict[str, tuple[Path, ...]] = {}
    for name in NAMES:
        after = found(name).after
        for path, text in after.items():
            (folder / path.name).write_bytes(text)
        made[name] = tuple(folder / path.name if path in after else path for path in files(name))
    return made


def build(programs: Mapping[str, tuple[Path, ...]], folder: Path, objects: Path) -> Path:
    """One program of all. `objects`: of what is the same for several, by the path of the source."""
    folder.mkdir(exist_ok=True)
    (folder / "programs.inc").write_text("".join(f"EACH({name})\n" for name in programs), encoding="utf-8")
    scenario = ROOT / "kernel" / "test" / "support" / "scenario.c"
    own = [path for paths in programs.values() for path in paths]
    sources = [*host_sources(), scenario, Path(__file__).parent / "runner.c", *own]

    def compiled(source: Path) -> Path:
        made = objects / (str(source).strip("/").replace("/", "-") + ".o")
        if not made.exists():
            _run(["gcc", *_FLAGS, f"-I{folder}", "-c", str(source), "-o", str(made)])
        return made

    with ThreadPoolExecutor(2) as pool:
        linked = [str(path) for path in pool.map(compiled, sources)]
    _run(["gcc", *linked, "-Wl,--gc-sections", "-lm", "-o", str(folder / "programs")])
    return folder / "programs"


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def notes(program: Path) -> dict[str, list[str]]:
    """The lines that each program prints."""
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    said: dict[str, list[str]] = {}
    for line in done.stdout.splitlines():
        said.setdefault(line.split()[0], []).append(line)
    return said
