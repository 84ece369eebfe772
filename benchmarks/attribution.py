# SPDX-License-Identifier: Apache-2.0
"""Where the instructions of each row of benchmarks/kernel go: a count per function between two stamps.

PYTHONPATH=tools .venv/bin/python benchmarks/profile.py [lean|standard] [jobs=N edf=0|1]

QEMU logs every instruction that it executes. Counts are of the last repetition, the caller's own few included; rows are
named by the functions that took the stamps.
"""

from __future__ import annotations

import bisect
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import instructions
from takt import boards

STAMP = "stamp_take"
LONGEST = 2000  # instructions: more is not an operation but what stands between two
PROGRAM_COUNTER = re.compile(r"\[[0-9a-f]+/([0-9a-f]+)/")


class Functions:
    """The functions of an image by address."""

    def __init__(self, image: Path) -> None:
        text = subprocess.run(["arm-none-eabi-nm", image], capture_output=True, text=True, check=True).stdout
        fields = [line.split() for line in text.splitlines()]
        found = sorted((int(row[0], 16) & ~1, row[2]) for row in fields if row[1] in "tT" and row[2][0] != "$")
        self._starts = [start for start, _ in found]
        self._names = [name for _, name in found]

    def at(self, address: int) -> str:
        return self._names[bisect.bisect_right(self._starts, address) - 1]


def profile(image: Path, options: dict[str, object]) -> dict[tuple[str, str], dict[str, int]]:
    """Instructions by function for each pair of functions that stamped one after the other."""
    functions = Functions(image)
    rows: dict[tuple[str, str], dict[str, int]] = {}
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        os.mkfifo(log)
        command = [
            *boards.load("mps2-an385").run_command(image, options),
            "-singlestep",
            "-d",
            "exec,nochain",
            "-D",
            str(log),
        ]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
            counts: dict[str, int] = {}
            first = caller = inside = ""
            for line in log.open(encoding="ascii", errors="replace"):
                match = PROGRAM_COUNTER.search(line)
                if match is None:
                    continue
                name = functions.at(int(match[1], 16))
                if name != STAMP:
                    counts[name] = counts.get(name, 0) + 1
                    caller = name
                elif inside != STAMP:
                    rows[first, caller] = counts
                    counts, first = {}, caller
                inside = name
    return rows


def main() -> int:
    preset = next((word for word in sys.argv[1:] if "=" not in word), "lean")
    words = [word.partition("=") for word in sys.argv[1:] if "=" in word]
    options: dict[str, object] = {name: value for name, _, value in words}
    for (first, second), counts in profile(instructions.build("kernel", preset), options).items():
        total = sum(counts.values())
        if total < LONGEST and "benchmark_row" not in counts:
            print(f"{first} -> {second}: {total}")
            print("    " + ", ".join(f"{name} {count}" for name, count in counts.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
