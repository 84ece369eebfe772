/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hints, and what they make of the calls that have to do with the mutex or end the wait: scenarios "hinted, ...". Those
 * of the semaphore represent every call that wakes one task, or all.
 */
#include "calls.h"

static struct takt_mutex mutex;
static struct takt_mutex another;
static struct takt_semaphore semaphore;
static struct takt_mutex *const both[] = {&mutex, &another};
static struct takt_hint_set set = {.mutexes = both, .count = 2};

static void hint_setup(void)
{
    takt_mutex_init(&mutex, 1);
    takt_mutex_init(&another, 2);
    takt_semaphore_init(&semaphore, 3, NULL, 0, 1);
}

static void hinted_arm(void)
{
    takt_hint_next(&another);
}

static void hint_undo(void)
{
    takt_hint_next(NULL);
}

/* The others wait for the semaphore, and lock the mutex next. */
static uint32_t hinted(unsigned number)
{
    takt_hint_next(&mutex);
    return takt_semaphore_wait_until(&semaphore, expiry(number));
}

static void lock_and_unlock(unsigned number)
{
    if (number < others) { /* the blocker has locked it */
        (void)!takt_mutex_lock(&mutex);
    }
    takt_mutex_unlock(&mutex);
}

static void locks_setup(void)
{
    hint_setup();
    after = lock_and_unlock;
}

/* `fresh` owns the mutex, and waits for an object, not for an expiry. */
static struct takt_semaphore end_of_section;

static void owner_entry(void *argument)
{
    (void)argument;
    (void)!takt_mutex_lock(&mutex);
    (void)!takt_semaphore_wait(&end_of_section);
    takt_mutex_unlock(&mutex);
    takt_task_suspend(&fresh.task);
}

static void held_setup(void)
{
    locks_setup();
    takt_semaphore_init(&end_of_section, 4, NULL, 0, 1);
    thread_prepare(&fresh, owner_entry, LEVEL_BLOCKER);
    (void)!takt_task_start(&fresh.task, &fresh.config);
}

static void held_undo(void)
{
    (void)!takt_semaphore_post(&end_of_section);
}

/* All waits for the semaphore are over: a task that gave a hint waits ahead, for the mutex, if it has an owner. */
static void ahead_arm(void)
{
    takt_semaphore_flush(&semaphore);
}

static void owned_setup(void)
{
    locks_setup();
    (void)!takt_mutex_lock(&mutex);
}

static void deleted_setup(void)
{
    hint_setup();
    (void)!takt_mutex_lock(&mutex);
}

/* Nobody owns it: all are ready and expected to lock it, but the runner is better meanwhile. */
static struct takt_ceiling best;

static void expected_arm(void)
{
    takt_ceiling_init(&best, 5, 0, 0);
    (void)!takt_ceiling_lock(&best);
    takt_semaphore_flush(&semaphore);
}

static void expected_undo(void)
{
    takt_mutex_unlock(&mutex);
    takt_ceiling_unlock(&best);
}

/* Each of the others waits for a mutex of the next one, the last for one of the runner's; the blocker's is the first.
 */
static struct takt_mutex links[OTHERS_MAX + 1];

static void chain_after(unsigned number)
{
    takt_mutex_unlock(&links[number + 1u]);
    takt_mutex_unlock(&links[number]);
}

static void chain_setup(void)
{
    hint_setup();
    for (unsigned i = 0; i <= others; i++) {
        takt_mutex_init(&links[i], (uint16_t)i);
    }
    (void)!takt_mutex_lock(&links[others]);
    last_first = true;
    after = chain_after;
}

static uint32_t chained(unsigned number)
{
    (void)!takt_mutex_lock(&links[number]);
    return takt_mutex_lock_until(&links[number + 1u], expiry(number));
}

static void waits_before_chain(void *argument)
{
    (void)argument;
    takt_hint_next(&links[0]);
    (void)!takt_semaphore_wait_until(&semaphore, last_ns);
    (void)!takt_mutex_lock(&links[0]);
    takt_mutex_unlock(&links[0]);
    takt_task_suspend(&blocker.task);
}

static void chain_arm(void)
{
    thread_prepare(&blocker, waits_before_chain, 0);
    (void)!takt_task_start(&blocker.task, &blocker.config);
}

static void chain_undo(void)
{
    takt_mutex_unlock(&links[others]);
}

DO(hint, takt_hint_next(&mutex))
DO(no_hint, takt_hint_next(NULL))
DO(hint_set, takt_hint_next_set(&set))
CALL(post, takt_semaphore_post(&semaphore))
DO(flush, takt_semaphore_flush(&semaphore))
CALL(lock, takt_mutex_lock(&mutex))
CALL(lock_until, takt_mutex_lock_until(&mutex, worst_ns))
CALL(try_lock, takt_mutex_try_lock(&mutex))
DO(unlock, takt_mutex_unlock(&mutex))
DO(mutex_delete, takt_mutex_delete(&mutex))

static const struct scenario hints[] = {
    {"takt_hint_next", "the first", RETURNS, 0, 0, hint, hint_setup, .undo = hint_undo},
    {"takt_hint_next", "in place of another", RETURNS, 0, 0, hint, hint_setup, .arm = hinted_arm, .undo = hint_undo},
    {"takt_hint_next", "none, in place of another", RETURNS, 0, 0, no_hint, hint_setup, .arm = hinted_arm},
    {"takt_hint_next_set", "the first", RETURNS, 0, 0, hint_set, hint_setup, .undo = hint_undo},
    {"takt_hint_next_set", "in place of another", RETURNS, 0, 0, hint_set, hint_setup, .arm = hinted_arm,
     .undo = hint_undo},
    {"takt_semaphore_post", "hinted, for a mutex before a chain", RETURNS, TAKT_OK, 0, post, chain_setup, chained,
     chain_arm, chain_undo},
    {"takt_semaphore_flush", "hinted, all for one mutex", RETURNS, 0, 0, flush, held_setup, hinted, .undo = held_undo},
    {"takt_mutex_lock", "hinted, all wait ahead and do so no more", BLOCKS_AND_WAKES, 0, ALL, lock, held_setup, hinted,
     ahead_arm, held_undo},
    {"takt_mutex_lock", "hinted, all were expected", RETURNS, TAKT_OK, 0, lock, locks_setup, hinted, expected_arm,
     expected_undo},
    {"takt_mutex_lock_until", "hinted, all wait ahead and do so no more", BLOCKS_AND_WAKES, 0, ALL, lock_until,
     held_setup, hinted, ahead_arm, held_undo},
    {"takt_mutex_lock_until", "hinted, all were expected", RETURNS, TAKT_OK, 0, lock_until, locks_setup, hinted,
     expected_arm, expected_undo},
    {"takt_mutex_try_lock", "hinted, all were expected", RETURNS, TAKT_OK, 0, try_lock, locks_setup, hinted,
     expected_arm, expected_undo},
    {"takt_mutex_unlock", "hinted, all wait ahead", WAKES, 0, ALL, unlock, owned_setup, hinted, ahead_arm},
    {"takt_mutex_delete", "hinted, all wait ahead", WAKES, 0, ALL, mutex_delete, deleted_setup, hinted, ahead_arm},
};

void measure_hints(void)
{
    MEASURE(hints);
}
