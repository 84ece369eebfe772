/* SPDX-License-Identifier: Apache-2.0 */
/* Releases by hand, the order of four bands, and random stories in which no two releases are nearer than the period. */
#include "takt/push.h"

#include "base/test/check.h"

static const struct takt_push_rule sync = {TAKT_PUSH_SYNC, 100, 30, 5, 0, false, 0};
static const struct takt_push_rule async = {TAKT_PUSH_ASYNC, 100, 30, 5, 0, false, 0};
static const struct takt_push_rule bulk = {TAKT_PUSH_BULK, 100, 0, 0, 0, false, 0};
static struct takt_push push;

static void start(const struct takt_push_rule *rule, uint64_t now)
{
    memset(&push, 0, sizeof push);
    takt_push_start(&push, rule, now);
}

static void test_written(void)
{
    start(&sync, 1000);
    CHECK_EQUAL(takt_push_until(&push), UINT64_MAX);
    CHECK(!takt_push_is_ready(&push, 5000));
    takt_push_written(&push, 1007);
    takt_push_written(&push, 1008); /* of the two the second value is taken */
    CHECK_EQUAL(takt_push_until(&push), 1007);
    CHECK(!takt_push_is_ready(&push, 1006) && takt_push_is_ready(&push, 1007));
    takt_push_begin(&push, 1010);
    CHECK(takt_push_is_ready(&push, 1010));
    takt_push_end(&push, 1020);
    CHECK_EQUAL(takt_push_until(&push), UINT64_MAX);

    takt_push_written(&push, 1030); /* too early: held back until 100 after the release before */
    CHECK_EQUAL(takt_push_until(&push), 1107);
    takt_push_begin(&push, 1120);
    takt_push_written(&push, 1130);
    takt_push_written(&push, 1140);
    takt_push_end(&push, 1150); /* what was written while it was sent; held back for 154 by now: one may be left out */
    CHECK_EQUAL(takt_push_until(&push), 1255);
    takt_push_begin(&push, 1255);
    takt_push_written(&push, 1400);
    takt_push_end(&push, 1500);
    CHECK_EQUAL(takt_push_until(&push), 1400); /* its time runs from the write on */
    takt_push_end(&push, 1500);                /* there was nothing to send: the next one may come at once */
    takt_push_written(&push, 1501);
    CHECK_EQUAL(takt_push_until(&push), 1501);
}

static void test_periods(void)
{
    start(&async, 1000);
    for (uint64_t release = 1000; release < 2000; release += 100) {
        CHECK_EQUAL(takt_push_until(&push), release);
        takt_push_begin(&push, release + 20);
        takt_push_written(&push, release + 30); /* nothing to an asynchronous one */
        takt_push_end(&push, release + 90);
    }
    takt_push_end(&push, 2100); /* not even begun; the release of 2100 is the next one */
    CHECK_EQUAL(takt_push_until(&push), 2100);
    takt_push_end(&push, 2399);
    CHECK_EQUAL(takt_push_until(&push), 2300);
}

static void test_without_a_deadline(void)
{
    start(&bulk, 1000);
    CHECK_EQUAL(takt_push_until(&push), UINT64_MAX);
    takt_push_written(&push, 1000);
    takt_push_begin(&push, 1050); /* its period is from here */
    takt_push_written(&push, 1060);
    takt_push_end(&push, 1070);
    CHECK_EQUAL(takt_push_until(&push), 1150);
}

/* A start does not come nearer to the push before it than others do. */
static void test_started_again(void)
{
    start(&async, 1000);
    takt_push_begin(&push, 1010);
    takt_push_stop(&push);
    CHECK(!takt_push_is_ready(&push, 2000));
    takt_push_start(&push, &async, 1020);
    CHECK_EQUAL(takt_push_until(&push), 1100);
    takt_push_stop(&push);
    takt_push_start(&push, &sync, 1090);
    takt_push_written(&push, 1091);
    CHECK_EQUAL(takt_push_until(&push), 1100);
}

