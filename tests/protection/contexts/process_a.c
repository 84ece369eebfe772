/* SPDX-License-Identifier: Apache-2.0 */
/* User mode, process A: `first`, which runs whenever it is woken, and `low`, which directs. */
#include "base/status.h"
#include "contexts.h"
#include "target.h"

static volatile bool first_wrong;    /* its registers changed */
static volatile bool first_patterns; /* it waits with its own values in them: tasks that run meanwhile have others */
static volatile uint32_t first_runs;

static uint32_t wait_until(uint32_t semaphore, uint64_t until_ns)
{
    return user_wait_until(semaphore, (uint32_t)until_ns, (uint32_t)(until_ns >> 32));
}

static void sleep_until(uint64_t until_ns)
{
    user_sleep_until((uint32_t)until_ns, (uint32_t)(until_ns >> 32));
}

/* Three jobs, released every 1 ms from 0 on. */
static void jobs(void)
{
    bool right = true;
    for (uint32_t job = 0; job < 3; job++) {
        uint64_t now_ns = user_now();
        right = right && now_ns >= job * UINT64_C(1000000) && now_ns < job * UINT64_C(1000000) + 500000;
        user_job_wait();
    }
    user_check(CHECK_JOBS, right);
}

void first_entry(void *argument)
{
    bool flushed = false;
    if ((uint32_t)(uintptr_t)argument != FIRST_ARGUMENT) {
        user_exit(1);
    }
    jobs();
    for (;;) {
        uint32_t status = TAKT_OK;
        if (!first_patterns) {
            status = user_wait(FIRST);
        } else if (!target_call(0x3C000000u + first_runs, CALL_WAIT, FIRST, 0)) {
            first_wrong = true;
        }
        uint32_t stamp = target_stamp();
        user_stamp(false, stamp);
        if (status == TAKT_FLUSHED && !flushed) {
            flushed = true;
            user_check(CHECK_FLUSH, true);
        } else if (status != TAKT_OK) {
            first_wrong = true;
        }
        first_runs++;
        user_log('f');
        if (!target_spin(0x5A000000u + first_runs, 5)) {
            first_wrong = true;
        }
    }
}

static void calls(void)
{
    user_check(CHECK_NULL, user_null(1, 20, 300, 4000) == NULL_RESULT(1u, 20u, 300u, 4000u));
    user_check(CHECK_WIDE, user_wide(1, 20, 300, 4000) == WIDE_RESULT(1u, 20u, 300u, 4000u));
    user_check(CHECK_REGISTERS_CALL, target_call(0x12340000u, CALL_NULL, 1, 2));
    uint64_t until_ns = user_now() + 300000;
    user_check(CHECK_REGISTERS_BLOCK,
               target_call(0x43210000u, CALL_SLEEP_UNTIL, (uint32_t)until_ns, (uint32_t)(until_ns >> 32)) &&
                   user_now() >= until_ns);
    until_ns = user_now() + 50000;
    user_check(CHECK_TIMEOUT, wait_until(NEVER, until_ns) == TAKT_TIMEOUT && user_now() >= until_ns);
    (void)user_flush(FIRST);
    user_check_log(CHECK_FLUSH);
}

static void wakes(void)
{
    user_log('l');
    (void)user_post(FIRST);
    user_log('m');
    user_check_log(CHECK_WAKE);
    user_log('s');
    user_post_at(FIRST, 30000);
    (void)target_spin(0, SPIN_LOOPS);
    user_log('e');
    user_check_log(CHECK_INTERRUPT);
    user_post_at(FIRST, 30000);
    user_spin();
    user_log('m');
    user_check_log(CHECK_INTERRUPT_CALL);
    user_post_at(FIRST, 100000);
    sleep_until(user_now() + 300000);
    user_log('m');
    user_check_log(CHECK_INTERRUPT_IDLE);
}

/* first preempts it at times that are never the same. */
static void patterns(void)
{
    bool right = true;
    uint32_t runs = first_runs;
    first_patterns = true;
    user_storm(TARGET_STORM_NS);
    for (uint32_t i = 0; i < 100; i++) {
        right = right && target_spin(i << 16, 100 + i);
        right = right && target_call(i << 20, CALL_NULL, i, i);
    }
    user_storm(0);
    first_patterns = false;
    (void)user_post(FIRST); /* which waits the one way or the other */
    user_check(CHECK_REGISTERS_LOW, right && first_runs - runs > 10);
    user_check(CHECK_REGISTERS_FIRST, !first_wrong);
}

void low_entry(void *argument)
{
    sleep_until(5000000); /* first's jobs are over, and it waits; so does other */
    user_check(CHECK_START, (uint32_t)(uintptr_t)argument == LOW_ARGUMENT);
    calls();
    wakes();
    patterns();
    figures();
    for (uint32_t number = 0; user_scenario(number) != 0; number++) {
        (void)user_post(OTHER);
        user_log('1');
        user_yield();
        uint32_t stamp = target_stamp();
        user_stamp(false, stamp);
        user_log('2');
        user_yield();
        user_log('3');
        (void)wait_until(DONE, user_now() + 2000000);
        user_verdict(true);
    }
    user_finish();
}
