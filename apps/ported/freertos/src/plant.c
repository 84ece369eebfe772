/* SPDX-License-Identifier: Apache-2.0 */
/* What the demonstration has in place of a pressure sensor, a valve and a button: a tank that follows the valve. */
#include "pump.h"

static volatile int32_t pressure = 1000;
static volatile int32_t opening;

int32_t pressure_read(void)
{
    pressure += opening / 8;
    return pressure;
}

void valve_set(int32_t value)
{
    opening = value;
}

/* Every third press was no more than a bounce. */
bool button_down(void)
{
    static unsigned presses;
    return presses++ % 3 != 2;
}
