/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEATER_H
#define HEATER_H

#include <stdbool.h>
#include <stdint.h>

struct command {
    int32_t target; /* tenths of a degree */
};

struct model {
    int32_t temperature;
    int32_t target;
    uint32_t commands;
    uint32_t shut;
};

enum { FLAG_HOT = 1, FLAG_ARMED = 2 };

struct model model_get(void);

#endif
