/* SPDX-License-Identifier: Apache-2.0 */
/* Part of suite.c: timers, against a naive clock. */
#ifndef ENGINE_TIMERS_H
#define ENGINE_TIMERS_H

/* Of an armed timer the order is that of its arming. */
static struct {
    bool armed;
    uint64_t at_ns;
    int order;
} expected[TIMERS];
static bool taking; /* what expires with the last one that was taken is no longer the first expiry */

static uint64_t first_ns(void)
{
    uint64_t found = TAKT_FOREVER;
    for (unsigned one = 0; one < TIMERS; one++) {
        if (expected[one].armed && expected[one].at_ns < found) {
            found = expected[one].at_ns;
        }
    }
    return found;
}

static void arm(unsigned one, uint64_t at_ns)
{
    calls[one].timer.state = TAKTI_TIMER_CALL;
    expected[one].armed = at_ns != TAKT_FOREVER;
    expected[one].at_ns = at_ns;
    expected[one].order = ++last_order;
    if ((last_order & 1) != 0) {
        takti_timer_arm(&calls[one].timer, at_ns);
    } else {
        takti_timer_arm_inline(&calls[one].timer, at_ns, TAKTI_TIMER_CALL);
    }
    CHECK(takti_timer_armed(&calls[one].timer) || at_ns == TAKT_FOREVER);
    CHECK(!EXACT || taking || takti_timers_first_ns() == first_ns());
}

static void cancel(unsigned one)
{
    expected[one].armed = false;
    takti_timer_cancel(&calls[one].timer);
    CHECK(!takti_timer_armed(&calls[one].timer));
}

/* The timer that a naive clock takes next; NULL: none has expired by then. */
static struct takt_timer *next_expired(uint64_t by_ns)
{
    unsigned found = TIMERS;
    for (unsigned one = 0; one < TIMERS; one++) {
        bool before = found == TIMERS || expected[one].at_ns < expected[found].at_ns ||
                      (expected[one].at_ns == expected[found].at_ns && expected[one].order < expected[found].order);
        if (expected[one].armed && expected[one].at_ns <= by_ns && before) {
            found = one;
        }
    }
    if (found == TIMERS) {
        return NULL;
    }
    expected[found].armed = false;
    return &calls[found].timer;
}

/* Takes all that have expired by then. `changes`: arms and cancels some in between, as code that is served does. */
static void take_all(enum takti_take first, uint64_t by_ns, bool changes)
{
    enum takti_take which = first;
    if (first == TAKTI_TAKE_DUE && first_ns() > by_ns) {
        return; /* no interrupt */
    }
    taking = true;
    for (unsigned count = 0; count < 4 * TIMERS; count++) { /* those that are armed again, too */
        struct takt_timer *wanted = next_expired(by_ns);
        struct takt_timer *found = takti_timers_take(which);
        CHECK(found == wanted);
        CHECK(found == NULL || !takti_timer_armed(found));
        if (found == NULL || failed != 0) {
            taking = false;
            return;
        }
        which = first == TAKTI_TAKE_START ? first : TAKTI_TAKE_NEXT;
        unsigned one = below(TIMERS);
        if (changes && expected[one].armed && below(3) == 0) {
            cancel(one);
        } else if (changes && !takti_timer_armed(&calls[one].timer) && count < TIMERS) {
            uint64_t at_ns = by_ns - GRAIN_NS * below(3);
            arm(one, at_ns > found->at_ns ? at_ns : found->at_ns); /* perhaps in a chain that is being served */
        }
    }
}

#endif
