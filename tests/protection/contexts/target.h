/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TARGET_H
#define TARGET_H

/*
 * What a processor's file has, all in user mode but the constants:
 * TARGET_DEVICE: the address of a device's register that a read leaves as it is, and so does a write of 0.
 * TARGET_STORM_NS: how often an interrupt may wake a task and leave time for others, with any kernel.
 * TARGET_CODE(address): as a pointer to a function.
 * TARGET_PRIVILEGED: how many things target_privileged does.
 * TARGET_PRIVILEGED_FAULT: the cause of a fault that those are.
 * TARGET_ACKNOWLEDGE, if the interrupt's handler has to do something.
 * TARGET_IRQ, TARGET_INTERRUPT: the number of an interrupt, and the struct takt_region that user mode needs to raise
 * it. void target_interrupt(void): raises it; it is taken before this returns, or at the next instruction. uint32_t
 * target_stamp(void): inline: instructions executed, from anywhere on, times TARGET_STAMP_UNITS. void
 * target_kernel_init(void): in the kernel, before the start: what user mode needs for that. bool target_spin(seed,
 * loops): all registers but the stack pointer and those that are the system's have values made of `seed` while it
 * counts `loops` down; whether they kept them. bool target_call(seed, number, a, b): the same, of those that a function
 * preserves, over a call with two arguments. void target_privileged(which): executes what only the kernel may; it must
 * not come back. void target_undefined(void), target_break(void): an instruction that is none; one for debuggers or
 * semihosting. void target_stack(sp, loops): makes sp the stack pointer; executes a call of CALL_NULL if `loops` is 0,
 * else counts them down; then pushes something. bool target_pointers(value, loops): as DO_POINTERS: calls, then loops;
 * whether they are as they were.
 * If it has TARGET_SPECIALS, scenarios of what is special about it: bool target_special(which); whether it went well.
 */
#ifdef __riscv
#include "target_rv32.h"
#else
#include "target_armv7m.h"
#endif

#endif
