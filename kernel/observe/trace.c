/* SPDX-License-Identifier: Apache-2.0 */
/* The trace ring and the statistics kept with it. Records are written in the locked section of their event. */
#include "kernel/observe/ring.h"

/* A record whose job, object and value carry 64 bits. */
static struct takt_trace_record wide(unsigned event, uint16_t task, uint64_t value)
{
    return (struct takt_trace_record){.event = (uint8_t)event,
                                      .band = TAKT_TRACE_NO_BAND,
                                      .task = task,
                                      .job = (uint32_t)value,
                                      .object = (uint16_t)(value >> 32),
                                      .value = (uint16_t)(value >> 48)};
}

#if TAKT_TRACE
/* Updates band and index of a task as in the second word of a record, whenever its level changes. */
void takti_trace_identify(struct takt_task *task)
{
    unsigned level = takti_level_index(&takti_kernel.ready, task->level);
    task->trace->identity = (uint32_t)takti_kernel.system->level_bands[level] << 8 | (uint32_t)task->config->index
                                                                                         << 16;
}

/* Writes a record whose job, object and value carry 64 bits. */
static __attribute__((noinline)) void write_wide(struct takti_trace *trace, uint32_t identity, uint64_t value)
{
    record_word *words = next_words(trace);
    words[0] = 0;
    words[1] = identity;
    words[2] = (uint32_t)value;
    words[3] = (uint32_t)(value >> 32);
}

__attribute__((noinline)) void takti_trace_time(uint64_t now_ns)
{
    struct takti_trace *trace = takti_kernel.trace;
    do {
        write_wide(trace, NOBODY | TAKT_EVENT_TIME, now_ns);
    } while (trace->written % TIME_EVERY == 0);
}

/* Composes the record as four words: this is on every measured path. */
static inline void write_words(uint64_t now_ns, uint32_t event, const struct takt_task *task, uint32_t last)
{
    struct takti_trace *trace = takti_kernel.trace;
    if (trace->records == NULL) {
        return;
    }
    uint64_t delta_ns = now_ns - trace->until_ns;
    trace->until_ns = now_ns;
    if (trace->written % TIME_EVERY == 0 || delta_ns > UINT32_MAX) {
        takti_trace_time(now_ns);
        delta_ns = 0;
    }
    record_word *words = next_words(trace);
    words[0] = (uint32_t)delta_ns;
    words[1] = event | (task == NULL ? NOBODY : task->trace->identity);
    words[2] = task == NULL ? TAKT_TRACE_NO_JOB : task->trace->job_number;
    words[3] = last;
}

void takti_trace_write(uint64_t now_ns, uint32_t word, const struct takt_task *task)
{
    write_words(now_ns, word & 0xFFu, task, word >> 16 | (word & 0xFF00u) << 8);
}

void takti_trace_put(uint32_t word, const struct takt_task *task, unsigned object)
{
    takti_trace_write(takti_clock_ns(), word | object << 16, task);
}

void takti_trace_put_call(uint32_t word, uint32_t lock, unsigned object)
{
    takti_trace_put(word, takti_caller(lock), object);
}

/* Release of a job of `task` whose deadline is past or distant, which needs a record of its own. */
static __attribute__((noinline)) void release_far(uint64_t now_ns, const struct takt_task *task, uint64_t deadline_ns)
{
    struct takti_trace *trace = takti_kernel.trace;
    write_words(now_ns, TAKT_EVENT_RELEASE, task, TAKT_TRACE_FAR);
    if (trace->records == NULL) {
        return;
    }
    if (trace->written % TIME_EVERY == 0) {
        takti_trace_time(now_ns);
    }
    write_wide(trace, task->trace->identity | (uint32_t)TAKT_TRACE_NO_BAND << 8 | TAKT_EVENT_DEADLINE, deadline_ns);
}

/* Release of a job of `task`. */
void takti_trace_release(const struct takt_task *task, uint64_t deadline_ns)
{
    uint64_t now_ns = takti_clock_ns();
    uint64_t left_ns = deadline_ns - now_ns;
    if (TAKTI_UNLIKELY(left_ns >= TAKT_TRACE_FAR)) {
        release_far(now_ns, task, deadline_ns);
        return;
    }
    write_words(now_ns, TAKT_EVENT_RELEASE, task, (uint32_t)left_ns);
}

/* Skips overwritten records, up to the next full time. */
static void skip_overwritten(struct takti_trace *trace)
{
    if (trace->written - trace->read > trace->mask + 1u) {
        uint32_t oldest = trace->written - (trace->mask + 1u);
        uint32_t next = (oldest + TIME_EVERY - 1u) & ~(TIME_EVERY - 1u);
        trace->lost += next - trace->read;
        trace->read = next;
    }
}

/* Takes one record. Locked. */
static bool take_record(struct takti_trace *trace, struct takt_trace_record *record)
{
    skip_overwritten(trace);
    if (trace->lost != 0) {
        *record = wide(TAKT_EVENT_LOST_RECORDS, TAKT_TRACE_NONE, trace->lost);
        trace->lost = 0;
        return true;
    }
    if (trace->records == NULL || trace->read == trace->written) {
        return false;
    }
    *record = trace->records[trace->read++ & trace->mask];
    return true;
}

