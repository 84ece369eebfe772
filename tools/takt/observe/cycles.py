# SPDX-License-Identifier: Apache-2.0
"""Where the cycles of a run went, on a board whose simulator counts them: by function, from the retirement port."""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from takt.image import functions
from takt.support import files

FILE = "cycles.txt"  # boards/ibex-soc/board.toml; written by hardware/soc/simulation/profile.h
UNKNOWN = "?"  # code between symbols


@dataclass(frozen=True)
class Function:
    """`cycles`: until each of its instructions retired, from the one before it, whosever that was."""

    name: str
    cycles: int
    instructions: int


@dataclass(frozen=True)
class Cycles:
    """Of a run. `functions`: the most cycles first; together with `asleep` they are all but the start of the run."""

    total: int
    asleep: int
    instructions: int
    functions: tuple[Function, ...]

    @property
    def awake(self) -> int:
        return self.total - self.asleep

    def as_json(self) -> dict[str, Any]:
        return {
            "total": self.total,
            "asleep": self.asleep,
            "instructions": self.instructions,
            "functions": [
                {"name": one.name, "cycles": one.cycles, "instructions": one.instructions} for one in self.functions
            ],
        }


def read(path: Path, image: Path) -> Cycles | None:
    """What the simulator left at `path`, by the symbols of the image. None: it left nothing."""
    if not path.exists():
        return None
    lines = [line.split() for line in files.read_text(path).splitlines()]
    head = {words[0]: int(words[1]) for words in lines[:3]}
    known = functions.of_image(image)
    starts = [one.start for one in known]
    sums: dict[str, list[int]] = {}
    for address, cycles, instructions in lines[3:]:
        index = bisect.bisect_right(starts, int(address, 16)) - 1
        found = sums.setdefault(known[index].name if index >= 0 else UNKNOWN, [0, 0])
        found[0] += int(cycles)
        found[1] += int(instructions)
    counted = [Function(name, *counts) for name, counts in sums.items()]
    counted.sort(key=lambda one: (-one.cycles, one.name))
    return Cycles(head["cycles"], head["asleep"], head["instructions"], tuple(counted))
