/* SPDX-License-Identifier: Apache-2.0 */
/* A shell with a command of its own beside a task with a deadline. */
#include "takt/shell.h"

#include "takt_app.h"

static uint32_t gain = 1; /* mutex settings */
static uint32_t measured;

void sensor_step(void *argument)
{
    (void)argument;
    if (takt_mutex_lock(&settings) == TAKT_OK) {
        measured += gain;
        takt_mutex_unlock(&settings);
    }
}

/* gain [0-9]: shows or changes the factor. */
static void change_gain(int count, char *const *words)
{
    if (count > 2 || (count == 2 && (words[1][0] < '0' || words[1][0] > '9' || words[1][1] != '\0'))) {
        takt_shell_say("gain takes one digit\r\n");
        return;
    }
    if (takt_mutex_lock(&settings) == TAKT_OK) {
        if (count == 2) {
            gain = (uint32_t)(words[1][0] - '0');
        }
        uint32_t now = gain;
        takt_mutex_unlock(&settings);
        takt_shell_say("gain ");
        takt_shell_say_number(now);
        takt_shell_say("\r\n");
    }
}

static const struct takt_shell_command commands[] = {{"gain", "[DIGIT]: shows or changes the factor", change_gain}};
static TAKT_SHELL_DEFINE(shell, commands);

void shell_step(void *argument)
{
    (void)argument;
    takt_shell_step(&shell);
}
