/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor.h"

enum {
    ALTITUDE_MM_MAX = 3000000,
    HEADING_MAX = 31416, /* 1e-4 rad */
    SPEED_CM_S_MAX = 1000,
    THROTTLE_TOLERANCE = 1000, /* 1e-4 of full: a command moves on while its echo travels */
    FEEDBACK_PATIENCE = 10,
};

bool command_valid(const struct command_message *command)
{
    return (command->mode == COMMAND_IDLE || command->mode == COMMAND_FLY) && command->altitude_mm >= 0 &&
           command->altitude_mm <= ALTITUDE_MM_MAX && command->heading >= -HEADING_MAX &&
           command->heading <= HEADING_MAX && command->speed_cm_s >= 0 && command->speed_cm_s <= SPEED_CM_S_MAX;
}

struct control_target command_target(const struct command_message *command)
{
    return (struct control_target){
        .altitude = 1e-3f * (float)command->altitude_mm,
        .heading = 1e-4f * (float)command->heading,
        .speed = 1e-2f * (float)command->speed_cm_s,
        .fly = command->mode == COMMAND_FLY,
    };
}

void feedback_compare(struct sensor_news *news, const struct rotor_message *commanded,
                      const struct rotor_message *measured)
{
    bool follows = true;

    for (int i = 0; i < ROTORS; i++) {
        const int difference = (int)commanded->throttle[i] - (int)measured->throttle[i];
        follows = follows && difference <= THROTTLE_TOLERANCE && difference >= -THROTTLE_TOLERANCE;
    }
    if (follows) {
        news->rotor_strikes = 0;
    } else if (news->rotor_strikes < FEEDBACK_PATIENCE) {
        news->rotor_strikes++;
    } else {
        news->rotor_faults++;
    }
}

/* Counters on the line are 16 bits and stay at their end. */
static uint16_t saturated(uint32_t count)
{
    return count > UINT16_MAX ? UINT16_MAX : (uint16_t)count;
}

void monitor_step(struct monitor *monitor, const struct link *link, const struct sensor_news *news,
                  struct status_message *status)
{
    const struct sensor_news *before = &monitor->before;

    /* Nothing can have come by the first step, at time 0. */
    if (monitor->steps++ > 0) {
        monitor->stale += news->attitude == before->attitude;
        monitor->stale += news->position == before->position;
        monitor->stale += news->feedback == before->feedback;
    }
    monitor->before = *news;

    *status = (struct status_message){
        .frames = link->counts.frames,
        .bad_crc = saturated(link->counts.bad_crc),
        .bad_length = saturated(link->counts.bad_length),
        .resync_bytes = saturated(link->counts.resync_bytes),
        .late = saturated(link->late),
        .lost = saturated(link->lost),
        .overflow = saturated(link->overflow + link->ring_full),
        .stale = saturated(monitor->stale),
        .refused = saturated(news->refused),
        .rotor_faults = saturated(news->rotor_faults),
    };
}

static size_t put_text(char *line, size_t at, const char *text)
{
    while (*text != 0) {
        line[at++] = *text++;
    }
    return at;
}

static size_t put_number(char *line, size_t at, uint32_t number)
{
    char digits[10];
    int count = 0;

    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    while (count > 0) {
        line[at++] = digits[--count];
    }
    return at;
}

size_t monitor_line(const struct status_message *status, char *line)
{
    const uint32_t broken = (uint32_t)status->bad_crc + status->bad_length;
    size_t at = 0;

    at = put_number(line, at, status->time_us / 1000000);
    at = put_text(line, at, " s: altitude ");
    at = put_number(line, at, status->altitude_mm < 0 ? 0 : ((uint32_t)status->altitude_mm + 500) / 1000);
    at = put_text(line, at, " m, frames ");
    at = put_number(line, at, status->frames);
    at = put_text(line, at, ", broken ");
    at = put_number(line, at, broken);
    at = put_text(line, at, ", late ");
    at = put_number(line, at, status->late);
    at = put_text(line, at, ", lost ");
    at = put_number(line, at, status->lost);
    return put_text(line, at, "\n");
}
