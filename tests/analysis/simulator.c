/* SPDX-License-Identifier: Apache-2.0 */
#include "simulator.h"
#include "takt/analysis.h"

#include <assert.h>

/* Budget that can be used from a time on. */
struct chunk {
    long at, amount;
};

/* A server at work. */
struct server {
    bool ready;       /* served work was ready at the last look */
    long left, began; /* not sporadic: of this period, and its beginning */
    long active;      /* since when served work has been ready */
    struct chunk chunks[SIM_CHUNKS + 1];
    int chunk_count;
    long used; /* of the first chunk */
    long due;  /* absolute deadline of the budget in use */
};

struct state {
    const struct sim *sim;
    struct server servers[SIM_SERVERS];
    bool refused[SIM_TASKS]; /* it waits for a mutex */
    bool goes_on[SIM_TASKS]; /* the budget ended in a section of it, which is finished */
    long now;
    int running; /* the task that ran last and has not completed its job; -1: none */
    int done[SIM_TASKS];
    long progress[SIM_TASKS];
    int taken[SIM_TASKS];  /* sections of the current job entered so far */
    int waited[SIM_TASKS]; /* its waits begun so far */
    long until[SIM_TASKS]; /* the end of its last */
    int owner[SIM_MUTEXES];
    long since[SIM_MUTEXES];           /* when it was locked */
    int queue[SIM_MUTEXES][SIM_TASKS]; /* with waiters in FIFO order: those */
    int queued[SIM_MUTEXES];
};

struct key {
    int level;
    long rank; /* in the level, lowest first */
};

static bool has_budget(const struct state *s, int server)
{
    const struct server *of = &s->servers[server];

    if (s->sim->servers[server].kind != TAKT_ANALYSIS_SPORADIC) {
        return of->left > 0;
    }
    return of->chunks[0].at <= s->now && of->used < of->chunks[0].amount;
}

/* Where a task's job goes: by its task, or by a ceiling that raises it. */
static struct key key_of(const struct state *s, int task)
{
    const struct sim_task *t = &s->sim->tasks[task];
    long arrival = t->arrival[s->done[task]], release = t->release[s->done[task]];
    struct key key = {t->level, t->by_deadline ? arrival + t->deadline : release};

