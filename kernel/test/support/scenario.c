/* SPDX-License-Identifier: Apache-2.0 */
#include "scenario.h"

#include "base/bitmap.h"
#include "kernel/port.h"
#include "ports/host/host.h"

enum { END_SOURCE = 0, ENTRIES = SCENARIO_RING, TEXT = 1 << 14 };

struct scenario scenario;

static struct takt_trace_record ring[SCENARIO_RING];
TAKT_TIMERS_DEFINE(timers, 256);
TAKT_EDF_DEFINE(edf, 2, SCENARIO_TASKS);
static struct takt_trace_record records[ENTRIES];
static uint64_t times_ns[ENTRIES];
static unsigned record_count;
static uint64_t stacks[SCENARIO_TASKS + 1][SCENARIO_STACK / 8];
static uint8_t level_bands[TAKT_LEVELS];
static char text[TEXT];

static void read_trace(void)
{
    uint64_t now_ns = 0;
    struct takt_trace_record record;
    record_count = 0;
    while (takt_trace_read(&record, 1) == 1) {
        now_ns += record.delta_ns;
        if (record.event == TAKT_EVENT_TIME) {
            now_ns = record.job | (uint64_t)record.object << 32 | (uint64_t)record.value << 48;
        } else if (record_count < ENTRIES) {
            times_ns[record_count] = now_ns;
            records[record_count++] = record;
        }
    }
}

static void figure(const struct takt_trace_record *record)
{
    unsigned task = record->task == TAKT_TRACE_NONE ? 0 : record->task;
    scenario.figures[task][record->event - TAKT_EVENT_STAT_JOBS] =
        record->job | (uint64_t)record->object << 32 | (uint64_t)record->value << 48;
}

static void at_end(void)
{
    read_trace();
    takt_trace_statistics(takt_now(), figure);
    takt_host_leave();
}

static void init(void)
{
    takt_port_irq_attach(END_SOURCE, at_end, true);
    takt_host_interrupt_every(END_SOURCE, scenario.end_ns, 0);
    if (scenario.before != NULL) {
        scenario.before();
    }
}

void scenario_new(void)
{
    memset(&scenario, 0, sizeof scenario);
    for (unsigned level = 0; level < TAKT_LEVELS; level++) {
        level_bands[level] = (uint8_t)level;
    }
    scenario.system = (struct takt_system){.configs = scenario.configs,
                                           .tasks = scenario.tasks,
                                           .level_bands = level_bands,
                                           .init = init,
                                           .edf = &edf,
                                           .timers = &timers,
                                           .idle_stack = stacks[SCENARIO_TASKS],
                                           .idle_stack_size = SCENARIO_STACK,
                                           .trace_records = ring,
                                           .trace_capacity = SCENARIO_RING};
    takt_host_reset();
}

void scenario_edf(unsigned level)
{
    takt_bitmap_set(scenario.system.edf_levels, TAKT_LEVEL_WORDS, level);
}

struct takt_task_config *scenario_task(const char *name, unsigned level, void (*entry)(void *argument))
{
    uint16_t index = scenario.system.task_count++;
    scenario.configs[index] = (struct takt_task_config){.name = name,
                                                        .entry = entry,
                                                        .stack = stacks[index],
                                                        .stack_size = SCENARIO_STACK,
                                                        .statistics = &scenario.statistics[index],
                                                        .index = index,
                                                        .level = (uint8_t)level};
    return &scenario.configs[index];
}

struct takt_task_config *scenario_named(const char *name, unsigned level, void (*entry)(void *argument))
{
    struct takt_task_config *config = scenario_task(name, level, entry);
    config->argument = (void *)(uintptr_t)name;
    return config;
}

struct takt_task_config *scenario_periodic(const char *name, unsigned level, void (*entry)(void *argument),
                                           unsigned period_ms)
{
    struct takt_task_config *config = scenario_task(name, level, entry);
    config->release = TAKT_PERIODIC;
    config->period_ns = TAKT_MS(period_ms);
    config->deadline_ns = config->period_ns;
    return config;
}

struct takt_task_config *scenario_sporadic(const char *name, unsigned level, void (*entry)(void *argument),
                                           unsigned gap_ms)
{
    struct takt_task_config *config = scenario_periodic(name, level, entry, gap_ms);
    config->release = TAKT_SPORADIC;
    config->arrivals = &scenario.arrivals[config->index];
    *config->arrivals = (struct takt_arrivals){.releases_ns = scenario.pending_ns[config->index], .capacity = 1};
    return config;
}

void scenario_on_miss(struct takt_task_config *config, enum takt_policy policy)
{
    bool watched = policy == TAKT_MISS_STOP || policy == TAKT_MISS_NOTIFY;
    config->on_miss = (uint8_t)policy;
    config->deadline_timer = watched ? &scenario.deadline_timers[config->index] : NULL;
}

static unsigned find(const char *name)
{
    unsigned index = 0;
    while (strcmp(scenario.configs[index].name, name) != 0) {
        index++;
        CHECK(index < scenario.system.task_count);
    }
    return index;
}

struct takt_task *scenario_find(const char *name)
{
    return &scenario.tasks[find(name)];
}

uint64_t scenario_figure(const char *name, unsigned event)
{
    return scenario.figures[find(name)][event - TAKT_EVENT_STAT_JOBS];
}

static void start(void *argument)
{
    takt_start(argument);
}

void scenario_run(unsigned end_ms)
{
    scenario.end_ns = TAKT_MS(end_ms);
    takt_host_enter(start, &scenario.system);
}

const char *scenario_events(enum takt_event event, int with_value)
{
    unsigned used = 0;
    text[0] = '\0';
    for (unsigned place = 0; place < record_count; place++) {
        const struct takt_trace_record *record = &records[place];
        if (record->event != event || used + 40 > TEXT) {
            continue;
        }
        const char *name = record->task == TAKT_TRACE_IDLE   ? "-"
                           : record->task == TAKT_TRACE_NONE ? "!"
                                                             : scenario.configs[record->task].name;
        used += (unsigned)snprintf(&text[used], TEXT - used, "%s%s%u", used == 0 ? "" : " ", name,
                                   (unsigned)(times_ns[place] / TAKT_MS(1)));
        if (with_value) {
            used += (unsigned)snprintf(&text[used], TEXT - used, "=%u", record->value);
        }
    }
    return text;
}

const char *scenario_runs(void)
{
    return scenario_events(TAKT_EVENT_RUN, 0);
}

void scenario_work(unsigned ms)
{
    takt_work(TAKT_MS(ms));
}

unsigned scenario_now(void)
{
    return (unsigned)(takt_now() / TAKT_MS(1));
}

void scenario_sleep_to(unsigned ms)
{
    takt_delay_until(TAKT_MS(ms));
}

void scenario_lock(struct takt_mutex *mutex)
{
    CHECK(takt_mutex_lock(mutex) == TAKT_OK);
}
