/* SPDX-License-Identifier: Apache-2.0 */
#include "devices.h"
#include "ports/armv7m/takt_armv7m.h"
#include "registers.h"
#include "takt/board.h"

/*
 * One timer represents up to 8 devices: at each time that one of them asked for it pends that device's interrupt in
 * the NVIC. Its own interrupt is above the line, so its lateness does not depend on the kernel. What it costs is part
 * of the measured cost of an interrupt (benchmarks/overheads).
 */
#define FAR_TICKS (UINT32_C(1) << 29)

#define NVIC_ISPR ((volatile uint32_t *)0xE000E200u)

/* Owner: before the start the caller, then the timer's interrupt. */
static struct device {
    uint64_t period_ns;
    uint64_t next_ns;
    uint32_t number;
} devices[TAKT_BOARD_INTERRUPTS_MAX];
static unsigned device_count;

/* An own clock, since this interrupt comes in the middle of whatever the lock protects. */
static uint64_t clock_ns;
static uint32_t clock_ticks;
static bool clock_runs;

static uint64_t now(void)
{
    uint32_t ticks = MPS2_FPGAIO_COUNTER;
    clock_ns += (uint64_t)(ticks - clock_ticks) * MPS2_TICK_NS;
    clock_ticks = ticks;
    return clock_ns;
}

/* Pends what is due and arms the timer for the next. */
static void timer_interrupt(void)
{
    MPS2_TIMER1->interrupt = 1;
    uint64_t now_ns = now();
    uint64_t next_ns = now_ns + (uint64_t)FAR_TICKS * MPS2_TICK_NS;
    for (unsigned i = 0; i < device_count; i++) {
        struct device *device = &devices[i];
        if (device->next_ns <= now_ns) {
            NVIC_ISPR[device->number / 32u] = UINT32_C(1) << (device->number % 32u);
            device->next_ns += device->period_ns;
        }
        if (device->next_ns < next_ns) {
            next_ns = device->next_ns;
        }
    }
#if TAKT_CONSOLE_INPUT
    next_ns = takt_chip_console_look(now_ns, next_ns);
#endif
#if TAKT_CAN
    next_ns = takt_chip_can_look(now_ns, next_ns);
#endif
    now_ns = now();
    MPS2_TIMER1->value = next_ns > now_ns ? (uint32_t)((next_ns - now_ns) >> 3) / (MPS2_TICK_NS / 8u) + 1u : 1u;
}

/* Arms the timer to come at once, which then finds out what is next. */
static void timer_start(void)
{
    MPS2_TIMER1->ctrl = 0;
    MPS2_TIMER1->reload = 0;
    MPS2_TIMER1->interrupt = 1;
    takt_armv7m_vector_set(MPS2_IRQ_TIMER1, timer_interrupt, TAKT_ARMV7M_PRIORITY_FREE);
    MPS2_TIMER1->value = 1; /* before it is enabled: QEMU complains about a timer that starts at 0 */
    MPS2_TIMER1->ctrl = MPS2_TIMER_ENABLE | MPS2_TIMER_INTERRUPT;
}

#if TAKT_CONSOLE_INPUT
void takt_chip_devices_look(void)
{
    MPS2_TIMER1->value = 1;
}
#endif

#if TAKT_CAN
bool takt_chip_devices_run(void)
{
    return clock_runs;
}

uint64_t takt_chip_devices_time(uint32_t ticks)
{
    clock_ns += (uint64_t)(ticks - clock_ticks) * MPS2_TICK_NS;
    clock_ticks = ticks;
    return clock_ns;
}

uint64_t takt_chip_devices_next(void)
{
    uint64_t next_ns = clock_ns + (uint64_t)FAR_TICKS * MPS2_TICK_NS;
    for (unsigned i = 0; i < device_count; i++) {
        next_ns = devices[i].next_ns < next_ns ? devices[i].next_ns : next_ns;
    }
    return next_ns;
}

void takt_chip_devices_arm(uint32_t ticks, uint64_t next_ns)
{
    uint64_t now_ns = takt_chip_devices_time(ticks);
    MPS2_TIMER1->interrupt = 1;
    MPS2_TIMER1->value = next_ns > now_ns ? (uint32_t)((next_ns - now_ns) / MPS2_TICK_NS) + 1u : 1u;
}
#endif

void takt_chip_devices_start(void)
{
    clock_ns = 0;
    clock_ticks = MPS2_FPGAIO_COUNTER;
    clock_runs = true;
    if (device_count != 0 || TAKT_CONSOLE_INPUT || TAKT_CAN) {
        timer_start();
    }
}

void takt_board_interrupt_every(unsigned number, uint64_t first_ns, uint64_t period_ns)
{
    if (device_count < TAKT_BOARD_INTERRUPTS_MAX && number < MPS2_IRQ_COUNT && period_ns != 0) {
        MPS2_TIMER1->ctrl = 0; /* the timer's interrupt owns the table otherwise */
        devices[device_count++] = (struct device){period_ns, first_ns, number};
        if (clock_runs) {
            timer_start();
        }
    }
}
