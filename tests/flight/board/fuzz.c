/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hostile lines against link, readers, filters and control law, under the sanitizers: fuzz SEED ROUNDS.
 * Whatever arrives, every byte is accounted for, every queue stays bounded, every throttle is a number from 0 to 1.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "link.h"
#include "monitor.h"

static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % below;
}

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz: %s\n", what);
        exit(1);
    }
}

/* One stretch of line: a frame, whole, cut or with a bit turned, of any type and content; or noise. */
static size_t stretch(uint8_t *out, uint32_t time_us)
{
    static const uint8_t types[] = {FRAME_ATTITUDE, FRAME_POSITION, FRAME_FEEDBACK, FRAME_COMMAND, FRAME_STATUS};
    struct frame frame = {.type = types[draw(sizeof types)], .sequence = (uint8_t)draw(256)};
    const uint32_t kind = draw(10);
    size_t size = draw(FRAME_SIZE_MAX);

    for (size_t i = 0; i < sizeof frame.payload; i++) {
        frame.payload[i] = (uint8_t)draw(256);
    }
    if (draw(2) == 0) {
        time_us -= draw(60000);
        memcpy(frame.payload, &time_us, sizeof time_us);
    }
    if (kind == 0) { /* noise, rich in sync bytes */
        for (size_t i = 0; i < size; i++) {
            out[i] = (uint8_t)(draw(3) == 0 ? 0xA5 : draw(3) == 0 ? 0x5A : draw(256));
        }
        return size;
    }
    frame.length = frame_payload_length(frame.type);
    size = frame_encode(&frame, out);
    if (kind == 1) {
        return draw((uint32_t)size);
    }
    if (kind == 2) {
        out[draw((uint32_t)size)] ^= (uint8_t)(1 << draw(8));
    }
    return size;
}

struct board {
    struct link link;
    struct link_input input;
    struct attitude_filter filter;
    struct navigation navigation;
    struct control_memory memory;
    struct control_target target;
    struct sensor_news news;
    struct monitor monitor;
};

static void read_all(struct board *board)
{
    struct attitude_message attitude;
    struct position_message position;
    struct rotor_message rotors = {0};
    struct command_message command;
    struct frame frame;

    for (int count = 0; link_take(&board->link, LINK_ATTITUDE, &frame); count++) {
        require(count < LINK_QUEUE_DEPTH, "a queue holds more than it can");
        attitude_read(&frame, &attitude);
        const float dt = attitude_update(&board->filter, &attitude);
        require(dt >= 0 && dt <= 0.1F, "time step out of bounds");
        navigation_predict(&board->navigation, &board->filter.attitude, dt);
    }
    while (link_take(&board->link, LINK_POSITION, &frame)) {
        position_read(&frame, &position);
        /* Anywhere near the origin: what no sensor of this planet says is not the filters' business. */
        position.latitude = 447258010 + position.latitude % 100000;
        position.longitude = -930758660 + position.longitude % 100000;
        position.altitude_mm %= 1000000;
        navigation_correct(&board->navigation, &position);
    }
    while (link_take(&board->link, LINK_FEEDBACK, &frame)) {
        struct rotor_message measured;
        rotor_read(&frame, &measured);
        feedback_compare(&board->news, &rotors, &measured);
    }
    while (link_take(&board->link, LINK_COMMAND, &frame)) {
        command_read(&frame, &command);
        if (command_valid(&command)) {
            board->target = command_target(&command);
        }
    }
}

static void run_control(struct board *board)
{
    struct control_output output;

    control_step(&board->memory, &board->navigation, &board->target, &output);
    for (int i = 0; i < ROTORS; i++) {
        require(output.throttle[i] >= 0 && output.throttle[i] <= 1, "a throttle is not from 0 to 1");
    }
}

static void run_monitor(struct board *board)
{
    char text[MONITOR_LINE_MAX];
    struct status_message status;
    struct frame frame;

    monitor_step(&board->monitor, &board->link, &board->news, &status);
    status.time_us = draw(UINT32_MAX);
    status.altitude_mm = (int32_t)draw(UINT32_MAX);
    require(monitor_line(&status, text) <= MONITOR_LINE_MAX, "a status line is too long");
    status_write(&frame, &status);
    (void)link_send(&board->link, &frame);
}

