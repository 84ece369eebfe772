# SPDX-License-Identifier: Apache-2.0
"""Where the instructions of one row go: a count per function from its beginning to its end.

QEMU logs every instruction that it executes (-singlestep -d exec,nochain), and the harness marks the row in the log
(benchmarks/kernel/profile.c).
"""

from __future__ import annotations

import bisect
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click

from takt.bench.kernel import BANDS, PROFILE, Run
from takt.declare.schema import boards
from takt.support import children
from takt.support.errors import UserError, did_you_mean

_ON, _OFF = "profile_on", "profile_off"
_OURS = {_ON, _OFF, "profile_begin", "profile_end", "stamp_take"}
_COUNTER = re.compile(r"\[[0-9a-f]+/([0-9a-f]+)/")


class _Functions:
    """The functions of an image by address."""

    def __init__(self, image: Path, tool: str) -> None:
        text = children.run([tool, image], check=True).stdout
        fields = [line.split() for line in text.splitlines()]
        found = sorted((int(row[0], 16) & ~1, row[2]) for row in fields if row[1] in "tT" and row[2][0] not in "$.")
        self._starts = [start for start, _ in found]
        self._names = [name for _, name in found]

    def at(self, address: int) -> str:
        return self._names[bisect.bisect_right(self._starts, address) - 1]


def profile(run: Run, operation: str) -> dict[str, int]:
    """Instructions by function of the last repetition, without what takes the stamps. UserError: no such operation."""
    run = replace(run, flags=f"{run.flags} {PROFILE}".strip())
    image = run.image()
    known = [name for name in run.found(image) if name != "repeats"]
    if operation not in known:
        raise UserError(f'no operation "{operation}"', did_you_mean(operation, known))
    board = boards.load(run.board)
    options: dict[str, object] = {
        **dict(run.options),
        "band": BANDS.index(run.band),
        "only": known.index(operation) + 1,
    }
    functions = _Functions(image, f"{board.tools}nm")
    found: dict[str, int] = {}
    counts: dict[str, int] = {}
    inside = False
    for name in _executed(functions, board.run_command(image, options)):
        if name == _ON:
            counts, inside = {}, True
        elif name == _OFF:
            found, inside = (counts if inside else found), False
        elif inside and name not in _OURS:
            counts[name] = counts.get(name, 0) + 1
    return found


def _executed(functions: _Functions, command: list[str]) -> Iterator[str]:
    """The function of each instruction, in order."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        os.mkfifo(log)
        words = [*command, "-singlestep", "-d", "exec,nochain", "-D", str(log)]
        with children.start(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
            for line in log.open(encoding="ascii", errors="replace"):
                match = _COUNTER.search(line)
                if match is not None:
                    yield functions.at(int(match[1], 16))


def show(found: dict[str, int]) -> None:
    for name, count in found.items():
        click.echo(f"{name:40}{count:>8}")
    click.echo(f"{'':40}{sum(found.values()):>8}")
