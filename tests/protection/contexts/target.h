/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TARGET_H
#define TARGET_H

/*
 * What a processor's file has. Constants:
 * - TARGET_DEVICE: the address of a device's register that a read leaves as it is, and so does a write of 0;
 * - TARGET_STORM_NS: how often an interrupt may wake a task and leave time for others, with any kernel;
 * - TARGET_CODE(address): as a pointer to a function;
 * - TARGET_PRIVILEGED, TARGET_PRIVILEGED_FAULT: how many things target_privileged does, and the cause of their faults;
 * - TARGET_IRQ, TARGET_INTERRUPT: an interrupt's number, and the struct takt_region that raises it;
 * - TARGET_ACKNOWLEDGE, if the handler of that interrupt has to do something;
 * - TARGET_STAMP_UNITS: of target_stamp in an instruction;
 * - TARGET_SPECIALS, if it has them: scenarios of what is special about it, for bool target_special(which).
 *
 * In the kernel, before the start: void target_kernel_init(void), what user mode needs for the rest. In user mode:
 * - void target_interrupt(void): raises it; it is taken before this returns, or at the next instruction;
 * - uint32_t target_stamp(void), inline: instructions executed, from anywhere on;
 * - bool target_spin(seed, loops): whether all registers, but the stack pointer and the system's, keep values made of
 *   `seed` while it counts `loops` down;
 * - bool target_call(seed, number, a, b): the same of those that functions preserve, over a call with two arguments;
 * - void target_privileged(which): what only the kernel may do; it must not come back;
 * - void target_undefined(void), target_break(void): an instruction that is none; one for debuggers or semihosting;
 * - void target_stack(sp, loops): makes sp the stack pointer; executes CALL_NULL if `loops` is 0, else counts them
 *   down; then pushes something;
 * - bool target_pointers(value, loops): as DO_POINTERS, a call, then loops; whether they are as they were.
 */
#ifdef __riscv
#include "target_rv32.h"
#else
#include "target_armv7m.h"
#endif

#endif
