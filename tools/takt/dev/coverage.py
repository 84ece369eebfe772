# SPDX-License-Identifier: Apache-2.0
"""Which lines and branches of the rooms the unit tests and tests/analysis reach, by gcov; it may not fall.

The tests in C are built without optimization and without sanitizers, so that a branch is one of the source. So are
those of the kernel compiled for size, as that is known to the compiler, and no function is copied into its callers
(CMakePresets.json). The branch of an assertion that fails is not counted: each would need a test of its own that ends
the process."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Any

from takt.dev.counts import Counts, run_command
from takt.support.compile import BUILD
from takt.support.files import read_text

FOLDER = BUILD / "coverage"
SUMMARY = FOLDER / "summary.json"
ANALYSIS_FLAGS = "-O0 --coverage -fno-sanitize=all -Dalways_inline=unused"  # after what tests/analysis compiles with


@dataclass(frozen=True)
class Floor:
    """Least coverage of a room, in percent."""

    lines: float
    branches: float


# Raise them when coverage rises. The host's port has two lines behind what does not return; replay/ has some branches
# for what its callers see to, or what memory that ends has stopped before.
FLOORS = {
    "base": Floor(100, 100),
    "analysis": Floor(100, 100),
    "kernel": Floor(100, 100),
    "net/can": Floor(100, 99),
    "net/e2e": Floor(100, 100),
    "net/clock": Floor(100, 90),
    "reflect/core": Floor(100, 100),
    "replay": Floor(100, 98),
    "ports/host": Floor(99, 100),
}


@dataclass(frozen=True)
class Reached:
    """How many of how many lines and branches of a room."""

    lines: int
    lines_of: int
    branches: int
    branches_of: int

    def percent(self) -> Floor:
        """0 where there is nothing: a room that was not seen fails."""
        return Floor(_percent(self.lines, self.lines_of), _percent(self.branches, self.branches_of))


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0


def by_room(summary: dict[str, Any]) -> dict[str, Reached]:
    """gcovr's summary by file, added up for each room of FLOORS."""
    keys = ("line_covered", "line_total", "branch_covered", "branch_total")
    rooms = {}
    for room in FLOORS:
        files = [file for file in summary["files"] if file["filename"].startswith(f"{room}/")]
        rooms[room] = Reached(*(sum(file[key] for file in files) for key in keys))
    return rooms


def fallen(rooms: dict[str, Reached]) -> list[str]:
    """One line for each room below its floor."""
    lines = []
    for room, floor in FLOORS.items():
        found = rooms[room].percent()
        if found.lines < floor.lines or found.branches < floor.branches:
            wanted = f"{floor.lines:g} % of lines and {floor.branches:g} % of branches"
            lines.append(
                f"{room}: at least {wanted} are required, found {found.lines:.2f} % and {found.branches:.2f} %"
            )
    return lines


def _collect() -> bool:
    """Builds and runs what is counted, and writes SUMMARY."""
    for counts in FOLDER.rglob("*.gcda"):
        counts.unlink()
    tests = FOLDER / "tests-analysis"
    pytest = [sys.executable, "-m", "pytest", "-q", f"--basetemp={tests}", "tests/analysis"]
    gcovr = [sys.executable, "-m", "gcovr", "--root", ".", "--exclude", ".*/test/"]
    gcovr += [text for room in FLOORS for text in ("--filter", f"{room}/")]
    gcovr += ["--exclude-branches-by-pattern", r".*\bTAKT_ASSERT\("]
    gcovr += ["--merge-mode-functions=separate"]  # a preset may have another function of the same name
    gcovr += ["--txt-metric", "branch", "--txt", "-", "--json-summary", str(SUMMARY), str(FOLDER)]
    return (
        run_command(["cmake", "--preset", "coverage"]) == 0
        and run_command(["cmake", "--build", "--preset", "coverage"]) == 0
        and run_command(["ctest", "--preset", "coverage"]) == 0
        and run_command(pytest, CFLAGS=ANALYSIS_FLAGS) == 0
        and run_command(gcovr) == 0
    )


def run(full: bool) -> Counts:
    """A test for each room: it is not below its floor."""
    del full
    SUMMARY.unlink(missing_ok=True)
    if not _collect():
        return Counts(failed=1)
    rooms = by_room(json.loads(read_text(SUMMARY)))
    for room, reached in rooms.items():
        found = reached.percent()
        lines = f"{found.lines:6.2f} % of {reached.lines_of} lines"
        print(f"{room:<12} {lines:<24} {found.branches:6.2f} % of {reached.branches_of} branches")
    below = fallen(rooms)
    print("".join(f"coverage fell: {line}\n" for line in below), end="", flush=True)
    return Counts(len(rooms) - len(below), len(below))
