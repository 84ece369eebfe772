# SPDX-License-Identifier: Apache-2.0
"""Whether every register of a task survives what interrupts it, on RV32."""

from __future__ import annotations

# Every register but zero, sp, gp and tp holds a value of its own, again and again.
REGISTERS = ["ra", *(f"t{i}" for i in range(7)), *(f"a{i}" for i in range(8)), *(f"s{i}" for i in range(12))]


def registers_assembly() -> str:
    """`fill` writes all but what a call preserves; `look` fills all, waits, and returns whether one has changed."""
    saved = ["ra", *(f"s{i}" for i in range(12))]
    scratch = [name for name in REGISTERS if name not in saved]
    push = [f"sw {name}, {4 * index}(sp)" for index, name in enumerate(saved)]
    pop = [f"lw {name}, {4 * index}(sp)" for index, name in enumerate(saved)]
    values = {name: 0x10101 * (index + 1) for index, name in enumerate(REGISTERS)}
    counted = [name for name in REGISTERS if name not in ("t0", "t1")]  # t0 counts; t1 compares at the end
    lines = [
        *("fill:", *(f"addi {name}, a0, {index}" for index, name in enumerate(scratch) if name != "a0"), "ret"),
        *("look:", "addi sp, sp, -64", *push, *(f"li {name}, {value}" for name, value in values.items())),
        *("li t0, 300", "1:", "addi t0, t0, -1", "bnez t0, 1b"),
        *(f"li t0, {values['t1']}", "bne t1, t0, 2f"),
        *(text for name in counted for text in (f"li t0, {values[name]}", f"bne {name}, t0, 2f")),
        *("li a0, 0", "j 3f", "2:", "li a0, 1", "3:", *pop, "addi sp, sp, 64", "ret"),
    ]
    text = "\\n".join(lines)
    return f'__asm(".globl fill\\n.globl look\\n{text}");\n'
