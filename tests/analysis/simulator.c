/* SPDX-License-Identifier: Apache-2.0 */
#include "simulator.h"

#include <assert.h>

struct state {
    const struct sim *sim;
    long now;
    int running; /* the task that ran last and has not completed its job; -1: none */
    int done[SIM_TASKS];
    long progress[SIM_TASKS];
    int taken[SIM_TASKS];  /* sections of the current job entered so far */
    int waited[SIM_TASKS]; /* its waits begun so far */
    long until[SIM_TASKS]; /* the end of its last */
    int owner[SIM_MUTEXES];
    long since[SIM_MUTEXES]; /* when it was locked */
};

struct key {
    int level;
    long rank; /* in the level, lowest first */
};

/* Where a task's job goes: by its task, or by a ceiling that raises it. */
static struct key key_of(const struct state *s, int task)
{
    const struct sim_task *t = &s->sim->tasks[task];
    long arrival = t->arrival[s->done[task]], release = t->release[s->done[task]];
    struct key key = {t->level, t->by_deadline ? arrival + t->deadline : release};

    for (int i = 0; i < SIM_MUTEXES; i++) {
        const struct sim_ceiling *ceiling = &s->sim->ceilings[i];
        long rank = ceiling->deadline > 0 ? s->since[i] + ceiling->deadline : -1;

        if (!ceiling->used || s->owner[i] != task) {
            continue;
        }
        if (ceiling->level < key.level || (ceiling->level == key.level && rank < key.rank)) {
            key = (struct key){ceiling->level, rank};
        }
    }
    return key;
}

static bool goes_before(const struct state *s, int a, int b)
{
    struct key x = key_of(s, a), y = key_of(s, b);

    if (x.level != y.level) {
        return x.level < y.level;
    }
    if (x.rank != y.rank) {
        return x.rank < y.rank;
    }
    if (a == s->sim->tie_loser || b == s->sim->tie_loser) {
        return b == s->sim->tie_loser;
    }
    return a == s->running || (b != s->running && a < b);
}

static long pending_from(const struct state *s, int task)
{
    long release = s->sim->tasks[task].release[s->done[task]];

    return release < s->until[task] ? s->until[task] : release;
}

/* The most urgent task that can run, -1 if none; *next is the next time at which another can. */
static int most_urgent(const struct state *s, long *next)
{
    int best = -1;

    *next = SIM_FOREVER;
    for (int i = 0; i < s->sim->task_count; i++) {
        const struct sim_task *task = &s->sim->tasks[i];

        if (s->done[i] == task->jobs) {
            continue;
        }
        if (pending_from(s, i) > s->now) {
            *next = pending_from(s, i) < *next ? pending_from(s, i) : *next;
        } else if (best < 0 || goes_before(s, i, best)) {
            best = i;
        }
    }
    if (s->sim->uninterrupted >= 0 && s->owner[s->sim->uninterrupted] >= 0 &&
        (best < 0 || s->sim->tasks[best].level >= 0)) {
        best = s->owner[s->sim->uninterrupted];
    }
    return best;
}

/* How often the current job of a task waits. */
static int wait_count(const struct state *s, int task)
{
    const struct sim_task *t = &s->sim->tasks[task];

    return t->waiting == 0 || t->waiting >> s->done[task] % 32 & 1 ? t->wait_count : 0;
}

/* The job waits now if it has to. */
static bool waits(struct state *s, int task)
{
    const struct sim_task *t = &s->sim->tasks[task];

    if (s->waited[task] == wait_count(s, task) || t->waits[s->waited[task]].at != s->progress[task]) {
        return false;
    }
    s->until[task] = s->now + t->waits[s->waited[task]++].length;
    return true;
}

/*
 * Priority inheritance by its definition: the task that must run so that `task` can go on. Takes the mutexes it needs
 * now.
 */
static int resolve(struct state *s, int task)
{
    for (;;) {
        const struct sim_section *section = &s->sim->tasks[task].sections[s->taken[task]];

        if (s->taken[task] == s->sim->tasks[task].section_count || section->start != s->progress[task]) {
            return task;
        }
        if (s->owner[section->mutex] >= 0) {
            assert(s->owner[section->mutex] != task);
            task = s->owner[section->mutex];
        } else {
            s->owner[section->mutex] = task;
            s->since[section->mutex] = s->now;
            s->taken[task]++;
        }
    }
}

/* Execution of the current job at which something happens next: a lock, an unlock, the end. */
static long boundary(const struct state *s, int task)
{
    const struct sim_task *t = &s->sim->tasks[task];
    long at = t->wcet;

    for (int i = 0; i < t->section_count; i++) {
        long edge = i < s->taken[task] ? t->sections[i].end : t->sections[i].start;

        at = edge > s->progress[task] && edge < at ? edge : at;
    }
    if (s->waited[task] < wait_count(s, task) && t->waits[s->waited[task]].at < at) {
        at = t->waits[s->waited[task]].at;
    }
    return at;
}

static void unlock(struct state *s, int task)
{
    for (int i = 0; i < s->taken[task]; i++) {
        const struct sim_section *section = &s->sim->tasks[task].sections[i];

        if (section->end == s->progress[task] && s->owner[section->mutex] == task) {
            s->owner[section->mutex] = -1;
        }
    }
}

static void complete(struct state *s, int task, struct sim_result *result)
{
    const struct sim_task *t = &s->sim->tasks[task];
    long response = s->now - t->arrival[s->done[task]];

    if (result->response_max[task] < response) {
        result->response_max[task] = response;
    }
    result->missed[task] |= response > t->deadline;
    s->done[task]++;
    s->progress[task] = 0;
    s->taken[task] = 0;
    s->waited[task] = 0;
    s->running = -1;
}

void sim_run(const struct sim *sim, struct sim_result *result)
{
    struct state s = {.sim = sim, .running = -1};
    int held_up = -1; /* a cooperative job that an interrupt interrupted */
    bool began = false;

    *result = (struct sim_result){0};
    for (int i = 0; i < SIM_MUTEXES; i++) {
        s.owner[i] = -1;
    }
    for (;;) {
        long next, step;
        int task = most_urgent(&s, &next);

        if (task < 0) {
            if (next == SIM_FOREVER || (sim->stop_at_idle && began)) {
                return;
            }
            s.now = next;
            continue;
        }
        began = true;
        if (waits(&s, task)) {
            continue;
        }
        if (sim->cooperative && sim->tasks[task].level >= 0) {
            task = held_up >= 0 ? held_up : task;
            held_up = task;
        }
        task = resolve(&s, task);
        s.running = task;
        step = boundary(&s, task) - s.progress[task];
        step = next - s.now < step ? next - s.now : step;
        s.now += step;
        s.progress[task] += step;
        unlock(&s, task);
        if (s.progress[task] == sim->tasks[task].wcet && s.waited[task] == wait_count(&s, task)) {
            complete(&s, task, result);
            held_up = task == held_up ? -1 : held_up;
        }
    }
}
