/* SPDX-License-Identifier: Apache-2.0 */
/* The program's messages and parser with arrays in their place, for ctypes: the two sides are held against each other.
 */
#include <math.h>
#include <string.h>

#include "control.h"
#include "kept.h"
#include "link.h"
#include "messages.h"

size_t codec_encode(uint8_t type, uint8_t sequence, const int64_t *values, uint8_t *out);
size_t codec_decode(uint8_t type, const uint8_t *payload, int64_t *values);
size_t codec_parse(const uint8_t *data, size_t length, uint8_t *out, uint32_t counters[4]);

static void triple(int16_t to[3], const int64_t *from)
{
    for (int i = 0; i < 3; i++) {
        to[i] = (int16_t)from[i];
    }
}

static void status(struct frame *frame, const int64_t *v)
{
    const struct status_message message = {
        .time_us = (uint32_t)v[0],
        .frames = (uint32_t)v[1],
        .bad_crc = (uint16_t)v[2],
        .bad_length = (uint16_t)v[3],
        .resync_bytes = (uint16_t)v[4],
        .late = (uint16_t)v[5],
        .lost = (uint16_t)v[6],
        .overflow = (uint16_t)v[7],
        .stale = (uint16_t)v[8],
        .refused = (uint16_t)v[9],
        .rotor_faults = (uint16_t)v[10],
        .flags = (uint16_t)v[11],
        .altitude_mm = (int32_t)v[12],
    };
    status_write(frame, &message);
}

/* The frame of `type` with these fields, in the order of messages.h; returns its size. */
size_t codec_encode(uint8_t type, uint8_t sequence, const int64_t *v, uint8_t *out)
{
    struct frame frame;
    struct attitude_message attitude = {.time_us = (uint32_t)v[0]};
    struct position_message position = {(uint32_t)v[0], (int32_t)v[1], (int32_t)v[2], (int32_t)v[3], {0}};
    struct rotor_message rotors = {(uint32_t)v[0], {(uint16_t)v[1], (uint16_t)v[2], (uint16_t)v[3], (uint16_t)v[4]}};
    const struct command_message command = {(uint32_t)v[0], (uint16_t)v[1], (uint16_t)v[2],
                                            (int32_t)v[3],  (int16_t)v[4],  (int16_t)v[5]};
    const struct acknowledge_message acknowledge = {(uint16_t)v[0], (uint16_t)v[1]};

    triple(attitude.angle, v + 1);
    triple(attitude.acceleration, v + 4);
    triple(attitude.rate, v + 7);
    triple(position.velocity_cm_s, v + 4);
    switch (type) {
    case FRAME_ATTITUDE:
        attitude_write(&frame, &attitude);
        break;
    case FRAME_POSITION:
        position_write(&frame, &position);
        break;
    case FRAME_COMMAND:
        command_write(&frame, &command);
        break;
    case FRAME_ACKNOWLEDGE:
        acknowledge_write(&frame, &acknowledge);
        break;
    case FRAME_STATUS:
        status(&frame, v);
        break;
    default:
        rotor_write(&frame, (enum frame_type)type, &rotors);
        break;
    }
    frame.sequence = sequence;
    return frame_encode(&frame, out);
}

/* The fields of a payload; returns how many. 0: a type that the program only sends. */
size_t codec_decode(uint8_t type, const uint8_t *payload, int64_t *v)
{
    struct frame frame = {.type = type, .length = frame_payload_length(type)};
    struct attitude_message attitude;
    struct position_message position;
    struct rotor_message rotors;
    struct command_message command;

    memcpy(frame.payload, payload, frame.length);
    v[0] = frame_time_us(&frame);
    switch (type) {
    case FRAME_ATTITUDE:
        attitude_read(&frame, &attitude);
        for (int i = 0; i < 3; i++) {
            v[1 + i] = attitude.angle[i];
            v[4 + i] = attitude.acceleration[i];
            v[7 + i] = attitude.rate[i];
        }
        return 10;
    case FRAME_POSITION:
        position_read(&frame, &position);
        v[1] = position.latitude;
        v[2] = position.longitude;
        v[3] = position.altitude_mm;
        for (int i = 0; i < 3; i++) {
            v[4 + i] = position.velocity_cm_s[i];
        }
        return 7;
    case FRAME_FEEDBACK:
    case FRAME_ROTORS:
        rotor_read(&frame, &rotors);
        for (int i = 0; i < ROTORS; i++) {
            v[1 + i] = rotors.throttle[i];
        }
        return 5;
    case FRAME_COMMAND:
        command_read(&frame, &command);
        v[1] = command.number;
        v[2] = command.mode;
        v[3] = command.altitude_mm;
        v[4] = command.heading;
        v[5] = command.speed_cm_s;
        return 6;
    default:
        return 0;
    }
}

/*
 * Parses `data` byte by byte. Each frame found is written as type, sequence, length, payload; returns their bytes.
 * Counters: frames, bad_crc, bad_length, resync_bytes.
 */
