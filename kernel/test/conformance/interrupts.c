/* SPDX-License-Identifier: Apache-2.0 */
/* What tasks see of interrupts (handlers.c). */
#include "conformance.h"

static volatile unsigned woken;
static volatile uint64_t wake_latency_ns;

static void woken_helper(void *argument)
{
    (void)argument;
    for (;;) {
        CHECK_EQUAL(takt_semaphore_wait(&wake_semaphore), TAKT_OK);
        uint64_t latency_ns = takt_now() - seen.posted_ns;
        wake_latency_ns = latency_ns > wake_latency_ns ? latency_ns : wake_latency_ns;
        (void)churn(woken, 3, NULL);
        woken++;
    }
}

/* A post in an interrupt runs its waiter before the interrupted task goes on; once each, whatever is interrupted. */
void case_interrupt_wakes(void)
{
    uint32_t wanted = churn(55, 100, NULL);
    woken = 0;
    wake_latency_ns = 0;
    helper_start(0, woken_helper, LEVEL_HIGH);
    unsigned before = seen.posts;
    seen.posting = true;
    for (unsigned i = 0; i < 4000; i++) {
        CHECK_EQUAL(churn(55, 100, NULL), wanted);
        takt_work((i & 1023u) * INSTRUCTION_NS);
        takt_task_yield(); /* so that interrupts fall into the kernel, too */
    }
    seen.posting = false;
    takt_work(SLACK_NS);
    CHECK(seen.posts > before);
    CHECK_EQUAL(woken, seen.posts - before);
    CHECK_WITHIN(wake_latency_ns, 0, SLACK_NS);
}

/* What the lock does not mask interrupts a handler that it does mask, and only that; none is lost. */
void case_interrupts_nest(void)
{
    if (seen.is_virtual) {
        return; /* handlers are atomic */
    }
    unsigned longs_before = seen.longs;
    unsigned frees_before = seen.frees;
    seen.nested = 0;
    uint64_t before_ns = takt_now();
    seen.working = true;
    uint32_t wanted = churn(66, 50, NULL);
    while (seen.longs - longs_before < 60) {
        CHECK_EQUAL(churn(66, 50, NULL), wanted);
    }
    seen.working = false;
    uint64_t expected = (takt_now() - before_ns) / FREE_PERIOD_NS;
    CHECK(seen.masked ? seen.nested == 0 : seen.nested >= 20);
    CHECK_WITHIN(seen.frees - frees_before, expected, expected + 1);
}

/* Over the whole run: as many as their periods say. A controller remembers one while it is masked, not several. */
void case_interrupts_counted(void)
{
    uint64_t now_ns = takt_now();
    CHECK(now_ns > 100 * LONG_PERIOD_NS);
    CHECK_WITHIN(seen.frees, now_ns / FREE_PERIOD_NS - (seen.masked ? 5 : 1), now_ns / FREE_PERIOD_NS);
    CHECK_WITHIN(seen.longs, now_ns / LONG_PERIOD_NS - 5, now_ns / LONG_PERIOD_NS);
    CHECK_EQUAL(seen.confused, 0);
}

static volatile uint64_t collide_ns;
static volatile unsigned collisions;

static void collider(void *argument)
{
    (void)argument;
    for (;;) {
        CHECK_EQUAL(takt_semaphore_wait(&collide_go), TAKT_OK);
        takt_delay_until(collide_ns);
        (void)churn(collisions, 3, NULL);
        collisions++;
    }
}

/* The timer's interrupt and another that wakes a task, at every distance: one comes while the other one is served.
 */
void case_interrupts_collide(void)
{
    uint32_t wanted = churn(77, 2000, NULL);
    woken = 0;
    collisions = 0;
    helper_start(0, woken_helper, LEVEL_HIGH);
    helper_start(1, collider, LEVEL_TOP);
    unsigned before = seen.posts;
    seen.posting = true;
    unsigned tries = 0;
    for (unsigned step = 0; step < 1000; step += seen.stride) {
        uint64_t next_ns = (takt_now() / WAKE_PERIOD_NS + 1) * WAKE_PERIOD_NS;
        collide_ns = next_ns + step * INSTRUCTION_NS - 480 * INSTRUCTION_NS;
        (void)takt_semaphore_post(&collide_go);
        if (next_ns > takt_now() + 2 * SLACK_NS) {
            takt_work(next_ns - takt_now() - SLACK_NS);
        }
        CHECK_EQUAL(churn(77, 2000, NULL), wanted);
        takt_work(2 * SLACK_NS);
        tries++;
        CHECK_EQUAL(collisions, tries);
    }
    seen.posting = false;
    takt_work(SLACK_NS);
    CHECK_EQUAL(woken, seen.posts - before);
}
