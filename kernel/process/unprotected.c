/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of processes (takt/process.h, takt/create.h) in a build without protection: the same slots and quota, without
 * checks of rights. Threads and objects only with TAKT_QUOTAS.
 */
#include "kernel/process/quota.h"

#include "kernel/core/processes.h"
#include "kernel/process/again.h"

#if !TAKT_PROCESSES
extern const struct takt_quotas takt_quotas __attribute__((weak)); /* absent: no process is declared */

struct takt_quota *takti_quota_running(void)
{
    const struct takt_task *task = takti_kernel.ready.running;
    if (&takt_quotas == NULL) {
        return NULL;
    }
    if (task->config->index < takti_kernel.system->task_count) {
        unsigned process = takt_quotas.of_tasks[task->config->index];
        return process == UINT8_MAX ? NULL : &takt_quotas.first[process];
    }
    bool thread = TAKT_QUOTAS && takti_is_thread(task);
    return thread ? ((const struct takt_thread *)task)->unprotected->quota : NULL;
}

void takt_process_null(void)
{
}

void *takt_memory_alloc(uint32_t size)
{
    uint32_t lock = takt_port_enter();
    struct takt_quota *quota = takti_quota_running();
    void *memory = quota == NULL ? NULL : takti_quota_memory(quota, size);
    takt_port_leave(lock);
    return memory;
}

/* The word with the attached bit of the running task's process; NULL: it belongs to none. */
static uint32_t *attached_word(struct takt_shared *shared, uint32_t *bit)
{
    const struct takt_quota *quota = takti_quota_running();
    unsigned process = quota == NULL ? 0 : (unsigned)(quota - takt_quotas.first);
    *bit = UINT32_C(1) << process % 32;
    return quota == NULL ? NULL : &shared->attached[process / 32];
}

void *takt_shared_attach(struct takt_shared *shared)
{
    uint32_t bit;
    uint32_t lock = takt_port_enter();
    uint32_t *word = attached_word(shared, &bit);
    while (word != NULL && (*word & bit) == 0) { /* at most once per piece; others may zero some, or attach it */
        if (shared->users > 0 || takti_shared_make(shared)) {
            *word |= bit;
            shared->users++;
        } else {
            takt_port_leave(lock);
            lock = takt_port_enter();
        }
    }
    takt_port_leave(lock);
    return word == NULL ? NULL : (void *)shared->region.base;
}

void takt_shared_detach(struct takt_shared *shared)
{
    uint32_t bit;
    uint32_t lock = takt_port_enter();
    uint32_t *word = attached_word(shared, &bit);
    if (word != NULL && (*word & bit) != 0) {
        *word &= ~bit;
        shared->users--;
    }
    takt_port_leave(lock);
}

volatile void *takt_device_map(struct takt_region *device)
{
    return (volatile void *)device->base;
}

enum takt_status takt_irq_attach(struct takt_process_interrupt *interrupt)
{
    (void)interrupt;
    return TAKT_STATE;
}

void takt_irq_ack(struct takt_process_interrupt *interrupt)
{
    (void)interrupt;
}

_Noreturn void takt_thread_exit(void)
{
    TAKT_ASSERT((takti_kernel.ready.running->holds & TAKTI_HOLDS_COUNT) == 0);
    for (;;) { /* once: it does not return */
        takt_task_stop(takti_kernel.ready.running);
    }
}

#if TAKT_QUOTAS
/* Entry of a thread. */
static void thread_main(void *argument)
{
    const struct takt_thread *thread = argument;
    thread->unprotected->entry(thread->unprotected->argument);
    takt_thread_exit();
}

/* The same of one with a period, once per job. */
static void thread_job(void *argument)
{
    const struct takt_thread *thread = argument;
    thread->unprotected->entry(thread->unprotected->argument);
}

bool takti_is_thread(const struct takt_task *task)
{
    return task->config->entry == thread_main || task->config->entry == thread_job;
}

/* For assertions. */
static bool thread_valid(const struct takt_quota *quota, const struct takt_thread_attributes *attributes)
{
    bool background = attributes->level >= quota->thread_level && attributes->level < TAKT_LEVELS - 1u;
    bool times = TAKT_JOBS && attributes->deadline_ns > 0 && attributes->deadline_ns <= attributes->period_ns &&
                 attributes->wcet_ns > 0 && attributes->wcet_ns <= attributes->deadline_ns;
    bool periodic = times && attributes->level < quota->thread_level;
    return (attributes->period_ns == 0 ? background : periodic) && attributes->stack_size >= 256;
}

