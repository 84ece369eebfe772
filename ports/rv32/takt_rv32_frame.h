/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_RV32_FRAME_H
#define TAKT_RV32_FRAME_H

#include <stdint.h>

/*
 * What an interrupt saves on the stack that it interrupts: the registers that a call may change, a word each. This list
 * is their only description: the structure, the instructions that save and load, and the offsets that gdb uses
 * (tools/takt/support/c/ports.py) are made from it. WORD(offset, register); ra is apart, for the entry saves it first.
 */
#define TAKT_RV32_FRAME_RA(WORD) WORD(4, ra)
#define TAKT_RV32_FRAME_OTHERS(WORD) \
    WORD(8, t0)                      \
    WORD(12, t1)                     \
    WORD(16, t2)                     \
    WORD(20, a0)                     \
    WORD(24, a1)                     \
    WORD(28, a2)                     \
    WORD(32, a3)                     \
    WORD(36, a4)                     \
    WORD(40, a5)                     \
    WORD(44, a6)                     \
    WORD(48, a7)                     \
    WORD(52, t3)                     \
    WORD(56, t4)                     \
    WORD(60, t5)                     \
    WORD(64, t6)

#define TAKT_RV32_FRAME_FIELD(offset, name) uint32_t name;
struct takt_rv32_frame {
    uint32_t pc; /* mepc: without processes saved only when there is a switch */
    TAKT_RV32_FRAME_RA(TAKT_RV32_FRAME_FIELD)
    TAKT_RV32_FRAME_OTHERS(TAKT_RV32_FRAME_FIELD)
    uint32_t s0;        /* with processes: of an interrupt of the kernel itself */
    uint32_t unused[2]; /* the stack stays aligned to 16 */
};

#define TAKT_RV32_FRAME_PLACED(offset, name) \
    _Static_assert(__builtin_offsetof(struct takt_rv32_frame, name) == (offset), "in the order of their offsets");
TAKT_RV32_FRAME_RA(TAKT_RV32_FRAME_PLACED)
TAKT_RV32_FRAME_OTHERS(TAKT_RV32_FRAME_PLACED)

/* Instructions for words of the frame at sp. */
#define TAKT_RV32_FRAME_SAVE(offset, name) "sw " #name ", " #offset "(sp)\n\t"
#define TAKT_RV32_FRAME_LOAD(offset, name) "lw " #name ", " #offset "(sp)\n\t"

#endif
