/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PUMP_H
#define PUMP_H

#include <stdbool.h>
#include <stdint.h>

struct sample {
    uint64_t time_ns;
    int32_t pressure; /* mbar */
};

struct settings {
    int32_t target; /* mbar */
    uint32_t changes;
};

enum { ALIVE_SENSOR = 1, ALIVE_CONTROL = 2, ALIVE_FLOW = 4, ALIVE_ALL = 7 };

int32_t pressure_read(void);
void valve_set(int32_t opening);
bool button_down(void);

struct settings settings_get(void);
void settings_next(void);

int32_t control_opening(void);
void flow_count(void);
uint32_t flow_total(void);
uint32_t heartbeats(void);

#endif