unsigned takt_trace_read(struct takt_trace_record *records, unsigned capacity)
{
    unsigned taken = 0;
    bool some = true;
    while (some && taken < capacity) {
        uint32_t lock = takt_port_lock();
        some = take_record(takti_kernel.trace, &records[taken]);
        takt_port_unlock(lock);
        taken += some ? 1 : 0;
    }
    return taken;
}
#else
unsigned takt_trace_read(struct takt_trace_record *records, unsigned capacity)
{
    (void)records;
    (void)capacity;
    return 0;
}
#endif

struct totals {
    uint64_t misses;
    uint64_t overruns;
    uint64_t lost;
    uint64_t first_miss_deadline_ns; /* TAKT_FOREVER: none */
};

static uint64_t first_miss_of(const struct takt_task_statistics *statistics, uint64_t otherwise_ns)
{
    return statistics->first_miss_deadline_ns != 0 ? statistics->first_miss_deadline_ns : otherwise_ns;
}

/* The statistics of the task, with those of its unfinished job: releases during it, and missed deadlines. */
static __attribute__((noinline)) void total(struct totals *totals, const struct takt_task *task,
                                            const struct takt_task_statistics *statistics, uint64_t now_ns)
{
    const struct takt_task_config *config = task->config;
    uint32_t behind = TAKT_JOBS ? takti_job_behind(task, now_ns, now_ns) : 0;
    bool late = TAKT_JOBS && takti_job_late(task, now_ns);
    totals->overruns = (uint64_t)statistics->overruns + behind;
    totals->lost = statistics->lost;
    totals->misses = (uint64_t)statistics->misses + late;
    totals->first_miss_deadline_ns = first_miss_of(statistics, late ? task->job_deadline_ns : TAKT_FOREVER);
    if (TAKT_JOBS && config->on_miss == TAKT_MISS_SKIP) {
        totals->lost += behind;
    } else if (TAKT_JOBS && now_ns > config->deadline_ns) {
        totals->misses += takti_job_behind(task, now_ns, now_ns - config->deadline_ns - 1);
    }
}

/* Destination of the statistics. */
struct teller {
    void (*emit)(const struct takt_trace_record *record);
    uint16_t task;
};

static __attribute__((noinline)) void tell(const struct teller *teller, unsigned event, uint64_t value)
{
    const struct takt_trace_record record = wide(event, teller->task, value);
    teller->emit(&record);
}

static void tell_task(const struct teller *teller, const struct takt_task_config *config,
                      const struct takt_task_statistics *statistics, const struct totals *totals)
{
    tell(teller, TAKT_EVENT_STAT_JOBS, statistics->jobs_completed);
    tell(teller, TAKT_EVENT_STAT_MISSES, totals->misses);
    tell(teller, TAKT_EVENT_STAT_OVERRUNS, totals->overruns);
    tell(teller, TAKT_EVENT_STAT_LOST, totals->lost);
    tell(teller, TAKT_EVENT_STAT_RESPONSE_MAX, statistics->response_ns_max);
    tell(teller, TAKT_EVENT_STAT_EXECUTION_MAX, statistics->execution_ns_max);
    tell(teller, TAKT_EVENT_STAT_STACK_MAX, TAKT_TRACE ? takti_stack_used(config) : 0); /* filled only then */
}

void takt_trace_statistics(uint64_t ended_ns, void (*emit)(const struct takt_trace_record *record))
{
    uint32_t lock = takt_port_lock();
    const struct takt_system *system = takti_kernel.system;
    uint64_t first_deadline_ns = TAKT_FOREVER;
    struct teller teller = {.emit = emit};
    uint16_t first_task = 0;
    const struct takt_task_statistics nothing = {0};
    for (; teller.task < system->task_count; teller.task++) {
        const struct takt_task_config *config = &system->configs[teller.task];
        const struct takt_task_statistics *statistics = config->statistics == NULL ? &nothing : config->statistics;
        struct totals totals;
        takti_settle(&system->tasks[teller.task]);
        total(&totals, &system->tasks[teller.task], statistics, ended_ns);
        if (totals.first_miss_deadline_ns < first_deadline_ns) {
            first_deadline_ns = totals.first_miss_deadline_ns;
            first_task = teller.task;
        }
        tell_task(&teller, config, statistics, &totals);
    }
    if (first_deadline_ns != TAKT_FOREVER) {
        teller.task = first_task;
        tell(&teller, TAKT_EVENT_STAT_MISS_RELEASE, first_deadline_ns - system->configs[first_task].deadline_ns);
        tell(&teller, TAKT_EVENT_STAT_MISS_DEADLINE, first_deadline_ns);
    }
    teller.task = TAKT_TRACE_NONE;
    tell(&teller, TAKT_EVENT_STAT_END, ended_ns);
    takt_port_unlock(lock);
}
