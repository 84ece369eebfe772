/* SPDX-License-Identifier: Apache-2.0 */
/* The interrupts of simulated CAN controllers, and time that stops while these are simulated: its counter is set back.
 */
#include "devices.h"

#if TAKT_CAN
#include "kernel/port.h"
#include "registers.h"
#include "takt/board.h"

/* Called by takt_board_can_apart, on the stack of simulations. */
void takt_chip_can_simulate(void (*simulate)(void *argument, uint64_t now_ns), void *argument);
extern uint64_t takt_chip_can_stack[];

#define NVIC_ISPR ((volatile uint32_t *)0xE000E200u)

static uint64_t due_ns[TAKT_BOARD_CAN_MAX] = {UINT64_MAX, UINT64_MAX}; /* of the devices' clock */
static struct {
    uint32_t ticks;
    uint64_t now_ns; /* of the kernel's clock */
    bool one_shot;   /* it has not come */
    bool runs;       /* the clock */
} stopped;

uint64_t takt_chip_can_stack[1024] __attribute__((aligned(16))); /* of simulations */
_Static_assert(sizeof takt_chip_can_stack == 8192, "as takt_board_can_apart has it");

static void pend(unsigned index)
{
    NVIC_ISPR[0] = UINT32_C(1) << (MPS2_IRQ_CAN + index);
}

uint64_t takt_chip_can_look(uint64_t now_ns, uint64_t next_ns)
{
    for (unsigned i = 0; i < TAKT_BOARD_CAN_MAX; i++) {
        if (due_ns[i] <= now_ns) {
            due_ns[i] = UINT64_MAX;
            pend(i);
        }
        next_ns = due_ns[i] < next_ns ? due_ns[i] : next_ns;
    }
    return next_ns;
}

void takt_board_can_interrupt(unsigned index, uint64_t interrupt_ns)
{
    uint64_t now_ns = stopped.runs ? takt_chip_devices_time(stopped.ticks) : 0;
    if (due_ns[index] <= now_ns) {
        pend(index);
    }
    due_ns[index] = interrupt_ns == UINT64_MAX ? UINT64_MAX : now_ns + (interrupt_ns - stopped.now_ns);
}

static void go_on(void)
{
    uint64_t next_ns = takt_chip_devices_next();
    for (unsigned i = 0; i < TAKT_BOARD_CAN_MAX; i++) {
        next_ns = due_ns[i] < next_ns ? due_ns[i] : next_ns;
    }
    takt_chip_devices_arm(stopped.ticks, next_ns);
    if (stopped.one_shot) {
        takt_chip_clock_again(stopped.ticks);
    }
    MPS2_FPGAIO_COUNTER = stopped.ticks;
    if (stopped.one_shot) {
        MPS2_TIMER0->ctrl = MPS2_TIMER_ENABLE | MPS2_TIMER_INTERRUPT;
    }
    MPS2_TIMER1->ctrl = MPS2_TIMER_ENABLE | MPS2_TIMER_INTERRUPT;
}

/* The timers stop within an instruction of the counter's reading, and go on within one of its setting. Before the clock
 * runs the time is 0. */
void takt_chip_can_simulate(void (*simulate)(void *argument, uint64_t now_ns), void *argument)
{
    stopped.runs = takt_chip_devices_run();
    if (!stopped.runs) {
        stopped.now_ns = 0;
        simulate(argument, 0);
        return;
    }
    stopped.ticks = MPS2_FPGAIO_COUNTER;
    stopped.one_shot = MPS2_TIMER0->value != 0;
    if (stopped.one_shot) {
        MPS2_TIMER0->ctrl = MPS2_TIMER_INTERRUPT;
    }
    MPS2_TIMER1->ctrl = MPS2_TIMER_INTERRUPT;
    stopped.now_ns = takt_port_ticks_ns(stopped.ticks);
    simulate(argument, stopped.now_ns);
    go_on();
}

__attribute__((naked)) void takt_board_can_apart(void (*simulate)(void *argument, uint64_t now_ns), void *argument)
{
    (void)simulate;
    (void)argument;
    __asm volatile("push {r3, r4, r5, lr}\n\t"
                   "mrs r5, primask\n\t"
                   "cpsid i\n\t"
                   "mov r4, sp\n\t"
                   "movw r3, #:lower16:(takt_chip_can_stack + 8192)\n\t"
                   "movt r3, #:upper16:(takt_chip_can_stack + 8192)\n\t"
                   "mov sp, r3\n\t"
                   "bl takt_chip_can_simulate\n\t"
                   "mov sp, r4\n\t"
                   "msr primask, r5\n\t"
                   "pop {r3, r4, r5, pc}");
}
#endif