/* A value that is sent once more keeps no write waiting, and is never promoted. */
static void test_repeated(void)
{
    start(&async, 1000);
    takt_push_repeat(&push, 1000); /* which is what it does by itself */
    CHECK_EQUAL(takt_push_band(&push, 1030), TAKT_PUSH_HIGH);
    start(&sync, 1000);
    takt_push_repeat(&push, 1000);
    CHECK_EQUAL(takt_push_band(&push, 2000), TAKT_PUSH_LOW);
    takt_push_begin(&push, 1010);
    takt_push_written(&push, 1020);
    CHECK(!push.begun);
    CHECK_EQUAL(takt_push_until(&push), 1020);
    CHECK_EQUAL(takt_push_band(&push, 1050), TAKT_PUSH_HIGHEST);
    takt_push_repeat(&push, 1021);
    CHECK(!push.repeat);
    takt_push_begin(&push, 1030);
    takt_push_end(&push, 1040);
    takt_push_repeat(&push, 1050);
    CHECK_EQUAL(takt_push_until(&push), 1120); /* a period after the write */
    takt_push_begin(&push, 1120);
    takt_push_end(&push, 1130);
    takt_push_written(&push, 1140);
    CHECK_EQUAL(takt_push_until(&push), 1140);
}

/* At `now`: in the order of the bands, each before all that follow. */
static void test_order(void)
{
    static const struct {
        enum takt_push_kind kind;
        uint32_t level;
        uint64_t release; /* promotion 30 later */
        enum takt_push_band band;
    } ranks[] = {{TAKT_PUSH_SYNC, 50, 70, TAKT_PUSH_HIGHEST}, {TAKT_PUSH_SYNC, 60, 10, TAKT_PUSH_HIGHEST},
                 {TAKT_PUSH_ASYNC, 40, 70, TAKT_PUSH_HIGH},   {TAKT_PUSH_ASYNC, 90, 10, TAKT_PUSH_HIGH},
                 {TAKT_PUSH_BULK, 10, 99, TAKT_PUSH_MID},     {TAKT_PUSH_BULK, 20, 10, TAKT_PUSH_MID},
                 {TAKT_PUSH_SYNC, 50, 71, TAKT_PUSH_LOW},     {TAKT_PUSH_ASYNC, 60, 100, TAKT_PUSH_LOW},
                 {TAKT_PUSH_SYNC, 70, 99, TAKT_PUSH_LOW}};
    enum { COUNT = sizeof ranks / sizeof *ranks };
    struct takt_push pushes[COUNT] = {0};
    for (unsigned i = 0; i < COUNT; i++) {
        struct takt_push_rule rule = {ranks[i].kind, 1000, 30, ranks[i].level, 0, false, 0};
        takt_push_start(&pushes[i], &rule, ranks[i].release);
        takt_push_written(&pushes[i], ranks[i].release);
        CHECK_EQUAL(takt_push_band(&pushes[i], 100), ranks[i].band);
    }
    for (unsigned i = 0; i < COUNT; i++) {
        for (unsigned j = 0; j < COUNT; j++) {
            CHECK_EQUAL(takt_push_before(&pushes[i], &pushes[j], 100), i < j);
        }
    }
    CHECK_EQUAL(takt_push_band(&pushes[6], 101), TAKT_PUSH_HIGHEST);
    struct takt_push_rule never = {TAKT_PUSH_SYNC, 1, UINT64_MAX, 1, 0, false, 0};
    start(&never, 5);
    takt_push_written(&push, 5);
    CHECK_EQUAL(takt_push_band(&push, UINT64_MAX - 1), TAKT_PUSH_LOW);
}

/* Released pushes of a story: what admission counts. */
struct seen {
    uint64_t releases[64], nominals[64];
    unsigned count;
};

/* In each window of any length there are no more pushes than admission counts, and promotions are a period apart. */
static void check_windows(const struct takt_push_rule *rule, const struct seen *seen)
{
    uint64_t jitter = rule->kind == TAKT_PUSH_ASYNC ? 0 : rule->jitter_ns;
    for (unsigned i = 0; i < seen->count; i++) {
        for (unsigned j = i + 1; j < seen->count; j++) {
            uint64_t window = seen->releases[j] - seen->releases[i];
            CHECK(j - i + 1 <= (window + jitter) / rule->period_ns + 1);
            CHECK(seen->nominals[j] - seen->nominals[i] >= (j - i) * rule->period_ns);
        }
        CHECK(seen->releases[i] <= seen->nominals[i] && seen->nominals[i] - seen->releases[i] <= jitter);
    }
}

