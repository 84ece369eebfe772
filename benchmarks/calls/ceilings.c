/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutexes with immediate ceiling. A ceiling is queued among the waiters: most expensive behind all of them, which are
 * better.
 */
#include "calls.h"

static struct takt_ceiling ceiling;
static struct takt_ceiling own[OTHERS_MAX];  /* each of the others holds one, and so is better than `ceiling` */
static struct takt_ceiling more[OTHERS_MAX]; /* the runner holds as many more */

static void free_setup(void)
{
    takt_ceiling_init(&ceiling, 1, LEVEL_OTHERS, 0);
}

static void ceiling_undo(void)
{
    takt_ceiling_unlock(&ceiling);
}

static void lower(unsigned number)
{
    if (number < others) {
        takt_ceiling_unlock(&own[number]);
    }
}

static void unlock_and_lower(unsigned number)
{
    takt_ceiling_unlock(&ceiling);
    lower(number);
}

static void better_setup(void)
{
    free_setup();
    first_level = LEVEL_OTHERS; /* as good as the ceiling, not better */
    for (unsigned i = 0; i < others; i++) {
        takt_ceiling_init(&own[i], 2, LEVEL_FIRST, 0);
    }
    after = unlock_and_lower;
}

static uint32_t locking(unsigned number)
{
    (void)!takt_ceiling_lock(&own[number]);
    return takt_ceiling_lock_until(&ceiling, expiry(number));
}

static void owned_setup(void)
{
    better_setup();
    (void)!takt_ceiling_lock(&ceiling);
    for (unsigned i = 0; i < others; i++) {
        takt_ceiling_init(&more[i], 3, LEVEL_BLOCKER, 0);
        (void)!takt_ceiling_lock(&more[i]);
    }
}

static void deleted_setup(void)
{
    owned_setup();
    after = lower;
}

static void more_undo(void)
{
    for (unsigned i = 0; i < others; i++) {
        takt_ceiling_unlock(&more[i]);
    }
}

/* Somebody else owns it. */
static void owner_entry(void *argument)
{
    (void)argument;
    (void)!takt_ceiling_lock(&ceiling);
    takt_task_suspend(&fresh.task);
    takt_ceiling_unlock(&ceiling);
    takt_task_suspend(&fresh.task);
}

static void held_setup(void)
{
    better_setup();
    thread_prepare(&fresh, owner_entry, LEVEL_BLOCKER);
    (void)!takt_task_start(&fresh.task, &fresh.config);
}

static void held_undo(void)
{
    takt_task_resume(&fresh.task);
}

/*
 * The first of the others owns it, and each waits for a mutex of the next one, the last for one of the runner's.
 * `fresh` locks it. None is better than the ceiling except the blocker, which waits for `inherits` and is better than
 * all.
 */
static struct takt_mutex links[OTHERS_MAX + 1];
static struct takt_mutex inherits;
static uint64_t lock_until_ns;

static void chain_after(unsigned number)
{
    if (number == others) { /* the blocker */
        takt_mutex_unlock(&inherits);
        return;
    }
    takt_mutex_unlock(&links[number + 1u]);
    if (number > 0) {
        takt_mutex_unlock(&links[number]);
    } else {
        takt_ceiling_unlock(&ceiling);
    }
}

static void chain_setup(void)
{
    takt_ceiling_init(&ceiling, 1, LEVEL_FIRST, 0);
    takt_mutex_init(&inherits, 4);
    for (unsigned i = 0; i <= others; i++) {
        takt_mutex_init(&links[i], (uint16_t)i);
    }
    (void)!takt_mutex_lock(&links[others]);
    last_first = true;
    blocker_level = 0;
    after = chain_after;
    lock_until_ns = TAKT_FOREVER;
}

static void timed_chain_setup(void)
{
    chain_setup();
    lock_until_ns = worst_ns;
}

