/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_MPS2_DEVICES_H
#define TAKT_MPS2_DEVICES_H

/* Between the files of this family. */
#include <stdbool.h>
#include <stdint.h>

#ifndef TAKT_CONSOLE_INPUT
#define TAKT_CONSOLE_INPUT 0
#endif

#ifndef TAKT_CAN
#define TAKT_CAN 0
#endif

/* devices.c: starts the timer that represents devices; the clock is at 0. And has it look at once what is due. */
void takt_chip_devices_start(void);
void takt_chip_devices_look(void);

/* console.c, called by that timer: what of the console's line is due at `now_ns`. Returns the time of the next: its own
 * or `next_ns`. */
uint64_t takt_chip_console_look(uint64_t now_ns, uint64_t next_ns);

/* can.c, called by that timer: raises the interrupts of CAN controllers that are due. Returns the time of the next: its
 * own or `next_ns`. */
uint64_t takt_chip_can_look(uint64_t now_ns, uint64_t next_ns);

/*
 * While time stops, at the counter's value `ticks`. devices.c: that timer's time, and when a device is due next; sets
 * the timer for that. clock.c: sets the one-shot again, where it has not come.
 */
bool takt_chip_devices_run(void); /* whether the clock does */
uint64_t takt_chip_devices_time(uint32_t ticks);
uint64_t takt_chip_devices_next(void);
void takt_chip_devices_arm(uint32_t ticks, uint64_t next_ns);
void takt_chip_clock_again(uint32_t ticks);

#endif
