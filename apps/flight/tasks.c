/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tasks of the flight program (seed 003, 2.1) and the interrupt of its serial line. system.toml says when they run.
 *
 * The link interrupt sorts frames into queues and posts a semaphore for each; the reader of that kind runs one job a
 * post. Readers keep `state` up to date, control copies it, computes outside the lock and sends throttles. What it sent
 * last is the state message `commanded`, which feedback reads.
 */
#include "takt_app.h"

#include "takt/board.h"

#include "control.h"
#include "link.h"
#include "monitor.h"

static struct link serial;

/* Everything that several tasks need. Lock: navigation_lock. */
static struct {
    struct navigation navigation;
    struct sensor_news news;
} state;

static uint32_t now_us(void)
{
    return (uint32_t)(takt_now() / 1000);
}

void takt_app_init(void)
{
    link_init(&serial);
}

/* The two locks have no timeout and are never deleted: any other answer than OK is a broken kernel. */
static void lock(struct takt_mutex *mutex)
{
    if (takt_mutex_lock(mutex) != TAKT_OK) {
        takt_fault_raise(TAKT_FAULT_ASSERTION, __FILE__, __LINE__, 0);
    }
}

static void send(struct frame *frame)
{
    lock(&transmit_lock);
    (void)link_send(&serial, frame); /* a full ring is counted in serial.ring_full and shown by the monitor */
    takt_mutex_unlock(&transmit_lock);
}

/* Interrupt, every 10 ms: exchanges bytes with the aircraft and wakes the readers. */
void link_interrupt(void)
{
    static uint8_t transmit[LINK_RING_SIZE];
    static uint8_t receive[128]; /* what the line carries in a period; usually 29 to 100 bytes arrive */
    struct takt_semaphore *const readers[LINK_SOURCES] = {
        [LINK_ATTITUDE] = &attitude_frame,
        [LINK_POSITION] = &position_frame,
        [LINK_FEEDBACK] = &feedback_frame,
        [LINK_COMMAND] = &command_frame,
    };
    unsigned arrivals[LINK_SOURCES];

    const size_t length = link_drain(&serial, transmit, sizeof transmit);
    const size_t received = takt_board_link_exchange(transmit, length, receive, sizeof receive);
    link_accept(&serial, receive, received, now_us(), arrivals);

    for (int source = 0; source < LINK_SOURCES; source++) {
        for (unsigned i = 0; i < arrivals[source]; i++) {
            (void)takt_semaphore_post(readers[source]); /* refused only at 65535: the frame waits for the next job */
        }
    }
}

/* Attitude reader, 100 Hz. */
void attitude_job(void *argument)
{
    static struct attitude_filter filter;
    struct attitude_message message;
    struct frame frame;

    (void)argument;
    while (link_take(&serial, LINK_ATTITUDE, &frame)) { /* at most LINK_QUEUE_DEPTH */
        attitude_read(&frame, &message);
        const float dt = attitude_update(&filter, &message);

        lock(&navigation_lock);
        navigation_predict(&state.navigation, &filter.attitude, dt);
        state.news.attitude++;
        takt_mutex_unlock(&navigation_lock);
    }
}

/* Position reader, 10 Hz. */
void position_job(void *argument)
{
    struct position_message message;
    struct frame frame;

    (void)argument;
    while (link_take(&serial, LINK_POSITION, &frame)) {
        position_read(&frame, &message);

        lock(&navigation_lock);
        navigation_correct(&state.navigation, &message);
        state.news.position++;
        takt_mutex_unlock(&navigation_lock);
    }
}

/* Control-feedback reader, 50 Hz: do the rotors follow? */
void feedback_job(void *argument)
{
    struct rotor_message message;
    struct rotor_message sent;
    struct frame frame;

    (void)argument;
    while (link_take(&serial, LINK_FEEDBACK, &frame)) {
        rotor_read(&frame, &message);
        const bool known = commanded_read(&sent) == TAKT_OK; /* as long as the declared timing holds */

        lock(&navigation_lock);
        state.news.feedback++;
        if (known) {
            feedback_compare(&state.news, &sent, &message);
        }
        takt_mutex_unlock(&navigation_lock);
    }
}

/* Command reader: whenever the ground station sends. */
void command_job(void *argument)
{
    static uint16_t last_number;
    struct command_message message;
    struct frame frame;

    (void)argument;
    while (link_take(&serial, LINK_COMMAND, &frame)) {
        struct acknowledge_message acknowledge;

        command_read(&frame, &message);
        acknowledge = (struct acknowledge_message){.number = message.number, .accepted = command_valid(&message)};
        if (acknowledge.accepted && message.number != last_number) {
            if (commands_try_send(&message) != TAKT_OK) {
                continue; /* no room, no acknowledgement: the ground station repeats it */
            }
            last_number = message.number;
        }
        if (!acknowledge.accepted) {
            lock(&navigation_lock);
            state.news.refused++;
            takt_mutex_unlock(&navigation_lock);
        }
        acknowledge_write(&frame, &acknowledge);
        send(&frame);
    }
}

/* Guidance and control, 50 Hz. */
void control_job(void *argument)
{
    static struct control_memory memory;
    static struct control_target target;
    struct command_message command;
    struct navigation navigation;
    struct control_output output;
    struct rotor_message rotors;
    struct frame frame;

    (void)argument;
    while (commands_try_receive(&command) == TAKT_OK) { /* at most its capacity */
        target = command_target(&command);
    }

    lock(&navigation_lock);
    navigation = state.navigation;
    takt_mutex_unlock(&navigation_lock);

    control_step(&memory, &navigation, &target, &output);
    rotors.time_us = now_us();
    for (int i = 0; i < ROTORS; i++) {
        rotors.throttle[i] = (uint16_t)(output.throttle[i] * 10000.0f + 0.5f);
    }

    commanded_write(&rotors);
    rotor_write(&frame, FRAME_ROTORS, &rotors);
    send(&frame);
}

/* Serial monitor, 2 Hz: a status frame each time, a line for people every fifth. */
void monitor_job(void *argument)
{
    static struct monitor monitor;
    struct status_message status;
    struct sensor_news news;
    struct frame frame;
    char line[MONITOR_LINE_MAX];
    float altitude;

    (void)argument;
    lock(&navigation_lock);
    news = state.news;
    altitude = state.navigation.altitude;
    takt_mutex_unlock(&navigation_lock);

    monitor_step(&monitor, &serial, &news, &status);
    status.time_us = now_us();
    status.altitude_mm = (int32_t)(altitude * 1000.0f);
    status_write(&frame, &status);
    send(&frame);
    if (monitor.steps % 5 == 0) {
        takt_board_console_write(line, monitor_line(&status, line));
    }
}
