/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A board without a kernel: the flight program's own tasks_*.c, their jobs called in the order of their deadlines at
 * every link interrupt, each in no time. What control law, filters and link do apart from all scheduling. Driven by
 * ctypes.
 */
#include <stdlib.h>
#include <string.h>

#include "takt/board.h"

#include "takt_app.h"

struct takt_mutex navigation_lock;
struct takt_mutex transmit_lock;
struct takt_semaphore attitude_frame;
struct takt_semaphore position_frame;
struct takt_semaphore feedback_frame;
struct takt_semaphore command_frame;
struct takt_mailbox commands;
TAKT_STATE_DEFINE(commanded, sizeof(struct rotor_message), 2);
TAKT_STATE_DEFINE(kept, sizeof(struct kept_control), 2);
struct link serial;
struct flight_state state;

typedef size_t board_exchange(uint64_t time_ns, const uint8_t *transmit, size_t length, uint8_t *receive,
                              size_t capacity);

static uint64_t now_ns;
static board_exchange *exchange;
static int locked;
static struct {
    uint8_t bytes[4][64];
    unsigned count;
} box;

void board_tick(uint64_t time_ns, board_exchange *plant, bool control);
void board_restart(bool control, bool spoilt);

/* All variables of tasks_control.c and tasks_sensors.c: conftest.py gives them sections of their own. */
extern uint8_t __start_own_control[];
extern uint8_t __stop_own_control[];
extern uint8_t __start_own_sensors[];
extern uint8_t __stop_own_sensors[];

enum { RESTART_TICKS = 3 };
static int control_away;
static int sensors_away;

static void run_posted(struct takt_semaphore *semaphore, void (*job)(void *))
{
    while (semaphore->count > 0) {
        semaphore->count--;
        job(NULL);
    }
}

/* Runs everything that is due at `time_ns`, a multiple of 10 ms. `control`: whether the control task exists. */
void board_tick(uint64_t time_ns, board_exchange *plant, bool control)
{
    now_ns = time_ns;
    exchange = plant;
    link_interrupt();
    const bool sensors = --sensors_away < 0;
    const bool controls = --control_away < 0;
    if (sensors) {
        run_posted(&attitude_frame, attitude_job);
        run_posted(&feedback_frame, feedback_job);
    }
    if (control && controls && time_ns % TAKT_MS(20) == 0) {
        control_job(NULL);
    }
    if (sensors) {
        run_posted(&position_frame, position_job);
    }
    run_posted(&command_frame, command_job);
    if (time_ns % TAKT_MS(500) == 0) {
        monitor_job(NULL);
    }
}

/* Starts the process of the control task, or that of the readers, again: its memory as at the start, its tasks away for
 * some ticks. `spoilt`: what it had kept for this is garbage. */
void board_restart(bool control, bool spoilt)
{
    if (control) {
        memset(__start_own_control, 0, (size_t)(__stop_own_control - __start_own_control));
        control_away = RESTART_TICKS;
    } else {
        memset(__start_own_sensors, 0, (size_t)(__stop_own_sensors - __start_own_sensors));
        sensors_away = RESTART_TICKS;
    }
    if (spoilt && control) {
        memset(kept_storage, 0x7F, sizeof kept_storage);
        kept.newest = 0;
    } else if (spoilt) {
        memset(&state.known, 0x7F, sizeof state.known);
    }
}

uint64_t takt_now(void)
{
    return now_ns;
}

enum takt_status takt_mutex_lock(struct takt_mutex *mutex)
{
    (void)mutex;
    locked++;
    return TAKT_OK;
}

void takt_mutex_unlock(struct takt_mutex *mutex)
{
    (void)mutex;
    if (--locked < 0) {
        abort();
    }
}

enum takt_status takt_semaphore_post(struct takt_semaphore *semaphore)
{
    semaphore->count++;
    return TAKT_OK;
}

enum takt_status takt_mailbox_try_send(struct takt_mailbox *mailbox, const void *message)
{
    (void)mailbox;
    if (box.count == sizeof box.bytes / sizeof box.bytes[0]) {
        return TAKT_BUSY;
    }
    memcpy(box.bytes[box.count++], message, 16);
    return TAKT_OK;
}

enum takt_status takt_mailbox_try_receive(struct takt_mailbox *mailbox, void *message)
{
    (void)mailbox;
    if (box.count == 0) {
        return TAKT_BUSY;
    }
    memcpy(message, box.bytes[0], 16);
    memmove(box.bytes[0], box.bytes[1], sizeof box.bytes - sizeof box.bytes[0]);
    box.count--;
    return TAKT_OK;
}

_Noreturn void takt_fault_raise(enum takt_fault_reason reason, const char *file, unsigned line, uintptr_t address)
{
    (void)reason;
    (void)file;
    (void)line;
    (void)address;
    abort();
}

void takt_board_console_write(const char *text, size_t length)
{
    (void)text;
    (void)length;
}

size_t takt_board_link_exchange(const uint8_t *transmit, size_t transmit_length, uint8_t *receive, size_t capacity)
{
    return exchange(now_ns, transmit, transmit_length, receive, capacity);
}