enum takt_status takt_thread_create(struct takt_task **task, const struct takt_thread_attributes *attributes)
{
    uint32_t lock = takt_port_enter();
    struct takt_quota *quota = takti_quota_running();
    TAKT_ASSERT(quota == NULL || thread_valid(quota, attributes));
    if (attributes->period_ns != 0 && takti_admission() == NULL) {
        takt_port_leave(lock);
        return TAKT_REFUSED;
    }
    struct takt_thread *thread = takti_create_thread(quota, attributes);
    if (thread == NULL) {
        takt_port_leave(lock);
        return TAKT_LIMIT;
    }
    thread->unprotected->quota = quota;
    thread->unprotected->entry = attributes->entry;
    thread->unprotected->argument = attributes->argument;
    thread->config.entry = attributes->period_ns != 0 ? thread_job : thread_main;
    thread->config.argument = thread;
    takt_port_leave(lock);
    enum takt_status status = takt_task_start(&thread->task, &thread->config);
    if (status == TAKT_OK) {
        *task = &thread->task; /* other tasks can join it from now on */
    } else {
        (void)takt_port_enter();
        takti_handle_free(thread->slot);
        takt_port_leave(lock);
    }
    return status;
}

static struct takt_thread *joinable(struct takt_task *task)
{
    struct takt_thread *thread = (struct takt_thread *)task;
    TAKT_ASSERT(takti_is_thread(task) && task != takti_kernel.ready.running && thread->state == TAKTI_THREAD_JOINABLE);
    return thread;
}

enum takt_status takt_thread_join_until(struct takt_task *thread, uint64_t until_ns)
{
    uint32_t lock = takt_port_enter();
    return takti_thread_join(joinable(thread), until_ns, lock);
}

enum takt_status takt_thread_join(struct takt_task *thread)
{
    return takt_thread_join_until(thread, TAKT_FOREVER);
}

void takt_thread_detach(struct takt_task *thread)
{
    uint32_t lock = takt_port_enter();
    takti_thread_detach(joinable(thread), lock);
}

/* The object in a slot; NULL: no slot. Unlocks. */
static void *created(const struct takt_object *slot, uint32_t lock)
{
    takt_port_leave(lock);
    return slot == NULL ? NULL : slot->object;
}

#define GIVE(object, given)  \
    if ((given) != NULL) {   \
        *(object) = (given); \
    }                        \
    return (given) != NULL ? TAKT_OK : TAKT_LIMIT

enum takt_status takt_mutex_create(struct takt_mutex **mutex)
{
    uint32_t lock = takt_port_enter();
    struct takt_mutex *given = created(takti_create_mutex(takti_quota_running()), lock);
    GIVE(mutex, given);
}

enum takt_status takt_condition_create(struct takt_condition **condition)
{
    uint32_t lock = takt_port_enter();
    struct takt_condition *given = created(takti_create_condition(takti_quota_running()), lock);
    GIVE(condition, given);
}

enum takt_status takt_events_create(struct takt_events **events)
{
    uint32_t lock = takt_port_enter();
    struct takt_events *given = created(takti_create_events(takti_quota_running()), lock);
    GIVE(events, given);
}

enum takt_status takt_semaphore_create(struct takt_semaphore **semaphore,
                                       const struct takt_semaphore_attributes *attributes)
{
    uint32_t lock = takt_port_enter();
    struct takt_semaphore *given = created(takti_create_semaphore(takti_quota_running(), attributes), lock);
    GIVE(semaphore, given);
}

enum takt_status takt_mailbox_create(struct takt_mailbox **mailbox, const struct takt_mailbox_attributes *attributes)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(attributes->message_size > 0 && attributes->message_size <= TAKT_PROCESS_MESSAGE_MAX);
    TAKT_ASSERT(attributes->capacity > 0);
    struct takt_mailbox *given = created(takti_create_mailbox(takti_quota_running(), attributes), lock);
    GIVE(mailbox, given);
}

