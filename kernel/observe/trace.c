/* SPDX-License-Identifier: Apache-2.0 */
/* The trace ring and the statistics kept with it. Records are written in the locked section of their event. */
#include "kernel/core/kernel.h"

/* A record whose job, object and value carry 64 bits. */
static TAKTI_NOINLINE_SIZE struct takt_trace_record wide(unsigned event, uint16_t task, uint64_t value)
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

/* The first record begins a section. */
void takti_trace_start(struct takt_trace_record *records, uint32_t capacity)
{
    struct takti_trace *trace = takti_kernel.trace;
    if (records != NULL && capacity >= 2 * TAKTI_TRACE_SECTION) {
        trace->records = records;
        trace->begun = 0u - TAKTI_TRACE_SECTION;
        trace->next = trace->stop = trace->end = records + capacity;
    }
    trace->mask = capacity - 1u;
    trace->charge_ticks = TAKT_PORT_CHARGE_NS / TAKT_PORT_TICK_NS;
}

/* Writes a record whose job, object and value carry 64 bits. There is room. */
static TAKTI_NOINLINE_SIZE void put_wide(struct takti_trace *trace, uint32_t ticks, uint32_t identity, uint64_t value)
{
    record_word *words = (record_word *)(void *)trace->next++;
    words[0] = ticks;
    words[1] = identity;
    words[2] = (uint32_t)value;
    words[3] = (uint32_t)(value >> 32);
}

/* Writes the full time, twice when that is the last record of a section: the next has it anyway. */
static void put_time(struct takti_trace *trace, uint32_t ticks, uint64_t now_ns)
{
    do {
        if (trace->next == trace->end) {
            if (trace->next > &trace->records[trace->mask]) {
                trace->next = trace->records;
            }
            trace->begun += TAKTI_TRACE_SECTION;
            trace->end = trace->next + TAKTI_TRACE_SECTION;
        }
        put_wide(trace, ticks, TAKTI_TRACE_NOBODY | TAKT_EVENT_TIME, now_ns);
    } while (trace->next == trace->end);
}

/* Before the start it is 0 ns, and the port's ticks mean nothing. */
static TAKTI_NOINLINE_HOT uint32_t put_rarely(uint32_t ticks, uint32_t identity, uint32_t job, uint32_t last)
{
    struct takti_trace *trace = takti_kernel.trace;
    bool runs = takti_kernel.clock_runs;
    if (!TAKT_PORT_NO_ERA && runs) {
        takti_trace_era(ticks);
    }
    if (trace->records == NULL) {
        return ticks;
    }
    ticks = runs ? ticks : 0;
    if (runs || trace->next == trace->end) {
        put_time(trace, ticks, runs ? takt_port_ticks_ns(ticks) : 0);
    }
    put_wide(trace, ticks, identity, job | (uint64_t)last << 32);
    trace->stop = runs ? trace->end : trace->next;
    return ticks;
}

/* While the system runs, mostly a section has ended: the next one begins with the full time and this record. */
__attribute__((noinline)) uint32_t takti_trace_put_slow_path(uint32_t ticks, uint32_t identity, uint32_t job,
                                                             uint32_t last)
{
    struct takti_trace *trace = takti_kernel.trace;
    struct takt_trace_record *first = trace->next;
    struct takt_trace_record *records = trace->records;
    uint32_t era = trace->era;
    if (!TAKT_PORT_NO_ERA && !TAKTI_OPTIMIZE_SIZE) {
        (void)takt_port_ticks(&era);
    }
    if (TAKTI_OPTIMIZE_SIZE || TAKTI_UNLIKELY(first != trace->end || records == NULL || !takti_kernel.clock_runs ||
                                              (!TAKT_PORT_NO_ERA && era != trace->era))) {
        return put_rarely(ticks, identity, job, last);
    }
    if (first > &records[trace->mask]) {
        first = records;
    }
    trace->next = first + 2;
    trace->begun += TAKTI_TRACE_SECTION;
    trace->stop = trace->end = first + TAKTI_TRACE_SECTION;
    takti_trace_fill(first + 1, ticks, identity, job, last);
    uint64_t now_ns = takt_port_ticks_ns(ticks);
    takti_trace_fill(first, ticks, TAKTI_TRACE_NOBODY | TAKT_EVENT_TIME, (uint32_t)now_ns, (uint32_t)(now_ns >> 32));
    return ticks;
}