/* Every byte that came is part of a good frame, was thrown away and counted, or still waits. */
static void account(const struct board *board, uint64_t received, uint64_t in_frames)
{
    const struct frame_parser *parser = &board->input.parser;

    require(received == in_frames + parser->counts.resync_bytes + parser->used, "bytes got lost");
    require(parser->used < FRAME_SIZE_MAX, "the parser keeps more than a frame");
}

static uint64_t frame_bytes(struct board *board, const uint8_t *data, size_t length, uint32_t now_us)
{
    unsigned arrivals[LINK_SOURCES];
    const uint32_t resync = board->input.parser.counts.resync_bytes;
    const size_t used = board->input.parser.used;

    link_accept(&board->input, &board->link, data, length, now_us, arrivals);
    for (int i = 0; i < LINK_SOURCES; i++) {
        require(arrivals[i] <= LINK_QUEUE_DEPTH, "more arrivals than the queue holds");
    }
    return used + length - (board->input.parser.counts.resync_bytes - resync) - board->input.parser.used;
}

/* Whatever the numbers were, the ring holds what it can again, and no reader is kept in its loop. */
static void require_recovered(struct link *link)
{
    struct frame frame;

    require(link->ring_written - link->ring_taken <= LINK_RING_SIZE, "the ring holds more than it can");
    for (int source = 0; source < LINK_SOURCES; source++) {
        int taken = 0;
        while (link_take(link, (enum link_source)source, &frame)) {
            require(++taken <= LINK_QUEUE_DEPTH, "a reader takes more than its queue can hold");
        }
    }
}

/*
 * Tasks that write anything to the shared side: the interrupt's side is not affected, and its bytes are still accounted
 * for.
 */
static void scribble(struct board *board, unsigned long rounds, uint64_t received, uint64_t in_frames)
{
    uint8_t data[4 * FRAME_SIZE_MAX];

    for (unsigned long i = 0; i < rounds; i++) {
        const size_t capacity = 1 + draw(LINK_RING_SIZE - 1);
        const uint32_t now_us = (uint32_t)((rounds * 4 + i) * 10000);
        const bool alike = draw(2) == 0; /* two indices with one value: an empty queue, anywhere */
        const uint8_t one = (uint8_t)draw(256);
        size_t length = 0;

        for (size_t at = 0; at < sizeof board->link; at++) {
            ((uint8_t *)&board->link)[at] = alike ? one : (uint8_t)draw(256);
        }
        if (draw(2) == 0) { /* numbers that can be, from anywhere on */
            board->link.ring_written = board->link.ring_taken + draw(LINK_RING_SIZE + 1);
        }
        for (uint32_t n = draw(4); n > 0; n--) {
            length += stretch(data + length, now_us);
        }
        received += length;
        in_frames += frame_bytes(board, data, length, now_us);
        account(board, received, in_frames);
        uint8_t *exact = malloc(capacity); /* one byte behind it is reported */
        require(exact != NULL && link_drain(&board->link, exact, capacity) <= capacity, "more was sent than asked for");
        free(exact);
        require_recovered(&board->link);
    }
}

int main(int argc, char **argv)
{
    static struct board board;
    uint8_t data[4 * FRAME_SIZE_MAX];
    uint8_t drained[LINK_RING_SIZE];
    uint64_t received = 0;
    uint64_t in_frames = 0;

    require(argc == 3, "usage: fuzz SEED ROUNDS");
    state = strtoull(argv[1], NULL, 10);
    const unsigned long rounds = strtoul(argv[2], NULL, 10);
    memset(&board.link, 0, sizeof board.link);
    link_begin(&board.input, &board.link);
    control_init(&board.memory);

    for (unsigned long i = 0; i < rounds; i++) {
        const uint32_t now_us = (uint32_t)(i * 10000); /* wraps in a long run */
        size_t length = 0;

        for (uint32_t n = draw(4); n > 0; n--) {
            length += stretch(data + length, now_us);
        }
        received += length;
        in_frames += frame_bytes(&board, data, length, now_us);
        account(&board, received, in_frames);
        read_all(&board);
        run_control(&board);
        if (draw(8) == 0) {
            run_monitor(&board);
        }
        (void)link_drain(&board.link, drained, draw(sizeof drained));
    }
    const uint32_t frames = board.link.counts.frames;
    scribble(&board, rounds / 4, received, in_frames);
    printf("%" PRIu32 " frames\n", frames);
    return frames > rounds / 2 ? 0 : 1;
}
