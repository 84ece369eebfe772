/* SPDX-License-Identifier: Apache-2.0 */
#ifndef THIEF_H
#define THIEF_H

/*
 * A process that tries to take more of the processor than it has: each task of it plays a short program, drawn anew for
 * every stretch of SLOT_NS, of calls that make the kernel work, wait, wake, arm timers and switch. Before: OWN(name),
 * its task or object of that name, OTHER(name), that of the other thief, whose tasks it manages, and FIRST_PLAYER,
 * which makes its programs others than those of other processes.
 */
#include "seed.h"
#include "takt/board.h"
#include "takt/process.h"
#include "takt_app.h"

#define SLOT_NS UINT64_C(160000000)
#define US UINT64_C(1000)

enum { STEPS_MAX = 2000, KINDS = 36, PLAIN = 4, POSTED = 64 };

struct thief {
    uint32_t state;
    uint64_t slot;
};

static inline uint32_t draw(struct thief *thief)
{
    thief->state ^= thief->state << 13;
    thief->state ^= thief->state >> 17;
    thief->state ^= thief->state << 5;
    return thief->state;
}

static inline uint32_t below(struct thief *thief, uint32_t limit)
{
    return draw(thief) % limit;
}

static void spin(uint32_t rounds)
{
    for (volatile uint32_t round = 0; round < rounds; round++) {
    }
}

static void thief_thread(void *argument)
{
    uint32_t mostly_us = (uint32_t)(uintptr_t)argument;
    for (;;) {
        takt_delay(mostly_us * US);
        (void)takt_semaphore_post(&OWN(inside));
    }
}

static void start_thread(uint32_t delay_us)
{
    struct takt_task *thread;
    struct takt_thread_attributes attributes = {
        .entry = thief_thread, .argument = (void *)(uintptr_t)delay_us, .stack_size = 512, .level = TAKT_LEVELS - 2};
    if (takt_thread_create(&thread, &attributes) == TAKT_OK) {
        takt_thread_detach(thread);
    }
}

static void lock_and(struct thief *thief, uint32_t how)
{
    enum takt_status status = (how & 1) != 0 ? takt_mutex_lock(&OWN(lock))
                                             : takt_mutex_lock_until(&OWN(lock), takt_now() + below(thief, 300) * US);
    if (status == TAKT_OK) {
        if ((how & 2) != 0) {
            takt_delay(1 + below(thief, 200) * US);
        } else {
            spin(below(thief, 40));
        }
        takt_mutex_unlock(&OWN(lock));
    }
}

/* Waits until a task signals, or calls a rendezvous, or sends something. */
static void wait_for_signal(uint64_t until_ns)
{
    if (takt_mutex_lock(&OWN(lock)) == TAKT_OK) {
        enum takt_status status = takt_condition_wait_until(&OWN(come), &OWN(lock), until_ns);
        if (status == TAKT_OK || status == TAKT_TIMEOUT) {
            takt_mutex_unlock(&OWN(lock));
        }
    }
}

static void meet(bool calls, uint64_t until_ns)
{
    uint32_t word = 0;
    struct takt_rendezvous_accepted accepted;
    if (calls) {
        (void)!takt_rendezvous_call_until(&OWN(meeting), &word, sizeof word, until_ns);
    } else if (takt_rendezvous_accept_until(&OWN(meeting), &accepted, until_ns) == TAKT_OK) {
        takt_rendezvous_complete(&accepted);
    }
}

/* Steps that concern several tasks at a time. */
static void step_of_many(uint32_t kind, uint32_t amount)
{
    uint64_t until_ns = takt_now() + amount % 500 * US;
    uint8_t message[POSTED] = {0};
    struct takt_pipe_count count = {.size = 1 + amount % POSTED, .least = amount % 3 == 0};
    switch (kind) {
    case 24:
        (void)takt_priority_mailbox_broadcast(&OWN(post), message);
        break;
    case 25:
        (void)!takt_priority_mailbox_receive_until(&OWN(post), message, until_ns);
        break;
    case 26:
        (void)!takt_priority_mailbox_try_send(&OWN(post), message, amount % 4);
        break;
    case 27:
        (void)!takt_pipe_try_write(&OWN(bytes), message, &count);
        break;
    case 28:
        (void)!takt_pipe_read_until(&OWN(bytes), message, &count, until_ns);
        break;
    case 29:
        wait_for_signal(until_ns);
        break;
    case 30:
        takt_condition_broadcast(&OWN(come));
        break;
    case 31:
    case 32:
        meet(kind == 31, until_ns);
        break;
    case 33:
        takt_semaphore_flush(&OWN(inside));
        break;
    case 34:
        takt_task_suspend(OTHER(TASK_third));
        break;
    case 35:
        takt_task_resume(OTHER(TASK_third));
        break;
    default:
        break;
    }
}

