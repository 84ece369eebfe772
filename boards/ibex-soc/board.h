/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_IBEX_BOARD_H
#define TAKT_IBEX_BOARD_H

/* Between the files of this board. devices.c: the sources that were asked for start; the clock stands at 0. */
void takt_board_devices_start(void);

#endif
