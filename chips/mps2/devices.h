/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_MPS2_DEVICES_H
#define TAKT_MPS2_DEVICES_H

/* Between the files of this family. */
#include <stdint.h>

#ifndef TAKT_CONSOLE_INPUT
#define TAKT_CONSOLE_INPUT 0
#endif

/* devices.c: starts the timer that represents devices; the clock is at 0. And has it look at once what is due. */
void takt_chip_devices_start(void);
void takt_chip_devices_look(void);

/* console.c, called by that timer: what of the console's line is due at `now_ns`. Returns the time of the next: its own
 * or `next_ns`. */
uint64_t takt_chip_console_look(uint64_t now_ns, uint64_t next_ns);

#endif
