/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel knew, from events alone: states, keys, mutexes, the user of the processor, what is left of budgets.
 */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

static const struct takt_replay_task unknown = {.key_deadline_ns = TAKT_REPLAY_NO_TIME,
                                                .section_ns = TAKT_REPLAY_NO_TIME,
                                                .base_state = TAKT_REPLAY_NOT_KNOWN,
                                                .object = TAKT_TRACE_NO_OBJECT,
                                                .job = TAKT_TRACE_NO_JOB,
                                                .heir_of = TAKT_TRACE_NONE,
                                                .own_level = TAKT_REPLAY_NO_LEVEL,
                                                .level = TAKT_REPLAY_NO_LEVEL};

/* Nothing is known of a task any more; the memory of its rows stays. */
static void forget(struct takt_replay_task *task, enum takt_replay_state state)
{
    struct takt_replay_row mutexes = task->mutexes, serving = task->serving;
    *task = unknown;
    task->mutexes = (struct takt_replay_row){mutexes.first, 0, mutexes.capacity};
    task->serving = (struct takt_replay_row){serving.first, 0, serving.capacity};
    task->base_state = state;
}

bool taktp_state_init(struct takt_replay *replay, bool from_start)
{
    struct taktp_state *state = &replay->state;
    if (replay->tasks != 0 && taktp_state_task(replay, replay->tasks - 1) == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < state->count; i++) {
        state->tasks[i].base_state = from_start ? TAKT_REPLAY_STOPPED : TAKT_REPLAY_NOT_KNOWN;
    }
    state->running = from_start ? TAKT_TRACE_IDLE : TAKT_TRACE_NONE;
    return true;
}

void taktp_state_free(struct taktp_state *state)
{
    for (uint32_t i = 0; i < state->count; i++) {
        free(state->tasks[i].mutexes.first);
        free(state->tasks[i].serving.first);
    }
    free(state->tasks);
}

struct takt_replay_task *taktp_state_task(struct takt_replay *replay, uint32_t index)
{
    struct taktp_state *state = &replay->state;
    if (index >= state->count) {
        struct takt_replay_task *tasks = realloc(state->tasks, (index + 1) * sizeof *tasks);
        if (tasks == NULL) {
            replay->totals.error = TAKT_REPLAY_MEMORY;
            return NULL;
        }
        for (uint32_t i = state->count; i <= index; i++) {
            tasks[i] = unknown;
        }
        state->tasks = tasks;
        state->count = index + 1;
    }
    return &state->tasks[index];
}

struct takt_replay_condition taktp_state_condition(const struct takt_replay *replay, uint32_t index)
{
    const struct takt_replay_task *task = &replay->state.tasks[index];
    struct takt_replay_condition found = {task->base_state, TAKT_TRACE_NO_OBJECT, task->heir_of, TAKT_TRACE_NO_JOB};
    if (task->base_state == TAKT_REPLAY_BLOCKED) {
        found.object = task->object;
    } else if (task->base_state == TAKT_REPLAY_READY && task->suspended) {
        found.state = TAKT_REPLAY_SUSPENDED;
    } else if (task->base_state == TAKT_REPLAY_READY && index == replay->state.running) {
        found.state = TAKT_REPLAY_RUNNING;
        found.job = task->job;
    }
    return found;
}

bool taktp_state_actor(const struct takt_replay *replay, int32_t *actor, uint32_t *detail)
{
    const struct taktp_state *state = &replay->state;
    *detail = 0;
    if (state->depth != 0) {
        *actor = TAKT_REPLAY_INTERRUPTS;
        *detail = state->interrupts[(state->depth < INTERRUPTS_DEPTH ? state->depth : INTERRUPTS_DEPTH) - 1];
        return true;
    }
    *actor = (int32_t)state->running;
    if (state->running >= TAKT_TRACE_IDLE) {
        return state->running == TAKT_TRACE_IDLE;
    }
    const struct takt_replay_task *task = &state->tasks[state->running];
    *detail = task->job == TAKT_TRACE_NO_JOB ? 0 : task->job;
    return task->base_state == TAKT_REPLAY_READY;
}

static uint64_t less(uint64_t left_ns, uint64_t used_ns)
{
    return left_ns > used_ns ? left_ns - used_ns : 0;
}