uint32_t takti_trace_write(uint32_t identity, uint32_t job, uint32_t last)
{
    uint32_t era;
    uint32_t ticks = takt_port_ticks(&era);
    return takti_trace_put_at(ticks, era, identity, job, last);
}

/* Out of line, so that the other one saves no registers. */
static __attribute__((noinline)) enum takt_status last_slow_path(uint32_t identity, uint32_t job, uint32_t last,
                                                                 uint32_t lock)
{
    (void)takti_trace_write(identity, job, last);
    takt_port_leave(lock);
    return TAKT_OK;
}

enum takt_status takti_trace_write_last(uint32_t identity, uint32_t job, uint32_t last, uint32_t lock)
{
    uint32_t ticks;
    if (!takti_trace_try(&ticks, identity, job, last)) {
        return last_slow_path(identity, job, last, lock);
    }
    takt_port_leave(lock);
    return TAKT_OK;
}

/* For calls that are compiled for size. */
uint32_t takti_trace_put(uint32_t word, const struct takt_task *task, unsigned object)
{
    return takti_trace_write(takti_trace_identity(task) | (word & 0xFFu), takti_trace_job(task),
                             object | (word & 0xFF00u) << 8);
}

void takti_trace_put_call(uint32_t word, uint32_t lock, unsigned object)
{
    (void)takti_trace_put(word, takti_caller(lock), object);
}

/* Release of a job of `task`. A deadline that is past or distant has a record of its own. */
void takti_trace_release(const struct takt_task *task, uint64_t deadline_ns)
{
    uint32_t era;
    uint32_t ticks = takt_port_ticks(&era);
    uint64_t left_ns = deadline_ns - (takti_kernel.clock_runs ? takt_port_ticks_ns(ticks) : 0);
    bool far = TAKTI_UNLIKELY(left_ns >= TAKT_TRACE_FAR);
    uint32_t identity = takti_trace_identity(task);
    (void)takti_trace_put_at(ticks, era, identity | TAKT_EVENT_RELEASE, takti_trace_job(task),
                             far ? TAKT_TRACE_FAR : (uint32_t)left_ns);
    if (far) {
        (void)takti_trace_put_at(ticks, era, identity | (uint32_t)TAKT_TRACE_NO_BAND << 8 | TAKT_EVENT_DEADLINE,
                                 (uint32_t)deadline_ns, (uint32_t)(deadline_ns >> 32));
    }
}

/* Skips overwritten records, up to the next section. */
static void skip_overwritten(struct takti_trace *trace, uint32_t written)
{
    if (written - trace->read > trace->mask + 1u) {
        uint32_t oldest = written - (trace->mask + 1u);
        uint32_t next = (oldest + TAKTI_TRACE_SECTION - 1u) & ~(TAKTI_TRACE_SECTION - 1u);
        trace->lost += next - trace->read;
        trace->read = next;
    }
}

/*
 * Makes a record of the ring one of the format: the time since the one before. Returns false if 32 bits of ns do not
 * have it: then `record` is the full time, and the record of the ring is still to be read.
 */
static bool dated(struct takti_trace *trace, struct takt_trace_record *record)
{
    uint32_t ticks = record->delta_ns;
    uint64_t delta_ns = (uint64_t)(ticks - trace->read_ticks) * TAKT_PORT_TICK_NS;
    trace->read_ticks = ticks;
    if (record->event == TAKT_EVENT_TIME) {
        trace->read_ns = record->job | (uint64_t)record->object << 32 | (uint64_t)record->value << 48;
        record->delta_ns = 0;
        return true;
    }
    trace->read_ns += delta_ns;
    if (delta_ns > UINT32_MAX) {
        *record = wide(TAKT_EVENT_TIME, TAKT_TRACE_NONE, trace->read_ns);
        return false;
    }
    record->delta_ns = (uint32_t)delta_ns;
    return true;
}

/* Takes one record. Locked. */
static bool take_record(struct takti_trace *trace, struct takt_trace_record *record)
{
    uint32_t written = takti_trace_written(trace);
    skip_overwritten(trace, written);
    if (trace->lost != 0) {
        *record = wide(TAKT_EVENT_LOST_RECORDS, TAKT_TRACE_NONE, trace->lost);
        trace->lost = 0;
        return true;
    }
    if (trace->read == written) {
        return false;
    }
    *record = trace->records[trace->read & trace->mask];
    trace->read += dated(trace, record) ? 1u : 0u;
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
        (void)takti_settle(&system->tasks[teller.task], TAKTI_ASKED);
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