enum takt_status takt_priority_mailbox_create(struct takt_priority_mailbox **mailbox,
                                              const struct takt_mailbox_attributes *attributes)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(attributes->message_size > 0 && attributes->message_size <= TAKT_PROCESS_MESSAGE_MAX);
    TAKT_ASSERT(attributes->capacity > 0);
    struct takt_priority_mailbox *given =
        created(takti_create_priority_mailbox(takti_quota_running(), attributes), lock);
    GIVE(mailbox, given);
}

enum takt_status takt_pipe_create(struct takt_pipe **pipe, uint32_t capacity)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(capacity >= TAKT_PIPE_CAPACITY_MIN);
    struct takt_pipe *given = created(takti_create_pipe(takti_quota_running(), capacity), lock);
    GIVE(pipe, given);
}

#if TAKT_PROCESS_ALARMS
enum takt_status takt_alarm_create(struct takt_alarm **alarm, const struct takt_alarm_attributes *attributes)
{
    uint32_t lock = takt_port_enter();
    struct takt_quota *quota = takti_quota_running();
    TAKT_ASSERT(attributes->task->config->release == TAKT_SPORADIC);
    TAKT_ASSERT(quota == NULL || takti_alarm_valid(quota, attributes->period_ns));
    struct takt_alarm *given = created(takti_create_alarm(quota, attributes), lock);
    GIVE(alarm, given);
}

void takt_alarm_delete(struct takt_alarm *alarm)
{
    uint32_t lock = takt_port_enter();
    takti_alarm_end(alarm);
    takti_object_deleted(alarm);
    takt_port_leave(lock);
}
#endif
#endif

#if TAKT_PROCESS_START
/* takt_process.state */
enum { PROCESS_STOPPED, PROCESS_STARTS, PROCESS_RUNS };

enum { QUOTA_PIECE = 256 }; /* bytes that are zeroed in one locked section */

static struct takt_task *task_at(const struct takt_process *process, unsigned number)
{
    return &takti_kernel.system->tasks[process->tasks[number]];
}

static unsigned slot_count(const struct takt_process *process)
{
    return process->quota == NULL ? 0 : process->quota->slot_count;
}

/* The thread in a slot of its quota; NULL: that slot has none. */
static struct takt_task *thread_at(const struct takt_process *process, unsigned number)
{
    const struct takt_object *slot = &process->quota->slots[number];
    return slot->kind == TAKT_OBJECT_TASK ? slot->object : NULL;
}

void takti_processes_hold(const struct takt_system *system)
{
    (void)system;
    for (unsigned index = 0; index < takt_managed_processes.count; index++) {
        struct takt_process *process = &takt_managed_processes.first[index];
        process->state = process->on_call ? PROCESS_STOPPED : PROCESS_RUNS;
        for (unsigned number = 0; process->on_call && number < process->task_count; number++) {
            takti_task_end(task_at(process, number));
        }
        if (process->on_call) {
            takti_trace(TAKT_EVENT_PROCESS, NULL, process->index, TAKTI_PROCESS_ON_CALL);
        }
    }
}

/* Whether all its tasks and threads are stopped; those that hold a mutex stop at their last unlock. */
static bool is_left(const struct takt_process *process)
{
    bool left = true;
    for (unsigned number = 0; number < process->task_count; number++) {
        left = left && task_at(process, number)->timer.state == TAKTI_DORMANT;
    }
    for (unsigned number = 0; number < slot_count(process); number++) {
        const struct takt_task *thread = thread_at(process, number);
        left = left && (thread == NULL || thread->timer.state == TAKTI_DORMANT);
    }
    return left;
}

/* A locked section of start `starts` of a process; false, unlocked: it was stopped meanwhile. */
static bool start_goes_on(const struct takt_process *process, uint32_t starts, uint32_t *lock)
{
    *lock = takt_port_enter();
    bool same = process->state == PROCESS_STARTS && process->starts == starts;
    if (!same) {
        takt_port_leave(*lock);
    }
    return same;
}

