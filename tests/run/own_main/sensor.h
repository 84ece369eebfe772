/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SENSOR_H
#define SENSOR_H

#include <stdbool.h>

int main(void);

/* Before the system starts. False: the sensor does not answer. */
bool sensor_calibrate(void);

#endif
