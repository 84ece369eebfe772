/* SPDX-License-Identifier: Apache-2.0 */
#include "devices.h"
#include "kernel/port.h"
#include "ports/rv32/takt_rv32.h"
#include "registers.h"

/*
 * The timer counts ns, so the one-shot is armed with the kernel's expiry itself. Its interrupt is pending as long
 * as the time has reached the comparator: an expiry that has passed interrupts at once, and arming for a later one
 * ends the interrupt.
 */
uint64_t takt_port_now_ns(void)
{
    uint32_t low;
    uint32_t high;
    uint32_t again = IBEX_TIME_HIGH;
    do { /* again when the low half has wrapped in between, which it does every 4.3 s */
        high = again;
        low = IBEX_TIME_LOW;
        again = IBEX_TIME_HIGH;
    } while (high != again);
    return (uint64_t)high << 32 | low;
}

__asm(".globl takt_rv32_mtime\n"
      ".set takt_rv32_mtime, 0x0200BFF8"); /* IBEX_TIME_LOW */
const uint32_t takt_rv32_tick_ns = 1;

uint64_t takt_port_ticks_ns(uint32_t ticks)
{
    uint64_t now_ns = takt_port_now_ns();
    return now_ns - ((uint32_t)now_ns - ticks);
}

/* Interrupts are masked: what is raised between the two halves is over before anybody sees it. */
bool takt_port_timer_set(uint64_t until_ns)
{
    IBEX_COMPARE_HIGH = (uint32_t)(until_ns >> 32);
    IBEX_COMPARE_LOW = (uint32_t)until_ns;
    return until_ns > takt_port_now_ns();
}

void takt_rv32_clock_start(void)
{
    (void)takt_port_timer_set(UINT64_MAX);
    IBEX_TIME_LOW = 0; /* so that it does not carry */
    IBEX_TIME_HIGH = 0;
    IBEX_TIME_LOW = 0;
    takt_chip_devices_start();
}
