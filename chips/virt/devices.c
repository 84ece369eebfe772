/* SPDX-License-Identifier: Apache-2.0 */
#include "devices.h"
#include "registers.h"
#include "takt/board.h"
#include "takt/protection.h"

/*
 * The RTC's alarm represents up to 8 devices: a PLIC cannot be made to raise an interrupt, so the alarm's runs the
 * handlers of those that are due, as if it had claimed theirs. What it costs is part of the measured cost of an
 * interrupt (benchmarks/overheads).
 */
#define NEVER_NS (INT64_MAX / 2 / VIRT_QEMU_NS) /* far away; QEMU adds its own clock, and takes more for long ago */

/* Owner: before the start the caller, then the alarm's interrupt. */
static struct device {
    uint64_t period_ns;
    uint64_t next_ns;
    unsigned number;
} devices[TAKT_BOARD_INTERRUPTS_MAX];
static unsigned device_count;
static bool clock_runs;

static uint64_t now(void)
{
    uint32_t low = VIRT_RTC_TIME_LOW;
    return ((uint64_t)VIRT_RTC_TIME_HIGH << 32 | low) / VIRT_QEMU_NS;
}

static void alarm_set(uint64_t at_ns)
{
    uint64_t alarm = at_ns * VIRT_QEMU_NS;
    VIRT_RTC_ALARM_HIGH = (uint32_t)(alarm >> 32);
    VIRT_RTC_ALARM_LOW = (uint32_t)alarm; /* a time that has passed interrupts at once */
}

/* What came several times while it was masked comes once: a controller remembers one. */
void takt_chip_devices_interrupt(void)
{
    VIRT_RTC_CLEAR = 1;
    uint64_t now_ns = now();
    uint64_t next_ns = NEVER_NS;
    for (unsigned i = 0; i < device_count; i++) {
        struct device *device = &devices[i];
#if TAKT_PROCESSES
        if (takt_chip_masked(device->number)) { /* stays due, and is looked at again */
            continue;
        }
#endif
        bool due = device->next_ns <= now_ns;
        while (device->next_ns <= now_ns) { /* bounded by the longest that interrupts are masked, over the period */
            device->next_ns += device->period_ns;
        }
        if (device->next_ns < next_ns) {
            next_ns = device->next_ns;
        }
        if (due) {
            takt_chip_dispatch(device->number);
        }
    }
#if TAKT_CONSOLE_INPUT
    next_ns = takt_chip_console_look(now_ns, next_ns);
#endif
#if TAKT_CAN
    next_ns = takt_chip_can_look(now_ns, next_ns);
#endif
    alarm_set(next_ns);
}

static void alarm_start(void)
{
    VIRT_PLIC_PRIORITY(VIRT_IRQ_RTC) = 1;
    VIRT_PLIC_ENABLE(VIRT_IRQ_RTC / 32u) |= UINT32_C(1) << (VIRT_IRQ_RTC % 32u);
    VIRT_RTC_ENABLE = 1;
    alarm_set(0); /* at once: it then finds out what is next */
}

#if TAKT_CAN
bool takt_chip_devices_run(void)
{
    return clock_runs;
}

uint64_t takt_chip_devices_time(void)
{
    uint32_t low = VIRT_RTC_TIME_LOW;
    return (uint64_t)VIRT_RTC_TIME_HIGH << 32 | low;
}

uint64_t takt_chip_devices_next(void)
{
    uint64_t next_ns = NEVER_NS;
    for (unsigned i = 0; i < device_count; i++) {
        next_ns = devices[i].next_ns < next_ns ? devices[i].next_ns : next_ns;
    }
    return next_ns;
}

void takt_chip_devices_go_on(uint64_t qemu_ns, uint64_t next_ns)
{
    VIRT_RTC_TIME_LOW = 0; /* so that it does not carry */
    VIRT_RTC_TIME_HIGH = (uint32_t)(qemu_ns >> 32);
    VIRT_RTC_TIME_LOW = (uint32_t)qemu_ns;
    VIRT_RTC_CLEAR = 1;
    alarm_set(next_ns < NEVER_NS ? next_ns : NEVER_NS);
}
#endif

#if TAKT_PROCESSES || TAKT_CONSOLE_INPUT
void takt_chip_devices_look(void)
{
    if (clock_runs && (device_count != 0 || TAKT_CONSOLE_INPUT)) {
        alarm_set(0);
    }
}
#endif

void takt_chip_devices_start(void)
{
    VIRT_RTC_TIME_LOW = 0; /* the host's date until now; so that it does not carry */
    VIRT_RTC_TIME_HIGH = 0;
    VIRT_RTC_TIME_LOW = 0;
    clock_runs = true;
    if (device_count != 0 || TAKT_CONSOLE_INPUT || TAKT_CAN) {
        alarm_start();
    }
}

void takt_board_interrupt_every(unsigned number, uint64_t first_ns, uint64_t period_ns)
{
    if (device_count < TAKT_BOARD_INTERRUPTS_MAX && number < VIRT_IRQ_COUNT && period_ns != 0) {
        VIRT_RTC_ENABLE = 0; /* the alarm's interrupt owns the table otherwise */
        devices[device_count++] = (struct device){period_ns, first_ns, number};
        if (clock_runs) {
            alarm_start();
        }
    }
}
