/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel tells of a run: its trace, and its figures at the end. */
#include "takt/trace.h"
#include "drive.h"

static uint64_t wide(const struct takt_trace_record *record)
{
    return record->job | (uint64_t)record->object << 32 | (uint64_t)record->value << 48;
}

static void read_trace(struct log *trace)
{
    struct takt_trace_record record;
    uint64_t now_ns = 0;
    while (takt_trace_read(&record, 1) == 1) {
        now_ns += record.delta_ns;
        if (record.event == TAKT_EVENT_TIME) {
            now_ns = wide(&record);
        } else {
            log_add(trace,
                    (struct entry){.time_ns = now_ns,
                                   .event = record.event,
                                   .band = record.band,
                                   .task = record.task,
                                   .job = record.job,
                                   /* equal keys are not distinguished by task */
                                   .object = record.event == TAKT_EVENT_KEY ? TAKT_TRACE_NO_OBJECT : record.object,
                                   .value = record.value});
        }
    }
}

static struct figures *reading;

static void figure(const struct takt_trace_record *record)
{
    struct figures *figures = reading;
    uint64_t value = wide(record);
    switch (record->event) {
    case TAKT_EVENT_STAT_JOBS:
        figures->jobs[record->task] = (uint32_t)value;
        break;
    case TAKT_EVENT_STAT_MISSES:
        figures->misses[record->task] = (uint32_t)value;
        break;
    case TAKT_EVENT_STAT_OVERRUNS:
        figures->overruns[record->task] = (uint32_t)value;
        break;
    case TAKT_EVENT_STAT_LOST:
        figures->lost[record->task] = (uint32_t)value;
        break;
    case TAKT_EVENT_STAT_RESPONSE_MAX:
        figures->response_ns_max[record->task] = value;
        break;
    case TAKT_EVENT_STAT_EXECUTION_MAX:
        figures->execution_ns_max[record->task] = value;
        break;
    case TAKT_EVENT_STAT_MISS_RELEASE:
        figures->first_miss_task = record->task;
        figures->first_miss_release_ns = value;
        break;
    case TAKT_EVENT_STAT_MISS_DEADLINE:
        figures->first_miss_deadline_ns = value;
        break;
    default:
        break;
    }
}

void drive_read(struct outcome *outcome)
{
    reading = &outcome->figures;
    read_trace(&outcome->trace);
    takt_trace_statistics(takt_now(), figure);
}
