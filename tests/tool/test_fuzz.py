# SPDX-License-Identifier: Apache-2.0
"""Declarations with odd values, missing keys and keys that contradict each other: a message or a verdict, never a
traceback. Exit code 0, 1 or 2, and what is refused says where.

TAKT_FUZZ: how many (default 60, with --full 5000).
"""

from __future__ import annotations

import copy
import json
import os
import random
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from can_systems import BRAKE, BUS, SPEED
from command_line import Takt
from takt.declare import declaration
from takt.support.errors import UserError

FILES = int(os.environ.get("TAKT_FUZZ", "5000" if os.environ.get("TAKT_TEST_FULL") else "60"))
TIMES = ["0 ns", "1 ns", "3 us", "7 ms", "20 ms", "1 s", "1 min", f"{2**62} ns", f"{2**62 + 1} ns", f"{10**25} s"]
ODD_TIMES = ["", "ms", "-1 ms", "1.5 ns", "0.1 us", "5", "1e3 ms", "٣ ms", "1 fortnight", " 1 ms ", "9" * 5000 + " s"]
NUMBERS = [-(2**63), -1, 0, 1, 2, 8, 127, 128, 255, 256, 1024, 65535, 65536, 2**31, 2**32, 2**53, 2**63 - 1]
NAMES = ["", "int", "takt_x", "main", "a" * 63, "a" * 64, "Zürich", "two words", "a;b", "0day", "idle", "x\ty", "\\"]
OTHERS = [True, False, 0.5, 1e300, [], [[]], {}, {"name": "x"}, [1, "a"], ["control", ["control"]], [["a"], ["b"]]]

BASE = """
[system]
board = "host"
duration = "1 s"
[[task]]
name = "control"
period = "20 ms"
wcet = "1 ms"
deadline = "10 ms"
suspension = "1 ms"
waits = 2
[[task]]
name = "slow"
period = "50 ms"
wcet = "2 ms"
deadline = "120 ms"
on_miss = "notify"
miss_handler = "slow_missed"
miss_wcet = "3 us"
jitter = "1 ms"
[[task]]
name = "command"
min_interarrival = "100 ms"
wcet = "300 us"
trigger = "interrupt uart"
on_budget = "stop"
budget = "400 us"
pending_max = 2
[[task]]
name = "house"
min_interarrival = "50 ms"
wcet = "200 us"
trigger = "alarm_queue later"
[[task]]
name = "log"
stack = 2048
[[mutex]]
name = "data"
users = [{task = "control", hold = "40 us"}, {task = "slow", hold = "25 us"}]
[[mutex]]
name = "top"
protocol = "ceiling"
users = [{task = "control", hold = "0 ns"}, {task = "slow", hold = "25 us", within = ["data"]}]
[[semaphore]]
name = "go"
initial = 1
maximum = 3
[[mailbox]]
name = "box"
message_size = 16
capacity = 4
[[state]]
name = "position"
message_size = 16
depth = 3
writer = "control"
[[ring]]
name = "bytes"
item_size = 1
capacity = 64
writer = "uart"
reader = "command"
[[events]]
name = "flags"
[[pool]]
name = "blocks"
block_size = 64
count = 4
[[alarm]]
name = "lamp"
period = "100 ms"
start = "5 ms"
wcet = "10 us"
handler = "lamp_came"
[[alarm]]
name = "late"
min_interarrival = "60 ms"
wcet = "100 us"
handler = "late_came"
queue = "later"
[[alarm_queue]]
name = "later"
[[watchdog]]
name = "guard"
task = "control"
time = "50 ms"
action = "stop"
[[slot]]
name = "orders"
owner = "log"
message_size = 8
capacity = 4
[[signal_pool]]
name = "signals"
data_size = 8
count = 4
[[signal_queue]]
name = "inbox"
owner = "log"
[[pipe]]
name = "stream"
capacity = 128
[[priority_mailbox]]
name = "wishes"
message_size = 8
capacity = 4
handler = "wished"
wcet = "1 us"
[[condition]]
name = "full"
mutex = "data"
[[rendezvous]]
name = "meet"
[[interrupt]]
name = "uart"
number = 2
min_interarrival = "1 ms"
wcet = "20 us"
"""
BASE += BUS + BRAKE.replace("0x100", '"auto"').replace("5 ms", "40 ms") + SPEED

