/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The naive model: servers. Whether served work is ready is looked up again at every change. A sporadic server's budget
 * is a list of parts, as docs/decisions/0029-servers.md says: its first, if `in_use`, is what is executed now.
 */
#include "takt/server.h"

#include "naive.h"

enum { REPLENISHED = 5, LOST = 6 };

static struct naive_server *server_of(const struct naive_task *task)
{
    return task->plan->server == 0 ? NULL : &naive.servers[task->plan->server - 1u];
}

bool naive_served(const struct naive_task *task)
{
    return server_of(task) != NULL;
}

static bool is_of(unsigned index, const struct naive_server *server)
{
    return naive.plan->tasks[index].server == (unsigned)(server - naive.servers) + 1u;
}

uint64_t *naive_budget_left(struct naive_task *task)
{
    return naive_served(task) ? &server_of(task)->left_ns : &task->budget_left_ns;
}

static void event(const struct naive_server *server, unsigned value)
{
    unsigned first = 0;
    while (!is_of(first, server)) {
        first++;
    }
    naive_event(TAKT_EVENT_BUDGET, first, TAKT_TRACE_NO_OBJECT, value);
}

static bool any_counted(const struct naive_server *server)
{
    bool any = false;
    for (unsigned index = 0; index < naive.plan->task_count; index++) {
        any = any || (is_of(index, server) && naive.tasks[index].counted);
    }
    return any;
}

static bool sporadic(const struct naive_server *server)
{
    return server->plan->kind == TAKT_SERVER_SPORADIC;
}

static void part_insert(struct naive_server *server, uint64_t at_ns, uint64_t amount_ns)
{
    struct naive_part *last = &server->parts[server->part_count - 1];
    if (server->part_count > 0 && (server->part_count == TAKT_SERVER_PARTS || last->at_ns == at_ns)) {
        last->at_ns = at_ns;
        last->amount_ns += amount_ns;
    } else if (amount_ns != 0) {
        server->parts[server->part_count++] = (struct naive_part){at_ns, amount_ns};
    }
}

static void first_remove(struct naive_server *server)
{
    server->part_count--;
    memmove(server->parts, server->parts + 1, sizeof server->parts[0] * server->part_count);
}

/* What was used of the first part comes back a period after its time. */
static void part_end(struct naive_server *server)
{
    if (!sporadic(server) || server->exhausted || !server->in_use) {
        return;
    }
    struct naive_part *first = &server->parts[0];
    uint64_t used_ns = first->amount_ns - server->left_ns;
    uint64_t at_ns = first->at_ns + server->plan->period_ns;
    first->amount_ns = server->left_ns;
    if (first->amount_ns == 0) {
        first_remove(server);
        server->in_use = false;
    }
    if (used_ns != 0) {
        part_insert(server, at_ns, used_ns);
    }
}

static void part_begin(struct naive_server *server)
{
    server->in_use = true;
    server->left_ns = server->parts[0].amount_ns;
}

static void run_out(struct naive_server *server)
{
    server->exhausted = true;
    server->finishing = NOBODY;
    server->left_ns = TAKT_FOREVER;
    if (sporadic(server)) {
        server->next = naive_expect(server->parts[0].at_ns);
    }
}

static void begins(struct naive_server *server)
{
    if (server->exhausted) {
        return;
    }
    if (sporadic(server)) {
        part_end(server);
        server->left_ns = 0;
        server->in_use = false;
        uint64_t sum_ns = 0;
        while (server->part_count > 0 && server->parts[0].at_ns <= naive.now_ns) {
            sum_ns += server->parts[0].amount_ns;
            first_remove(server);
        }
        if (sum_ns != 0) {
            memmove(server->parts + 1, server->parts, sizeof server->parts[0] * server->part_count);
            server->parts[0] = (struct naive_part){naive.now_ns, sum_ns};
            server->part_count++;
            part_begin(server);
        }
    }
    if (server->left_ns == 0) {
        event(server, TAKT_BUDGET_SERVER);
        run_out(server);
    } else {
        server->deadline_ns = naive.now_ns + server->plan->deadline_ns;
    }
}

static void ends(struct naive_server *server)
{
    if (!server->exhausted && server->plan->kind == TAKT_SERVER_POLLING) {
        event(server, LOST);
        run_out(server);
    }
    part_end(server);
}

static void own_set(unsigned index)
{
    struct naive_task *task = &naive.tasks[index];
    const struct naive_server *server = server_of(task);
    task->demoted = server->exhausted && server->finishing != index;
    task->served_deadline_ns = task->counted ? server->deadline_ns : task->served_deadline_ns;
}

static void count(unsigned index)
{
    struct naive_task *task = &naive.tasks[index];
    bool first = !any_counted(server_of(task));
    task->counted = true;
    if (first) {
        begins(server_of(task));
    }
    own_set(index);
}

void naive_server_key(unsigned index)
{
    if (naive_served(&naive.tasks[index])) {
        own_set(index);
        naive_key_now(index);
    }
}

/* A task is ready now: it was not before, or it comes back from the end of a job. */
void naive_server_ready(unsigned index)
{
    struct naive_task *task = &naive.tasks[index];
    if (naive_served(task) && naive_can_run(task)) {
        if (!task->counted) {
            count(index);
        }
        own_set(index);
        naive_key_now(index);
    }
}