/* Whatever is written and however long it takes, the pushes keep to the period and the jitter, and none is lost. */
static void test_distances(void)
{
    uint64_t random = check_seed();
    for (unsigned long i = 0; i < check_cases(4000); i++) {
        struct takt_push_rule rule = {(enum takt_push_kind)(check_random(&random) % 3),
                                      1 + check_random(&random) % 50,
                                      check_random(&random) % 40,
                                      5,
                                      0,
                                      check_random(&random) % 4 == 0,
                                      check_random(&random) % 3 * 7};
        rule.jitter_ns = check_random(&random) % 2 * (check_random(&random) % (rule.period_ns + 1));
        uint64_t now = check_random(&random) % 1000, most = 1 + check_random(&random) % 60;
        struct seen seen = {.count = 0};
        bool unseen = false;
        start(&rule, now);
        for (unsigned step = 0; step < 50; step++) {
            now += check_random(&random) % most;
            if (check_random(&random) % 2 == 0) {
                takt_push_written(&push, now);
                unseen = true;
            }
            if (takt_push_is_ready(&push, now)) {
                bool served = rule.kind == TAKT_PUSH_BULK;
                uint64_t next = push.next_ns;
                seen.releases[seen.count] = served ? now : push.release_ns;
                seen.nominals[seen.count++] = served ? (now > next ? now : next) : push.nominal_ns;
                CHECK(rule.kind != TAKT_PUSH_ASYNC || now - push.release_ns < 60 + rule.period_ns);
                takt_push_begin(&push, now);
                unseen = false;
                now += check_random(&random) % most;
                if (check_random(&random) % 2 == 0) {
                    takt_push_written(&push, now);
                    unseen = true;
                }
                takt_push_end(&push, now);
            }
        }
        CHECK(rule.kind == TAKT_PUSH_ASYNC || !unseen || takt_push_until(&push) <= now + 4 * rule.period_ns);
        check_windows(&rule, &seen);
    }
}

/* Writes one value and sends it as soon as it may be, before `next`. Returns its age then; UINT64_MAX: another one was
 * written before. `wait`: so long the link keeps what is not promoted from being sent. */
static uint64_t age_of(uint64_t written, uint64_t next, uint64_t wait)
{
    takt_push_written(&push, written);
    uint64_t at = push.release_ns;
    if (wait != 0) {
        uint64_t promoted = push.nominal_ns + push.rule.promotion_ns;
        at = promoted > at ? promoted : at;
    }
    if (at >= next) {
        return UINT64_MAX;
    }
    takt_push_begin(&push, at);
    takt_push_end(&push, at);
    return at - written;
}

/* A grid of 1000 with one write that is late. Returns how many values after it are older than `least`. */
static unsigned old_after_late(uint64_t late, uint64_t jitter, uint64_t wait, uint64_t least)
{
    struct takt_push_rule rule = {TAKT_PUSH_SYNC, 1000, 100, 0, jitter, false, 0};
    unsigned old = 0;
    start(&rule, 0);
    for (uint64_t k = 1; k < 60; k++) {
        uint64_t written = 1000 * k + (k == 10 ? late : 0);
        uint64_t age = age_of(written, 1000 * (k + 1), wait);
        CHECK(k != 10 || age <= least || age == UINT64_MAX); /* the late one itself is in time: it keeps the period */
        old += age > least;
    }
    return old;
}

/* A writer that was late once, and goes on with its grid, is as fast as before: at once, if that lateness was admitted
 * as jitter; else after pushes that were held back for a period altogether, and one that was left out. */
static void test_one_late_write(void)
{
    for (uint64_t late = 0; late < 1000; late += 50) {
        CHECK_EQUAL(old_after_late(late, 1000, 0, 0), 0);
        CHECK_EQUAL(old_after_late(late, late, 0, 0), 0);
        if (late < 900) { /* a link that is busy: each waits for its promotion */
            CHECK_EQUAL(old_after_late(late, 1000, 1, 100), late == 0 ? 0 : (1000 + late - 1) / late + 1);
        }
        for (uint64_t jitter = 0; jitter < late; jitter += 50) {
            uint64_t held = late - jitter;
            CHECK_EQUAL(old_after_late(late, jitter, 0, 0), (1000 + held - 1) / held);
        }
    }
}

/* Writes that are late by up to a part of the period each: with that as jitter none is held back; with none at all
 * they are, by that part at most, and the link's rate is kept. */
