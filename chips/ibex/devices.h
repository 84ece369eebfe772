/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_IBEX_DEVICES_H
#define TAKT_IBEX_DEVICES_H

/* Between the files of this family. devices.c: the sources that were asked for start; the clock is at 0. */
void takt_chip_devices_start(void);

#endif
