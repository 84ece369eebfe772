/* SPDX-License-Identifier: Apache-2.0 */
#include "heater.h"
#include "takt_app.h"

enum { HOT = 550 };

static struct model current = {.temperature = 200, .target = 200};

/* tx_mutex_get(&model, TX_WAIT_FOREVER) and tx_mutex_put(&model). */
struct model model_get(void)
{
    struct model copy = {0};
    if (takt_mutex_lock(&model) == TAKT_OK) {
        copy = current;
        takt_mutex_unlock(&model);
    }
    return copy;
}

void heater_step(void *argument)
{
    (void)argument;
    struct command command;
    bool came = commands_try_receive(&command) == TAKT_OK; /* tx_queue_receive(&commands, &command, TX_NO_WAIT) */
    if (takt_mutex_lock(&model) != TAKT_OK) {
        return;
    }
    if (came) {
        current.target = command.target;
        current.commands++;
    }
    current.temperature += (current.target - current.temperature) / 4;
    bool hot = current.temperature > HOT;
    takt_mutex_unlock(&model);
    takt_events_set(&flags, hot ? FLAG_HOT | FLAG_ARMED : FLAG_ARMED); /* tx_event_flags_set(&flags, ..., TX_OR) */
}

/* Both flags are set: the job clears them, as TX_AND_CLEAR did. */
void guard_step(void *argument)
{
    (void)argument;
    takt_events_clear(&flags, FLAG_HOT | FLAG_ARMED);
    if (takt_mutex_lock(&model) == TAKT_OK) {
        current.target = HOT / 2;
        current.shut++;
        takt_mutex_unlock(&model);
    }
    takt_log_warning("too hot");
}
