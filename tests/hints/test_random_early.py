# SPDX-License-Identifier: Apache-2.0
"""Random programs: an early unlock changes no access to what tasks share, and the sections only get shorter.

What an access is says the compiler (-fsanitize=thread), not the tool.
"""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hints.test_random import INCLUDES
from takt.hints.apply import ODD, Application, apply
from takt.support.provision import ROOT

SEEDS = range(40 if os.environ.get("TAKT_TEST_FULL") else 1)
JOBS = 8  # of a program
HEAD = """#include "tests/hints/early_oracle.h"

static const unsigned table[] = {3, 1, 2};

struct pair {
    unsigned left, right[2];
};

static void set(unsigned *where, unsigned value)
{
    *where = value;
}
"""
BEGIN = """
static void JOB(unsigned x)
{
    unsigned y = 3, z = x + 1, k = x % 3, rounds = 0;
    unsigned taken = 4, several[3] = {1, 2, 3};
    volatile unsigned quick = 1;
    struct pair pair = {x, {2, 3}};
    struct takt_mutex *to_a = &a, *to_b = &b, *m = x % 2 ? &a : &b;
    world.to = x % 2 ? &taken : &world.one; /* other tasks may write it */
    (void)z, (void)k, (void)quick, (void)pair, (void)several, (void)m, (void)to_a, (void)to_b, (void)rounds;
"""
MUTEXES = ["&a", "&a", "&b", "m", "&each[k % 3]", "&each[1]"]
VALUES = ["x", "y", "z", "k", "7", "table[y % 3]", "several[z % 3]", "pair.left", "pair.right[x % 2]", "taken"]
SHARED = ["world.one", "world.several[x % 3]", "*world.to", "world.sensor"]


class Writer:
    """Writes one job and the functions that it calls."""

    def __init__(self, random_: random.Random, number: int) -> None:
        self.random, self.number = random_, number
        self.functions = [self.function(each) for each in range(3)]

    def function(self, each: int) -> str:
        """Some are private; the others use what is shared, or a variable of their own that stays."""
        odd = self.random.choice(["", "", "", "x += world.one;", "static unsigned last; x += last++ + world.one;"])
        calls = f"x += f{self.number}_{each - 1}(y, x);" if each and self.random.random() < 0.5 else ""
        leaves = "switch (x % 4) {\ncase 1:\ncontinue;\ncase 2:\nreturn y;\ndefault:\nbreak;\n}"
        loop = f"while (x % 7 > 2) {{\nx++;\n{self.random.choice([leaves, 'takt_work(2);'])}\n}}"
        head = f"static unsigned f{self.number}_{each}(unsigned x, unsigned y)"
        return f"{head}\n{{\ntakt_work(1 + x % 3);\n{odd}\n{calls}\n{loop}\nreturn x * 3 + y;\n}}\n"

    def job(self) -> str:
        body = "\n".join(line for _ in range(5) for line in self.round())
        return "\n".join(self.functions) + f"{BEGIN.replace('JOB', f'j{self.number}')}{body}\n}}\n"

    def round(self) -> Iterator[str]:
        """A section, or several in each other or in a loop, from which statements may jump."""
        kind = self.random.randrange(4)
        if kind == 0:
            yield "while (rounds++ % 8 < 7) {"
            yield from self.section(loop=True)
            yield "}"
        elif kind == 1:
            yield "{"
            yield from self.section(loop=False)
            yield "}"
        else:
            yield from self.section(loop=False, scope=False)

    def section(self, loop: bool, scope: bool = True) -> Iterator[str]:
        outer, inner = self.random.sample(MUTEXES, 2)
        yield f"takt_mutex_lock({outer});"
        if self.random.random() < 0.4:
            yield f"takt_mutex_lock({inner});"
            yield from self.some(loop)
            yield f"takt_mutex_unlock({inner});"
        yield from self.some(loop)
        if loop and self.random.random() < 0.5:
            yield self.leaves("continue;")
        if scope and self.random.random() < 0.5:  # other variables of the same names
            yield "unsigned k = x % 2 + 1;\nstruct takt_mutex *m = y % 3 ? to_b : to_a;\n(void)k, (void)m;"
        yield from self.private(2)
        yield f"takt_mutex_unlock({outer});"

    def some(self, loop: bool) -> Iterator[str]:
        for _ in range(self.random.randrange(4)):
            yield from self.other(loop) if self.random.random() < 0.5 else self.private(2)

    def private(self, depth: int) -> Iterator[str]:
        """Statements that use only what is local, or a function, which may do more."""
        value, other = self.value(), self.value()
        where = self.random.choice(["x", "y", "z", "k", "several[y % 3]", "pair.left", "pair.right[1]"])
        inner = "\n".join(self.private(depth - 1)) if depth and self.random.random() < 0.5 else "takt_work(x % 5);"
        count = f"n{depth}"
        yield self.random.choice(
            [
                f"{where} = {value} + {other};",
                f"{where} ^= {value}; /* it\n   goes on */",
                "takt_work(z % 9);",
                f"{where} = f{self.number}_{self.random.randrange(3)}({value}, {other});",
                f"if ({value} % 3 == 1) {{\n{inner}\n}} else {{\ny++;\n}}",
                f"for (unsigned {count} = 0; {count} < 3; {count}++) {{\n{inner}\n"
                f"if ({value} % 5 == {count}) {{\n{self.random.choice(['break', 'continue'])};\n}}\n}}",
                f"switch ({value} % 3) {{\ncase 0:\n{inner}\nbreak;\ncase 1:\nz++;\ndefault:\nbreak;\n}}",
            ]
        )

    def other(self, loop: bool) -> Iterator[str]:
        """Statements that concern other tasks, or leave the block."""
        value, shared = self.value(), self.random.choice(SHARED)
        jump = self.random.choice(["continue;", "break;"]) if loop else "return;"
        some = [
            f"{shared} = {value};",
            f"y += {shared};",
            f"takt_work({shared} % 4);",
            f"if ({value} % 7 == 1) {{\n{jump}\n}}",
            self.leaves("continue;" if loop else "return;"),
            "taken++;\nset(&taken, y);",
            "z = quick++;",
            f"if ({value} % 4 == 1) {{\n{shared} ^= y;\n}}",
        ]
        yield self.random.choice(some)

    def leaves(self, jump: str) -> str:
        return f"switch ({self.value()} % 5) {{\ncase 1:\n{jump}\ndefault:\ntakt_work(1);\n}}"

    def value(self) -> str:
        return self.random.choice(VALUES)


