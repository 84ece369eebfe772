/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is expected of the clock: a tournament of absolute instants, one leaf per task, and one one-shot armed for the
 * first. No tick. A task's leaf holds the first of its own few instants.
 */
#include "kernel/src/kernel.h"

void takti_timers_init(void)
{
    const struct takt_timer_space *space = takti_kernel.system->timers;
    TAKT_ASSERT(space != NULL && space->leaves > takti_kernel.system->task_count);
    TAKT_ASSERT(space->leaves >= 2 && (space->leaves & (space->leaves - 1u)) == 0);
    takti_kernel.timers = (struct takt_tournament){space->keys, space->winners, space->leaves};
    takti_kernel.programmed_ns = TAKT_FOREVER;
    takt_tournament_init(&takti_kernel.timers);
    for (unsigned leaf = 0; leaf < space->leaves; leaf++) {
        space->tasks[leaf] = NULL;
    }
    takti_timer_attach(&takti_kernel.idle, space->leaves - 1u);
}

/* Gives a task a leaf that no other has, with nothing armed. */
void takti_timer_attach(struct takt_task *task, unsigned leaf)
{
    struct takt_task **tasks = takti_kernel.system->timers->tasks;
    TAKT_ASSERT(leaf < takti_kernel.timers.leaves && tasks[leaf] == NULL);
    tasks[leaf] = task;
    task->leaf = (uint16_t)leaf;
    for (unsigned timer = 0; timer < TAKTI_TIMERS; timer++) {
        task->timers_ns[timer] = TAKT_FOREVER;
    }
}

/* The task stopped, and nothing of it is armed. */
void takti_timer_detach(struct takt_task *task)
{
    takti_kernel.system->timers->tasks[task->leaf] = NULL;
}

/* Programs the one-shot for the first instant. */
void takti_timers_program(void)
{
    const struct takt_tournament *timers = &takti_kernel.timers;
    takti_kernel.programmed_ns = timers->keys[takt_tournament_first(timers)];
    takt_port_timer_set(takti_kernel.programmed_ns);
}

/* One of the task's instants changed. */
static void update(struct takt_task *task)
{
    const struct takt_tournament *timers = &takti_kernel.timers;
    uint64_t first_ns = task->timers_ns[0];
    for (unsigned timer = 1; timer < TAKTI_TIMERS; timer++) {
        first_ns = task->timers_ns[timer] < first_ns ? task->timers_ns[timer] : first_ns;
    }
    if (first_ns == timers->keys[task->leaf]) {
        return;
    }
    takt_tournament_set(timers, task->leaf, first_ns);
    if (!takti_kernel.in_timer_service && takti_kernel.started && /* the service programs it when it ends */
        timers->keys[takt_tournament_first(timers)] != takti_kernel.programmed_ns) {
        takti_timers_program();
    }
}

void takti_timer_arm(struct takt_task *task, enum takti_timer timer, uint64_t at_ns)
{
    TAKT_ASSERT(task->timers_ns[timer] == TAKT_FOREVER);
    task->timers_ns[timer] = at_ns;
    update(task);
}

void takti_timer_cancel(struct takt_task *task, enum takti_timer timer)
{
    if (task->timers_ns[timer] != TAKT_FOREVER) {
        task->timers_ns[timer] = TAKT_FOREVER;
        update(task);
    }
}

void takti_call_at(uint64_t at_ns, void (*call)(void))
{
    uint32_t state = takt_port_lock();
    takti_kernel.call_function = call;
    takti_kernel.idle.timers_ns[TAKTI_TIMER_CALL] = at_ns;
    update(&takti_kernel.idle);
    takt_port_unlock(state);
}

/* Serves an instant of the kernel's own. */
static void serve_own(enum takti_timer timer)
{
    if (timer == (enum takti_timer)TAKTI_TIMER_SLICE) {
        takti_slice_due();
    } else {
        takti_kernel.call_function();
    }
}

static void serve(struct takt_task *task, enum takti_timer timer, uint64_t at_ns)
{
    if (task == &takti_kernel.idle) {
        serve_own(timer);
    } else if (timer == TAKTI_TIMER_RELEASE) {
        takti_job_release_due(task, at_ns);
    } else if (timer == TAKTI_TIMER_TIMEOUT) {
        takti_wait_cancel(task, TAKT_TIMEOUT);
    } else {
        takti_job_deadline_due(task);
    }
}

bool takti_timer_serve_first(uint64_t now_ns)
{
    const struct takt_tournament *timers = &takti_kernel.timers;
    unsigned leaf = takt_tournament_first(timers);
    uint64_t at_ns = timers->keys[leaf];
    if (at_ns > now_ns) {
        return false;
    }
    struct takt_task *task = takti_kernel.system->timers->tasks[leaf];
    unsigned timer = 0;
    while (task->timers_ns[timer] != at_ns) { /* one of them has it */
        timer++;
    }
    task->timers_ns[timer] = TAKT_FOREVER;
    serve(task, (enum takti_timer)timer, at_ns);
    if (timers->keys[leaf] == at_ns) { /* otherwise it was armed again, and brought up to date then */
        update(task);
    }
    return true;
}

/*
 * Serves everything due by now; the lock opens between two. Bounded: what is armed here for an instant that has come
 * meanwhile waits for the next interrupt, which is immediate.
 */
void takti_timer_interrupt(void)
{
    uint32_t state = takt_port_lock();
    uint64_t now_ns = takti_interrupt_enter(TAKT_TRACE_TIMER);
    takti_kernel.in_timer_service = true;
    while (takti_timer_serve_first(now_ns)) {
        takt_port_unlock(state);
        state = takt_port_lock();
    }
    takti_kernel.in_timer_service = false;
    takti_timers_program();
    takti_reschedule();
    takti_interrupt_exit(TAKT_TRACE_TIMER);
    takt_port_unlock(state);
}

uint64_t takt_now(void)
{
    uint32_t state = takt_port_lock();
    uint64_t now_ns = takti_clock_ns();
    takt_port_unlock(state);
    return now_ns;
}

void takt_work(uint64_t duration_ns)
{
    takt_port_work(duration_ns);
}
