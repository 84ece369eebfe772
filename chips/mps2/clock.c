/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arith.h"
#include "devices.h"
#include "kernel/port.h"
#include "ports/armv7m/takt_armv7m.h"
#include "registers.h"

/*
 * Time is the 25 MHz counter of the FPGA, 32 bits, which wraps after 171 s. The epoch is a pair of a counter value and
 * its expiry; expiries that 32 bits of ns after it do not reach are far. The epoch moves on when the one-shot is armed
 * for one, and the one-shot comes after FAR_TICKS then. So the difference to the counter stays below the wrap, and no
 * interrupt has to look after it.
 */
#define FAR_TICKS (UINT32_C(1) << 26)
#define STEP_TICKS (UINT32_C(1) << 25)
#define ARMING_TICKS 6 /* from reading the counter until the one-shot counts, at the least */

/* Kernel lock. */
static struct {
    uint64_t epoch_ns;
    uint32_t epoch_ticks;
    uint32_t target; /* the counter's value at the expiry of the one-shot; of a far one: some in the future */
} clock;

/* The multiplication is written out: the compiler's own way spills a register in what runs at every event. */
static inline uint64_t ns_of(uint32_t counter)
{
    uint32_t low = (uint32_t)clock.epoch_ns;
    uint32_t high = (uint32_t)(clock.epoch_ns >> 32);
    uint32_t ticks = counter - clock.epoch_ticks;
    __asm("umlal %0, %1, %2, %3" : "+r"(low), "+r"(high) : "r"(ticks), "r"(MPS2_TICK_NS));
    return (uint64_t)high << 32 | low;
}

uint64_t takt_port_now_ns(void)
{
    return ns_of(MPS2_FPGAIO_COUNTER);
}

__asm(".globl takt_armv7m_counter\n"
      ".set takt_armv7m_counter, 0x40028018"); /* MPS2_FPGAIO_COUNTER */
const uint32_t takt_armv7m_tick_ns = MPS2_TICK_NS;

uint64_t takt_port_ticks_ns(uint32_t ticks)
{
    return ns_of(ticks);
}

/* The target has come, or does within the instructions that it takes to arm: now. Its own interrupt needs no other. */
static __attribute__((noinline)) bool past(void)
{
    while ((int32_t)(clock.target - MPS2_FPGAIO_COUNTER) > 0) { /* ARMING_TICKS at the most */
    }
    if (takt_armv7m_exception() != TAKT_ARMV7M_EXCEPTIONS + MPS2_IRQ_TIMER0) {
        MPS2_TIMER0->value = 1; /* the least: at the next instruction */
    }
    return false;
}

/* Before the epoch. */
static __attribute__((noinline)) bool long_past(void)
{
    clock.target = MPS2_FPGAIO_COUNTER;
    return past();
}

static __attribute__((noinline)) bool move_epoch(uint32_t low, uint32_t high)
{
    uint32_t now = MPS2_FPGAIO_COUNTER;
    uint64_t until_ns = clock.epoch_ns + ((uint64_t)high << 32 | low);
    clock.epoch_ns += (uint64_t)(now - clock.epoch_ticks) * MPS2_TICK_NS;
    clock.epoch_ticks = now;
    return takt_port_timer_set(until_ns);
}

/*
 * Acknowledges what came before, too. The subtraction is written out: the compiler's own leaves no borrow to test, and
 * spills a register.
 */
bool takt_port_timer_set(uint64_t until_ns)
{
    uint32_t low = (uint32_t)until_ns;
    uint32_t high = (uint32_t)(until_ns >> 32);
    uint32_t epoch_low;
    bool before;
    __asm("ldrd  %2, r12, [%4]\n\t"
          "subs  %0, %2\n\t"
          "sbcs  %1, r12"
          : "+r"(low), "+r"(high), "=&r"(epoch_low), "=@cccc"(before)
          : "r"(&clock.epoch_ns), "m"(clock.epoch_ns)
          : "r12");
    if (before) {
        return long_past();
    }
    uint32_t rounded_ns;
    if (high != 0 || __builtin_add_overflow(low, MPS2_TICK_NS - 1, &rounded_ns)) {
        uint32_t now = MPS2_FPGAIO_COUNTER;
        if (now - clock.epoch_ticks >= STEP_TICKS) {
            return move_epoch(low, high);
        }
        clock.target = now + 2 * FAR_TICKS;
        MPS2_TIMER0->interrupt = 1;
        MPS2_TIMER0->value = FAR_TICKS;
        return true;
    }
    uint32_t target = clock.epoch_ticks + rounded_ns / MPS2_TICK_NS;
    uint32_t begun;
    clock.target = target;
    MPS2_TIMER0->interrupt = 1;
    do { /* again when an interrupt above the line came in between: it would make this one late */
        begun = MPS2_FPGAIO_COUNTER;
        int32_t ticks = (int32_t)(target - begun);
        if (ticks <= ARMING_TICKS) {
            return past();
        }
        MPS2_TIMER0->value = (uint32_t)(ticks - ARMING_TICKS);
    } while (MPS2_FPGAIO_COUNTER - begun > 4 * ARMING_TICKS);
    return true;
}

static bool still_to_come(void)
{
    uint32_t ticks;
    bool still;
    __asm("subs %0, %2, %3" /* the compiler compares once more */
          : "=r"(ticks), "=@ccmi"(still)
          : "r"(MPS2_FPGAIO_COUNTER), "r"(clock.target));
    return still;
}

/* The one-shot was armed again while this was pending, or for something far; which may have come when that is set. */
static __attribute__((noinline)) void early(void)
{
    MPS2_TIMER0->interrupt = 1;
    if (TAKT_TRACE) { /* while nothing is near, every 5.4 s at the latest */
        takti_clock_far();
    }
    if (MPS2_TIMER0->value == 0) {
        takti_timers_program();
        if (!still_to_come()) {
            takti_timer_interrupt();
            return;
        }
    }
    takt_port_leave(0);
}

static void timer_interrupt(void)
{
    (void)takt_port_enter();
    if (still_to_come()) {
        early();
    } else {
        takti_timer_interrupt();
    }
}

#if TAKT_CAN
void takt_chip_clock_again(uint32_t ticks)
{
    int32_t left = (int32_t)(clock.target - ticks);
    if (left <= (int32_t)FAR_TICKS) {
        MPS2_TIMER0->value = left > 1 ? (uint32_t)left : 1;
    }
}
#endif

void takt_armv7m_clock_start(void)
{
    MPS2_TIMER0->ctrl = 0;
    MPS2_TIMER0->interrupt = 1;
    takt_armv7m_vector_set(MPS2_IRQ_TIMER0, timer_interrupt, TAKT_ARMV7M_PRIORITY_TIMER);
    clock.epoch_ticks = MPS2_FPGAIO_COUNTER;
    clock.epoch_ns = 0;
    MPS2_TIMER0->reload = 0;
    MPS2_TIMER0->value = FAR_TICKS; /* before it is enabled: QEMU complains about a timer that starts at 0 */
    MPS2_TIMER0->ctrl = MPS2_TIMER_ENABLE | MPS2_TIMER_INTERRUPT;
    (void)takt_port_timer_set(UINT64_MAX);
    takt_chip_devices_start();
}
