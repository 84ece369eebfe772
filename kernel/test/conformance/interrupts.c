/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupts that may call the kernel (two) and one that may not, which the lock must not delay if the port can help.
 */
#include "conformance.h"

enum { IRQ_WAKE = 20, IRQ_LONG = 21, IRQ_FREE = 22 };

/* Without a common divisor that matters, so that they meet at ever new distances. */
static const uint64_t wake_period_ns = 7300000 + 7 * 64;
static const uint64_t long_period_ns = 9100000 + 11 * 64;
static const uint64_t free_period_ns = 5600000 + 13 * 64;

static TAKT_SEMAPHORE_DEFINE(wake_semaphore, 2, 0, UINT16_MAX);
static volatile unsigned wakes; /* calls of each handler */
static volatile unsigned longs;
static volatile unsigned frees;
static volatile unsigned nested; /* calls of the free handler inside the long one */
static volatile bool in_long;
static volatile unsigned confused; /* handlers that were not told that they are in an interrupt, or misaligned */
static volatile bool posting;      /* the wake handler posts */
static volatile bool working;      /* the long handler is long */
static volatile uint64_t posted_ns;

static void check_context(void)
{
    if (!takt_port_in_interrupt() || !stack_aligned()) {
        confused++;
    }
}

static void wake_handler(void)
{
    check_context();
    wakes++;
    if (posting) {
        posted_ns = takt_now();
        (void)takt_semaphore_post(&wake_semaphore);
    }
}

static void long_handler(void)
{
    check_context();
    longs++;
    if (working) {
        in_long = true;
        takt_work(TAKT_MS(4));
        in_long = false;
    }
}

static void free_handler(void)
{
    check_context();
    frees++;
    if (in_long) {
        nested++;
    }
}

void interrupts_init(void)
{
    takt_port_irq_attach(IRQ_WAKE, wake_handler, true);
    takt_port_irq_attach(IRQ_LONG, long_handler, true);
    takt_port_irq_attach(IRQ_FREE, free_handler, conformance_masked());
    takt_board_interrupt_every(IRQ_WAKE, wake_period_ns, wake_period_ns);
    takt_board_interrupt_every(IRQ_LONG, long_period_ns, long_period_ns);
    takt_board_interrupt_every(IRQ_FREE, free_period_ns, free_period_ns);
}

static volatile unsigned woken;
static volatile uint64_t wake_latency_ns;

