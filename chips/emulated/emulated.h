/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_EMULATED_H
#define TAKT_EMULATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What boards share that QEMU emulates: options, stream and link over semihosting, and the end of a faulty run. */

/* For takt_board_init: reads the options and opens the stream and the link that they name. The first call does it,
 * others do nothing. */
void takt_chip_run_init(void);

/* options.c: the text of option `name` ("name=text" on the semihosting command line), or NULL. Valid for good. */
void takt_chip_options_read(void);
const char *takt_chip_option_text(const char *name);

/* stream.c, link.c: open what the options name. */
void takt_chip_stream_open(void);
void takt_chip_link_open(void);

/* The board's: sends over a serial port that only the plant listens to. A board that has none to spare does not define
 * it. */
__attribute__((weak)) void takt_board_serial_send(const uint8_t *data, size_t length);

/* halt.c: the fault record on the console, then the end of the run. Called with interrupts masked. */
_Noreturn void takt_chip_fault_end(void);

#endif
