/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of system.toml: each function is called once per job. takt_app.h is generated from the declaration. */
#include "takt_app.h"

/* Locked by `data`. */
static struct {
    int32_t position;
    int32_t command;
    uint32_t reports;
} shared;

/* Reads the sensor: here a plant that follows its command. */
void sample_step(void *argument)
{
    (void)argument;
    if (takt_mutex_lock(&data) != TAKT_OK) {
        return;
    }
    shared.position += shared.command;
    takt_mutex_unlock(&data);
}

/* Steers the position to 1000. */
void control_step(void *argument)
{
    (void)argument;
    if (takt_mutex_lock(&data) != TAKT_OK) {
        return;
    }
    shared.command = (1000 - shared.position) / 8;
    takt_mutex_unlock(&data);
}

/* Counts: a real one would send the position. */
void report_step(void *argument)
{
    (void)argument;
    if (takt_mutex_lock(&data) != TAKT_OK) {
        return;
    }
    shared.reports++;
    takt_mutex_unlock(&data);
}
