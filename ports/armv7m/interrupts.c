/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/port.h"
#include "takt/fault.h"
#include "takt_armv7m.h"

/* System control space, ARMv7-M ARM, B3.2.2. */
#define SCB_CCR (*(volatile uint32_t *)0xE000ED14u)
#define SCB_SHPR1 (*(volatile uint32_t *)0xE000ED18u)
#define SCB_SHPR2 (*(volatile uint32_t *)0xE000ED1Cu)
#define SCB_SHPR3 (*(volatile uint32_t *)0xE000ED20u)
#define SCB_SHCSR (*(volatile uint32_t *)0xE000ED24u)
#define NVIC_ISER ((volatile uint32_t *)0xE000E100u)
#define NVIC_IPR ((volatile uint8_t *)0xE000E400u)

#define CCR_DIV_0_TRP (UINT32_C(1) << 4)
#define CCR_STKALIGN (UINT32_C(1) << 9)
#define SHCSR_FAULTS (UINT32_C(7) << 16) /* MemManage, BusFault, UsageFault: enabled */

#define HANDLERS 32u                     /* a board with more interrupts raises it */
static void (*handlers[HANDLERS])(void); /* of interrupts that call the kernel; set before they are enabled */

void takt_port_init(void)
{
    __asm volatile("cpsid i" : : : "memory"); /* until the first task runs: takt_port_start */
    SCB_SHPR1 = TAKT_ARMV7M_PRIORITY_FAULTS * 0x010101u;
    SCB_SHPR2 = (uint32_t)TAKT_ARMV7M_PRIORITY_SVC << 24;
    SCB_SHPR3 = (uint32_t)TAKT_ARMV7M_PRIORITY_PENDSV << 16;
    SCB_SHCSR |= SHCSR_FAULTS;
    SCB_CCR |= CCR_DIV_0_TRP | CCR_STKALIGN;
}

/* In the vector table for every attached interrupt that may call the kernel, where its edges are traced. */
static void dispatch(void)
{
    uint32_t exception;
    __asm volatile("mrs %0, ipsr" : "=r"(exception));
    uint16_t number = (uint16_t)(exception - TAKT_ARMV7M_EXCEPTIONS);
    takti_interrupt_handle(number, handlers[number]); /* all of one priority: they do not nest */
}

void takt_armv7m_vector_set(unsigned number, void (*handler)(void), uint8_t priority)
{
    takt_armv7m_vectors[TAKT_ARMV7M_EXCEPTIONS + number] = (uint32_t)(uintptr_t)handler;
    NVIC_IPR[number] = priority;
    __asm volatile("dsb" : : : "memory"); /* the vector is in memory before the interrupt can come */
    NVIC_ISER[number / 32u] = UINT32_C(1) << (number % 32u);
}

void takt_port_irq_attach(unsigned number, void (*handler)(void), bool kernel)
{
    if (number >= HANDLERS || number >= takt_armv7m_interrupts) {
        takt_fault_raise(TAKT_FAULT_ASSERTION, __FILE__, __LINE__, (uintptr_t)__builtin_return_address(0));
    }
    if (kernel && TAKTI_TELLS_INTERRUPTS) {
        handlers[number] = handler;
        takt_armv7m_vector_set(number, dispatch, TAKT_ARMV7M_PRIORITY_KERNEL);
    } else if (kernel) { /* nothing to note at its edges */
        takt_armv7m_vector_set(number, handler, TAKT_ARMV7M_PRIORITY_KERNEL);
    } else {
        takt_armv7m_vector_set(number, handler, TAKT_ARMV7M_PRIORITY_FREE);
    }
}

#if TAKT_PROCESSES
#define NVIC_ICER ((volatile uint32_t *)0xE000E180u)

void takt_port_irq_mask(unsigned number, bool masked)
{
    volatile uint32_t *enables = masked ? NVIC_ICER : NVIC_ISER;
    enables[number / 32u] = UINT32_C(1) << (number % 32u);
}
#endif