/* Its quota as at the start. Of its tasks and threads none runs. False: it was stopped meanwhile. */
static bool quota_renew(struct takt_process *process, uint32_t starts)
{
    struct takt_quota *quota = process->quota;
    uint32_t lock;
    for (unsigned number = 0; number < slot_count(process); number++) {
        if (!start_goes_on(process, starts, &lock)) {
            return false;
        }
        takti_quota_handle_end(&quota->slots[number]);
        takt_port_leave(lock);
    }
    while (quota != NULL && quota->memory_used > 0) { /* at most once per piece, and for each stop meanwhile */
        if (!start_goes_on(process, starts, &lock)) {
            return false;
        }
        uint32_t piece = quota->memory_used < QUOTA_PIECE ? quota->memory_used : QUOTA_PIECE;
        quota->memory_used -= piece;
        memset((uint8_t *)quota->memory + quota->memory_used, 0, piece);
        takt_port_leave(lock);
    }
    if (quota != NULL) {
        quota->buffers_used = 0;
    }
    return true;
}

/* Starts its sporadic tasks, or the others. */
static void tasks_start(struct takt_process *process, uint32_t starts, bool sporadic)
{
    uint32_t lock;
    for (unsigned number = 0; number < process->task_count; number++) {
        struct takt_task *task = task_at(process, number);
        const struct takt_task_config *config = &takti_kernel.system->configs[process->tasks[number]];
        if ((config->release == TAKT_SPORADIC) == sporadic && start_goes_on(process, starts, &lock)) {
            if (task->timer.state == TAKTI_DORMANT) {
                takti_task_start_again(task, config, takti_clock_ns());
            }
            (void)takti_reschedule(lock);
        }
    }
}

enum takt_status takt_process_start(struct takt_process *process)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takti_allowed(lock));
    bool may = process->state == PROCESS_STOPPED && is_left(process);
    if (!may) {
        takt_port_leave(lock);
        return TAKT_STATE;
    }
    takti_trace_call(TAKT_EVENT_PROCESS, lock, process->index, TAKTI_PROCESS_START_CALL);
    uint32_t starts = ++process->starts;
    process->state = PROCESS_STARTS;
    takt_port_leave(lock);
    if (quota_renew(process, starts) && start_goes_on(process, starts, &lock)) {
        takti_trace(TAKT_EVENT_PROCESS, NULL, process->index, TAKTI_PROCESS_STARTED);
        takt_port_leave(lock);
        tasks_start(process, starts, true);
        tasks_start(process, starts, false);
    }
    if (start_goes_on(process, starts, &lock)) {
        process->state = PROCESS_RUNS;
        takt_port_leave(lock);
    }
    return TAKT_OK;
}

/* Stops the alarm in a slot of its quota, if there is one. */
static void alarm_stop(const struct takt_object *slot)
{
    if (TAKT_PROCESS_ALARMS && slot->kind == TAKT_OBJECT_ALARM) {
        (void)takt_alarm_stop(slot->object);
    }
}

enum takt_status takt_process_stop(struct takt_process *process)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takti_allowed(lock));
    bool stops = process->state != PROCESS_STOPPED;
    struct takt_task *caller = takt_port_caller(lock) == 0 ? takti_kernel.ready.running : NULL;
    process->state = PROCESS_STOPPED;
    if (stops) {
        takti_trace_call(TAKT_EVENT_PROCESS, lock, process->index, TAKTI_PROCESS_STOP_CALL);
    }
    takt_port_leave(lock);
    if (!stops) {
        return TAKT_STATE;
    }
    bool own = false;
    for (unsigned number = 0; number < process->task_count; number++) {
        struct takt_task *task = task_at(process, number);
        own = own || task == caller;
        if (task != caller) {
            takt_task_stop(task);
        }
    }
    for (unsigned number = 0; number < slot_count(process); number++) {
        struct takt_task *thread = thread_at(process, number);
        own = own || (thread != NULL && thread == caller);
        if (thread != NULL && thread != caller) {
            takt_task_stop(thread);
        }
        alarm_stop(&process->quota->slots[number]);
    }
    if (own) { /* does not return, unless it holds a mutex */
        takt_task_stop(caller);
    }
    return TAKT_OK;
}

bool takt_process_stopped(const struct takt_process *process)
{
    uint32_t lock = takt_port_enter();
    bool stopped = process->state == PROCESS_STOPPED && is_left(process);
    takt_port_leave(lock);
    return stopped;
}
#endif
#endif
