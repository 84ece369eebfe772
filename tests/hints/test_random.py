# SPDX-License-Identifier: Apache-2.0
"""Random programs: no hint that the tool writes is wrong on any path that is taken, and nothing else changes."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from takt.hints.apply import ODD, Application, apply
from takt.support.provision import ROOT

SEEDS = range(60 if os.environ.get("TAKT_TEST_FULL") else 1)
TASKS = 24  # of a program
INCLUDES = (
    "",
    "kernel/include",
    "kernel/config/preset/lean",
    "kernel/config/sched/bands",
    "ports/host",
    "analysis/include",
)
WAITS = ("takt_semaphore_wait(&go)", "takt_semaphore_wait_until(&go, 5)")


class Writer:
    """Writes one task and the functions that it calls. `depth`: of statements in statements."""

    def __init__(self, random_: random.Random, number: int) -> None:
        self.random, self.number = random_, number
        self.functions: list[str] = []
        self.counters = 0

    def task(self) -> str:
        for each in range(self.random.randrange(4)):
            body = "\n".join(self.block(2, loop=False, parameter=True))
            head = f"static unsigned f{self.number}_{each}(unsigned i, struct takt_mutex *m)"
            self.functions.append(f"{head}\n{{\n    (void)i;\n    (void)m;\n{body}\n    return choice();\n}}\n")
        body = "\n".join(self.block(3, loop=False, parameter=False))
        entry = (
            f"static void t{self.number}(void *argument)\n{{\n    unsigned i = 1;\n    (void)argument;\n    (void)i;\n"
        )
        forever = self.random.random() < 0.7
        text = f"    for (;;) {{\n        choice();\n{body}\n    }}\n" if forever else f"{body}\n"
        return "\n".join(self.functions) + f"\n{entry}{text}}}\n"

    def block(self, depth: int, *, loop: bool, parameter: bool) -> Iterator[str]:
        for _ in range(self.random.randint(1, 4)):
            yield from self.statement(depth, loop, parameter)

    def mutex(self, parameter: bool) -> str:
        names = ["&a", "&a", "&a", "&b", "&locks[1]", "&locks[i % 4]", "locks + 2", *(["m", "m"] if parameter else [])]
        return self.random.choice(names)

    def wait(self) -> str:
        return self.random.choice(WAITS[:1] * 3 + WAITS[1:])

    def statement(self, depth: int, loop: bool, parameter: bool) -> Iterator[str]:
        if depth > 0 and self.random.random() < 0.4:
            yield from self.compound(depth - 1, loop, parameter)
            return
        name = self.mutex(parameter)
        simple = [
            f"takt_mutex_lock({name}); takt_mutex_unlock({name});",
            f"takt_mutex_lock({name});\ntakt_mutex_unlock({name});",
            f"takt_mutex_lock({name}); takt_mutex_lock(&b); takt_mutex_unlock(&b); takt_mutex_unlock({name});",
            f"{self.wait()};",
            f"{self.wait()};",
            f"if (choice() % 3 == 0)\n{self.wait()};",
            self.odd(parameter),
            self.call(parameter),
            self.random.choice(["i++;", "i = choice() % 4;", "choice();"]),
            f"if (choice() % 3 == 0)\n{self.random.choice(['break;', 'continue;'])}" if loop else "choice();",
        ]
        yield self.random.choice(simple)

    def odd(self, parameter: bool) -> str:
        """A wait in an expression."""
        name, nothing = self.mutex(parameter), " 0" if parameter else ""
        return self.random.choice(
            [
                f"if ({self.wait()} != TAKT_OK) {{ choice(); }}",
                f"if (choice() % 2 && {self.wait()} == TAKT_OK) choice();",
                f"{{ enum takt_status s = {self.wait()}; (void)s; }}",
                f"if ({self.wait()} != TAKT_OK || takt_mutex_lock({name}) != TAKT_OK) return{nothing};",
                f"choice() % 2 ? {self.wait()} : {self.wait()};",
                f"i = 2, {self.wait()};",
                f"i += (unsigned){self.wait()};",
            ]
        )

    def call(self, parameter: bool) -> str:
        if not self.functions:
            return "choice();"
        index = self.random.choice(["i", "1", "i + 1"])
        return f"f{self.number}_{self.random.randrange(len(self.functions))}({index}, {self.mutex(parameter)});"

    def compound(self, depth: int, loop: bool, parameter: bool) -> Iterator[str]:
        self.counters += 1
        name = f"n{self.counters}"
        count = self.random.choice(["3", "2", "choice() % 3", "i % 3"])
        kind = self.random.randrange(7)
        inner = "\n".join(self.block(depth, loop=loop or 2 <= kind < 6, parameter=parameter))
        if kind == 0:
            yield f"if (choice() % 2) {{\n{inner}\n}}"
        elif kind == 1:
            other = "\n".join(self.block(depth, loop=loop, parameter=parameter))
            yield f"if (choice() % 2) {{\n{inner}\n}} else {{\n{other}\n}}"
        elif kind == 2:
            yield f"for (unsigned {name} = 0; {name} < {count}; {name}++) {{\n{inner}\n}}"
        elif kind == 3:
            yield f"for (int {name} = 3; {name} > 0; {name} -= 1) {{\n{inner}\n}}"
        elif kind == 4:
            step = self.random.randrange(2)
            body = f"{name}--;\n{inner}" if step else f"{inner}\n{name}--;"
            loops = inner.replace("continue;", "break;")
            body = body.replace(inner, loops)
            yield f"unsigned {name} = {count};\nwhile ({name} > 0) {{\n{body}\n}}"
        elif kind == 5:
            yield f"unsigned {name} = 2;\ndo {{\n{name}--;\n{inner}\n}} while ({name} != 0);"
        else:
            lines = [next(self.statement(0, False, parameter)) for _ in range(self.random.randint(1, 3))]
            cases = "\n".join(f"case {number}:\n{line}\nbreak;" for number, line in enumerate(lines))
            default = "default: choice();" if self.random.random() < 0.5 else ""
            yield f"switch (choice() % 3) {{\n{cases}\n{default}\n}}"


def program(seed: int) -> str:
    random_ = random.Random(seed)
    tasks = [Writer(random_, number).task() for number in range(TASKS)]
    table = ", ".join(f"{{.entry = t{number}}}" for number in range(TASKS))
    end = f"const struct takt_task_config tasks[] = {{{table}}};\nconst unsigned task_count = {TASKS};\n"
    return '#include "tests/hints/oracle.h"\n\n' + "\n".join(tasks) + end


def run(source: Path) -> tuple[str, int, int]:
    """What the oracle says, and how many hints were given, of one mutex and of sets."""
    made = source.with_suffix("")
    flags = [
        "-std=gnu11",
        "-O1",
        "-w",
        "-DTAKT_LEVELS=32",
        "-DTAKT_HEEDS_HINTS=1",
        *(f"-I{ROOT / name}" for name in INCLUDES),
    ]
    command = ["gcc", *flags, str(source), str(ROOT / "tests" / "hints" / "oracle.c"), "-o", str(made)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    done = subprocess.run([made], capture_output=True, text=True, check=False, timeout=10)
    assert done.returncode == 0, f"{source}: {done.stdout}"
    hints, _, sets, _ = done.stderr.split()
    return done.stdout, int(hints), int(sets)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_hint_is_wrong(seed: int, tmp_path: Path) -> None:
    plain, hinted = tmp_path / "plain.c", tmp_path / "hinted.c"
    plain.write_text(program(seed), encoding="utf-8")
    found = apply(Application((plain,), preset="lean"))
    assert [point for point in found.points if point.why == ODD] == []
    hinted.write_bytes(found.after[plain])
    before, *none = run(plain)
    after, hints, sets = run(hinted)
    assert none == [0, 0]
    assert min(hints, sets) > 0
    assert before == after
