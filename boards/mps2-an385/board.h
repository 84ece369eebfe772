/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_MPS2_BOARD_H
#define TAKT_MPS2_BOARD_H

/* Between the files of this board. */

/* devices.c: starts the timer that stands for devices; the clock stands at 0. */
void takt_board_devices_start(void);

#endif
