/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_VIRT_REGISTERS_H
#define TAKT_VIRT_REGISTERS_H

#include <stdint.h>

/* QEMU's `virt` machine for RISC-V, one hart. */
#define VIRT_WORD(address) (*(volatile uint32_t *)(address))

/* A ns of the board is four of QEMU's (board.toml). */
#define VIRT_QEMU_NS 4u

/* SiFive CLINT: the machine software interrupt, and mtime, which counts up at 10 MHz of QEMU's time. */
#define VIRT_TICK_NS (100u / VIRT_QEMU_NS)
#define VIRT_MSIP VIRT_WORD(0x02000000u)
#define VIRT_MTIMECMP_LOW VIRT_WORD(0x02004000u)
#define VIRT_MTIMECMP_HIGH VIRT_WORD(0x02004004u)
#define VIRT_MTIME_LOW VIRT_WORD(0x0200BFF8u)
#define VIRT_MTIME_HIGH VIRT_WORD(0x0200BFFCu)

/* RISC-V PLIC, context 0: machine mode of hart 0. Reading CLAIM takes the best pending source, writing ends it. */
#define VIRT_PLIC_PRIORITY(source) VIRT_WORD(0x0C000000u + 4u * (source))
#define VIRT_PLIC_ENABLE(word) VIRT_WORD(0x0C002000u + 4u * (word))
#define VIRT_PLIC_THRESHOLD VIRT_WORD(0x0C200000u)
#define VIRT_PLIC_CLAIM VIRT_WORD(0x0C200004u)

/* Interrupt numbers: sources of the PLIC, which begin at 1; 0, which is none there, is the software interrupt. */
#define VIRT_IRQ_SOFTWARE 0u
#define VIRT_IRQ_UART 10u
#define VIRT_IRQ_RTC 11u
#define VIRT_IRQ_CAN 62u /* and 63: simulated controllers, which the alarm represents */
#define VIRT_IRQ_COUNT 64u

/* 16550: data, interrupts that it may raise, and line status. */
#define VIRT_UART_DATA (*(volatile uint8_t *)0x10000000u)
#define VIRT_UART_INTERRUPTS (*(volatile uint8_t *)0x10000001u)
#define VIRT_UART_INTERRUPT_RECEIVED 1u
#define VIRT_UART_STATUS (*(volatile uint8_t *)0x10000005u)
#define VIRT_UART_EMPTY 0x20u
#define VIRT_UART_RECEIVED 0x01u

/*
 * Goldfish RTC: ns of QEMU, virtual with `-rtc clock=vm`, and an alarm. Reading LOW latches HIGH; writing ALARM_LOW
 * arms.
 */
#define VIRT_RTC_TIME_LOW VIRT_WORD(0x00101000u)
#define VIRT_RTC_TIME_HIGH VIRT_WORD(0x00101004u)
#define VIRT_RTC_ALARM_LOW VIRT_WORD(0x00101008u)
#define VIRT_RTC_ALARM_HIGH VIRT_WORD(0x0010100Cu)
#define VIRT_RTC_ENABLE VIRT_WORD(0x00101010u)
#define VIRT_RTC_CLEAR VIRT_WORD(0x0010101Cu) /* the interrupt */

/* SiFive test finisher: ends the emulation. */
#define VIRT_TEST VIRT_WORD(0x00100000u)
#define VIRT_TEST_PASS 0x5555u
#define VIRT_TEST_FAIL 0x3333u /* the exit code in the upper half */

#endif