/* Whether it is ready no more. `leaves`: the running task is about to be switched out. */
void naive_server_look(unsigned index, bool leaves)
{
    struct naive_task *task = &naive.tasks[index];
    bool stays = index == naive.running && !naive.in_interrupt && task->where != OUT && !leaves;
    if (task->counted && !naive_can_run(task) && !stays) {
        task->counted = false;
        if (!any_counted(server_of(task))) {
            ends(server_of(task));
        }
    }
}

void naive_server_stop(unsigned index)
{
    struct naive_task *task = &naive.tasks[index];
    if (naive_served(task)) {
        naive_server_look(index, true);
        server_of(task)->finishing = server_of(task)->finishing == index ? NOBODY : server_of(task)->finishing;
    }
}

static void follow(unsigned index)
{
    if (naive.tasks[index].where != OUT) {
        own_set(index);
        naive_settle();
    }
}

static void all_follow(const struct naive_server *server)
{
    unsigned running = naive.running != NOBODY && is_of(naive.running, server) ? naive.running : NOBODY;
    if (running != NOBODY && !server->exhausted) {
        follow(running);
    }
    for (unsigned number = 0; number < naive.plan->task_count; number++) {
        unsigned index = server->exhausted ? naive.plan->task_count - 1u - number : number;
        if (is_of(index, server) && index != running) {
            follow(index);
        }
    }
    if (running != NOBODY && server->exhausted) {
        follow(running);
    }
}

static bool in_edf(const struct naive_server *server)
{
    bool edf = false;
    for (unsigned index = 0; index < naive.plan->task_count; index++) {
        edf = edf || (is_of(index, server) && naive.plan->level_edf[naive.tasks[index].plan->level]);
    }
    return edf;
}

bool naive_server_continues(unsigned index)
{
    struct naive_server *server = server_of(&naive.tasks[index]);
    part_end(server);
    if (!sporadic(server) || server->parts[0].at_ns > naive.now_ns) {
        return false;
    }
    part_begin(server);
    server->deadline_ns = server->parts[0].at_ns + server->plan->deadline_ns;
    if (in_edf(server)) {
        all_follow(server);
    }
    return true;
}

void naive_server_exhaust(unsigned index)
{
    struct naive_server *server = server_of(&naive.tasks[index]);
    run_out(server);
    if (naive_holds(index)) {
        server->finishing = index;
        naive.tasks[index].demote_later = !naive.tasks[index].stop_later;
    }
    all_follow(server);
}

void naive_server_unlocked(unsigned index)
{
    struct naive_server *server = server_of(&naive.tasks[index]);
    server->finishing = server->finishing == index ? NOBODY : server->finishing;
    follow(index);
}

struct expected *naive_server_next(unsigned number)
{
    return &naive.servers[number].next;
}

void naive_server_due(unsigned number)
{
    struct naive_server *server = &naive.servers[number];
    bool demoted = server->exhausted;
    uint64_t at_ns = server->next.at_ns;
    if (sporadic(server)) {
        server->next.at_ns = TAKT_FOREVER;
    } else {
        while (at_ns + server->plan->period_ns <= naive.now_ns) {
            at_ns += server->plan->period_ns;
        }
        server->next = naive_expect(at_ns + server->plan->period_ns);
    }
    if (server->plan->kind == TAKT_SERVER_POLLING && !any_counted(server)) {
        event(server, LOST);
        return;
    }
    server->exhausted = false;
    server->finishing = NOBODY;
    server->left_ns = server->plan->budget_ns;
    if (sporadic(server)) {
        part_begin(server);
    }
    server->deadline_ns = at_ns + server->plan->deadline_ns;
    event(server, REPLENISHED);
    naive.budget_end.at_ns = TAKT_FOREVER;
    if (demoted || in_edf(server)) {
        all_follow(server);
    }
}

void naive_servers_reset(void)
{
    for (unsigned number = 0; number < SERVERS; number++) {
        const struct server_plan *plan = &naive.plan->servers[number];
        struct naive_server *server = &naive.servers[number];
        *server = (struct naive_server){.plan = plan, .finishing = NOBODY, .next = {TAKT_FOREVER, 0}};
        server->exhausted = plan->kind == TAKT_SERVER_POLLING;
        server->left_ns = server->exhausted ? TAKT_FOREVER : plan->budget_ns;
        server->in_use = true;
        server->parts[0] = (struct naive_part){0, plan->budget_ns};
        server->part_count = 1;
        server->deadline_ns = plan->deadline_ns;
    }
}

void naive_servers_started(void)
{
    for (unsigned number = 0; number < naive.plan->server_count; number++) {
        struct naive_server *server = &naive.servers[number];
        if (!sporadic(server)) {
            server->next = naive_expect(server->plan->kind == TAKT_SERVER_POLLING ? 0 : server->plan->period_ns);
        }
    }
}

/* What is left of a served task's budget, all parts of it that may be used together. */
uint64_t naive_server_left(unsigned index)
{
    const struct naive_server *server = server_of(&naive.tasks[index]);
    uint64_t left_ns = server->exhausted ? 0 : server->left_ns;
    for (unsigned part = server->in_use ? 1 : 0; sporadic(server) && !server->exhausted && part < server->part_count;
         part++) {
        left_ns += server->parts[part].at_ns <= naive.now_ns ? server->parts[part].amount_ns : 0;
    }
    return left_ns;
}
