/* SPDX-License-Identifier: Apache-2.0 */
/* Mutex, condition variable and rendezvous. */
#include "calls.h"

static struct takt_mutex mutex;
static struct takt_mutex each[OTHERS_MAX + 1];

static void mutex_setup(void)
{
    takt_mutex_init(&mutex, 1);
}

/* The runner owns it, and the others wait for it. */
static void owned_setup(void)
{
    mutex_setup();
    (void)!takt_mutex_lock(&mutex);
}

static void mutex_unlock_after(unsigned number)
{
    (void)number;
    takt_mutex_unlock(&mutex);
}

/* So that it can be handed over; by a task that has suspended itself, unless it is the runner. */
static void passed_setup(void)
{
    owned_setup();
    after = mutex_unlock_after;
}

static void owner_entry(void *argument)
{
    (void)argument;
    (void)!takt_mutex_lock(&mutex);
    takt_task_suspend(&fresh.task);
    takt_mutex_unlock(&mutex);
    takt_task_suspend(&fresh.task);
}

static void held_setup(void)
{
    mutex_setup();
    after = mutex_unlock_after;
    thread_prepare(&fresh, owner_entry, LEVEL_BLOCKER);
    (void)!takt_task_start(&fresh.task, &fresh.config);
}

static void held_undo(void)
{
    takt_task_resume(&fresh.task);
}

static uint32_t locking(unsigned number)
{
    return takt_mutex_lock_until(&mutex, expiry(number));
}

static void mutex_undo(void)
{
    takt_mutex_unlock(&mutex);
}

/* Each waits for the next one: tasks.c has the same for a stop. */
static void chain_after(unsigned number)
{
    if (number < others) {
        takt_mutex_unlock(&each[number + 1u]);
    }
    takt_mutex_unlock(&each[number < others ? number : 0]);
}

static void each_init(void)
{
    for (unsigned i = 0; i <= others; i++) {
        takt_mutex_init(&each[i], (uint16_t)i);
    }
}

static void chain_setup(void)
{
    each_init();
    (void)!takt_mutex_lock(&each[others]);
    last_first = true;
    blocker_level = 0;
    after = chain_after;
}

static uint32_t chained(unsigned number)
{
    (void)!takt_mutex_lock(&each[number]);
    return takt_mutex_lock_until(&each[number + 1u], expiry(number));
}

static void chain_undo(void)
{
    takt_mutex_unlock(&each[others]);
}

/* Each waits for a mutex of its own, all of them the runner's. */
static void each_after(unsigned number)
{
    takt_mutex_unlock(&each[number]);
}

static void each_setup(void)
{
    each_init();
    for (unsigned i = 0; i < others; i++) {
        (void)!takt_mutex_lock(&each[i]);
    }
    after = each_after;
}

static uint32_t each_waits(unsigned number)
{
    return takt_mutex_lock_until(&each[number], expiry(number));
}

static void each_undo(void)
{
    for (unsigned i = 1; i < others; i++) {
        takt_mutex_unlock(&each[i]);
    }
}

DO(mutex_init, takt_mutex_init(&mutex, 1))
CALL(lock, takt_mutex_lock(&mutex))
CALL(lock_chain, takt_mutex_lock(&each[0]))
CALL(lock_until, takt_mutex_lock_until(&mutex, worst_ns))
CALL(lock_until_chain, takt_mutex_lock_until(&each[0], worst_ns))
CALL(try_lock, takt_mutex_try_lock(&mutex))
DO(unlock, takt_mutex_unlock(&mutex))
DO(unlock_first, takt_mutex_unlock(&each[0]))
DO(mutex_delete, takt_mutex_delete(&mutex))

