/* SPDX-License-Identifier: Apache-2.0 */
#include "chips/start.h"
#include "devices.h"
#include "ports/armv7m/takt_armv7m.h"
#include "ports/armv7m/takt_port_inline.h"
#include "registers.h"
#include "takt/board.h"

int main(void);

extern uint32_t takti_interrupt_stack_top[]; /* the linker script's */

#define SCB_VTOR (*(volatile uint32_t *)0xE000ED08u)
#define VECTORS (TAKT_ARMV7M_EXCEPTIONS + MPS2_IRQ_COUNT)
#define VECTOR(function) ((uint32_t)(uintptr_t)(function))

_Noreturn void takt_board_reset(void);

/* Interrupts are masked up to the line from here until the first task runs. */
_Noreturn void takt_board_reset(void)
{
    takti_memory_start();
    takt_armv7m_vectors[0] = VECTOR(takti_interrupt_stack_top);
    takt_armv7m_vectors[1] = VECTOR(takt_board_reset);
    for (unsigned i = 2; i < VECTORS; i++) {
        takt_armv7m_vectors[i] = VECTOR(i < 7 ? takt_armv7m_fault : takt_armv7m_unexpected);
    }
    takt_armv7m_vectors[11] = VECTOR(takt_armv7m_svc);
    takt_armv7m_vectors[14] = VECTOR(takt_armv7m_pendsv);
    SCB_VTOR = VECTOR(takt_armv7m_vectors);
    (void)takt_port_lock();
    takt_board_exit(main());
}

/* The table at reset serves until the one in RAM is filled. */
struct reset_vectors {
    uint32_t *stack;
    void (*handlers[6])(void);
};
static const struct reset_vectors reset_vectors __attribute__((used, section(".vectors"))) = {
    .stack = takti_interrupt_stack_top,
    .handlers = {takt_board_reset, takt_armv7m_fault, takt_armv7m_fault, takt_armv7m_fault, takt_armv7m_fault,
                 takt_armv7m_fault},
};

/* 48 vectors: aligned to the next power of two of their size. */
uint32_t takt_armv7m_vectors[VECTORS] __attribute__((aligned(256)));
const unsigned takt_armv7m_interrupts = MPS2_IRQ_COUNT;