/* One step of a program: `kind` and `amount` are the same each time that this step of it comes. */
static void step(struct thief *thief, uint32_t kind, uint32_t amount, struct takt_task *other)
{
    uint64_t now_ns = takt_now();
    uint8_t message[8] = {0};
    struct takt_events_wanted wanted = {.flags = 1, .mode = TAKT_EVENTS_CLEAR};
    switch (kind) {
    case 0:
        takt_delay(1 + amount % 3);
        break;
    case 1:
        takt_delay(amount % 2000 * US);
        break;
    case 2:
        takt_delay_until(now_ns + amount % 9 * 1000 * US);
        break;
    case 3:
        takt_task_yield();
        break;
    case 4:
        (void)!takt_semaphore_wait_until(&OWN(inside), now_ns + amount % 400 * US);
        break;
    case 5:
        (void)takt_semaphore_post(&OWN(inside));
        break;
    case 6:
        (void)takt_semaphore_post(&OWN(wake));
        break;
    case 7:
        (void)takt_semaphore_post(&knock);
        break;
    case 8:
        lock_and(thief, amount);
        break;
    case 9:
        (void)!takt_alarm_start(&OWN(alarm), now_ns + amount % 300 * US);
        break;
    case 10:
        takt_alarm_restart(&OWN(alarm), now_ns + amount % 30 * US);
        break;
    case 11:
        (void)takt_alarm_stop(&OWN(alarm));
        break;
    case 12:
        (void)!takt_watchdog_start(&OWN(dog));
        break;
    case 13:
        takt_watchdog_kick(&OWN(dog));
        break;
    case 14:
        (void)takt_watchdog_stop(&OWN(dog));
        break;
    case 15:
        takt_job_release_at(other, now_ns + amount % 20000 * US);
        break;
    case 16:
        takt_task_suspend(other);
        break;
    case 17:
        takt_task_resume(other);
        break;
    case 18:
        takt_task_stop(other);
        break;
    case 19:
        (void)!takt_task_start(other, NULL);
        break;
    case 20:
        (void)!takt_events_wait_until(&OWN(flags), &wanted, now_ns + amount % 200 * US);
        break;
    case 21:
        (void)takt_events_set(&OWN(flags), 1);
        break;
    case 22:
        (void)!takt_mailbox_try_send(&OWN(box), message);
        break;
    case 23:
        (void)!takt_mailbox_receive_until(&OWN(box), message, now_ns + amount % 100 * US);
        break;
    default:
        step_of_many(kind, amount);
        break;
    }
}

/* A job: its program, drawn for this stretch of time; half of the programs are of few kinds of steps, again and again.
 */
static void play(struct thief *thief, uint32_t player, struct takt_task *const *others, uint32_t count)
{
    uint64_t slot = takt_now() / SLOT_NS;
    struct thief plan = {.state = (uint32_t)(SEED * 2654435761u + slot * 40503u + player * 7919u) | 1u};
    for (uint32_t turn = 0; turn < 8; turn++) {
        (void)draw(&plan);
    }
    thief->state = plan.state ^ 0x9E3779B9u;
    uint32_t steps = 1 + below(&plan, STEPS_MAX);
    uint32_t kinds = 1 + below(&plan, (draw(&plan) & 1) != 0 ? PLAIN : KINDS);
    static const uint8_t quick[] = {3,  5,  6,  7,  9,  10, 11, 12, 13, 14, 15, 16,
                                    17, 18, 19, 21, 22, 24, 26, 27, 30, 33, 34, 35}; /* wait for nothing */
    bool waits = (draw(&plan) & 1) != 0;
    uint32_t kind[KINDS];
    for (uint32_t index = 0; index < kinds; index++) {
        kind[index] = waits ? below(&plan, KINDS) : quick[below(&plan, sizeof quick)];
    }
    if (below(&plan, 16) == 0) {
        start_thread(1 + below(&plan, 300));
    }
    if (below(&plan, 8) == 0) {
        spin(below(&plan, 4000));
    }
    for (uint32_t index = 0; index < steps; index++) {
        uint32_t amount = draw(&plan);
        step(thief, kind[below(&plan, kinds)], amount, others[amount % count]);
    }
}

static struct thief first, second, third, last;

void OWN(first_job)(void *argument)
{
    struct takt_task *const others[] = {OWN(TASK_second), OWN(TASK_third)};
    (void)argument;
    play(&first, FIRST_PLAYER + 1, others, 2);
}

void OWN(second_job)(void *argument)
{
    struct takt_task *const others[] = {OWN(TASK_third)};
    (void)argument;
    play(&second, FIRST_PLAYER + 2, others, 1);
}

void OWN(third_job)(void *argument)
{
    struct takt_task *const others[] = {OWN(TASK_second)};
    (void)argument;
    play(&third, FIRST_PLAYER + 3, others, 1);
}

void OWN(last_job)(void *argument) /* a background task */
{
    struct takt_task *const others[] = {OWN(TASK_second), OWN(TASK_third)};
    (void)argument;
    for (;;) {
        play(&last, FIRST_PLAYER + 4, others, 2);
        takt_delay(50 * US);
    }
}

#endif