static const struct scenario mutexes[] = {
    {"takt_mutex_init", "", RETURNS, 0, 0, mutex_init},
    {"takt_mutex_lock", "free", RETURNS, TAKT_OK, 0, lock, mutex_setup, .undo = mutex_undo},
    {"takt_mutex_lock", "last of the waiters", BLOCKS, 0, 0, lock, held_setup, locking, .undo = held_undo},
    {"takt_mutex_lock", "before a chain", BLOCKS, 0, 0, lock_chain, chain_setup, chained, .undo = chain_undo},
    {"takt_mutex_lock_until", "free", RETURNS, TAKT_OK, 0, lock_until, mutex_setup, .undo = mutex_undo},
    {"takt_mutex_lock_until", "last of the waiters", BLOCKS, 0, 0, lock_until, held_setup, locking, .undo = held_undo},
    {"takt_mutex_lock_until", "before a chain", BLOCKS, 0, 0, lock_until_chain, chain_setup, chained,
     .undo = chain_undo},
    {"takt_mutex_try_lock", "free", RETURNS, TAKT_OK, 0, try_lock, mutex_setup, .undo = mutex_undo},
    {"takt_mutex_unlock", "nobody waits", RETURNS, 0, 0, unlock, owned_setup},
    {"takt_mutex_unlock", "all wait for it", WAKES, 0, ALL, unlock, passed_setup, locking},
    {"takt_mutex_unlock", "each waits for another", WAKES, 0, 1, unlock_first, each_setup, each_waits,
     .undo = each_undo},
    {"takt_mutex_delete", "all wait for it", WAKES, 0, ALL, mutex_delete, owned_setup, locking},
};

/* The others wait for a signal, with the mutex. */
static struct takt_condition condition;

static void condition_setup(void)
{
    mutex_setup();
    takt_condition_init(&condition, 2);
    after = mutex_unlock_after;
}

static uint32_t condition_waits(unsigned number)
{
    (void)!takt_mutex_lock(&mutex);
    return takt_condition_wait_until(&condition, &mutex, expiry(number));
}

static void deleted_setup(void)
{
    condition_setup();
    after = NULL;
}

static void runner_lock(void)
{
    (void)!takt_mutex_lock(&mutex);
}

/* The waiter for a signal owns the mutex, and all others wait for it. */
static uint64_t signal_until_ns;

static void lock_and_wait(void *argument)
{
    (void)argument;
    (void)!takt_mutex_lock(&mutex);
    takt_task_suspend(&fresh.task);
    stamp_begin(0);
    (void)!takt_condition_wait_until(&condition, &mutex, signal_until_ns);
    fail("returned");
}

static void lock_and_wait_for_ever(void *argument)
{
    (void)argument;
    (void)!takt_mutex_lock(&mutex);
    takt_task_suspend(&fresh.task);
    stamp_begin(0);
    (void)!takt_condition_wait(&condition, &mutex);
    fail("returned");
}

static void given_setup(void)
{
    condition_setup();
    signal_until_ns = worst_ns;
    thread_prepare(&fresh, lock_and_wait, LEVEL_BLOCKER);
    (void)!takt_task_start(&fresh.task, &fresh.config);
}

static void given_for_ever_setup(void)
{
    condition_setup();
    thread_prepare(&fresh, lock_and_wait_for_ever, LEVEL_BLOCKER);
    (void)!takt_task_start(&fresh.task, &fresh.config);
}

static void resume_fresh(void)
{
    takt_task_resume(&fresh.task);
    call_returned(0);
}

static void lock_then_wait(void)
{
    (void)!takt_mutex_lock(&mutex);
    stamp_begin(0);
    (void)!takt_condition_wait(&condition, &mutex);
    fail("returned");
}

static void lock_then_wait_until(void)
{
    (void)!takt_mutex_lock(&mutex);
    stamp_begin(0);
    (void)!takt_condition_wait_until(&condition, &mutex, worst_ns);
    fail("returned");
}

DO(condition_init, takt_condition_init(&condition, 1))
DO(signal, takt_condition_signal(&condition))
DO(broadcast, takt_condition_broadcast(&condition))
DO(condition_delete, takt_condition_delete(&condition))

static const struct scenario conditions[] = {
    {"takt_condition_init", "", RETURNS, 0, 0, condition_init},
    {"takt_condition_wait", "last of the waiters", BLOCKS, 0, 0, lock_then_wait, condition_setup, condition_waits},
    {"takt_condition_wait", "all wait for the mutex", WAKES, 0, ALL, resume_fresh, given_for_ever_setup, locking},
    {"takt_condition_wait_until", "last of the waiters", BLOCKS, 0, 0, lock_then_wait_until, condition_setup,
     condition_waits},
    {"takt_condition_wait_until", "all wait for the mutex", WAKES, 0, ALL, resume_fresh, given_setup, locking},
    {"takt_condition_signal", "the mutex is free", WAKES, 0, 1, signal, condition_setup, condition_waits},
    {"takt_condition_signal", "the caller owns the mutex", RETURNS, 0, 0, signal, condition_setup, condition_waits,
     runner_lock, mutex_undo},
    {"takt_condition_broadcast", "the mutex is free", WAKES, 0, ALL, broadcast, condition_setup, condition_waits},
    {"takt_condition_broadcast", "the caller owns the mutex", RETURNS, 0, 0, broadcast, condition_setup,
     condition_waits, runner_lock, mutex_undo},
    {"takt_condition_delete", "all wait", WAKES, 0, ALL, condition_delete, deleted_setup, condition_waits},
};

