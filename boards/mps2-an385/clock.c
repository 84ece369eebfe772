/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arith.h"
#include "board.h"
#include "kernel/port.h"
#include "registers.h"
#include "takt_armv7m.h"

/*
 * Time is the 25 MHz counter of the FPGA, 32 bits, which wraps after 171 s. The epoch is a pair of a counter value and
 * its instant. The one-shot is never armed further than HORIZON after the epoch, and setting it beyond the horizon
 * moves the epoch on first: the kernel does that in each of its interrupts. So the difference to the counter stays
 * below the wrap, and no interrupt has to look after it.
 */
#define HORIZON_TICKS (UINT32_C(1) << 29)
#define STEP_TICKS (HORIZON_TICKS / 2u)
#define ARMING_TICKS 6u /* from reading the counter until the one-shot counts, at the least */
#define HORIZON_NS ((uint64_t)HORIZON_TICKS * MPS2_TICK_NS)

/* Kernel lock. */
static struct {
    uint64_t epoch_ns;
    uint32_t epoch_ticks;
} clock;

/* The multiplication is written out: the compiler's own way spills a register in what runs at every event. */
uint64_t takt_port_now_ns(void)
{
    uint32_t low = (uint32_t)clock.epoch_ns;
    uint32_t high = (uint32_t)(clock.epoch_ns >> 32);
    uint32_t ticks = MPS2_FPGAIO_COUNTER - clock.epoch_ticks;
    __asm("umlal %0, %1, %2, %3" : "+r"(low), "+r"(high) : "r"(ticks), "r"(MPS2_TICK_NS));
    return (uint64_t)high << 32 | low;
}

/* The rare cases of timer_set: how far after the epoch the one-shot is armed when that is not `until_ns` itself. */
static __attribute__((noinline)) uint64_t past_or_beyond(uint64_t until_ns)
{
    while (MPS2_FPGAIO_COUNTER - clock.epoch_ticks >= STEP_TICKS) { /* twice at the most: see above */
        clock.epoch_ticks += STEP_TICKS;
        clock.epoch_ns += (uint64_t)STEP_TICKS * MPS2_TICK_NS;
    }
    uint64_t after_ns = takt_subtract(until_ns, clock.epoch_ns);
    return after_ns < HORIZON_NS ? after_ns : HORIZON_NS;
}

void takt_port_timer_set(uint64_t until_ns)
{
    uint64_t after_ns = until_ns - clock.epoch_ns;
    if (after_ns >= HORIZON_NS) {
        after_ns = past_or_beyond(until_ns);
    }
    /* Rounded up, in 32 bits: an eighth of what is at most HORIZON_NS, below 2^35, fits. */
    uint32_t after_ticks = (uint32_t)((after_ns + MPS2_TICK_NS - 1) >> 3) / (MPS2_TICK_NS / 8u);
    uint32_t target = clock.epoch_ticks + after_ticks - ARMING_TICKS;
    uint32_t begun;
    do { /* again when an interrupt above the line came in between: it would make this one late */
        begun = MPS2_FPGAIO_COUNTER;
        int32_t ticks = (int32_t)(target - begun);
        MPS2_TIMER0->value = ticks < 1 ? 1u : (uint32_t)ticks; /* 1, the least, interrupts at the next instruction */
    } while (MPS2_FPGAIO_COUNTER - begun > 4 * ARMING_TICKS);
}

static void timer_interrupt(void)
{
    MPS2_TIMER0->interrupt = 1;
    takti_timer_interrupt();
}

void takt_armv7m_clock_start(void)
{
    MPS2_TIMER0->ctrl = 0;
    MPS2_TIMER0->interrupt = 1;
    takt_armv7m_vector_set(MPS2_IRQ_TIMER0, timer_interrupt, TAKT_ARMV7M_PRIORITY_TIMER);
    clock.epoch_ticks = MPS2_FPGAIO_COUNTER;
    clock.epoch_ns = 0;
    MPS2_TIMER0->reload = 0;
    MPS2_TIMER0->value = HORIZON_TICKS; /* before it is enabled: QEMU complains about a timer that starts at 0 */
    MPS2_TIMER0->ctrl = MPS2_TIMER_ENABLE | MPS2_TIMER_INTERRUPT;
    takt_port_timer_set(UINT64_MAX);
    takti_board_devices_start();
}
