/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Servers: a budget that several tasks share, and when it comes back. budget.c charges it as that of one task, and
 * finds its end; here is what follows for all served tasks.
 *
 * A served task is demoted as with the policy demote: by its own level. Keys of all served tasks change in the timer
 * interrupt, one at a time, with the lock open in between. Each one is set by the state of the server, so a task that
 * becomes ready, starts or unlocks meanwhile gets the right key by itself. When nothing that is served is ready, no key
 * changes: each task finds its key when it is ready again.
 *
 * A sporadic server's budget is in parts, sorted by the time from which each may be used. Execution is taken off the
 * first part, and comes back a period after the time of that part. When served work becomes ready after a time without
 * any, all parts that may be used are one, from then on. So parts of one time are added, and never come back early.
 * Source: Stanovich, Baker, Wang, Harbour, "Defects of the POSIX Sporadic Server and How to Correct Them", RTAS 2010.
 */
#include "kernel/core/kernel.h"

#if TAKT_SERVERS
_Static_assert(TAKT_BUDGETS &&TAKT_EDF && !TAKT_PROCESSES && !TAKTI_QUIET, "the kind of kernel with servers");
_Static_assert(TAKT_SERVER_PARTS >= 2, "the last part is not the first when parts are added");

static bool server_is_sporadic(const struct takt_server *server)
{
    return server->kind == TAKT_SERVER_SPORADIC;
}

static void server_trace(const struct takt_server *server, unsigned value)
{
    takti_trace(TAKT_EVENT_BUDGET, server->tasks[0], TAKT_TRACE_NO_OBJECT, value);
}

/* The first part has been used. */
static void part_remove(struct takt_server *server)
{
    server->part_count--;
    for (unsigned number = 0; number < server->part_count; number++) {
        server->parts[number] = server->parts[number + 1];
    }
}

/* Adds a part, which is the last: the first part's times only rise. */
static void part_add(struct takt_server *server, struct takt_server_part part)
{
    struct takt_server_part *end = &server->parts[server->part_count];
    bool full = server->part_count == TAKT_SERVER_PARTS;
    if (full || (server->part_count != 0 && end[-1].at_ns == part.at_ns)) {
        end[-1].amount_ns += part.amount_ns;
        end[-1].at_ns = part.at_ns;
    } else {
        *end = part;
        server->part_count++;
    }
}

/* Sporadic: what was used of the first part will come back a period after the part's time. */
static void parts_settle(struct takt_server *server)
{
    struct takt_server_part *first = server->parts;
    if (!server_is_sporadic(server) || server->exhausted || server->settled_ns == server->left_ns) {
        return;
    }
    struct takt_server_part used = {first->at_ns + server->period_ns, server->settled_ns - server->left_ns};
    server->settled_ns = server->left_ns;
    first->amount_ns = server->left_ns;
    if (first->amount_ns == 0) {
        part_remove(server);
    }
    part_add(server, used);
}

static void left_set(struct takt_server *server, uint64_t left_ns)
{
    server->left_ns = left_ns;
    server->settled_ns = left_ns;
}

/* No budget is left. */
static void run_out(struct takt_server *server)
{
    server->exhausted = true;
    server->left_ns = TAKT_FOREVER;
    server->finishing = NULL;
    if (server_is_sporadic(server)) {
        takti_call_arm(&server->replenishment, server->parts->at_ns);
    }
}

/* The next part of a sporadic server, whose parts are settled, is used from now on, if its time has come. */
static bool next_part(struct takt_server *server)
{
    bool comes = server_is_sporadic(server) && server->parts->at_ns <= takti_clock_ns();
    if (comes) {
        left_set(server, server->parts->amount_ns);
        server->key_deadline_ns = server->parts->at_ns + server->deadline_ns;
    }
    return comes;
}

/* Served work becomes ready after a time without any: the parts that may be used are one, of this time. */
static void parts_join(struct takt_server *server, uint64_t now_ns)
{
    struct takt_server_part *first = server->parts;
    parts_settle(server);
    if (first->at_ns > now_ns) {
        left_set(server, 0);
        return;
    }
    first->at_ns = now_ns;
    while (server->part_count > 1 && server->parts[1].at_ns <= now_ns) { /* at most TAKT_SERVER_PARTS */
        server->parts[1].amount_ns += first->amount_ns;
        server->parts[1].at_ns = now_ns;
        part_remove(server);
    }
    left_set(server, first->amount_ns);
}

