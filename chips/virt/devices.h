/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_VIRT_DEVICES_H
#define TAKT_VIRT_DEVICES_H

/* Between the files of this family. */
#include <stdbool.h>
#include <stdint.h>

#ifndef TAKT_CONSOLE_INPUT
#define TAKT_CONSOLE_INPUT 0
#endif

#ifndef TAKT_CAN
#define TAKT_CAN 0
#endif

/* interrupts.c: runs the handler of an attached interrupt between the kernel's two calls; else does nothing. */
void takt_chip_dispatch(unsigned number);

/* devices.c: starts the timer that represents devices; the clock is at 0. And its interrupt. */
void takt_chip_devices_start(void);
void takt_chip_devices_interrupt(void);

/* console.c, called by that timer: what of the console's line is due at `now_ns`. Returns the time of the next: its own
 * or `next_ns`. */
uint64_t takt_chip_console_look(uint64_t now_ns, uint64_t next_ns);

/* can.c, called by that timer: handles the interrupts of CAN controllers that are due. Returns the time of the next:
 * its own or `next_ns`. */
uint64_t takt_chip_can_look(uint64_t now_ns, uint64_t next_ns);

/*
 * While time stops. devices.c: its time, in ns of QEMU, which is set back, and what of the devices is due next, in ns
 * of the board; the alarm is set for that.
 */
bool takt_chip_devices_run(void); /* whether the clock does */
uint64_t takt_chip_devices_time(void);
uint64_t takt_chip_devices_next(void);
void takt_chip_devices_go_on(uint64_t qemu_ns, uint64_t next_ns);

/*
 * With processes or console input. interrupts.c: whether an interrupt is masked by takt_port_irq_mask. devices.c: one
 * is so no more, and a device may be due.
 */
bool takt_chip_masked(unsigned number);
void takt_chip_devices_look(void);

#endif
