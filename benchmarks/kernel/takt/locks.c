/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lock and unlock of a mutex with a ceiling, which no task waits for: the runner's level is below the ceiling.
 *
 * Lock and unlock of a mutex that another owns, with all their switches, as seed 000 has it in 5.5.1: t2 waits for a
 * signal of t1, which owns the mutex, and locks it then. From the signal until t2 owns the mutex; with and without a
 * hint. Option locks: these alone, and from t2's lock until it owns the mutex, without a hint; and with two mutexes of
 * t1, which t2 locks one after the other, without a hint, with one of the first, and with one of both.
 */
#include "harness.h"
#include "rows.h"
#include "takt/hint.h"

static struct takt_mutex mutex, second;
static struct takt_semaphore signal;
static bool signalled;     /* t1 goes on after its signal */
static bool second_owned;  /* by t1 */
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
        effects += found_out == (hinted && TAKTI_HINTS ? 0u : 1u);
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

static void lock_alone(void *argument)
{
    (void)argument;
    for (;;) {
        (void)!takt_semaphore_wait(&signal);
        stamp_begin(0);
        (void)!takt_mutex_lock(&mutex);
        stamp_end(1);
        effects += signalled ? 1 : 0;
        takt_mutex_unlock(&mutex);
    }
}

static enum { NONE, FIRST, BOTH } named; /* by the hint of the tasks that lock two */

/* t2 is switched to once for each mutex that its hint does not name, and once to own the last one. */
static void lock_two(void *argument)
{
    (void)argument;
    for (;;) {
        if (named == FIRST) {
            takt_hint_next(&mutex);
        } else if (named == BOTH) {
            takt_hint_next_set(TAKT_HINT_SET(&mutex, &second));
        }
        (void)!takt_semaphore_wait(&signal);
        found_out += signalled ? 0 : 1;
        (void)!takt_mutex_lock(&mutex);
        found_out += second_owned ? 1 : 0;
        takt_mutex_unlock(&mutex);
        (void)!takt_mutex_lock(&second);
        stamp_end(1);
        effects += found_out == (TAKTI_HINTS ? 2u - (unsigned)named : 2u);
        found_out = 0;
        takt_mutex_unlock(&second);
    }
}

static void setup(void (*t2)(void *argument))
{
    takt_mutex_init(&mutex, 6);
    takt_mutex_init(&second, 8);
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

static void alone_setup(void)
{
    setup(lock_alone);
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

static void two_setup(unsigned hint)
{
    named = hint;
    setup(lock_two);
}

static void two_plain_setup(void)
{
    two_setup(NONE);
}

static void two_hinted_setup(void)
{
    two_setup(FIRST);
}

static void two_set_setup(void)
{
    two_setup(BOTH);
}

static void signal_twice_owned(void)
{
    signalled = false;
    (void)!takt_mutex_lock(&second);
    (void)!takt_mutex_lock(&mutex);
    second_owned = true;
    stamp_begin(0);
    (void)takt_semaphore_post(&signal);
    signalled = true;
    takt_mutex_unlock(&mutex);
    second_owned = false;
    takt_mutex_unlock(&second);
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

static const struct row ceiling_row = {"ceiling_pair", ceiling_setup, ceiling_pair, 1, 0, 1, false, 0};
static const struct row contended_rows[] = {
    {"contended_plain", plain_setup, signal_once, 1, 0, 1, false, 0},
    {"contended_hinted", hinted_setup, signal_once, 1, 0, 1, false, 0},
};
static const struct row alone_row = {"contended_lock", alone_setup, signal_once, 1, 0, 1, false, 0};
static const struct row two_rows[] = {
    {"two_plain", two_plain_setup, signal_twice_owned, 1, 0, 1, false, 0},
    {"two_hinted", two_hinted_setup, signal_twice_owned, 1, 0, 1, false, 0},
    {"two_set", two_set_setup, signal_twice_owned, 1, 0, 1, false, 0},
};

static void contended_measure(void)
{
    harness_measure(contended_rows, sizeof contended_rows / sizeof contended_rows[0]);
}

void lock_rows_measure(void)
{
    harness_measure(&ceiling_row, 1);
    contended_measure();
}

bool locks_measure(void)
{
    bool wanted = harness_option("locks", 0) != 0;
    if (wanted) {
        contended_measure();
        harness_measure(&alone_row, 1);
        harness_measure(two_rows, sizeof two_rows / sizeof two_rows[0]);
    }
    return wanted;
}