static void test_writers_with_jitter(void)
{
    uint64_t random = check_seed();
    for (uint64_t part = 10; part <= 90; part += 40) {
        for (unsigned ample = 0; ample < 2; ample++) {
            struct takt_push_rule rule = {TAKT_PUSH_SYNC, 1000, 100, 0, ample ? 10 * part : 0, false, 0};
            unsigned sent = 0;
            uint64_t written = 1000;
            start(&rule, 0);
            for (uint64_t k = 1; k <= 2000; k++) {
                uint64_t next = 1000 * (k + 1) + check_random(&random) % (10 * part + 1);
                uint64_t age = age_of(written, next, 0);
                sent += age != UINT64_MAX;
                CHECK(age == UINT64_MAX ? !ample : age <= (ample ? 0 : 10 * part + 1250));
                written = next;
            }
            CHECK(sent > (ample ? 1999 : 1200));
        }
    }
}

/* The writer's grid moves, as with a clock that was set: backwards more often than the jitter allows at once. */
static void test_grid_that_moves(void)
{
    struct takt_push_rule rule = {TAKT_PUSH_SYNC, 1000, 100, 0, 500, false, 0};
    uint64_t written = 10000;
    unsigned old = 0;
    start(&rule, 0);
    for (unsigned k = 0; k < 200; k++) {
        uint64_t next = written + (k % 20 == 19 ? 700 : 1000);
        old += age_of(written, next, 0) != 0;
        written = next;
    }
    CHECK(old > 0 && old <= 10 * 6);
    old = 0; /* a clock that is fast by 400 ppm: of 100 values less than one is left out or held back for long */
    start(&rule, 0);
    for (unsigned k = 0; k < 100000; k++) {
        uint64_t next = written + 1000 - (k % 5 < 2);
        old += age_of(written, next, 0) > 50;
        written = next;
    }
    CHECK(old < 1000);
}

/* Every value in its order: none is left out, however late they are. */
static void test_every_value(void)
{
    struct takt_push_rule rule = {TAKT_PUSH_SYNC, 1000, 100, 0, 0, true, 0};
    start(&rule, 0);
    for (uint64_t k = 1; k < 60; k++) {
        uint64_t written = 1000 * k + (k == 10 ? 900 : 0);
        CHECK(age_of(written, 1000 * (k + 1) + 900, 0) == (k <= 10 ? 0 : 900));
    }
}

/* A value that waits to be left out is sent all the same if nothing is written after it. */
static void test_last_value(void)
{
    struct takt_push_rule rule = {TAKT_PUSH_SYNC, 1000, 100, 0, 0, false, 0};
    start(&rule, 0);
    CHECK_EQUAL(age_of(1900, 2000, 0), 0);
    CHECK_EQUAL(age_of(2000, 3000, 0), 900);
    takt_push_written(&push, 3000); /* held back for 1800 by now */
    CHECK_EQUAL(takt_push_until(&push), 4250);
    takt_push_written(&push, 3100); /* not on a grid: when the period allows */
    CHECK_EQUAL(takt_push_until(&push), 3900);
    takt_push_begin(&push, 3900);
    takt_push_end(&push, 3900);
    CHECK_EQUAL(age_of(4000, 9000, 0), 1250); /* nothing came instead of it */
    CHECK_EQUAL(age_of(9000, 9900, 0), 0);
}

/*
 * Writes of a writer that keeps the period are reported late, now and then: no value is skipped, however long that
 * lasts.
 */
static void test_delay(void)
{
    uint64_t random = check_seed();
    for (uint64_t delay = 50; delay <= 450; delay += 100) {
        for (uint64_t jitter = 0; jitter <= delay; jitter += delay) {
            for (uint64_t wait = 0; wait < 2; wait++) {
                struct takt_push_rule rule = {TAKT_PUSH_SYNC, 1000, 100, 0, jitter, false, delay};
                start(&rule, 0);
                for (uint64_t k = 1; k <= 500; k++) {
                    uint64_t written_at = 1000 * k, delivered = written_at + check_random(&random) % (delay + 1);
                    uint64_t age = age_of(delivered, written_at + 1000, wait);
                    CHECK(age != UINT64_MAX && delivered + age - written_at <= delay + (wait != 0 ? 100 : 0));
                }
            }
        }
    }
}

int main(void)
{
    test_written();
    test_periods();
    test_without_a_deadline();
    test_started_again();
    test_repeated();
    test_order();
    test_distances();
    test_one_late_write();
    test_writers_with_jitter();
    test_grid_that_moves();
    test_every_value();
    test_last_value();
    test_delay();
    return 0;
}
