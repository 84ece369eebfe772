/* SPDX-License-Identifier: Apache-2.0 */
#include "devices.h"
#include "kernel/port.h"
#include "ports/rv32/takt_rv32.h"
#include "registers.h"

/*
 * Time is mtime, 64 bits, from 0; it is read as the CSRs time and timeh. The one-shot is mtimecmp: the
 * interrupt is pending as long as mtime has reached it, so an expiry that has passed interrupts at once, and arming
 * for a later one is what ends the interrupt.
 *
 * An expiry in ticks is a division, which is short while its operand has 32 bits: relative to an epoch in the recent
 * past. Expiries further away, every 4.3 s at most, move the epoch.
 */
static struct {
    uint64_t base_ns; /* of the epoch, less what rounds a division by VIRT_TICK_NS up */
    uint64_t ticks;   /* of the epoch, > 0, so that base_ns > 0 and UINT64_MAX is far from it */
} epoch;

static uint64_t ticks_now(void)
{
    uint32_t low;
    uint32_t high;
    uint32_t again;
    do { /* again when the low half has wrapped in between, which it does every 107 s */
        __asm volatile("rdtimeh %0" : "=r"(high));
        __asm volatile("rdtime  %0" : "=r"(low));
        __asm volatile("rdtimeh %0" : "=r"(again));
    } while (high != again);
    return (uint64_t)high << 32 | low;
}

uint64_t takt_port_now_ns(void)
{
    return ticks_now() * VIRT_TICK_NS;
}

__asm(".globl takt_rv32_mtime\n"
      ".set takt_rv32_mtime, 0x0200BFF8"); /* VIRT_MTIME_LOW */
const uint32_t takt_rv32_tick_ns = VIRT_TICK_NS;

uint64_t takt_port_ticks_ns(uint32_t ticks)
{
    uint64_t now = ticks_now();
    return (now - ((uint32_t)now - ticks)) * VIRT_TICK_NS;
}

/*
 * Between the two halves the one-shot may be armed for a time in the past; interrupts are masked, and here the
 * second half ends what that raised at once. So there is no need to write the low half twice (privileged spec, 3.2.1).
 * On a machine that takes its time to end it, the handler would have to look at the clock: kernel/port.h.
 */
static void compare_set(uint64_t ticks)
{
    VIRT_MTIMECMP_HIGH = (uint32_t)(ticks >> 32);
    VIRT_MTIMECMP_LOW = (uint32_t)ticks;
}

static void epoch_set(uint64_t ticks)
{
    epoch.ticks = ticks;
    epoch.base_ns = ticks * VIRT_TICK_NS - (VIRT_TICK_NS - 1u);
}

/* The rare cases of timer_set. */
static __attribute__((noinline)) bool past_or_far(uint64_t until_ns)
{
    if (until_ns == UINT64_MAX) { /* never: without a division of 64 bits, and the epoch stays */
        compare_set(UINT64_MAX);
        return true;
    }
    epoch_set(ticks_now() + 1);
    if (until_ns < epoch.base_ns) {
        compare_set(0);
        return false;
    }
    compare_set(epoch.ticks + (until_ns - epoch.base_ns) / VIRT_TICK_NS);
    return true;
}

bool takt_port_timer_set(uint64_t until_ns)
{
    uint64_t after_ns = until_ns - epoch.base_ns;
    if (after_ns >> 32 != 0) {
        return past_or_far(until_ns);
    }
    uint64_t ticks = epoch.ticks + (uint32_t)after_ns / VIRT_TICK_NS;
    uint32_t now;
    compare_set(ticks);
    __asm volatile("rdtime %0" : "=r"(now));
    return (int32_t)((uint32_t)ticks - now) > 0; /* far below the wrap */
}

void takt_rv32_clock_start(void)
{
    VIRT_MTIME_LOW = 0; /* so that it does not carry */
    VIRT_MTIME_HIGH = 0;
    VIRT_MTIME_LOW = 0;
    epoch_set(1);
    (void)takt_port_timer_set(UINT64_MAX);
    takt_chip_devices_start();
}
