/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_MPS2_BOARD_H
#define TAKT_MPS2_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Between the files of this board. */

/* options.c: the text of option `name` ("name=text" on the semihosting command line), or NULL. Valid for good. */
void takti_board_options_read(void);
const char *takti_board_option_text(const char *name);

/* stream.c, link.c: open what the options name. */
void takti_board_stream_open(void);
void takti_board_link_open(void);

/* devices.c: starts the timer that stands for devices; the clock stands at 0. */
void takti_board_devices_start(void);

#endif
