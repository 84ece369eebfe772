/* SPDX-License-Identifier: Apache-2.0 */
/* The trace ring and the figures kept with it. Records are written inside the locked section that they tell of. */
#include "kernel/src/kernel.h"

static uint16_t task_id(const struct takt_task *task)
{
    if (task == NULL) {
        return TAKT_TRACE_NONE;
    }
    return task == &takti_kernel.idle ? TAKT_TRACE_IDLE : task->config->index;
}

static void put(const struct takt_trace_record *record)
{
    uint32_t capacity = takti_kernel.system->trace_capacity;
    if (takti_kernel.trace_written - takti_kernel.trace_read == capacity) {
        takti_kernel.trace_read++; /* the oldest goes */
        takti_kernel.trace_lost++;
    }
    takti_kernel.system->trace_records[takti_kernel.trace_written & (capacity - 1u)] = *record;
    takti_kernel.trace_written++;
}

/* A record whose job, object and value carry 64 bits. */
static struct takt_trace_record wide(unsigned event, uint16_t task, uint64_t value)
{
    return (struct takt_trace_record){.event = (uint8_t)event,
                                      .band = UINT8_MAX,
                                      .task = task,
                                      .job = (uint32_t)value,
                                      .object = (uint16_t)(value >> 32),
                                      .value = (uint16_t)(value >> 48)};
}

void takti_trace_write(enum takt_event event, const struct takt_task *task, unsigned object, unsigned value)
{
    if (takti_kernel.system->trace_records == NULL) {
        return;
    }
    uint64_t now_ns = takt_port_now_ns();
    uint64_t delta_ns = now_ns - takti_kernel.traced_until_ns;
    if (delta_ns > UINT32_MAX || takti_kernel.trace_written == 0) {
        struct takt_trace_record time = wide(TAKT_EVENT_TIME, TAKT_TRACE_NONE, now_ns);
        put(&time);
        delta_ns = 0;
    }
    takti_kernel.traced_until_ns = now_ns;
    bool in_band = task != NULL && task != &takti_kernel.idle;
    struct takt_trace_record record = {.delta_ns = (uint32_t)delta_ns,
                                       .event = (uint8_t)event,
                                       .band = in_band ? takti_kernel.system->level_bands[task->level] : UINT8_MAX,
                                       .task = task_id(task),
                                       .job = in_band ? task->job_number : UINT32_MAX,
                                       .object = (uint16_t)object,
                                       .value = (uint16_t)value};
    put(&record);
}

unsigned takt_trace_read(struct takt_trace_record *records, unsigned capacity)
{
    unsigned taken = 0;
    while (TAKT_TRACE && taken < capacity) {
        uint32_t state = takt_port_lock();
        bool some = true;
        if (takti_kernel.trace_lost != 0) {
            /* The instant after a gap is told anew, by the record that follows this one. */
            records[taken] = wide(TAKT_EVENT_LOST_RECORDS, TAKT_TRACE_NONE, takti_kernel.trace_lost);
            takti_kernel.trace_lost = 0;
        } else if (takti_kernel.trace_read != takti_kernel.trace_written) {
            uint32_t mask = takti_kernel.system->trace_capacity - 1u;
            records[taken] = takti_kernel.system->trace_records[takti_kernel.trace_read & mask];
            takti_kernel.trace_read++;
        } else {
            some = false;
        }
        takt_port_unlock(state);
        if (!some) {
            break;
        }
        taken++;
    }
    return taken;
}

/* Charges the time since the last charge to the running task's job. Nothing while an interrupt is active. */
void takti_charge(void)
{
    if (!TAKT_TRACE) {
        return;
    }
    uint64_t now_ns = takt_port_now_ns();
    if (takti_kernel.interrupts == 0) {
        uint64_t elapsed_ns = now_ns - takti_kernel.charged_until_ns;
        uint64_t kernel_ns = TAKT_PORT_CHARGE_NS;
        takti_kernel.running->execution_ns += elapsed_ns > kernel_ns ? elapsed_ns - kernel_ns : 0;
    }
    takti_kernel.charged_until_ns = now_ns;
}