void taktp_state_advance(struct taktp_state *state, uint64_t now_ns)
{
    uint64_t used_ns = less(now_ns, state->charged_ns);
    state->charged_ns = now_ns;
    if (state->running >= state->count || state->depth != 0 || !state->tasks[state->running].has_budget) {
        return;
    }
    struct takt_replay_task *task = &state->tasks[state->running];
    task->left_ns = less(task->left_ns, used_ns);
    if (task->section_ns != TAKT_REPLAY_NO_TIME) {
        task->section_ns = less(task->section_ns, used_ns);
    }
}

static bool is_edf(const struct takt_replay *replay, unsigned band)
{
    return band < replay->bands && replay->edf[band] != 0;
}

/* A job begins; one that goes straight on behind a demoted one stays below with it. */
static void renew(const struct takt_replay *replay, uint32_t index, struct takt_replay_task *task)
{
    const struct takt_replay_budget *declared = index < replay->tasks ? &replay->budgets[index] : NULL;
    if (declared == NULL || declared->budget_ns == 0 || (task->overran && (!task->has_budget || task->demoted))) {
        return;
    }
    task->has_budget = true;
    task->left_ns = declared->budget_ns;
    task->section_ns = TAKT_REPLAY_NO_TIME;
    task->demoted = task->pending = task->waited = false;
}

static void row_add(struct takt_replay *replay, struct takt_replay_row *row, uint16_t object)
{
    if (row->count <= UINT16_MAX &&
        taktp_grow(replay, (void **)&row->first, &row->capacity, row->count + 1, sizeof row->first[0])) {
        row->first[row->count++] = object;
    }
}

/* Takes `object` out of a row, once or wherever it is. */
static void row_remove(struct takt_replay_row *row, uint16_t object, bool once)
{
    uint32_t kept = 0;
    bool done = false;
    for (uint32_t i = 0; i < row->count; i++) {
        bool goes = row->first[i] == object && !done;
        done |= goes && once;
        row->first[kept] = row->first[i];
        kept += !goes;
    }
    row->count = kept;
}

/* Mutexes, and calls that the task serves. */
static void hold(struct takt_replay *replay, const struct takt_replay_event *event, struct takt_replay_task *task)
{
    if (event->event == TAKT_EVENT_LOCK) {
        row_add(replay, &task->mutexes, event->object);
    } else if (event->event == TAKT_EVENT_UNLOCK) {
        row_remove(&task->mutexes, event->object, false);
        row_remove(&task->serving, event->object, false); /* its section was broken */
    } else if (event->event == TAKT_EVENT_RECEIVE && event->value != 0) {
        row_add(replay, &task->serving, event->object);
    } else if (event->event == TAKT_EVENT_POST) {
        row_remove(&task->serving, event->object, true);
    }
}

/* A section lasts from the first mutex, or call, to the last. */
static void budget_step(const struct takt_replay *replay, const struct takt_replay_event *event,
                        struct takt_replay_task *task)
{
    const struct takt_replay_budget *declared = &replay->budgets[event->task];
    bool held = task->mutexes.count != 0 || task->serving.count != 0;
    if (held && task->section_ns == TAKT_REPLAY_NO_TIME && declared->enforced) {
        task->section_ns = declared->hold_ns;
    } else if (!held) {
        task->section_ns = TAKT_REPLAY_NO_TIME;
    }
    task->waited = held && (task->waited || task->suspended || task->base_state == TAKT_REPLAY_BLOCKED);
    if (event->event == TAKT_EVENT_BUDGET && event->value != TAKT_TRACE_BUDGET_BROKEN) {
        task->left_ns = 0;
        task->pending = declared->demotes;
    }
    task->pending &= !task->stopping;
    if (task->pending && !held) {
        task->pending = false;
        task->demoted = true;
    }
}

/* The task has its own key again, or that of another as it is now. */
static void key_step(struct takt_replay *replay, const struct takt_replay_event *event, struct takt_replay_task *task)
{
    task->level = (int32_t)event->value;
    task->heir_of = event->object;
    if (!is_edf(replay, event->band) || event->object == TAKT_TRACE_IDLE) {
        task->key_deadline_ns = 0;
    } else if (event->object == TAKT_TRACE_NONE) {
        task->key_deadline_ns = task->job_deadline_ns == 0 ? TAKT_REPLAY_NO_TIME : task->job_deadline_ns;
    } else {
        const struct takt_replay_task *other = taktp_state_task(replay, event->object);
        uint64_t deadline_ns = other == NULL ? TAKT_REPLAY_NO_TIME : other->key_deadline_ns;
        replay->state.tasks[event->task].key_deadline_ns = deadline_ns; /* `task` may have moved */
    }
}

