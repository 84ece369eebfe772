# SPDX-License-Identifier: Apache-2.0
"""The engine is a seam: kernel/engine/engine.h has at most 15 operations, and the kernel uses nothing else of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEADER = ROOT / "kernel" / "engine" / "engine.h"
OPERATIONS_MAX = 15
ENGINES = {
    "queues": ("kernel/engine/queues", "kernel/engine/shared"),
    "small": ("kernel/engine/small", "kernel/engine/shared"),
    "rtm": ("hardware/driver",),
}
USERS = ("kernel", "ports", "boards", "chips", "runner")
# An engine's part of the state, and what it implements for the walk over the invariants.
OTHERS = {"takti_ready", "takti_timers", "takti_level", "takti_walk_ready", "takti_walk_armed_timers", "TAKTI_QUIET"}
FIELDS = re.compile(r"->(?:fifo|tournament)\b|\bready\.(?:occupied|tasks)\b|\btimers\.(?!running\b)\w+")
NAME = re.compile(r"\btakti?_\w+|\bTAKTI_\w+")
DEFINED = re.compile(
    r"^(?:[\w*]+(?:\([^)]*\)+)? )+\**(takti?_\w+)\(|^#define (\w+)|^(?:struct|union) (takti_\w+) \{", re.MULTILINE
)
CHOICES = {"kernel/include/takt/engine.h"}


def text(path: Path) -> str:
    """Without comments."""
    return re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)


def operations() -> list[str]:
    return re.findall(r"^TAKTI_OPERATION\([^,]+, (\w+), ", HEADER.read_text(encoding="utf-8"), re.MULTILINE)


def files(folders: tuple[str, ...]) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.[ch]"))]


def users() -> list[Path]:
    inside = [ROOT / "kernel" / "engine", ROOT / "kernel" / "test"]
    return [path for path in files(USERS) if not any(folder in path.parents for folder in inside)]


def defined(engine: str) -> set[str]:
    """Names that the files of an engine define; of macros, those that are the kernel's by their prefix."""
    found = {name for path in files(ENGINES[engine]) for names in DEFINED.findall(text(path)) for name in names if name}
    return {name for name in found if NAME.fullmatch(name) and not name.endswith("_H")}


def test_there_are_at_most_15() -> None:
    assert 0 < len(operations()) <= OPERATIONS_MAX
    assert len(operations()) == len(set(operations()))


@pytest.mark.parametrize("engine", ENGINES)
def test_nothing_else_of_an_engine_is_used(engine: str) -> None:
    of_ports = {"takt_port_"}  # a port may bring its own moves of the sorted timer queue
    inner = {
        name for name in defined(engine) - set(operations()) - OTHERS if not name.lower().startswith(tuple(of_ports))
    }
    used = {
        (str(path.relative_to(ROOT)), name) for path in users() for name in NAME.findall(text(path)) if name in inner
    }
    assert used == set()


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_has_every_operation(engine: str) -> None:
    declared = {name for path in [*files(ENGINES[engine]), ROOT / "kernel/port.h"] for name in NAME.findall(text(path))}
    assert set(operations()) <= declared


def test_every_operation_is_used() -> None:
    used = {name for path in users() for name in NAME.findall(text(path))}
    assert set(operations()) <= used


def test_the_kernel_does_not_know_what_an_engine_looks_like() -> None:
    found = [(str(path.relative_to(ROOT)), match) for path in users() for match in FIELDS.findall(text(path))]
    assert found == []


def test_no_condition_of_the_compiler_asks_for_the_engine() -> None:
    asks = re.compile(r"^\s*#\s*(?:el)?if.*\b(?:TAKT_ENGINE_RTM|TAKT_SINGLE_PATH|TAKTI_QUIET)\b", re.MULTILINE)
    kernel = [path for path in users() if path.is_relative_to(ROOT / "kernel")]
    found = {str(path.relative_to(ROOT)) for path in kernel if asks.search(text(path))}
    assert found == CHOICES
    words = {str(path.relative_to(ROOT)) for path in kernel if "TAKT_ENGINE_RTM" in text(path)}
    assert words == CHOICES
