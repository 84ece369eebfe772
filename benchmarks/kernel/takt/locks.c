/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lock and unlock of a mutex with a ceiling, which no task waits for: the runner's level is below the ceiling.
 *
 * Lock and unlock of a mutex that another owns, with all their switches, as seed 000 has it in 5.5.1: t2 waits for a
 * signal of t1, who owns the mutex, and locks it then. From the signal until t2 owns the mutex; with and without a
 * hint.
 */
#include "harness.h"
#include "rows.h"
#include "takt/hint.h"

static struct takt_mutex mutex;
static struct takt_semaphore signal;
static bool signalled;     /* t1 goes on after its signal */
static unsigned found_out; /* t2 ran before that, and found the mutex owned */

static void lock_next(bool hinted)
{
    for (;;) {
        if (hinted) {
            takt_hint_next(&mutex);
        }
        (void)!takt_semaphore_wait(&signal);
        found_out += signalled ? 0 : 1;
        (void)!takt_mutex_lock(&mutex);
        stamp_end(1);
        effects += found_out == (hinted ? 0u : 1u);
        found_out = 0;
        takt_mutex_unlock(&mutex);
    }
}

static void with_hint(void *argument)
{
    (void)argument;
    lock_next(true);
}

static void without_hint(void *argument)
{
    (void)argument;
    lock_next(false);
}

static void setup(void (*t2)(void *argument))
{
    takt_mutex_init(&mutex, 6);
    takt_semaphore_init(&signal, 7, NULL, 0, 8);
    thread_take(t2, LEVEL_ABOVE);
}

static void plain_setup(void)
{
    setup(without_hint);
}

static void hinted_setup(void)
{
    setup(with_hint);
}

static void signal_once(void)
{
    signalled = false;
    (void)!takt_mutex_lock(&mutex);
    stamp_begin(0);
    (void)takt_semaphore_post(&signal);
    signalled = true;
    takt_mutex_unlock(&mutex);
}

static struct takt_ceiling ceiling;

static void ceiling_setup(void)
{
    ceiling_for(&ceiling, LEVEL_ABOVE);
}

static void ceiling_pair(void)
{
    stamp_begin(0);
    (void)!takt_ceiling_lock(&ceiling);
    takt_ceiling_unlock(&ceiling);
    stamp_end(1);
    effects += takt_ceiling_try_lock(&ceiling) == TAKT_OK;
    takt_ceiling_unlock(&ceiling);
}

static const struct row lock_rows[] = {
    {"ceiling_pair", ceiling_setup, ceiling_pair, 1, 0, 1, false, 0},
    {"contended_plain", plain_setup, signal_once, 1, 0, 1, false, 0},
    {"contended_hinted", hinted_setup, signal_once, 1, 0, 1, false, 0},
};

void lock_rows_measure(void)
{
    harness_measure(lock_rows, sizeof lock_rows / sizeof lock_rows[0]);
}