    if (t->served_by > 0 && (s->goes_on[task] || has_budget(s, t->served_by - 1))) {
        const struct sim_server *server = &s->sim->servers[t->served_by - 1];

        key = (struct key){server->level, server->by_deadline ? s->servers[t->served_by - 1].due : release};
    }

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

/* Whether it waits for a mutex that another task has. */
static bool blocked(const struct state *s, int task)
{
    const struct sim_task *t = &s->sim->tasks[task];
    int next = s->taken[task];

    return s->refused[task] && next < t->section_count && s->owner[t->sections[next].mutex] >= 0;
}

/* Whether the current job of a served task is there and waits for nothing. */
static bool is_ready(const struct state *s, int task)
{
    const struct sim_task *t = &s->sim->tasks[task];

    return s->done[task] < t->jobs && pending_from(s, task) <= s->now && !blocked(s, task);
}

/* Add a chunk; with too many, to the last, which then comes no earlier than it. */
static void add_chunk(struct server *of, struct chunk one)
{
    if (of->chunk_count == SIM_CHUNKS) {
        struct chunk *last = &of->chunks[of->chunk_count - 1];

        *last = (struct chunk){last->at < one.at ? one.at : last->at, last->amount + one.amount};
        return;
    }
    of->chunks[of->chunk_count++] = one;
}

/* The used part of the first chunk comes back a period after its time; the rest keeps its time. */
static void give_back(struct server *of, const struct sim_server *server)
{
    struct chunk used = {of->chunks[0].at + server->period, of->used};

    of->chunks[0].amount -= of->used;
    of->used = 0;
    if (of->chunks[0].amount == 0 && of->chunk_count > 1) {
        for (int i = 1; i < of->chunk_count; i++) {
            of->chunks[i - 1] = of->chunks[i];
        }
        of->chunk_count--;
    } else if (of->chunks[0].amount == 0) {
        of->chunk_count = 0;
    }
    if (used.amount > 0) {
        add_chunk(of, used);
    }
}

/* Served work becomes ready: what could have been used before comes back as if its time were now. */
static void merge_past(struct server *of, long now)
{
    while (of->chunk_count > 1 && of->chunks[1].at <= now) {
        of->chunks[1].amount += of->chunks[0].amount;
        for (int i = 1; i < of->chunk_count; i++) {
            of->chunks[i - 1] = of->chunks[i];
        }
        of->chunk_count--;
    }
    if (of->chunks[0].at <= now) {
        of->chunks[0].at = now;
    }
}

static void look_at_sporadic(const struct state *s, struct server *of, const struct sim_server *server, bool ready)
{
    if (of->ready && !ready && of->used > 0) {
        give_back(of, server);
    } else if (!of->ready && ready) {
        merge_past(of, s->now);
    }
    of->due = of->chunks[0].at <= s->now ? of->chunks[0].at + server->deadline : of->due;
}

/* Look at the others: a period may have begun, or served work become ready, or cease to be. */
static void look_at_periodic(const struct state *s, struct server *of, const struct sim_server *server, bool ready)
{
    bool polling = server->kind == TAKT_ANALYSIS_POLLING;
    long began =
        s->now < server->phase ? server->phase - server->period : s->now - (s->now - server->phase) % server->period;

    if (ready && !of->ready) {
        of->active = s->now;
    }
    if (began > of->began) { /* in a run without served work, perhaps long ago */
        of->began = began;
        of->left = polling && began < s->now ? 0 : server->budget;
    }
    if (polling && !ready) {
        of->left = 0;
    }
    if (of->left > 0) {
        of->due = (polling || of->active < of->began ? of->began : of->active) + server->deadline;
    }
}

/* Bring all servers up to the present. Returns the next time at which one has budget again that is waited for. */
static long look_at_servers(struct state *s)
{
    long next = SIM_FOREVER;

    for (int i = 0; i < s->sim->server_count; i++) {
        const struct sim_server *server = &s->sim->servers[i];
        struct server *of = &s->servers[i];
        bool ready = false, pending = false;

        for (int k = 0; k < s->sim->task_count; k++) {
            bool mine = s->sim->tasks[k].served_by == i + 1 && s->done[k] < s->sim->tasks[k].jobs;

            ready |= mine && is_ready(s, k);
            pending |= mine && pending_from(s, k) <= s->now;
        }
        if (server->kind == TAKT_ANALYSIS_SPORADIC) {
            look_at_sporadic(s, of, server, ready);
            next = pending && of->chunks[0].at > s->now && of->chunks[0].at < next ? of->chunks[0].at : next;
        } else {
            look_at_periodic(s, of, server, ready);
            next = pending && of->began + server->period < next ? of->began + server->period : next;
        }
        of->ready = ready;
        for (int k = 0; k < s->sim->task_count; k++) {
            s->goes_on[k] &= s->sim->tasks[k].served_by != i + 1 || !has_budget(s, i);
        }
    }
    return next;
}

/* How long a task may execute on its budget. */
static long budget_left(const struct state *s, int task)
{
    int server = s->sim->tasks[task].served_by - 1;

    if (server < 0 || !has_budget(s, server)) {
        return SIM_FOREVER;
    }
    return s->sim->servers[server].kind == TAKT_ANALYSIS_SPORADIC
               ? s->servers[server].chunks[0].amount - s->servers[server].used
               : s->servers[server].left;
}

static bool owns_any(const struct state *s, int task)
{
    bool any = false;

    for (int i = 0; i < SIM_MUTEXES; i++) {
        any |= s->owner[i] == task;
    }
    return any;
}

/* It has executed on its budget. At its end a section goes on, and takes nothing. */
static void charge(struct state *s, int task, long time, bool on_budget)
{
    int server = s->sim->tasks[task].served_by - 1;
    struct server *of = &s->servers[server < 0 ? 0 : server];

    if (server < 0 || !(on_budget || s->goes_on[task])) {
        return;
    }
    if (!on_budget) {
        s->goes_on[task] = owns_any(s, task);
        return;
    }
    if (s->sim->servers[server].kind == TAKT_ANALYSIS_SPORADIC) {
        of->used += time;
        if (of->used == of->chunks[0].amount) {
            give_back(of, &s->sim->servers[server]);
        }
    } else {
        of->left -= time;
    }
    s->goes_on[task] = !has_budget(s, server) && owns_any(s, task);
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

static void enter(struct state *s, int mutex, int task)
{
    s->owner[mutex] = task;
    s->refused[task] = false;
    s->since[mutex] = s->now;
    s->taken[task]++;
}

/* Its owner has unlocked it, and others wait in FIFO order. */
static void hand_over(struct state *s, int mutex)
{
    int next = s->queue[mutex][0];

    s->queued[mutex]--;
    for (int i = 0; i < s->queued[mutex]; i++) {
        s->queue[mutex][i] = s->queue[mutex][i + 1];
    }
    enter(s, mutex, next);
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
            if (s->sim->fifo[section->mutex] && !s->refused[task]) {
                s->queue[section->mutex][s->queued[section->mutex]++] = task;
            }
            s->refused[task] = true;
            task = s->owner[section->mutex];
        } else {
            enter(s, section->mutex, task);
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
            if (s->queued[section->mutex] > 0) {
                hand_over(s, section->mutex);
            }
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
    for (int i = 0; i < sim->server_count; i++) {
        s.servers[i].began = -sim->servers[i].period; /* before the first period */
        s.servers[i].chunks[0] = (struct chunk){0, sim->servers[i].budget};
        s.servers[i].chunk_count = 1;
    }
    for (;;) {
        long replenished = look_at_servers(&s), next, step;
        int task = most_urgent(&s, &next);
        bool on_budget;

        next = replenished < next ? replenished : next;
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
        step = budget_left(&s, task) < step ? budget_left(&s, task) : step;
        on_budget = budget_left(&s, task) < SIM_FOREVER;
        s.now += step;
        s.progress[task] += step;
        unlock(&s, task);
        charge(&s, task, step, on_budget);
        if (s.progress[task] == sim->tasks[task].wcet && s.waited[task] == wait_count(&s, task)) {
            complete(&s, task, result);
            held_up = task == held_up ? -1 : held_up;
        }
    }
}
