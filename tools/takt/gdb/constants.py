# SPDX-License-Identifier: Apache-2.0
"""What manuals of processors say, and debug information does not: names of registers, bits, instructions."""

from __future__ import annotations

RV32_TRAPS = ("timer_taken", "external_taken", "software_taken")  # ports/rv32/trap.c
# x5 to x31, and s0 to s11, by the names that gdb has.
RV32_KEPT = (
    *("t0", "t1", "t2", "fp", "s1"),
    *(f"a{n}" for n in range(8)),
    *(f"s{n}" for n in range(2, 12)),
    *("t3", "t4", "t5", "t6"),
)
RV32_MIE_TIMER = 1 << 7  # of mie, privileged spec, 3.1.9
RV32_SAVED = ("fp", "s1", *(f"s{n}" for n in range(2, 12)))

ARMV7M_ALIGNED = 1 << 9  # of xPSR, ARMv7-M ARM, B1.5.7: the processor left four bytes free above its frame
ARMV7M_RETURN = 0x4770  # bx lr: what a call's stub ends with, ports/armv7m/takt_port_process.h
