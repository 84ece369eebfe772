/* SPDX-License-Identifier: Apache-2.0 */
/* The trace ring: what is overwritten is counted, and time goes on; long gaps; stacks; no trace. */
#include "kernel/observe/ring.h"
#include "kernel/port.h"
#include "kernel/test/support/scenario.h"
#include "ports/host/host.h"

enum { RING = 128 };

static struct takt_trace_record small[RING];
static unsigned laps;
static uint64_t now_ns; /* of the reader */
static bool timed;      /* now_ns is known */

static uint64_t beat_ns = TAKT_MS(5);
static uint64_t end_ns = TAKT_MS(10001);

/* Reads everything; returns how many records and sums up those lost. Every release lies at a beat. */
static unsigned read_all(unsigned *lost)
{
    struct takt_trace_record records[7];
    unsigned count = 0;
    unsigned got;
    while ((got = takt_trace_read(records, 7)) > 0) {
        for (unsigned position = 0; position < got; position++) {
            const struct takt_trace_record *record = &records[position];
            uint64_t wide = record->job | (uint64_t)record->object << 32 | (uint64_t)record->value << 48;
            now_ns += record->delta_ns;
            if (record->event == TAKT_EVENT_TIME) {
                CHECK(!timed || wide >= now_ns); /* recorded again in full, it agrees with the differences */
                now_ns = wide;
                timed = true;
            } else if (record->event == TAKT_EVENT_LOST_RECORDS) {
                *lost += (unsigned)wide;
                timed = false;
                continue;
            }
            count++;
            if (record->event == TAKT_EVENT_RELEASE) {
                CHECK(timed);
                CHECK_EQUAL(now_ns, record->job * beat_ns);
            }
        }
    }
    return count;
}

static void no_work(void *argument)
{
    (void)argument;
}

static void read_at_end(void)
{
    unsigned lost = 0;
    unsigned kept = read_all(&lost);
    CHECK(kept <= RING && kept > RING - 64); /* reading begins again at a full time */
    CHECK_EQUAL(kept + lost, takti_trace_written(takti_kernel.trace));
    CHECK_EQUAL(read_all(&lost), 0);
    laps++;
}

static void attach(void)
{
    takt_port_irq_attach(1, read_at_end, false); /* traces nothing itself */
    takt_host_interrupt_every(1, end_ns, 0);
}

static struct takt_task_config *small_ring(void)
{
    scenario_new();
    struct takt_task_config *config = scenario_periodic("a", 1, no_work, 5);
    scenario.system.trace_records = small;
    scenario.system.trace_capacity = RING;
    timed = false;
    return config;
}

static void overwritten(void)
{
    (void)small_ring();
    scenario.before = attach;
    laps = 0;
    scenario_run(20000);
    CHECK_EQUAL(laps, 1);
}

/* Gaps of more than 32 bits of ns at every distance from the records that hold the full time. */
static void overwritten_with_gaps(void)
{
    beat_ns = TAKT_S(5);
    for (unsigned run = 0; run < 7 * 40; run++) {
        struct takt_task_config *config = small_ring();
        config->period_ns = beat_ns;
        for (unsigned extra = 0; extra < run % 7; extra++) {
            (void)scenario_task("x", 2, no_work); /* shifts what follows */
        }
        scenario.before = attach;
        end_ns = TAKT_S(5) * (20 + run / 7) + 1;
        laps = 0;
        scenario_run(400000);
        CHECK_EQUAL(laps, 1);
    }
    beat_ns = TAKT_MS(5);
    end_ns = TAKT_MS(10001);
}

static unsigned total;
static unsigned total_lost;

static void read_now_and_then(void)
{
    total += read_all(&total_lost);
}

static void attach_often(void)
{
    takt_port_irq_attach(1, read_now_and_then, false);
    takt_host_interrupt_every(1, TAKT_MS(1), TAKT_MS(20));
}

/* Read often enough, nothing is lost. */
static void read_often(void)
{
    (void)small_ring();
    scenario.before = attach_often;
    total = 0;
    total_lost = 0;
    scenario_run(2000);
    CHECK_EQUAL(total_lost, 0);
    CHECK(total > 2000);
}

static void sleep_10_s(void *argument)
{
    (void)argument;
    scenario_sleep_to(10000);
    *((uint8_t *)scenario.configs[0].stack + 100) = 0;
}

/* A gap of more than 32 bits of ns; a stack that was used down to its byte 100. */
static void gap_and_stack(void)
{
    scenario_new();
    (void)scenario_task("a", 1, sleep_10_s);
    scenario_run(20000);
    CHECK_TEXT(scenario_events(TAKT_EVENT_READY, 1), "a10000=1");
    CHECK_TEXT(scenario_runs(), "a0 -0 a10000 -10000");
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_STACK_MAX), SCENARIO_STACK - 100);
}

static void work_9_s(void *argument)
{
    (void)argument;
    takt_work(TAKT_S(9));
}

/* Between two records the count wraps twice. */
static void long_execution(void)
{
    scenario_new();
    (void)scenario_periodic("a", 1, work_9_s, 20000);
    scenario_run(15000);
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_EXECUTION_MAX), TAKT_S(9));
    CHECK_TEXT(scenario_events(TAKT_EVENT_COMPLETE, 0), "a9000");
}

static void untraced(void)
{
    scenario_new();
    (void)scenario_periodic("a", 1, no_work, 5);
    (void)scenario_periodic("b", 2, no_work, 10000); /* its deadline has a record of its own */
    scenario.system.trace_records = NULL;
    scenario_run(20);
    CHECK_TEXT(scenario_runs(), "");
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_JOBS), 4);
    CHECK_EQUAL(scenario_figure("b", TAKT_EVENT_STAT_JOBS), 1);
    CHECK_EQUAL(takti_trace_written(takti_kernel.trace), 0);
    (void)small_ring();
    scenario.system.trace_capacity = 64; /* too few for a full time now and then */
    scenario_run(20);
    CHECK_TEXT(scenario_runs(), "");
}

int main(void)
{
    overwritten();
    overwritten_with_gaps();
    read_often();
    gap_and_stack();
    long_execution();
    untraced();
    return 0;
}