static uint32_t chained(unsigned number)
{
    if (number > 0) {
        (void)!takt_mutex_lock(&links[number]);
    } else {
        (void)!takt_ceiling_lock(&ceiling);
    }
    return takt_mutex_lock_until(&links[number + 1u], expiry(number));
}

static void lock_entry(void *argument)
{
    (void)argument;
    (void)!takt_mutex_lock(&inherits);
    takt_task_suspend(&fresh.task);
    stamp_begin(0);
    (void)!takt_ceiling_lock_until(&ceiling, lock_until_ns);
    takt_ceiling_unlock(&ceiling);
    takt_mutex_unlock(&inherits);
    takt_task_suspend(&fresh.task);
}

static void lock_for_ever_entry(void *argument)
{
    (void)argument;
    (void)!takt_mutex_lock(&inherits);
    takt_task_suspend(&fresh.task);
    stamp_begin(0);
    (void)!takt_ceiling_lock(&ceiling);
    takt_ceiling_unlock(&ceiling);
    takt_mutex_unlock(&inherits);
    takt_task_suspend(&fresh.task);
}

/* It has `inherits`, and is ready to lock; the runner goes on before it, for it ends the chain. */
static void chain_arm_with(void (*entry)(void *argument))
{
    thread_prepare(&fresh, entry, LEVEL_BLOCKER);
    (void)!takt_task_start(&fresh.task, &fresh.config);
    takt_delay(TAKT_US(300));
    takt_task_resume(&fresh.task);
}

static void chain_arm(void)
{
    chain_arm_with(lock_for_ever_entry);
}

static void timed_chain_arm(void)
{
    chain_arm_with(lock_entry);
}

static void wait_for_inherits(void)
{
    (void)!takt_mutex_lock(&inherits);
}

static void chain_undo(void)
{
    takt_mutex_unlock(&links[others]);
}

DO(ceiling_init, takt_ceiling_init(&ceiling, 1, LEVEL_OTHERS, 0))
CALL(lock, takt_ceiling_lock(&ceiling))
CALL(lock_until, takt_ceiling_lock_until(&ceiling, worst_ns))
CALL(try_lock, takt_ceiling_try_lock(&ceiling))
DO(unlock, takt_ceiling_unlock(&ceiling))
DO(ceiling_delete, takt_ceiling_delete(&ceiling))

static const struct scenario ceilings[] = {
    {"takt_ceiling_init", "", RETURNS, 0, 0, ceiling_init},
    {"takt_ceiling_lock", "free", RETURNS, TAKT_OK, 0, lock, free_setup, .undo = ceiling_undo},
    {"takt_ceiling_lock", "last of the waiters", BLOCKS, 0, 0, lock, held_setup, locking, .undo = held_undo},
    {"takt_ceiling_lock", "before a chain", BLOCKS, 0, 0, wait_for_inherits, chain_setup, chained, chain_arm,
     chain_undo},
    {"takt_ceiling_lock_until", "free", RETURNS, TAKT_OK, 0, lock_until, free_setup, .undo = ceiling_undo},
    {"takt_ceiling_lock_until", "last of the waiters", BLOCKS, 0, 0, lock_until, held_setup, locking,
     .undo = held_undo},
    {"takt_ceiling_lock_until", "before a chain", BLOCKS, 0, 0, wait_for_inherits, timed_chain_setup, chained,
     timed_chain_arm, chain_undo},
    {"takt_ceiling_try_lock", "free", RETURNS, TAKT_OK, 0, try_lock, free_setup, .undo = ceiling_undo},
    {"takt_ceiling_unlock", "all wait for it, as many more are held", WAKES, 0, ALL, unlock, owned_setup, locking,
     .undo = more_undo},
    {"takt_ceiling_delete", "all wait for it, as many more are held", WAKES, 0, ALL, ceiling_delete, deleted_setup,
     locking, .undo = more_undo},
};

void measure_ceilings(void)
{
    MEASURE(ceilings);
}
