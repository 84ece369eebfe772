/* SPDX-License-Identifier: Apache-2.0 */
/* Timers without tasks: chains of equal expiries, the sorted timer queue, random order. */
#include "kernel/test/support/scenario.h"

#include "kernel/core/kernel.h"
#include "kernel/port.h"

static char order[64];

static void note(const char *what)
{
    CHECK(strlen(order) + strlen(what) < sizeof order);
    strcat(order, what);
}

/* Timers without tasks: calls. A call does not know which it is; the one that is not armed any more was made. */
enum { CALLS = 200 };

static struct takti_call made[CALLS];
static struct { /* what a naive clock expects */
    uint64_t at_ns;
    unsigned sequence;
    bool armed;
} expected[CALLS];
static unsigned sequence;
static void (*meanwhile)(unsigned which); /* in a call */

static void fired(struct takti_call *due);

static void arm(unsigned which, uint64_t at_ns)
{
    expected[which].at_ns = at_ns;
    expected[which].sequence = sequence++;
    expected[which].armed = true;
    takti_call_at(&made[which], at_ns, fired);
}

static void cancel(unsigned which)
{
    uint32_t lock = takt_port_lock();
    expected[which].armed = false;
    takti_timer_cancel(&made[which].timer);
    takt_port_unlock(lock);
}

static bool goes_before(unsigned a, unsigned b)
{
    return expected[a].at_ns < expected[b].at_ns ||
           (expected[a].at_ns == expected[b].at_ns && expected[a].sequence < expected[b].sequence);
}

/* The earliest expiry, of equals the one that was armed first; CALLS: none is. */
static unsigned naive_first(void)
{
    unsigned first = CALLS;
    for (unsigned which = 0; which < CALLS; which++) {
        if (expected[which].armed && (first == CALLS || goes_before(which, first))) {
            first = which;
        }
    }
    return first;
}

static void fired(struct takti_call *due)
{
    (void)due;
    unsigned which = naive_first();
    char letter[2] = {0};
    CHECK(which < CALLS && expected[which].at_ns <= takt_now());
    for (unsigned other = 0; other < CALLS; other++) {
        CHECK(takti_timer_armed(&made[other].timer) == (expected[other].armed && other != which));
    }
    expected[which].armed = false;
    letter[0] = (char)('A' + which);
    if (strlen(order) + 1 < sizeof order) {
        note(letter);
    }
    if (meanwhile != NULL) {
        meanwhile(which);
    }
}

static void calls_new(void (*entry)(void *argument))
{
    scenario_new();
    memset(made, 0, sizeof made);
    memset(expected, 0, sizeof expected);
    order[0] = '\0';
    meanwhile = NULL;
    (void)scenario_task("t", 1, entry);
}

static void arm_at_5(unsigned from, unsigned to)
{
    for (unsigned which = from; which <= to; which++) {
        arm(which, TAKT_MS(5));
    }
}

/* The first, the last and one in the middle of a chain go, then the last again; it grows at its end. */
static void chain_entry(void *argument)
{
    (void)argument;
    arm_at_5(0, 6);
    cancel(0);
    cancel(3);
    cancel(6);
    cancel(5);
    arm(7, TAKT_MS(5));
    arm(0, TAKT_MS(5));
    arm(8, TAKT_MS(6));
    cancel(8); /* a chain of one */
    arm(8, TAKT_MS(6));
    arm(9, TAKT_MS(6));
    cancel(9); /* and of one again */
    arm(3, TAKT_MS(6));
    scenario_work(4);
    arm(9, TAKT_MS(5));
}

static void chains(void)
{
    calls_new(chain_entry);
    scenario_run(10);
    CHECK_TEXT(order, "BCEHAJID");
}

/* Whole chains go, from the front and from the back, and nothing of them comes. */
static void chain_gone_entry(void *argument)
{
    (void)argument;
    arm_at_5(0, 3);
    for (unsigned which = 0; which <= 3; which++) {
        cancel(which);
    }
    arm_at_5(4, 7);
    for (unsigned which = 8; which-- > 4;) {
        cancel(which);
    }
    arm(0, TAKT_MS(6));
}