static struct takt_rendezvous rendezvous;
static struct takt_rendezvous_accepted accepted;
static struct takt_rendezvous_accepted accepted_by[OTHERS_MAX];

static void rendezvous_setup(void)
{
    takt_rendezvous_init(&rendezvous, 3);
}

static uint32_t calls(unsigned number)
{
    return takt_rendezvous_call_until(&rendezvous, sent, MESSAGE, expiry(number));
}

static uint32_t accepts(unsigned number)
{
    return takt_rendezvous_accept_until(&rendezvous, &accepted_by[number], expiry(number));
}

static void accepted_undo(void)
{
    takt_rendezvous_complete(&accepted);
}

static void runner_accepts(void)
{
    (void)!takt_rendezvous_accept(&rendezvous, &accepted);
}

static void completes(unsigned number)
{
    if (number == 0 && accepted_by[0].serving.owner == &other[0].task) {
        takt_rendezvous_complete(&accepted_by[0]);
    }
}

/* The first acceptor completes the call when the runner resumes it. */
static void completes_later(unsigned number)
{
    if (number == 0) {
        takt_task_suspend(&other[0].task);
        completes(0);
    }
}

static void acceptors_setup(void)
{
    rendezvous_setup();
    after = completes_later;
}

static void resume_first(void)
{
    takt_task_resume(&other[0].task);
}

DO(rendezvous_init, takt_rendezvous_init(&rendezvous, 3))
CALL(rendezvous_call, takt_rendezvous_call(&rendezvous, sent, MESSAGE))
CALL(rendezvous_call_until, takt_rendezvous_call_until(&rendezvous, sent, MESSAGE, worst_ns))
CALL(accept, takt_rendezvous_accept(&rendezvous, &accepted))
CALL(accept_until, takt_rendezvous_accept_until(&rendezvous, &accepted, worst_ns))
CALL(try_accept, takt_rendezvous_try_accept(&rendezvous, &accepted))
DO(complete, takt_rendezvous_complete(&accepted))
DO(rendezvous_delete, takt_rendezvous_delete(&rendezvous))

static const struct scenario meetings[] = {
    {"takt_rendezvous_init", "", RETURNS, 0, 0, rendezvous_init},
    {"takt_rendezvous_call", "last of the callers", BLOCKS, 0, 0, rendezvous_call, rendezvous_setup, calls},
    {"takt_rendezvous_call", "all wait to accept", BLOCKS_AND_WAKES, 0, 1, rendezvous_call, acceptors_setup, accepts,
     .undo = resume_first},
    {"takt_rendezvous_call_until", "last of the callers", BLOCKS, 0, 0, rendezvous_call_until, rendezvous_setup, calls},
    {"takt_rendezvous_call_until", "all wait to accept", BLOCKS_AND_WAKES, 0, 1, rendezvous_call_until, acceptors_setup,
     accepts, .undo = resume_first},
    {"takt_rendezvous_accept", "all call", RETURNS, TAKT_OK, 0, accept, rendezvous_setup, calls, .undo = accepted_undo},
    {"takt_rendezvous_accept", "last of the acceptors", BLOCKS, 0, 0, accept, rendezvous_setup, accepts},
    {"takt_rendezvous_accept_until", "all call", RETURNS, TAKT_OK, 0, accept_until, rendezvous_setup, calls,
     .undo = accepted_undo},
    {"takt_rendezvous_accept_until", "last of the acceptors", BLOCKS, 0, 0, accept_until, rendezvous_setup, accepts},
    {"takt_rendezvous_try_accept", "all call", RETURNS, TAKT_OK, 0, try_accept, rendezvous_setup, calls,
     .undo = accepted_undo},
    {"takt_rendezvous_complete", "a better one runs", WAKES, 0, 1, complete, rendezvous_setup, calls, runner_accepts},
    {"takt_rendezvous_delete", "all call", WAKES, 0, ALL, rendezvous_delete, rendezvous_setup, calls},
};

void measure_locks(void)
{
    MEASURE(mutexes);
    MEASURE(conditions);
    MEASURE(meetings);
}