static void activate(struct takt_server *server)
{
    uint64_t now_ns = takti_clock_ns();
    if (server->exhausted) {
        return;
    }
    if (server_is_sporadic(server)) {
        parts_join(server, now_ns);
    }
    if (server->left_ns == 0) {
        server->exhaustions++;
        server_trace(server, TAKT_BUDGET_SERVER);
        run_out(server);
    } else {
        server->key_deadline_ns = takt_add(now_ns, server->deadline_ns);
    }
}

static void state_set(struct takt_budget *budget, unsigned bit, bool on)
{
    budget->state = (uint8_t)((budget->state & ~bit) | (on ? bit : 0u));
}

/* Sets what the own key of a served task is made of. */
static void own_key_set(const struct takt_task *task)
{
    struct takt_budget *budget = task->config->budget;
    const struct takt_server *server = *budget->server;
    state_set(budget, TAKTI_BUDGET_DEMOTED, server->exhausted && server->finishing != task);
    if ((budget->state & TAKTI_BUDGET_READY) != 0) {
        *budget->deadline_ns = server->key_deadline_ns;
    }
}

void takti_server_key(struct takt_task *task)
{
    if (takti_server_of(task) != NULL) {
        own_key_set(task);
        takti_key_renew(task);
    }
}

void takti_server_ready(struct takt_task *task)
{
    struct takt_server *server = takti_server_of(task);
    if (server == NULL) {
        return;
    }
    struct takt_budget *budget = task->config->budget;
    if ((budget->state & TAKTI_BUDGET_READY) == 0) {
        state_set(budget, TAKTI_BUDGET_READY, true);
        if (server->ready++ == 0) {
            activate(server);
        }
    }
    takti_server_key(task);
}

/* No served task is ready any more. */
static void server_rests(struct takt_server *server)
{
    if (server->exhausted) {
        return;
    }
    if (server->kind == TAKT_SERVER_POLLING) {
        server_trace(server, TAKTI_SERVER_LOST);
        run_out(server);
        return;
    }
    parts_settle(server);
}

void takti_server_rests(const struct takt_task *task)
{
    struct takt_server *server = takti_server_of(task);
    bool counted = server != NULL && (task->config->budget->state & TAKTI_BUDGET_READY) != 0;
    if (!counted || task->timer.state == TAKTI_READY) {
        return;
    }
    state_set(task->config->budget, TAKTI_BUDGET_READY, false);
    if (--server->ready == 0) {
        server_rests(server);
    }
}

void takti_server_ends(const struct takt_task *task)
{
    struct takt_server *server = takti_server_of(task);
    if (server != NULL) {
        takti_server_rests(task);
        server->finishing = server->finishing == task ? NULL : server->finishing;
        *task->config->budget->deadline_ns = 0;
    }
}

static void key_follow(struct takt_task *task)
{
    if (task->timer.state != TAKTI_DORMANT) {
        own_key_set(task);
        takti_key_follow(task);
    }
}

/*
 * Sets the keys of all served tasks, in an interrupt; opens the lock in between. Restored tasks are queued behind their
 * equals, the running one first; demoted tasks before their equals, in the opposite order. So the running one stays the
 * first of them, and others have the order of declaration.
 */
static void keys_follow(const struct takt_server *server, uint32_t lock)
{
    struct takt_task *running = takti_kernel.ready.running;
    bool runs = takti_server_of(running) == server;
    bool demotes = server->exhausted;
    if (runs && !demotes) {
        key_follow(running);
    }
    for (unsigned number = 0; number < server->task_count; number++) {
        struct takt_task *task = server->tasks[demotes ? server->task_count - 1u - number : number];
        if (task != running) {
            key_follow(task);
            takti_reselect();
            takt_port_leave(lock);
            (void)takt_port_enter();
        }
    }
    if (runs && demotes) {
        key_follow(running);
    }
}

static bool server_is_edf(const struct takt_server *server)
{
    return takti_level_edf(&takti_kernel.ready, server->tasks[0]->config->level);
}

bool takti_server_continues(struct takt_budget *budget, uint32_t lock)
{
    struct takt_server *server = *budget->server;
    if (server == NULL) {
        return false;
    }
    server->left_ns = 0;
    parts_settle(server);
    if (!next_part(server)) {
        return false;
    }
    if (server_is_edf(server)) {
        keys_follow(server, lock);
    }
    return true;
}

bool takti_server_exhaust(struct takt_task *task, uint32_t lock)
{
    struct takt_server *server = takti_server_of(task);
    struct takt_budget *budget = task->config->budget;
    if (server == NULL) {
        return false;
    }
    server->exhaustions++;
    run_out(server);
    if (budget->section_ns != TAKT_FOREVER) {
        server->finishing = task;
        if (!takti_stops_later(task)) {
            task->holds &= TAKTI_HOLDS_COUNT;
            task->hint = NULL; /* no longer needed: takti_last_unlock */
            state_set(budget, TAKTI_BUDGET_PENDING, true);
        }
    }
    keys_follow(server, lock);
    return true;
}

