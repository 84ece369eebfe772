/* SPDX-License-Identifier: Apache-2.0 */
/* Releases by hand, the order of four bands, and random stories in which no two releases are nearer than the period. */
#include "takt/push.h"

#include "base/test/check.h"

static const struct takt_push_rule sync = {TAKT_PUSH_SYNC, 100, 30, 5};
static const struct takt_push_rule async = {TAKT_PUSH_ASYNC, 100, 30, 5};
static const struct takt_push_rule bulk = {TAKT_PUSH_BULK, 100, 0, 0};
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
    takt_push_end(&push, 1150); /* what was written while it was sent */
    CHECK_EQUAL(takt_push_until(&push), 1207);
    takt_push_begin(&push, 1207);
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
        struct takt_push_rule rule = {ranks[i].kind, 1000, 30, ranks[i].level};
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
    struct takt_push_rule never = {TAKT_PUSH_SYNC, 1, UINT64_MAX, 1};
    start(&never, 5);
    takt_push_written(&push, 5);
    CHECK_EQUAL(takt_push_band(&push, UINT64_MAX - 1), TAKT_PUSH_LOW);
}

/* What admission assumes: releases are a period apart, whatever is written and however long it takes; none is lost. */
static void test_distances(void)
{
    uint64_t random = check_seed();
    for (unsigned long i = 0; i < check_cases(2000); i++) {
        struct takt_push_rule rule = {(enum takt_push_kind)(check_random(&random) % 3), 1 + check_random(&random) % 50,
                                      30, 5};
        uint64_t now = check_random(&random) % 1000, before = 0;
        bool sent = false, unseen = false;
        start(&rule, now);
        for (unsigned step = 0; step < 50; step++) {
            now += check_random(&random) % 40;
            if (check_random(&random) % 2 == 0) {
                takt_push_written(&push, now);
                unseen = true;
            }
            if (takt_push_is_ready(&push, now)) {
                uint64_t instant = rule.kind == TAKT_PUSH_BULK ? now : push.release_ns;
                CHECK(!sent || instant - before >= rule.period_ns);
                CHECK(rule.kind != TAKT_PUSH_ASYNC || now - instant < 40 + rule.period_ns);
                before = instant;
                sent = true;
                takt_push_begin(&push, now);
                unseen = false;
                now += check_random(&random) % 40;
                if (check_random(&random) % 2 == 0) {
                    takt_push_written(&push, now);
                    unseen = true;
                }
                takt_push_end(&push, now);
            }
        }
        CHECK(!unseen || takt_push_until(&push) != UINT64_MAX);
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
    return 0;
}
