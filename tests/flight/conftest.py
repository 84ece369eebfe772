# SPDX-License-Identifier: Apache-2.0
"""The flight program as a shared library, without kernel, and its closed loop with the plant."""

from __future__ import annotations

import ctypes
import math
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
FLIGHT = ROOT / "apps" / "flight"
BOARD = Path(__file__).resolve().parent / "board"
sys.path.insert(0, str(FLIGHT))

from plant import FlightPlant, create_plant  # noqa: E402

ROOMS = ("kernel/include", "kernel/config/preset/standard", "kernel/config/sched/fixed", "runner/include")
INCLUDES = [f"-I{path}" for path in (ROOT, *(ROOT / room for room in ROOMS), FLIGHT, BOARD)]
# No contraction: the same figures on every machine.
FLAGS = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", *INCLUDES]
TICK_NS = 10_000_000


def compile_c(output: Path, *arguments: str | Path) -> Path:
    subprocess.run(["cc", *FLAGS, *map(str, arguments), "-lm", "-o", str(output)], check=True)
    return output


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("flight")
    own = [_with_own_section(name, folder) for name in ("control", "sensors")]
    rest = [path for path in sorted(FLIGHT.glob("*.c")) if path.stem not in ("tasks_control", "tasks_sensors")]
    sources = [*rest, *own, BOARD / "board.c", BOARD / "codec.c"]
    return compile_c(folder / "flight.so", "-O2", "-shared", "-fPIC", *sources)


def _with_own_section(process: str, folder: Path) -> Path:
    """The object file of a process's tasks, whose variables are in a section of their own: board_restart clears it."""
    path = compile_c(folder / f"{process}.o", "-O2", "-fPIC", "-c", FLIGHT / f"tasks_{process}.c")
    flags = f".bss=own_{process},alloc,load,data,contents"
    subprocess.run(["objcopy", "--rename-section", flags, str(path)], check=True)
    return path


@pytest.fixture(scope="session")
def fuzzer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources = [path for path in sorted(FLIGHT.glob("*.c")) if not path.name.startswith("tasks_")]
    sanitizers = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    return compile_c(tmp_path_factory.mktemp("fuzz") / "fuzz", *sanitizers, *sources, BOARD / "fuzz.c")


Exchange = ctypes.CFUNCTYPE(
    ctypes.c_size_t,
    ctypes.c_uint64,
    ctypes.POINTER(ctypes.c_uint8),
    ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_uint8),
    ctypes.c_size_t,
)


Restart = tuple[float, bool, bool]
"""When, s; of the control task's process, or the readers'; whether what it kept is spoilt."""


def close_loop(
    library: Path, plant: FlightPlant, control: bool, until_s: float, restart: Restart | None
) -> dict[str, Any]:
    """Flies until the plant has finished, with a fresh copy of the program; returns the plant's report."""
    board = ctypes.CDLL(str(library))
    board.board_tick.argtypes = [ctypes.c_uint64, Exchange, ctypes.c_bool]
    board.board_restart.argtypes = [ctypes.c_bool, ctypes.c_bool]
    overruns = 0

    def exchange(time_ns: int, transmit: Any, length: int, receive: Any, capacity: int) -> int:
        nonlocal overruns
        received = plant.exchange(time_ns, bytes(transmit[:length]))
        overruns += len(received) > capacity
        ctypes.memmove(receive, received, min(len(received), capacity))
        return min(len(received), capacity)

    callback = Exchange(exchange)
    time_ns = 0
    while not plant.finished and time_ns < until_s * 1e9:
        time_ns += TICK_NS
        if restart is not None and time_ns == round(restart[0] * 1e9):
            board.board_restart(*restart[1:])
        board.board_tick(time_ns, callback, control)
    assert overruns == 0
    return plant.report()


@pytest.fixture(scope="session")
def fly_alone(fly: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """The same, for modules in which fly is `takt run`."""
    return fly


@pytest.fixture(scope="session")
def fly(library: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., dict[str, Any]]:
    """fly(seed, control=True, until_s, restart, **create_plant's faults): the report of one flight, whole if it may."""
    folder = tmp_path_factory.mktemp("copies")
    copies = iter(range(1_000_000))

    def run(
        seed: int, control: bool = True, until_s: float = math.inf, restart: Restart | None = None, **faults: Any
    ) -> dict[str, Any]:
        # A library is loaded once per path: a copy has its own static variables, all at their start.
        copy = Path(shutil.copy(library, folder / f"flight{next(copies)}.so"))
        return close_loop(copy, create_plant(seed, **faults), control, until_s, restart)

    return run
