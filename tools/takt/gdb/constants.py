# SPDX-License-Identifier: Apache-2.0
"""What debug information does not tell: macros, and what assembler does. Tests compare it with the sources."""

from __future__ import annotations

STACK_FILL = 0xA5  # kernel/core/state.h, TAKT_STACK_FILL
FAULT_MAGIC = 0x544B4654  # takt/fault.h; also the lowest word of a stack that is checked

# ports/host/context.c, takt_host_swap: what it pushes, lowest address first.
X86_64_SAVED = ("r15", "r14", "r13", "r12", "rbx", "rbp", "pc")

# ports/rv32/trap.c, TRAP_BEGIN and TRAP_SAVE, and pc, which is saved there when there is a switch.
RV32_FRAME = ("pc", "ra", "t0", "t1", "t2", *(f"a{n}" for n in range(8)), "t3", "t4", "t5", "t6")
RV32_FRAME_SIZE = 80
RV32_FRAME_S0 = 17  # with processes also this word, of the kernel's own interrupts: trap_protected.c
RV32_TRAPS = ("timer_taken", "external_taken", "software_taken")
# ports/rv32/takt_rv32_protected.h, x5_to_x31.
RV32_KEPT = (
    *("t0", "t1", "t2", "fp", "s1"),
    *(f"a{n}" for n in range(8)),
    *(f"s{n}" for n in range(2, 12)),
    *("t3", "t4", "t5", "t6"),
)
RV32_SAVED = ("fp", "s1", *(f"s{n}" for n in range(2, 12)))  # ports/rv32/context.c, s0_to_s11

ARMV7M_ALIGNED = 1 << 9  # of xPSR, ARMv7-M ARM, B1.5.7: the processor left four bytes free above its frame
ARMV7M_RETURN = 0x4770  # bx lr: what a call's stub ends with, ports/armv7m/takt_port_process.h
