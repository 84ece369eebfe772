/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_VIRT_BOARD_H
#define TAKT_VIRT_BOARD_H

/* Between the files of this board. */
#include <stdbool.h>

/* interrupts.c: runs the handler of an attached interrupt between the kernel's two calls; else does nothing. */
void takt_board_dispatch(unsigned number);

/* devices.c: starts the timer that stands for devices; the clock stands at 0. And its interrupt. */
void takt_board_devices_start(void);
void takt_board_devices_interrupt(void);

/*
 * With processes. interrupts.c: whether an interrupt is masked by takt_port_irq_mask. devices.c: one is so no more, and
 * a device may be due.
 */
bool takt_board_masked(unsigned number);
void takt_board_devices_look(void);

#endif
