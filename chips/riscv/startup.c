/* SPDX-License-Identifier: Apache-2.0 */
#include "chips/riscv/reset.h"
#include "ports/rv32/takt_rv32.h"

extern uint32_t takti_interrupt_stack_top[]; /* the linker script's */

uint32_t *const takt_rv32_interrupt_stack_top = takti_interrupt_stack_top;

/* Interrupts stay masked until the first task runs. */
TAKTI_RESET(takt_rv32_vectors, TAKT_RV32_VECTORED);
