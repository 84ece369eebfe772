/* SPDX-License-Identifier: Apache-2.0 */
/* Judgements of the readers and the monitor: is a command sane, do the rotors follow, is the link alive. Pure
 * functions. */
#ifndef FLIGHT_MONITOR_H
#define FLIGHT_MONITOR_H

#include "control.h"
#include "link.h"

enum { MONITOR_LINE_MAX = 96 };

/* What the readers have seen; counts up. */
struct sensor_news {
    uint32_t attitude;
    uint32_t position;
    uint32_t feedback;
    uint32_t refused;       /* commands */
    uint32_t rotor_faults;  /* feedback frames that did not follow, beyond the first FEEDBACK_PATIENCE in a row */
    uint16_t rotor_strikes; /* in a row */
};

/* What the monitor remembers. */
struct monitor {
    struct sensor_news before;
    uint32_t stale; /* periods in which a sensor was silent */
    uint32_t steps;
};

/* Whether every value of a command can be flown. */
bool command_valid(const struct command_message *command);
struct control_target command_target(const struct command_message *command);

/* Compares the rotors' speeds with their commands. A command takes up to 20 ms to show, hence the patience. */
void feedback_compare(struct sensor_news *news, const struct rotor_message *commanded,
                      const struct rotor_message *measured);

/* One period: fills everything in `status` but its time and altitude. */
void monitor_step(struct monitor *monitor, const struct link *link, const struct sensor_news *news,
                  struct status_message *status);

/* Writes a status line (room for MONITOR_LINE_MAX) and returns its length, newline included. */
size_t monitor_line(const struct status_message *status, char *line);

#endif