static void release_step(const struct takt_replay *replay, const struct takt_replay_event *event,
                         struct takt_replay_task *task)
{
    uint64_t known_ns = event->value == 0 ? TAKT_REPLAY_NO_TIME : event->value;
    task->job_deadline_ns = event->value;
    task->key_deadline_ns = is_edf(replay, event->band) ? known_ns : 0;
    renew(replay, event->task, task);
}

static void begin(const struct takt_replay *replay, const struct takt_replay_event *event,
                  struct takt_replay_task *task)
{
    bool starts = event->event == TAKT_EVENT_START;
    bool ready = event->job != TAKT_TRACE_NO_JOB;
    forget(task, !starts ? TAKT_REPLAY_STOPPED : ready ? TAKT_REPLAY_READY : TAKT_REPLAY_RELEASE);
    if (starts) {
        task->own_level = task->level = (int32_t)event->value;
        task->key_deadline_ns = 0;
        renew(replay, event->task, task);
    }
}

static void task_step(struct takt_replay *replay, const struct takt_replay_event *event)
{
    struct takt_replay_task *task = taktp_state_task(replay, event->task);
    if (task == NULL) {
        return;
    }
    switch (event->event) {
    case TAKT_EVENT_START:
    case TAKT_EVENT_STOP:
        begin(replay, event, task);
        return;
    case TAKT_EVENT_RELEASE:
    case TAKT_EVENT_READY:
        task->base_state = TAKT_REPLAY_READY;
        task->object = event->object;
        break;
    case TAKT_EVENT_COMPLETE:
        task->base_state = TAKT_REPLAY_RELEASE;
        task->object = event->object;
        break;
    case TAKT_EVENT_BLOCK:
        task->base_state = TAKT_REPLAY_BLOCKED;
        task->object = event->object;
        break;
    case TAKT_EVENT_KEY:
        key_step(replay, event, task);
        task = &replay->state.tasks[event->task];
        break;
    case TAKT_EVENT_SUSPEND:
    case TAKT_EVENT_RESUME:
        task->suspended = event->event == TAKT_EVENT_SUSPEND;
        break;
    case TAKT_EVENT_STOP_LATER:
        task->stopping = true;
        break;
    default:
        break;
    }
    if (event->event == TAKT_EVENT_RELEASE) {
        release_step(replay, event, task);
    }
    hold(replay, event, task);
    task->overran = event->event == TAKT_EVENT_OVERRUN;
    if (task->has_budget) {
        budget_step(replay, event, task);
    }
}

/* Records are lost: nothing is known. */
static void lose(struct taktp_state *state)
{
    for (uint32_t i = 0; i < state->count; i++) {
        forget(&state->tasks[i], TAKT_REPLAY_NOT_KNOWN);
    }
    state->running = TAKT_TRACE_NONE;
    state->depth = 0;
}

static void run(struct takt_replay *replay, uint32_t index)
{
    replay->state.running = index;
    struct takt_replay_task *task = index < TAKT_TRACE_IDLE ? taktp_state_task(replay, index) : NULL;
    if (task != NULL) {
        task->base_state = TAKT_REPLAY_READY;
    } else if (index < TAKT_TRACE_IDLE) {
        replay->state.running = TAKT_TRACE_NONE; /* no memory */
    }
}

void taktp_state_step(struct takt_replay *replay, const struct takt_replay_event *event)
{
    struct taktp_state *state = &replay->state;
    taktp_state_advance(state, event->time_ns);
    if (event->event == TAKT_EVENT_RUN) {
        run(replay, event->task);
    } else if (event->event == TAKT_EVENT_INTERRUPT) {
        if (state->depth < INTERRUPTS_DEPTH) {
            state->interrupts[state->depth] = event->object;
        }
        state->depth++;
    } else if (event->event == TAKT_EVENT_INTERRUPT_END) {
        state->depth -= state->depth != 0;
    } else if (event->event == TAKT_EVENT_LOST_RECORDS) {
        lose(state);
    } else if (event->task < TAKT_TRACE_IDLE && event->event != TAKT_EVENT_LOG) {
        task_step(replay, event);
        if (event->job != TAKT_TRACE_NO_JOB && event->task < state->count) {
            state->tasks[event->task].job = event->job;
        }
        bool leaves = event->event == TAKT_EVENT_COMPLETE || event->event == TAKT_EVENT_STOP;
        if (replay->cooperative && event->task == state->running && leaves) {
            state->running = TAKT_TRACE_IDLE;
        }
    }
}
