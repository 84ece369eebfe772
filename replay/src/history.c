/* SPDX-License-Identifier: Apache-2.0 */
/* What each task did from when to when, what executed, and where time went. */
#include "reader.h"

#include <stdlib.h>

bool taktp_history_init(struct takt_replay *replay)
{
    struct taktp_history *history = &replay->history;
    size_t count = replay->tasks;
    history->since = calloc(count + 1, sizeof history->since[0]);
    history->figures = calloc(count + 1, sizeof history->figures[0]);
    history->locks = calloc(count + 1, sizeof history->locks[0]);
    history->bins = calloc(count + 2, sizeof history->bins[0]);
    if (history->since == NULL || history->figures == NULL || history->locks == NULL || history->bins == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < replay->tasks; i++) {
        history->since[i].condition = taktp_state_condition(replay, i);
    }
    return true;
}

void taktp_history_free(struct takt_replay *replay)
{
    struct taktp_history *history = &replay->history;
    for (uint32_t i = 0; history->locks != NULL && i < replay->tasks; i++) {
        free(history->locks[i].first);
    }
    for (uint32_t i = 0; history->bins != NULL && i < replay->tasks + 2; i++) {
        free(history->bins[i]);
    }
    free(history->since);
    free(history->figures);
    free(history->locks);
    free(history->bins);
    free(history->messages);
}

static unsigned kind_of(const struct takt_replay *replay, const struct takt_replay_condition *condition)
{
    if (condition->state == TAKT_REPLAY_SUSPENDED) {
        return TAKT_REPLAY_KIND_SUSPENDED;
    }
    if (condition->object == TAKT_TRACE_NO_OBJECT) {
        return TAKT_REPLAY_KIND_DELAY;
    }
    return condition->object < replay->objects ? replay->kinds[condition->object] : TAKT_REPLAY_KIND_OTHER;
}

/* A task's condition ends, and another begins. */
static void turn(struct takt_replay *replay, uint32_t task, const struct takt_replay_condition *next)
{
    struct taktp_since *since = &replay->history.since[task];
    uint64_t end_ns = replay->totals.end_ns, long_ns = end_ns - since->start_ns;
    uint32_t state = since->condition.state;
    struct takt_replay_figures *figures = &replay->history.figures[task];
    if (state == TAKT_REPLAY_READY || state == TAKT_REPLAY_RUNNING) {
        figures->able_ns += long_ns;
    } else if (state == TAKT_REPLAY_BLOCKED || state == TAKT_REPLAY_SUSPENDED) {
        figures->waited_ns[kind_of(replay, &since->condition)] += long_ns;
    }
    if (long_ns != 0 && replay->choice.windows != 0) {
        const struct takt_replay_piece span = {.start_ns = since->start_ns,
                                               .end_ns = end_ns,
                                               .actor = (int32_t)task,
                                               .state = state,
                                               .object = since->condition.object,
                                               .heir_of = since->condition.heir_of,
                                               .job = since->condition.job};
        taktp_give_piece(replay, &span);
    }
    since->start_ns = end_ns;
    since->condition = *next;
}

static void look_at(struct takt_replay *replay, uint32_t task)
{
    if (task >= replay->tasks) {
        return;
    }
    const struct takt_replay_condition now = taktp_state_condition(replay, task);
    const struct takt_replay_condition *was = &replay->history.since[task].condition;
    if (now.state != was->state || now.object != was->object || now.heir_of != was->heir_of || now.job != was->job) {
        turn(replay, task, &now);
    }
}

static void last_given(struct takt_replay *replay)
{
    if (replay->history.has_last) {
        taktp_bins_begin(replay, replay->history.last.start_ns, 1);
        taktp_give_piece(replay, &replay->history.last);
        replay->totals.pieces++;
        replay->history.has_last = false;
    }
}

/* The processor goes from one task or interrupt to another, which `known` says. An interrupt that took no time does not
 * cut an execution in two. */