bool takti_server_unlocked(struct takt_task *task)
{
    struct takt_server *server = takti_server_of(task);
    if (server == NULL) {
        return false;
    }
    if (server->finishing == task) {
        server->finishing = NULL;
    }
    key_follow(task);
    return true;
}

bool takti_server_begins(struct takt_budget *budget)
{
    bool served = *budget->server != NULL;
    if (served) {
        budget->waits_left = budget->waits;
        budget->locks_left = budget->locks;
    }
    return served;
}

/* Deferrable, polling: the time from which the budget is there again, and arms the timer for the next. */
static uint64_t next_period(struct takt_server *server)
{
    uint64_t next_ns = server->replenishment.timer.at_ns;
    (void)takt_pass(&next_ns, takti_clock_ns(), server->period_ns);
    takti_call_arm(&server->replenishment, next_ns);
    return next_ns - server->period_ns;
}

/* The whole budget, less what was executed since `at_ns`, because the interrupt came late. */
static uint64_t whole_since(const struct takt_server *server, uint64_t at_ns)
{
    uint64_t from_ns = server->from_ns > at_ns ? server->from_ns : at_ns;
    return takt_subtract(server->budget_ns, takt_subtract(server->until_ns, from_ns));
}

/* The budget, or a part of it, comes back: in the timer interrupt, unlocked. */
static void replenish(struct takti_call *call)
{
    struct takt_server *server = TAKTI_TIMER_OWNER(call, struct takt_server, replenishment);
    uint32_t lock = takt_port_enter();
    bool sporadic = server_is_sporadic(server);
    bool demoted = server->exhausted;
    uint64_t at_ns = sporadic ? server->parts->at_ns : next_period(server);
    if (server->kind == TAKT_SERVER_POLLING && server->ready == 0) {
        server_trace(server, TAKTI_SERVER_LOST);
        takt_port_leave(lock);
        return;
    }
    left_set(server, sporadic ? server->parts->amount_ns : whole_since(server, at_ns));
    server->exhausted = false;
    server->finishing = NULL;
    server->key_deadline_ns = takt_add(at_ns, server->deadline_ns);
    server->replenishments++;
    server_trace(server, TAKTI_SERVER_REPLENISHED);
    takti_timer_cancel(&takti_kernel.budgets->timer); /* armed again at the end of the interrupt */
    if (demoted || server_is_edf(server)) {
        keys_follow(server, lock);
    }
    (void)takti_reschedule(lock);
}

void takti_servers_start(const struct takt_system *system)
{
    for (unsigned number = 0; number < *system->server_count; number++) {
        struct takt_server *server = &(*system->servers)[number];
        TAKT_ASSERT(server->budget_ns != 0 && server->budget_ns < server->period_ns && server->task_count != 0);
        TAKT_ASSERT(server->kind <= TAKT_SERVER_SPORADIC && server->period_ns <= TAKT_FOREVER / 4);
        server->exhausted = server->kind == TAKT_SERVER_POLLING; /* until takti_servers_started */
        left_set(server, server->exhausted ? TAKT_FOREVER : server->budget_ns);
        server->key_deadline_ns = server->deadline_ns;
        server->finishing = NULL;
        server->ready = 0;
        server->from_ns = 0;
        server->until_ns = 0;
        server->parts[0] = (struct takt_server_part){0, server->budget_ns};
        server->part_count = 1;
        server->replenishment.function = replenish;
    }
}

/* A polling server's first budget is there at 0, after the releases at 0. */
void takti_servers_started(const struct takt_system *system)
{
    for (unsigned number = 0; number < *system->server_count; number++) {
        struct takt_server *server = &(*system->servers)[number];
        if (!server_is_sporadic(server)) {
            takti_call_arm(&server->replenishment, server->kind == TAKT_SERVER_POLLING ? 0 : server->period_ns);
        }
    }
}

uint64_t takti_server_left_ns(const struct takt_server *server, uint64_t now_ns)
{
    uint64_t left_ns = server->exhausted ? 0 : server->left_ns;
    if (server->exhausted || !server_is_sporadic(server)) {
        return left_ns;
    }
    for (unsigned number = server->settled_ns == 0 ? 0 : 1; number < server->part_count; number++) {
        left_ns += server->parts[number].at_ns <= now_ns ? server->parts[number].amount_ns : 0;
    }
    return left_ns;
}
#endif