void takt_interrupt_enter(uint16_t number)
{
    if (TAKT_TRACE) {
        uint32_t state = takt_port_lock();
        takti_charge();
        takti_kernel.interrupts++;
        takti_trace(TAKT_EVENT_INTERRUPT, NULL, number, 0);
        takt_port_unlock(state);
    }
}

void takt_interrupt_exit(uint16_t number)
{
    if (TAKT_TRACE) {
        uint32_t state = takt_port_lock();
        takti_trace(TAKT_EVENT_INTERRUPT_END, NULL, number, 0);
        takti_charge();
        takti_kernel.interrupts--;
        takt_port_unlock(state);
    }
}

static uint32_t stack_used(const struct takt_task_config *config)
{
    const uint8_t *stack = config->stack;
    uint32_t untouched = 4; /* the guard word */
    while (untouched < config->stack_size && stack[untouched] == TAKT_STACK_FILL) {
        untouched++;
    }
    return config->stack_size - untouched;
}

/* Unfinished jobs whose deadline has passed are misses, the pending ones too. */
static uint32_t late_now(const struct takt_task *task, uint64_t now_ns)
{
    uint32_t late = takti_job_late(task, now_ns) ? 1 : 0;
    if (task->job_active && task->config->release == TAKT_PERIODIC) {
        uint64_t deadline_ns = task->job_deadline_ns;
        for (uint32_t waiting = task->pending; waiting > 0; waiting--) {
            deadline_ns += task->config->period_ns;
            late += now_ns > deadline_ns ? 1 : 0;
        }
    }
    return late;
}

void takt_trace_statistics(void (*emit)(const struct takt_trace_record *record))
{
    uint32_t state = takt_port_lock();
    const struct takt_system *system = takti_kernel.system;
    uint64_t now_ns = takt_port_now_ns();
    uint64_t first_deadline_ns = takti_kernel.first_miss_deadline_ns;
    uint64_t first_release_ns = takti_kernel.first_miss_release_ns;
    uint16_t first_task = takti_kernel.first_miss_task;
    for (uint16_t index = 0; index < system->task_count; index++) {
        const struct takt_task *task = &system->tasks[index];
        if (takti_job_late(task, now_ns) && task->job_deadline_ns < first_deadline_ns) {
            first_deadline_ns = task->job_deadline_ns;
            first_release_ns = task->job_release_ns;
            first_task = index;
        }
        const struct takt_trace_record records[] = {
            wide(TAKT_EVENT_STAT_JOBS, index, task->statistics.jobs_completed),
            wide(TAKT_EVENT_STAT_MISSES, index, task->statistics.misses + late_now(task, now_ns)),
            wide(TAKT_EVENT_STAT_OVERRUNS, index, task->statistics.overruns),
            wide(TAKT_EVENT_STAT_LOST, index, task->statistics.lost),
            wide(TAKT_EVENT_STAT_RESPONSE_MAX, index, task->statistics.response_ns_max),
            wide(TAKT_EVENT_STAT_EXECUTION_MAX, index, task->statistics.execution_ns_max),
            wide(TAKT_EVENT_STAT_STACK_MAX, index, stack_used(&system->configs[index])),
        };
        for (unsigned place = 0; place < sizeof records / sizeof *records; place++) {
            emit(&records[place]);
        }
    }
    if (first_deadline_ns != TAKT_FOREVER) {
        const struct takt_trace_record release = wide(TAKT_EVENT_STAT_MISS_RELEASE, first_task, first_release_ns);
        const struct takt_trace_record deadline = wide(TAKT_EVENT_STAT_MISS_DEADLINE, first_task, first_deadline_ns);
        emit(&release);
        emit(&deadline);
    }
    const struct takt_trace_record end = wide(TAKT_EVENT_STAT_END, TAKT_TRACE_NONE, now_ns);
    emit(&end);
    takt_port_unlock(state);
}
