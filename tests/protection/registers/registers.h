/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REGISTERS_H
#define REGISTERS_H

/* What user mode finds in its registers after each way back to it. A register is known by its number, `in` and `out`.
 */
#include <stdint.h>

#define REGISTERS 33u /* the last: the flags, where there are some */

struct registers {
    uint32_t in[REGISTERS];  /* planted before */
    uint32_t out[REGISTERS]; /* found afterwards */
};

/* Plants, calls `stub`, which is a trap and nothing else, with what is planted as arguments, and looks. */
void registers_call(void (*stub)(void), struct registers *registers);

/* Plants, counts REGISTER_COUNTER down to 0 and looks: interrupts come meanwhile. */
void registers_spin(struct registers *registers);

/* The entry of a task: keeps what it finds in `registers_first.out`, and goes on in spy_main. */
void spy_entry(void *argument);
void spy_main(void *argument);
extern struct registers registers_first;

#define ARRAY_OFFSET (4u * REGISTERS)

#ifdef __riscv
#define REGISTER_COUNT 32u
#define REGISTER_COUNTER 31u
#define REGISTER_RETURN 1u /* the address that a call returns to */
#define REGISTER_SP 2u
#define REGISTER_RESULT 10u           /* and the next */
#define REGISTER_NUMBER 5u            /* of a call */
#define REGISTERS_OWN 0x14u           /* sp and tp, which are not planted: they stay as they are */
#define REGISTERS_CLEARED 0xF003F0E0u /* after a call that does not switch: all that calls need not keep */
#define REGISTERS_ZERO 0x09u          /* the register 0; gp, which a process has no use for */
#else
#define REGISTER_COUNT 15u
#define REGISTER_COUNTER 0u
#define REGISTER_RETURN 14u
#define REGISTER_SP 13u
#define REGISTER_RESULT 0u
#define REGISTER_NUMBER 12u
#define REGISTERS_OWN 0x2000u
#define REGISTERS_CLEARED 0u /* the processor loads what it stored */
#define REGISTERS_ZERO 0u
#define FLAGS 0xA8000000u      /* N, C, Q */
#define FLAGS_SPUN 0x68000000u /* Z, C, Q */
#endif

#endif
