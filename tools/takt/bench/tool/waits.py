# SPDX-License-Identifier: Apache-2.0
"""`takt bench tool`: processor seconds of commands that a user waits for, and the most that each may take."""

from __future__ import annotations

import random
import resource
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from pathlib import Path
from typing import Any

import click

from takt.support import children, files
from takt.support.errors import NO, YES
from takt.support.provision import ROOT

SEED = 31
MS = 1_000_000


@dataclass(frozen=True)
class Row:
    """`line_s`: the most, user and system with children. `arguments`: of ./takt, SYSTEM is a folder with `system`.
    `warm`: run once before. `code`: the exit code."""

    name: str
    line_s: float
    arguments: tuple[str, ...]
    system: str = ""
    warm: bool = True
    code: int = YES


def _declared(scheduler: str, tasks: Sequence[tuple[int, int]], more: str = "") -> str:
    """The text of a declaration on host: tasks of (period, wcet) in ns."""
    rows = [
        f'[[task]]\nname = "t{number}"\nperiod = "{period} ns"\nwcet = "{wcet} ns"\n'
        for number, (period, wcet) in enumerate(tasks)
    ]
    return f'[system]\nboard = "host"\nscheduler = "{scheduler}"\n\n' + "\n".join(rows) + more


def shared(load: Fraction, count: int) -> list[tuple[int, int]]:
    """Periods from 20 ms to 2 s and random shares of a load."""
    chance = random.Random(SEED)
    shares = [chance.expovariate(1) + 0.1 for _ in range(count)]
    periods = [chance.randrange(20, 2000) * MS for _ in range(count)]
    whole = sum(shares)
    return [(period, max(1, int(load * period * share / whole))) for period, share in zip(periods, shares, strict=True)]


def near_full_load(count: int) -> list[tuple[int, int]]:
    """A load of 1 - 10^-9; no two periods have a common divisor."""
    chance, periods = random.Random(SEED), list[int]()
    while len(periods) < count:
        period = chance.randint(MS, 1000 * MS) | 1
        if all(gcd(period, other) == 1 for other in periods):
            periods.append(period)
    tasks, left = list[tuple[int, int]](), Fraction(10**9 - 1, 10**9)
    for number, period in enumerate(sorted(periods)):
        wcet = int(left * period / (count - number))
        tasks.append((period, wcet))
        left -= Fraction(wcet, period)
    return tasks


def with_mutexes(tasks: Sequence[tuple[int, int]], count: int) -> str:
    """Mutexes of two tasks each."""
    chance, text = random.Random(SEED), ""
    for number in range(count):
        users = ", ".join(
            f'{{task = "t{user}", hold = "{min(tasks[user][1], chance.randrange(1_000, 50_000))} ns"}}'
            for user in chance.sample(range(len(tasks)), 2)
        )
        text += f'\n[[mutex]]\nname = "m{number}"\nusers = [{users}]\n'
    return text


def rows() -> list[Row]:
    overloaded, half = shared(Fraction(102, 100), 100), shared(Fraction(1, 2), 300)
    limits = ("check", "SYSTEM", "--sensitivity")
    day = ("run", "apps/troublesome", "--board", "host", "--duration", "24h", "--scheduler", "edf")
    return [
        Row("help", 0.25, ("--help",)),
        Row("flight, second run", 7.0, ("run",)),
        Row("24 h of troublesome", 45.0, day, warm=False),
        Row(
            "refutation, 100 tasks, 100 mutexes",
            2.0,
            ("check", "SYSTEM"),
            _declared("dm", overloaded, with_mutexes(overloaded, 100)),
            code=NO,
        ),
        Row("auto at a load of 1 - 10^-9, 100 tasks", 3.0, ("check", "SYSTEM"), _declared("auto", near_full_load(100))),
        Row("sensitivities of 300 tasks, dm", 5.0, limits, _declared("dm", half)),
        Row("sensitivities of 300 tasks, edf", 5.0, limits, _declared("edf", half)),
        Row("1000 tasks", 10.0, ("check", "SYSTEM"), _declared("auto", shared(Fraction(9, 10), 1000))),
    ]


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds(row: Row) -> float:
    """What it takes. RuntimeError: it ends in another way."""
    with tempfile.TemporaryDirectory() as folder:
        files.write_whole(Path(folder, "system.toml"), row.system)
        command = [str(ROOT / "takt"), *(folder if word == "SYSTEM" else word for word in row.arguments)]
        for _ in range(2 if row.warm else 1):
            before = _children_s()
            done = children.run(command, cwd=ROOT)
            if done.returncode != row.code:
                raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
        return _children_s() - before


def measure(names: Sequence[str] = ()) -> dict[str, Any]:
    """The document of `takt bench tool --json` (docs/json.md). `names`: of rows; none: all."""
    found = []
    for row in rows():
        if names and row.name not in names:
            continue
        command = " ".join(["./takt", *row.arguments])
        used = round(seconds(row), 2)
        found.append(
            {"name": row.name, "command": command, "seconds": used, "line": row.line_s, "within": used <= row.line_s}
        )
    return {"rows": found}


def markdown(document: dict[str, Any]) -> str:
    lines = ["| command | takes, s | at most, s |", "|---|---|---|"]
    lines += [f"| {row['name']}: `{row['command']}` | {row['seconds']} | {row['line']} |" for row in document["rows"]]
    return "\n".join(lines)


def add_command(group: click.Group) -> None:
    from takt.support.options import json_option

    @group.command(name="tool")
    @click.option("--row", "names", multiple=True, metavar="NAME", help="Of this row alone; several are possible.")
    @json_option
    def command(names: tuple[str, ...], as_json: bool) -> int:
        """Measure processor seconds of commands that a user waits for, beside the most that each may take."""
        from takt.support import console
        from takt.support.errors import UserError, closest

        known = [row.name for row in rows()]
        for name in names:
            if name not in known:
                raise UserError(f'no row "{name}"', closest(name, known))
        document = measure(names)
        if as_json:
            console.print_json(document)
        else:
            console.out().print(markdown(document), markup=False)
        return YES
