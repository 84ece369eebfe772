/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_MPS2_DEVICES_H
#define TAKT_MPS2_DEVICES_H

/* Between the files of this family. */

/* devices.c: starts the timer that represents devices; the clock is at 0. */
void takt_chip_devices_start(void);

#endif