def program(seed: int) -> str:
    random_ = random.Random(seed)
    jobs = [Writer(random_, number).job() for number in range(JOBS)]
    table = ", ".join(f"j{number}" for number in range(JOBS))
    end = f"void (*const jobs[])(unsigned) = {{{table}}};\nconst unsigned job_count = {JOBS};\n"
    return HEAD + "\n".join(jobs) + end


def run(source: Path) -> tuple[str, list[int]]:
    """The sum over all that other tasks can see; how long jobs worked, in all and with each mutex."""
    flags = ["-std=gnu11", "-O0", "-w", "-DTAKT_LEVELS=32", *(f"-I{ROOT / name}" for name in INCLUDES)]
    watched = ["-fsanitize=thread", "--param=tsan-distinguish-volatile=1"]
    made, oracle = source.with_suffix(".o"), ROOT / "tests" / "hints" / "early_oracle.c"
    for command in (
        ["gcc", *flags, *watched, "-c", str(source), "-o", str(made)],
        ["gcc", *flags, str(made), str(oracle), "-o", str(source.with_suffix(""))],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    done = subprocess.run([source.with_suffix("")], capture_output=True, text=True, check=False, timeout=20)
    assert done.returncode == 0, f"{source}: {done.stderr}"
    seen, *times = done.stdout.split()
    return seen, list(map(int, times))


@pytest.mark.parametrize("seed", SEEDS)
def test_no_other_task_sees_an_early_unlock(seed: int, tmp_path: Path) -> None:
    late, early = tmp_path / "late.c", tmp_path / "early.c"
    late.write_text(program(seed), encoding="utf-8")
    found = apply(Application((late,), preset="lean"), early=True)
    assert [one for one in found.sections if one.why == ODD] == []
    moved = sum(one.before > 0 for one in found.sections)
    assert JOBS < moved < len(found.sections) - JOBS
    early.write_bytes(found.after[late])
    (before, (whole, *long)), (after, (same, *short)) = run(late), run(early)
    assert (before, whole) == (after, same)
    assert all(less <= more for less, more in zip(short, long, strict=True))
    assert sum(short) < sum(long)
