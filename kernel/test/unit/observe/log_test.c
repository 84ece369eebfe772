/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the log: their records, at every distance from the full time and after gaps; what is left out. */
#define TAKT_LOG_MODULE "unit"
#include "kernel/core/kernel.h"
#include "kernel/test/support/scenario.h"
#include "takt/log.h"

enum { RING = 1 << 12, WORDS_MAX = 2 * TAKT_LOG_WORDS };

static struct takt_trace_record ring[RING];
static uint32_t words[WORDS_MAX];
static unsigned count; /* of `words`: those of the last message */
static unsigned messages;
static uint64_t message_ns;
static unsigned evaluated;

/* Reads the ring from the start: the words of the last message, and when it came. */
static void read_log(void)
{
    uint64_t now_ns = 0;
    bool follows = false;
    messages = 0;
    for (uint32_t at = 0; at < takti_trace_written(takti_kernel.trace); at++) {
        const struct takt_trace_record *record = &ring[at];
        if (at % 64 == 0) {
            CHECK_EQUAL(record->event, TAKT_EVENT_TIME);
        }
        if (record->event == TAKT_EVENT_TIME) {
            uint64_t wide = record->job | (uint64_t)record->object << 32 | (uint64_t)record->value << 48;
            CHECK(wide >= now_ns);
            now_ns = wide;
            continue;
        }
        now_ns += record->delta_ns - (uint32_t)now_ns; /* in the ring: 32 bits of the time */
        if (record->event == TAKT_EVENT_LOG) {
            messages++;
            message_ns = now_ns;
            count = 0;
            CHECK_EQUAL(record->band, TAKT_TRACE_NO_BAND);
        }
        follows = record->event == TAKT_EVENT_LOG || (follows && record->event == TAKT_EVENT_LOG_WORDS);
        CHECK(follows || record->event != TAKT_EVENT_LOG_WORDS);
        if (follows) {
            words[count++] = record->job;
            words[count++] = record->object | (uint32_t)record->value << 16;
        }
    }
}

static void new_system(void (*entry)(void *argument))
{
    scenario_new();
    (void)scenario_task("a", 1, entry);
    scenario.system.trace_records = ring;
    scenario.system.trace_capacity = RING;
}

/* After the run all records are still in the ring. */
static void run(void (*entry)(void *argument), unsigned end_ms)
{
    new_system(entry);
    scenario_run(end_ms);
    read_log();
}

static int next(void)
{
    return (int)++evaluated;
}

static void log_some(void *argument)
{
    (void)argument;
    evaluated = 0;
    takt_log_debug("left out %d", next());
    takt_log_info("%d and %c", next(), 'x');
    takt_work(TAKT_S(7)); /* without a record */
    takt_log_error("after a long time: %u", 7u);
}

static void two_words(void)
{
    run(log_some, 8000);
    CHECK_EQUAL(evaluated, TAKT_TRACE ? 1 : 0);
    CHECK_EQUAL(messages, TAKT_TRACE ? 2 : 0);
    if (TAKT_TRACE) {
        CHECK_EQUAL(message_ns, TAKT_S(7));
        CHECK_EQUAL(words[0], 7);
        CHECK_EQUAL(words[1], 0);
    }
}

static const char text[] = "text";

static void log_all(void *argument)
{
    (void)argument;
    takt_log_warning("%d %lld %s %f %f %hd %c %p", -3, -4LL, text, 0.5f, 2.5, (short)-6, 'c', (void *)words);
}

static void all_arguments(void)
{
    run(log_all, 1);
    CHECK_EQUAL(messages, TAKT_TRACE);
    if (TAKT_TRACE) {
        uint32_t expected[TAKT_LOG_WORDS] = {(uint32_t)-3, (uint32_t)-4, UINT32_MAX};
        unsigned at = 3;
        const char *pointer = text;
        const void *other = words;
        memcpy(&expected[at], &pointer, sizeof pointer);
        at += sizeof pointer / 4;
        expected[at++] = 0x3F000000; /* 0.5 in 32 bits */
        expected[at++] = 0;          /* 2.5 in 64 */
        expected[at++] = 0x40040000;
        expected[at++] = (uint32_t)-6;
        expected[at++] = 'c';
        memcpy(&expected[at], &other, sizeof other);
        at += sizeof other / 4;
        CHECK_EQUAL(count, (at + 1) / 2 * 2);
        for (unsigned i = 0; i < count; i++) {
            CHECK_EQUAL(words[i], i < at ? expected[i] : 0);
        }
    }
}

static unsigned many;

static void log_many(void *argument)
{
    (void)argument;
    for (unsigned i = 1; i <= many; i++) {
        takt_log_info("%u %u %u %u %u", i, 2u, 3u, 4u, 5u);
        takt_work(TAKT_MS(1));
        takt_mark_begin("span");
        takt_mark_end("span");
    }
}

/* Every length of what comes before: the full time may fall between any two records of a message. */
static void across_the_full_time(void)
{
    for (many = 1; many < 70; many++) {
        run(log_many, 100);
        CHECK_EQUAL(messages, TAKT_TRACE ? 3 * many : 0);
        CHECK(!TAKT_TRACE || message_ns == TAKT_MS(many));
    }
}

static void log_early(void)
{
    takt_log_info("%d", 1);
    takt_log_info("%d %d %d", 1, 2, 3);
}

static void nothing(void *argument)
{
    (void)argument;
}

/* In init the clock does not run; before the start there is no ring. */
static void before_the_start(void)
{
    log_early();
    new_system(nothing);
    scenario.before = log_early;
    scenario_run(1);
    read_log();
    CHECK_EQUAL(messages, TAKT_TRACE ? 2 : 0);
    if (TAKT_TRACE) {
        CHECK_EQUAL(message_ns, 0);
        CHECK_EQUAL(count, 4);
        CHECK_EQUAL(words[2], 3);
    }
}

static void untraced(void)
{
    new_system(log_all);
    scenario.system.trace_records = NULL;
    scenario_run(1);
    CHECK(!TAKT_TRACE || takti_trace_written(takti_kernel.trace) == 0);
}

int main(void)
{
    two_words();
    all_arguments();
    across_the_full_time();
    before_the_start();
    untraced();
    return 0;
}