static void chains_gone(void)
{
    calls_new(chain_gone_entry);
    scenario_run(10);
    CHECK_TEXT(order, "A");
}

/* While a chain is served: the next, the last and one between go, and it grows. */
static void change_the_chain(unsigned which)
{
    if (which == 0) {
        cancel(1);
        cancel(3);
        cancel(6);
        arm(7, TAKT_MS(5));
        arm(1, TAKT_MS(5));
    } else if (which == 7) {
        cancel(1); /* the next is the last */
        arm(6, TAKT_MS(5));
    } else if (which == 6) {
        arm(9, TAKT_MS(5)); /* behind a chain that is at its end */
    }
}

/* While a chain is served all that is left of it goes, and a new one begins. */
static void end_the_chain(unsigned which)
{
    if (which == 0) {
        for (unsigned other = 1; other <= 6; other++) {
            cancel(other);
        }
        arm(7, TAKT_MS(5));
        arm(8, TAKT_MS(5));
    }
}

static void served_entry(void *argument)
{
    meanwhile = argument == NULL ? change_the_chain : end_the_chain; /* anything else */
    arm_at_5(0, 6);
}

static void chains_served(void)
{
    calls_new(served_entry);
    scenario_run(10);
    CHECK_TEXT(order, "ACEFHGJ");
    calls_new(served_entry);
    scenario.configs[0].argument = made;
    scenario_run(10);
    CHECK_TEXT(order, "AHI");
}

static struct takti_call others[3];

static void note_z(struct takti_call *due)
{
    (void)due;
    note("z");
}

static void note_y(struct takti_call *due)
{
    (void)due;
    note("y");
}

static void arm_the_past(struct takti_call *due)
{
    (void)due;
    note("x");
    takti_call_at(&others[2], TAKT_MS(3), note_z);
}

static void arm_x_and_y(void)
{
    takti_call_at(&others[0], TAKT_MS(5), arm_the_past);
    takti_call_at(&others[1], TAKT_MS(5), note_y);
}

/* An expiry that has passed comes in the same service, but not before the chain that is being served. */
static void past_in_service(void)
{
    scenario_new();
    order[0] = '\0';
    memset(others, 0, sizeof others);
    scenario.before = arm_x_and_y;
    scenario_run(5);
    CHECK_TEXT(order, "xyz");
}

/* Anything, against the naive clock, which `fired` asks. Few expiries, so that many are equal, or up to 200. */
static uint64_t random_state;
static unsigned rounds;

static void change_anything(void)
{
    unsigned which = (unsigned)(check_random(&random_state) % CALLS);
    if (check_random(&random_state) % 3 == 0) {
        cancel(which);
    } else {
        unsigned times = rounds % 512 < 256 ? 24 : CALLS;
        arm(which, takt_now() / TAKT_MS(1) * TAKT_MS(1) + TAKT_MS(check_random(&random_state) % times));
    }
}

static void change_now_and_then(unsigned which)
{
    (void)which;
    if (check_random(&random_state) % 2 == 0) {
        change_anything();
    }
}

static void random_entry(void *argument)
{
    (void)argument;
    meanwhile = change_now_and_then;
    for (rounds = 0; rounds < 3000; rounds++) {
        for (unsigned changes = (unsigned)(check_random(&random_state) % 20); changes > 0; changes--) {
            change_anything();
        }
        takt_work(TAKT_US(500) * (1 + check_random(&random_state) % 12));
        unsigned first = naive_first();
        CHECK(first == CALLS || expected[first].at_ns >= takt_now());
        CHECK_EQUAL(takti_timers_first_ns(), first == CALLS ? TAKT_FOREVER : expected[first].at_ns);
    }
}

static void random_order(void)
{
    random_state = check_seed();
    calls_new(random_entry);
    scenario_run(20000);
    CHECK_EQUAL(rounds, 3000);
}

int main(void)
{
    chains();
    chains_gone();
    chains_served();
    past_in_service();
    random_order();
    return 0;
}