static void execute(struct takt_replay *replay, bool known, int32_t actor, uint32_t detail)
{
    struct taktp_history *history = &replay->history;
    struct takt_replay_piece *last = &history->last;
    uint64_t end_ns = replay->totals.end_ns;
    if (history->busy && end_ns > history->busy_ns) {
        const struct takt_replay_piece one = {.start_ns = history->busy_ns,
                                              .end_ns = end_ns,
                                              .actor = history->actor,
                                              .detail = history->detail,
                                              .state = TAKT_REPLAY_EXECUTES};
        bool goes_on =
            history->has_last && last->actor == one.actor && last->end_ns == one.start_ns && last->detail == one.detail;
        taktp_bins_add(replay, &one);
        if (one.actor >= 0 && (uint32_t)one.actor < replay->tasks) {
            history->figures[one.actor].executed_ns += one.end_ns - one.start_ns;
        }
        if (goes_on) {
            last->end_ns = end_ns;
        } else {
            last_given(replay);
            *last = one;
            history->has_last = true;
        }
    }
    history->busy = known;
    history->actor = actor;
    history->detail = detail;
    history->busy_ns = end_ns;
}

static void count_lock(struct takt_replay *replay, uint32_t task, uint32_t object)
{
    struct taktp_locks *locks = &replay->history.locks[task];
    for (uint32_t i = 0; i < locks->count; i++) {
        if (locks->first[i].object == object) {
            locks->first[i].count++;
            return;
        }
    }
    if (taktp_grow(replay, (void **)&locks->first, &locks->capacity, locks->count + 1, sizeof locks->first[0])) {
        locks->first[locks->count++] = (struct taktp_lock){object, 1};
    }
}

static void count_message(struct takt_replay *replay, const struct takt_replay_event *event)
{
    uint32_t capacity = 0;
    uint64_t **messages = &replay->history.messages;
    replay->totals.logged++;
    taktp_bins_begin(replay, event->time_ns, TAKT_REPLAY_MESSAGE);
    if (*messages != NULL || taktp_grow(replay, (void **)messages, &capacity, UINT16_MAX + 1, sizeof **messages)) {
        (*messages)[event->value & UINT16_MAX]++;
    }
}

static void count(struct takt_replay *replay, const struct takt_replay_event *event)
{
    replay->totals.events++;
    replay->totals.missed += event->event == TAKT_EVENT_MISS;
    if (event->event == TAKT_EVENT_LOST_RECORDS) {
        replay->totals.lost += event->value;
        replay->totals.gaps++;
    } else if (event->event == TAKT_EVENT_LOG) {
        count_message(replay, event);
    } else if (event->task < replay->tasks) {
        replay->history.figures[event->task].completed += event->event == TAKT_EVENT_COMPLETE;
        if (event->event == TAKT_EVENT_LOCK) {
            count_lock(replay, event->task, event->object);
        }
    }
}

void taktp_history_step(struct takt_replay *replay, const struct takt_replay_event *event)
{
    struct taktp_history *history = &replay->history;
    uint32_t before = replay->state.running;
    int32_t actor;
    uint32_t detail;
    count(replay, event);
    if (event->time_ns > replay->totals.end_ns) {
        replay->totals.end_ns = event->time_ns;
    }
    taktp_state_step(replay, event);
    if (event->event == TAKT_EVENT_LOST_RECORDS) {
        for (uint32_t task = 0; task < replay->tasks; task++) {
            look_at(replay, task);
        }
    } else if (event->event != TAKT_EVENT_INTERRUPT && event->event != TAKT_EVENT_INTERRUPT_END) {
        look_at(replay, event->task);
        if (replay->state.running != before) {
            look_at(replay, before);
        }
    }
    bool known = taktp_state_actor(replay, &actor, &detail);
    if (known != history->busy || (known && (actor != history->actor || detail != history->detail))) {
        execute(replay, known, actor, detail);
    }
}

void taktp_history_finish(struct takt_replay *replay)
{
    execute(replay, false, 0, 0);
    last_given(replay);
    taktp_bins_begin(replay, replay->totals.end_ns, 0); /* the bins are of all the time */
    for (uint32_t task = 0; task < replay->tasks; task++) {
        const struct takt_replay_condition now = taktp_state_condition(replay, task);
        turn(replay, task, &now);
    }
}
