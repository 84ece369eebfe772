/* SPDX-License-Identifier: Apache-2.0 */
/* The trace ring: what is overwritten is counted, and time goes on; long gaps; stacks; no trace. */
#include "kernel/core/kernel.h"
#include "kernel/port.h"
#include "kernel/test/support/scenario.h"
#include "ports/host/host.h"

#include <stdio.h>

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

static void handle_9_s(void)
{
    takt_work(TAKT_S(9));
}

static void attach_long(void)
{
    takt_port_irq_attach(1, handle_9_s, true);
    takt_host_interrupt_every(1, TAKT_S(1), TAKT_S(100));
}

/* The same in the handler of an interrupt, which no job is charged for. */
static void long_interrupt(void)
{
    scenario_new();
    (void)scenario_periodic("a", 1, work_9_s, 30000);
    scenario.before = attach_long;
    scenario_run(25000);
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_EXECUTION_MAX), TAKT_S(9));
    CHECK_TEXT(scenario_events(TAKT_EVENT_COMPLETE, 0), "a18000");
}

static uint64_t first_ns;
static uint32_t charge_ns; /* of each stretch of execution that an interrupt ends */

static void handle_1_ms(void)
{
    takt_work(TAKT_MS(1));
}

static void attach_every_3_ms(void)
{
    takti_kernel.trace->charge_ticks = charge_ns;
    takt_port_irq_attach(1, handle_1_ms, true);
    takt_host_interrupt_every(1, first_ns, TAKT_MS(3));
}

static void work_4_ms(void *argument)
{
    (void)argument;
    takt_work(TAKT_MS(4));
}

/* The same of interrupts that come at `at_ns` and each 3 ms, and last 1 ms. */
static uint64_t execution_ns(uint64_t at_ns, uint32_t charged_ns)
{
    scenario_new();
    (void)scenario_periodic("a", 1, work_4_ms, 30);
    first_ns = at_ns;
    charge_ns = charged_ns;
    scenario.before = attach_every_3_ms;
    scenario_run(25);
    return scenario_figure("a", TAKT_EVENT_STAT_EXECUTION_MAX);
}

/* A job that is interrupted is charged for its own stretches, less what each has of the kernel's time, but not less
 * than nothing. */
static void interrupted_execution(void)
{
    CHECK_EQUAL(execution_ns(TAKT_MS(1), 0), TAKT_MS(4));           /* 1, 2 and 1 ms */
    CHECK_EQUAL(execution_ns(TAKT_MS(1), 1000), TAKT_MS(4) - 2000); /* the last one a switch ends */
    CHECK_EQUAL(execution_ns(TAKT_MS(1), 1500000), TAKT_US(1500));  /* 0, 0.5 and 1 ms */
}

enum { YIELDS = 40 };

static void yield_often(void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < YIELDS; i++) {
        takt_work(TAKT_MS(1));
        takt_task_yield();
    }
}

/* Two equals, a and b, yield in turn: each yield is followed by the switch, at every distance from the records that
 * hold the full time, and each task is charged for its own work. */
static void yields(void)
{
    char yielded[YIELDS * 2 * 8];
    char ran[YIELDS * 2 * 8 + 32];
    int yielded_size = 0;
    int ran_size = 0;
    for (int i = 0; i < 2 * YIELDS; i++) {
        const char *space = i == 0 ? "" : " ";
        yielded_size += sprintf(&yielded[yielded_size], "%s%c%d", space, i % 2 == 0 ? 'a' : 'b', i + 1);
        ran_size += sprintf(&ran[ran_size], "%s%c%d", space, i % 2 == 0 ? 'a' : 'b', i);
    }
    (void)sprintf(&ran[ran_size], " a%d b%d -%d", 2 * YIELDS, 2 * YIELDS, 2 * YIELDS);
    for (unsigned others = 0; others < 3; others++) {
        scenario_new();
        (void)scenario_periodic("a", 1, yield_often, 1000);
        (void)scenario_periodic("b", 1, yield_often, 1000);
        for (unsigned other = 0; other < others; other++) { /* of which there is one record */
            scenario_periodic("x", 2, no_work, 1000)->offset_ns = TAKT_S(10);
        }
        scenario_run(500);
        CHECK_TEXT(scenario_events(TAKT_EVENT_YIELD, 0), yielded);
        CHECK_TEXT(scenario_runs(), ran);
        CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_EXECUTION_MAX), TAKT_MS(YIELDS));
        CHECK_EQUAL(scenario_figure("b", TAKT_EVENT_STAT_EXECUTION_MAX), TAKT_MS(YIELDS));
    }
}

static struct takt_semaphore semaphore;

static void post_and_wait(void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < 2 * YIELDS; i++) {
        takt_work(TAKT_MS(1));
        CHECK_EQUAL(takt_semaphore_post(&semaphore), TAKT_OK);
        CHECK_EQUAL(takt_semaphore_wait(&semaphore), TAKT_OK);
    }
}

/* Calls that end with their record, at every distance from the records that hold the full time. */
static void calls_that_end(void)
{
    char expected[YIELDS * 2 * 8];
    int size = 0;
    for (int i = 0; i < 2 * YIELDS; i++) {
        size += sprintf(&expected[size], "%sa%d", i == 0 ? "" : " ", i + 1);
    }
    for (unsigned others = 0; others < 2; others++) {
        scenario_new();
        takt_semaphore_init(&semaphore, 1, NULL, 0, 1);
        (void)scenario_task("a", 1, post_and_wait);
        for (unsigned other = 0; other < others; other++) {
            (void)scenario_task("x", 2, no_work);
        }
        scenario_run(500);
        CHECK_TEXT(scenario_events(TAKT_EVENT_POST, 0), expected);
        CHECK_TEXT(scenario_events(TAKT_EVENT_TAKE, 0), expected);
    }
}

static void work_10_ms(void *argument)
{
    (void)argument;
    takt_work(TAKT_MS(10));
}

static void sleep_5_ms(void *argument)
{
    (void)argument;
    scenario_sleep_to(5);
}

/* A delay ends during a job, which is charged for what it executed before and after. */
static void delay_during_a_job(void)
{
    scenario_new();
    (void)scenario_task("s", 1, sleep_5_ms);
    (void)scenario_periodic("a", 2, work_10_ms, 1000);
    scenario_run(100);
    CHECK_TEXT(scenario_runs(), "s0 a0 s5 a5 -10");
    CHECK_TEXT(scenario_events(TAKT_EVENT_BLOCK, 0), "s0");
    CHECK_TEXT(scenario_events(TAKT_EVENT_READY, 1), "s5=1");
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_EXECUTION_MAX), TAKT_MS(10));
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
    long_interrupt();
    interrupted_execution();
    yields();
    calls_that_end();
    delay_during_a_job();
    untraced();
    return 0;
}
