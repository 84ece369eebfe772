/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_RV32_PROTECTED_H
#define TAKT_RV32_PROTECTED_H

#include <stddef.h>
#include <stdint.h>

#include "base/dialect.h"

/*
 * Protected systems: tasks in user mode, the kernel in machine mode. Needs PMP with at least 4 entries, none of them
 * locked, and all of them off at reset; user mode; nothing else: no A extension, no supervisor mode.
 */

struct takt_task;

/* Entries that the processor has, the guard's included: 4, 8, 12 or 16. A build for another processor defines it. */
#ifndef TAKT_RV32_PMP_ENTRIES
#define TAKT_RV32_PMP_ENTRIES 16
#endif

#define TAKT_RV32_GUARD_SIZE                                                                \
    32u /* bytes, of which a stack is a multiple: at its lowest address nobody gets at them \
         */

/*
 * The registers of a task that does not run, by number: x[1] to x[31]. In place of x[0], x[2] to x[4]: what they are
 * for. gp and tp are the kernel's in machine mode; in user mode gp is 0, and tp is the process's, whatever
 * somebody made of them. Owner: while the task runs in user mode nobody; in a trap from it those that a call preserves
 * are still in the processor. Idle's: trap_protected.c.
 */
struct takt_port_context {
    uint32_t guard; /* PMP address of the guard of its stack; 0: idle's */
    uint32_t ra;
    uint32_t sp;
    uint32_t pc; /* in place of gp */
    uint32_t tp;
    uint32_t x5_to_x31[27];
};
#define TAKT_RV32_CONTEXT_A0 5 /* x5_to_x31: x10 */

/*
 * PMP: what the registers are, from entry 1 on; entry 0 is the guard, the first that matches counts. `load`: where in
 * takt_rv32_map_load the code begins that writes as many.
 */
struct takt_port_map {
    uint32_t config[TAKT_RV32_PMP_ENTRIES / 4];
    uint32_t address[TAKT_RV32_PMP_ENTRIES]; /* [0] is not written */
    uintptr_t load;
};

/*
 * The task whose registers are in its context, or in the processor, on behalf of the trap that is being served: which
 * runs, and idle as well. NULL: the same, and the end of the trap has to look whether another one should, or whether
 * the map has changed. So that end compares one word. Owner: traps; kernel lock.
 */
extern struct takt_task *takt_rv32_current;

/* kernel/core/dispatch.c: of a task that was in user mode: each trap keeps it. */
#define TAKT_PORT_STACK_POINTER(task) ((uintptr_t)(task)->in_process->context.sp)

static inline void takt_port_pend_switch(void)
{
    takt_rv32_current = NULL;
}

/* The map that was written to the processor last, or none. Not NULL, which is idle's. Owner: traps; kernel lock. */
extern struct takt_port_map *takt_rv32_map;
#define TAKT_RV32_NO_MAP ((struct takt_port_map *)1)

/* trap_protected.c: enters `first`, idle, locked; its context opens the lock. */
TAKT_NORETURN void takt_rv32_enter(struct takt_task *first);

/* trap_protected.c: the end of the code that takt_port_map.load points into, 8 bytes for each entry. */
extern const uint8_t takt_rv32_map_load_end[];

/*
 * A call from user mode: the number in t0, arguments in a0 to a3, the result in a0, or in a0 and a1. As any function it
 * may change the registers that calls change, and returns to ra.
 */
#define TAKT_PORT_STUB(symbol, number)                        \
    __asm__(".section .text." #symbol ", \"ax\", @progbits\n" \
            ".balign 2\n"                                     \
            ".globl " #symbol "\n"                            \
            ".type " #symbol ", @function\n" #symbol ":\n"    \
            "li t0, " #number "\n"                            \
            "ecall\n"                                         \
            ".size " #symbol ", . - " #symbol "\n"            \
            ".text")

#endif
