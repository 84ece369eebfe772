/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_MPS2_REGISTERS_H
#define TAKT_MPS2_REGISTERS_H

#include <stdint.h>

/* Arm MPS2 with image AN385: ARM DAI 0385D, and for the peripherals ARM DDI 0479 (CMSDK). Everything runs at 25 MHz. */
#define MPS2_TICK_NS 40u

/* Counts up at 25 MHz, 32 bits. */
#define MPS2_FPGAIO_COUNTER (*(volatile uint32_t *)0x40028018u)

/* Counts down to 0, raises its interrupt, and stops when `reload` is 0. */
struct mps2_timer {
    uint32_t ctrl;
    uint32_t value;
    uint32_t reload;
    uint32_t interrupt; /* status; write 1 to clear */
};
#define MPS2_TIMER0 ((volatile struct mps2_timer *)0x40000000u)
#define MPS2_TIMER1 ((volatile struct mps2_timer *)0x40001000u)
#define MPS2_TIMER_ENABLE 1u
#define MPS2_TIMER_INTERRUPT 8u

struct mps2_uart {
    uint32_t data;
    uint32_t state;
    uint32_t ctrl;
    uint32_t interrupt;
    uint32_t divider;
};
#define MPS2_UART0 ((volatile struct mps2_uart *)0x40004000u)
#define MPS2_UART1 ((volatile struct mps2_uart *)0x40005000u)
#define MPS2_UART_FULL 1u
#define MPS2_UART_RECEIVED 2u
#define MPS2_UART_TRANSMIT 1u /* ctrl */
#define MPS2_UART_RECEIVE 2u
#define MPS2_UART_RECEIVE_INTERRUPT 8u
#define MPS2_UART_RECEIVE_PENDING 2u /* interrupt; write 1 to clear */

/* Interrupt numbers. */
#define MPS2_IRQ_UART0_RECEIVE 0u
#define MPS2_IRQ_TIMER0 8u
#define MPS2_IRQ_TIMER1 9u
#define MPS2_IRQ_CAN 30u /* and 31: free on the machine, raised for simulated controllers */
#define MPS2_IRQ_COUNT 32u

#endif
