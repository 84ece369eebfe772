/* SPDX-License-Identifier: Apache-2.0 */
/* Start-up of FreeRTOS on this board: the board's linker script and console, and vectors for FreeRTOS' handlers. */
#include "chips/start.h"
#include "harness.h"
#include "takt/board.h"

int main(void);
void vPortSVCHandler(void);
void xPortPendSVHandler(void);
void xPortSysTickHandler(void);
_Noreturn void takt_board_reset(void);

extern uint32_t takti_interrupt_stack_top[]; /* the linker script's */

enum { EXCEPTIONS = 16, VECTORS = 48 };
#define SCB_VTOR (*(volatile uint32_t *)0xE000ED08u)
#define NVIC_ISER0 (*(volatile uint32_t *)0xE000E100u)
#define NVIC_IPR ((volatile uint8_t *)0xE000E400u)
#define VECTOR(function) ((uint32_t)(uintptr_t)(function))

static uint32_t vectors[VECTORS] __attribute__((aligned(256)));

static void fault(void)
{
    harness_fail("fault", "exception");
}

_Noreturn void takt_board_reset(void)
{
    takti_memory_start();
    vectors[0] = VECTOR(takti_interrupt_stack_top);
    vectors[1] = VECTOR(takt_board_reset);
    for (unsigned i = 2; i < VECTORS; i++) {
        vectors[i] = VECTOR(fault);
    }
    vectors[11] = VECTOR(vPortSVCHandler);
    vectors[14] = VECTOR(xPortPendSVHandler);
    vectors[15] = VECTOR(xPortSysTickHandler);
    SCB_VTOR = VECTOR(vectors);
    takt_board_exit(main());
}

struct reset_vectors {
    uint32_t *stack;
    void (*handlers[6])(void);
};
static const struct reset_vectors reset_vectors __attribute__((used, section(".vectors"))) = {
    .stack = takti_interrupt_stack_top,
    .handlers = {takt_board_reset, fault, fault, fault, fault, fault},
};

void interrupt_attach(void (*handler)(void))
{
    vectors[EXCEPTIONS + TARGET_IRQ] = VECTOR(handler);
    NVIC_IPR[TARGET_IRQ] = configMAX_SYSCALL_INTERRUPT_PRIORITY;
    NVIC_ISER0 = UINT32_C(1) << TARGET_IRQ;
}

/* Ticks come when they are asked for, except in share.c. */
#ifndef BENCHMARK_TICKS
void vPortSetupTimerInterrupt(void);

void vPortSetupTimerInterrupt(void)
{
}
#endif