BANDS = """
[[band]]
kind = "edf"
tasks = ["control", "slow"]
[[band]]
kind = "fixed"
tasks = ["command", ["house"]]
quantum = "1 ms"
"""


def value_text(value: Any) -> str:
    """In TOML. JSON writes strings, numbers and booleans alike."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {value_text(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(value_text, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def text_of(document: dict[str, Any]) -> Iterator[str]:
    for name, tables in document.items():
        for table in tables if isinstance(tables, list) else [tables]:
            yield f"[[{name}]]" if isinstance(tables, list) else f"[{name}]"
            yield from (f"{json.dumps(key)} = {value_text(value)}" for key, value in table.items())


def odd_value(chance: random.Random, document: dict[str, Any]) -> Any:
    names = [
        table["name"]
        for tables in document.values()
        if isinstance(tables, list)
        for table in tables
        if table.get("name")
    ]
    kind = chance.randrange(12)
    if kind < 5:
        return chance.choice(TIMES)
    if kind == 5:
        return chance.choice(ODD_TIMES)
    if kind < 8:
        return chance.choice(NUMBERS)
    if kind == 8:
        return chance.choice(NAMES)
    return chance.choice(OTHERS) if kind == 9 else chance.choice(names)


def spoil(chance: random.Random, document: dict[str, Any]) -> None:
    """One change."""
    name = chance.choice([name for name in document if document[name]])
    tables = document[name]
    table = chance.choice(tables) if isinstance(tables, list) else tables
    every = [key for other in (tables if isinstance(tables, list) else [tables]) for key in other]
    kind = chance.randrange(10)
    if kind == 0 and table:
        del table[chance.choice(list(table))]
    elif kind == 1 and isinstance(tables, list):
        tables.append(copy.deepcopy(table))
    elif kind == 2 and isinstance(tables, list):
        tables.remove(table)
    elif kind == 3:
        table[chance.choice(every or ["name"])] = odd_value(chance, document)
    elif kind == 4 and name == "mutex" and table.get("users"):
        user = chance.choice(table["users"])
        user[chance.choice(["task", "hold", "within"])] = odd_value(chance, document)
    elif table:
        key = chance.choice(list(table))
        table[key] = odd_value(chance, document)


def spoiled(seed: int) -> str:
    chance = random.Random(f"odd {seed}")
    document = tomllib.loads(BASE + (BANDS if chance.random() < 0.4 else ""))
    for _ in range(chance.randint(1, 3)):
        spoil(chance, document)
    return "\n".join(text_of(document)) + "\n"


def show(nanoseconds: int) -> str:
    return f"{nanoseconds} ns"


def extreme(seed: int) -> str:
    """Nothing is wrong with it but that its times are of all sizes."""
    chance = random.Random(f"extreme {seed}")

    def some(limit: int) -> int:
        return max(1, min(limit, round(2 ** chance.uniform(0, 62)) + chance.choice((-1, 0, 1))))

    tasks: list[dict[str, Any]] = []
    for number in range(chance.randint(1, 5)):
        period = some(2**62)
        wcet = max(1, period // chance.choice((2, 5, 9, 20, 100, 1000)) - chance.choice((0, 0, 1)))
        deadline = chance.choice((period, period, max(wcet, some(period)), min(2**62, 2 * period + 1)))
        task: dict[str, Any] = {
            "name": f"t{number}",
            "period": show(period),
            "wcet": show(wcet),
            "deadline": show(deadline),
        }
        if chance.random() < 0.2 and deadline > 1:
            task["jitter"] = show(chance.randrange(min(deadline, 2**60)))
        if chance.random() < 0.2:
            task["suspension"] = show(some(max(1, deadline // 8)))
            task["waits"] = chance.choice((1, 2, 255))
        tasks.append(task)
    document: dict[str, Any] = {"system": {"board": "host"}, "task": tasks}
    if chance.random() < 0.3:
        users = [{"task": task["name"], "hold": show(some(int(task["wcet"].split()[0])))} for task in tasks]
        document["mutex"] = [{"name": "m", "users": users}]
    if chance.random() < 0.3:
        document["interrupt"] = [{"name": "i", "number": 5, "min_interarrival": show(some(2**62)), "wcet": "1 us"}]
    return "\n".join(text_of(document)) + "\n"


def ask(takt: Takt, path: Path, text: str, seed: int, *more: str | Path) -> int:
    """The exit code of a command on a declaration; it says a verdict, or what is wrong with it."""
    path.write_text(text, encoding="utf-8")
    board = ("host", "mps2-an385", "rv32-virt")[seed % 3]
    said = takt(*more[:1], path, "--board", board, *more[1:])
    context = f"seed {seed}, {board}, {more}: {said.out[-500:]}{said.err[-500:]}"
    assert said.code in (0, 1, 2), context
    assert "Traceback" not in said.err, context
    if said.code == 2:
        assert re.search(r"^takt: .+", said.err, re.MULTILINE), context
    elif more[0] == "check":
        assert re.search(r"^(Proved|Refuted|Undecided): ", said.out, re.MULTILINE), context
    return said.code


def refusal(path: Path) -> str | None:
    """What is said of a declaration; None: it is taken."""
    try:
        declaration.load(path)
    except UserError as error:
        return str(error)
    return None


def test_every_key_with_values_of_other_kinds(tmp_path: Path) -> None:
    """Each is taken or refused, in the reader."""
    path, taken, refused = tmp_path / "system.toml", 0, 0
    for name, tables in tomllib.loads(BASE + BANDS).items():
        for index in range(len(tables) if isinstance(tables, list) else 1):
            for number, value in enumerate([*OTHERS[::2], 7, "1 ms"]):
                document = tomllib.loads(BASE + BANDS)
                table = document[name][index] if isinstance(tables, list) else document[name]
                key = sorted(table)[number % len(table)]
                table[key] = value
                path.write_text("\n".join(text_of(document)) + "\n", encoding="utf-8")
                said = refusal(path)
                assert said is None or said.startswith(f"{path}:"), (name, index, key, value)
                taken += said is None
                refused += said is not None
    assert refused > 10 * taken > 0


def test_odd_declarations(takt: Takt, tmp_path: Path) -> None:
    seen: Counter[int] = Counter()
    for seed in range(FILES):
        text = spoiled(seed)
        choice = () if "[[band]]" in text else ("--scheduler", ("dm", "edf", "rm", "csd2", "auto")[seed % 5])
        if seed % 7 == 0:
            code = ask(takt, tmp_path / "system.toml", text, seed, "generate", *choice, "--output", tmp_path / "out")
        else:
            code = ask(takt, tmp_path / "system.toml", text, seed, "check", *choice, "--no-sensitivity")
        seen[code] += 1
    assert seen[2] > FILES / 2
    assert seen[0] > FILES / 50


def test_extreme_times(takt: Takt, tmp_path: Path) -> None:
    seen: Counter[int] = Counter()
    for seed in range(FILES // 3):
        choice = ("--scheduler", ("dm", "edf", "rm", "csd2", "cooperative", "auto")[seed % 6])
        more = () if seed % 5 == 0 else ("--no-sensitivity",)
        seen[ask(takt, tmp_path / "system.toml", extreme(seed), seed, "check", *choice, *more)] += 1
    assert min(seen[0], seen[1]) > FILES / 20