size_t codec_parse(const uint8_t *data, size_t length, uint8_t *out, uint32_t counters[4])
{
    struct frame_parser parser;
    struct frame frame;
    size_t at = 0;

    frame_parser_init(&parser);
    for (size_t i = 0; i < length; i++) {
        frame_parser_push(&parser, data[i]);
        while (frame_parser_next(&parser, &frame)) {
            out[at++] = frame.type;
            out[at++] = frame.sequence;
            out[at++] = frame.length;
            memcpy(out + at, frame.payload, frame.length);
            at += frame.length;
        }
    }
    counters[0] = parser.counts.frames;
    counters[1] = parser.counts.bad_crc;
    counters[2] = parser.counts.bad_length;
    counters[3] = parser.counts.resync_bytes;
    return at;
}

void codec_link_init(void);
void codec_link_accept(const uint8_t *data, size_t length, uint32_t now_us, bool readers_run, uint32_t figures[4]);

static struct link probe;
static struct link_input probe_input;

void codec_link_init(void)
{
    memset(&probe, 0, sizeof probe);
    link_begin(&probe_input, &probe);
}

/* Bytes that arrive at `now_us`, and the readers that they wake, if they run, at once. Figures so far: attitude frames
 * read, late, lost, overflow. */
void codec_link_accept(const uint8_t *data, size_t length, uint32_t now_us, bool readers_run, uint32_t figures[4])
{
    unsigned arrivals[LINK_SOURCES];
    struct frame frame;

    link_accept(&probe_input, &probe, data, length, now_us, arrivals);
    for (int source = 0; source < LINK_SOURCES; source++) {
        while (readers_run && arrivals[source] != 0 && link_take(&probe, (enum link_source)source, &frame)) {
            figures[0] += source == LINK_ATTITUDE;
        }
    }
    figures[1] = probe.late;
    figures[2] = probe.lost;
    figures[3] = probe.overflow;
}

void codec_control(const float state[10], const float target[4], unsigned steps, float throttle[ROTORS]);

/*
 * The control law from rest, `steps` times with one state: roll, pitch, yaw, roll rate, pitch rate, yaw rate, velocity
 * north, east, up, altitude. Target: altitude, heading, speed, fly.
 */
void codec_control(const float state[10], const float target[4], unsigned steps, float throttle[ROTORS])
{
    const struct control_target wanted = {target[0], target[1], target[2], target[3] != 0};
    struct navigation navigation = {.altitude = state[9], .fixed = true};
    struct control_memory memory;
    struct control_output output = {{0}};

    for (int i = 0; i < 3; i++) {
        navigation.attitude.angle[i] = state[i];
        navigation.attitude.sine[i] = sinf(state[i]);
        navigation.attitude.cosine[i] = cosf(state[i]);
        navigation.attitude.rate[i] = state[3 + i];
        navigation.velocity[i] = state[6 + i];
    }
    control_init(&memory);
    for (unsigned i = 0; i < steps; i++) {
        control_step(&memory, &navigation, &wanted, &output);
    }
    memcpy(throttle, output.throttle, sizeof output.throttle);
}

int codec_recall(int64_t age_us, int spoilt, bool command, float climb_integral);

/*
 * What control goes on with after a restart: 0 nothing, 1 the target, and it rejoins, 2 everything. From what it kept
 * `age_us` ago, with that integral and word `spoilt` hit; with `command` the last command is known from its reader too.
 * -1: there is no such word.
 */
int codec_recall(int64_t age_us, int spoilt, bool command, float climb_integral)
{
    const struct command_message fly = {.number = 3, .mode = COMMAND_FLY, .altitude_mm = 405000, .speed_cm_s = 500};
    const uint32_t now_us = 1000; /* the clock has just wrapped */
    struct kept_control kept = {.command = fly, .memory = {.flying = true, .speed = 5}};
    struct kept_command last = {.checksum = 0};
    struct kept_control own;

    if (spoilt >= (int)(sizeof kept / sizeof(uint32_t))) {
        return -1;
    }
    kept.memory.climb_integral = climb_integral;
    kept_control_sign(&kept, now_us - (uint32_t)age_us);
    if (spoilt >= 0) {
        ((uint8_t *)&kept)[(size_t)spoilt * sizeof(uint32_t) + 1] ^= 0x10;
    }
    if (command) {
        kept_command_write(&last, &fly);
    }
    kept_control_recall(&own, &kept, &last, now_us);
    if (own.command.mode != COMMAND_FLY) {
        return own.memory.flying || own.memory.rejoins ? -2 : 0;
    }
    return own.memory.flying && !own.memory.rejoins ? 2 : own.memory.rejoins ? 1 : -2;
}

void codec_follow(bool fixed, float followed[2]);

/* The roll and the altitude that control goes by: 0.1 and 400 until now, and then 0.2 and, if it is `fixed`, 300. */
void codec_follow(bool fixed, float followed[2])
{
    struct navigation last = {.attitude.angle = {0.1F}, .altitude = 400, .fixed = true};
    const struct navigation newest = {.attitude.angle = {0.2F}, .altitude = fixed ? 300 : 0, .fixed = fixed};

    navigation_follow(&last, &newest);
    followed[0] = last.attitude.angle[ROLL];
    followed[1] = last.altitude;
}
