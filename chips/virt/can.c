/* SPDX-License-Identifier: Apache-2.0 */
/* The interrupts of simulated CAN controllers, and time that stops while these are simulated: its clocks are set back.
 */
#include "devices.h"

#if TAKT_CAN
#include "kernel/port.h"
#include "registers.h"
#include "takt/board.h"

/* Called by takt_board_can_apart, on the stack of simulations. */
void takt_chip_can_simulate(void (*simulate)(void *argument, uint64_t now_ns), void *argument);
extern uint64_t takt_chip_can_stack[];

static uint64_t due_ns[TAKT_BOARD_CAN_MAX] = {UINT64_MAX, UINT64_MAX}; /* of the alarm's clock */
static bool late[TAKT_BOARD_CAN_MAX]; /* one was due while interrupts were masked, and the next is in `due_ns` */
static struct {
    uint64_t qemu_ns;
    uint64_t now_ns; /* of the kernel's clock */
} stopped;

uint64_t takt_chip_can_stack[1024] __attribute__((aligned(16))); /* of simulations */
_Static_assert(sizeof takt_chip_can_stack == 8192, "as takt_board_can_apart has it");

static uint64_t next_due(uint64_t next_ns)
{
    for (unsigned i = 0; i < TAKT_BOARD_CAN_MAX; i++) {
        next_ns = late[i] ? 0 : due_ns[i] < next_ns ? due_ns[i] : next_ns;
    }
    return next_ns;
}

/* The handler of one may change when the other is due. */
uint64_t takt_chip_can_look(uint64_t now_ns, uint64_t next_ns)
{
    for (unsigned i = 0; i < TAKT_BOARD_CAN_MAX; i++) {
        if (late[i] || due_ns[i] <= now_ns) {
            late[i] = false;
            due_ns[i] = due_ns[i] <= now_ns ? UINT64_MAX : due_ns[i];
            takt_chip_dispatch(VIRT_IRQ_CAN + i);
        }
    }
    return next_due(next_ns);
}

void takt_board_can_interrupt(unsigned index, uint64_t interrupt_ns)
{
    uint64_t alarm_ns = stopped.qemu_ns / VIRT_QEMU_NS;
    late[index] |= due_ns[index] <= alarm_ns;
    due_ns[index] = interrupt_ns == UINT64_MAX ? UINT64_MAX : alarm_ns + (interrupt_ns - stopped.now_ns);
}

/* Before the clock runs the time is 0. */
void takt_chip_can_simulate(void (*simulate)(void *argument, uint64_t now_ns), void *argument)
{
    if (!takt_chip_devices_run()) {
        stopped.qemu_ns = stopped.now_ns = 0;
        simulate(argument, 0);
        return;
    }
    stopped.qemu_ns = takt_chip_devices_time();
    stopped.now_ns = takt_port_now_ns();
    uint64_t ticks = stopped.now_ns / VIRT_TICK_NS;
    simulate(argument, stopped.now_ns);
    takt_chip_devices_go_on(stopped.qemu_ns, next_due(takt_chip_devices_next()));
    VIRT_MTIME_LOW = 0; /* so that it does not carry; QEMU looks at mtimecmp again */
    VIRT_MTIME_HIGH = (uint32_t)(ticks >> 32);
    VIRT_MTIME_LOW = (uint32_t)ticks;
}

__attribute__((naked)) void takt_board_can_apart(void (*simulate)(void *argument, uint64_t now_ns), void *argument)
{
    (void)simulate;
    (void)argument;
    __asm volatile("addi sp, sp, -16\n\t"
                   "sw ra, 0(sp)\n\t"
                   "sw s0, 4(sp)\n\t"
                   "sw s1, 8(sp)\n\t"
                   "csrrci s1, mstatus, 8\n\t" /* MIE */
                   "mv s0, sp\n\t"
                   "la t0, takt_chip_can_stack + 8192\n\t"
                   "mv sp, t0\n\t"
                   "call takt_chip_can_simulate\n\t"
                   "mv sp, s0\n\t"
                   "andi t0, s1, 8\n\t"
                   "lw ra, 0(sp)\n\t"
                   "lw s0, 4(sp)\n\t"
                   "lw s1, 8(sp)\n\t"
                   "addi sp, sp, 16\n\t"
                   "csrs mstatus, t0\n\t"
                   "ret");
}
#endif