static void woken_helper(void *argument)
{
    (void)argument;
    for (;;) {
        CHECK_EQUAL(takt_semaphore_wait(&wake_semaphore), TAKT_OK);
        uint64_t latency_ns = takt_now() - posted_ns;
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
    uint32_t state = takt_port_lock(); /* no interrupt between the two */
    unsigned before = wakes;
    posting = true;
    takt_port_unlock(state);
    for (unsigned i = 0; i < 4000; i++) {
        CHECK_EQUAL(churn(55, 100, NULL), wanted);
        takt_work((i & 1023u) * INSTRUCTION_NS);
        takt_task_yield(); /* so that interrupts fall into the kernel, too */
    }
    state = takt_port_lock();
    unsigned after = wakes;
    posting = false;
    takt_port_unlock(state);
    takt_work(SLACK_NS);
    CHECK(after > before);
    CHECK_EQUAL(woken, after - before);
    CHECK_WITHIN(wake_latency_ns, 0, SLACK_NS);
}

/* The lock is worth what it returned: closing it twice and opening it once leaves it closed. */
void case_lock_by_value(void)
{
    uint32_t open = takt_port_lock();
    uint32_t closed = takt_port_lock();
    CHECK(open != closed);
    takt_port_unlock(closed);
    uint32_t still_closed = takt_port_lock();
    CHECK_EQUAL(still_closed, closed);
    takt_port_unlock(open);
    uint32_t open_again = takt_port_lock();
    CHECK_EQUAL(open_again, open);
    takt_port_unlock(open_again);
}

/* The lock delays what may call the kernel, to the unlock and no longer, and nothing else. */
void case_lock_masks(void)
{
    if (conformance_virtual()) {
        return; /* no time passes while it is locked */
    }
    uint32_t state = takt_port_lock();
    unsigned wakes_before = wakes;
    unsigned frees_before = frees;
    takt_work(4 * wake_period_ns);
    unsigned wakes_locked = wakes - wakes_before;
    unsigned frees_locked = frees - frees_before;
    takt_port_unlock(state);
    takt_work(SLACK_NS);
    CHECK_EQUAL(wakes_locked, 0);
    CHECK_WITHIN(frees_locked, conformance_masked() ? 0 : 4, conformance_masked() ? 0 : 7);
    CHECK(wakes > wakes_before);
}

/* What the lock does not mask interrupts a handler that it does mask, and only that; none is lost. */
void case_interrupts_nest(void)
{
    if (conformance_virtual()) {
        return; /* handlers are atomic */
    }
    unsigned longs_before = longs;
    unsigned frees_before = frees;
    nested = 0;
    uint64_t before_ns = takt_now();
    working = true;
    uint32_t wanted = churn(66, 50, NULL);
    while (longs - longs_before < 60) {
        CHECK_EQUAL(churn(66, 50, NULL), wanted);
    }
    working = false;
    uint64_t expected = (takt_now() - before_ns) / free_period_ns;
    CHECK(conformance_masked() ? nested == 0 : nested >= 20);
    CHECK_WITHIN(frees - frees_before, expected, expected + 1);
}

/* Over the whole run: as many as their periods say. A controller remembers one while it is masked, not several. */
void case_interrupts_counted(void)
{
    uint64_t now_ns = takt_now();
    CHECK(now_ns > 100 * long_period_ns);
    CHECK_WITHIN(frees, now_ns / free_period_ns - (conformance_masked() ? 5 : 1), now_ns / free_period_ns);
    CHECK_WITHIN(longs, now_ns / long_period_ns - 5, now_ns / long_period_ns);
}

/* An interrupt that wakes the processor is taken at the unlock, not before. */
void case_idle_returns_locked(void)
{
    unsigned before = wakes;
    for (unsigned i = 0; i < 60; i++) {
        uint32_t state = takt_port_lock();
        unsigned wakes_locked = wakes;
        takt_port_idle(TAKT_FOREVER);
        CHECK_EQUAL(wakes, wakes_locked);
        takt_port_unlock(state);
        takt_work(i * INSTRUCTION_NS);
    }
    CHECK(wakes > before);
}

static volatile uint64_t collide_ns;
static volatile unsigned collisions;
static TAKT_SEMAPHORE_DEFINE(collide_go, 3, 0, 1);

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

/* The timer's interrupt and another that wakes a task, at every distance: one comes while the other one is served. */
void case_interrupts_collide(void)
{
    uint32_t wanted = churn(77, 2000, NULL);
    woken = 0;
    collisions = 0;
    helper_start(0, woken_helper, LEVEL_HIGH);
    helper_start(1, collider, LEVEL_TOP);
    unsigned before = wakes;
    posting = true;
    for (unsigned step = 0; step < 1000; step++) {
        uint64_t next_ns = (takt_now() / wake_period_ns + 1) * wake_period_ns;
        collide_ns = next_ns + step * INSTRUCTION_NS - 480 * INSTRUCTION_NS;
        (void)takt_semaphore_post(&collide_go);
        if (next_ns > takt_now() + 2 * SLACK_NS) {
            takt_work(next_ns - takt_now() - SLACK_NS);
        }
        CHECK_EQUAL(churn(77, 2000, NULL), wanted);
        takt_work(2 * SLACK_NS);
        CHECK_EQUAL(collisions, step + 1);
    }
    posting = false;
    takt_work(SLACK_NS);
    CHECK_EQUAL(woken, wakes - before);
}

static volatile bool helper_told;

static void told_helper(void *argument)
{
    (void)argument;
    helper_told = !takt_port_in_interrupt();
}

/* Tasks are told that they are not in an interrupt, also after a switch that an interrupt asked for; handlers, that. */
void case_context_told(void)
{
    CHECK(!takt_port_in_interrupt());
    helper_told = false;
    helper_start(0, told_helper, LEVEL_HIGH);
    CHECK(helper_told);
    unsigned before = frees;
    takt_work(2 * free_period_ns);
    CHECK(frees > before);
    CHECK_EQUAL(confused, 0);
    CHECK(!takt_port_in_interrupt());
}
