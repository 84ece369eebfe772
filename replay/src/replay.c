/* SPDX-License-Identifier: Apache-2.0 */
/* The reader as a whole: records and events go through it, and what it found is asked for. */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/include/takt/trace.h"

bool taktp_grow(struct takt_replay *replay, void **row, uint32_t *capacity, uint32_t count, size_t size)
{
    if (count <= *capacity) {
        return true;
    }
    uint32_t wanted = count > 2 * *capacity ? count : 2 * *capacity;
    char *larger = realloc(*row, wanted * size);
    if (larger == NULL) {
        replay->totals.error = TAKT_REPLAY_MEMORY;
        return false;
    }
    memset(larger + *capacity * size, 0, (wanted - *capacity) * size);
    *row = larger;
    *capacity = wanted;
    return true;
}

/* A copy of a table of the caller; one of no element is there too. NULL: no memory. */
static void *copy(const void *from, size_t count, size_t size)
{
    void *to = calloc(count + 1, size);
    if (to != NULL && count != 0) {
        memcpy(to, from, count * size);
    }
    return to;
}

struct takt_replay *takt_replay_new(const struct takt_replay_setup *setup)
{
    struct takt_replay *replay = calloc(1, sizeof *replay);
    if (replay == NULL) {
        return NULL;
    }
    replay->tasks = setup->tasks;
    replay->objects = setup->objects;
    replay->bands = setup->bands;
    replay->cooperative = setup->cooperative;
    replay->kinds = copy(setup->kinds, setup->objects, sizeof setup->kinds[0]);
    replay->edf = copy(setup->edf, setup->bands, sizeof setup->edf[0]);
    replay->budgets = copy(setup->budgets, setup->tasks, sizeof setup->budgets[0]);
    replay->totals.bin_ns = 1;
    replay->decoder.running = setup->from_start ? TAKT_TRACE_NONE : TAKT_REPLAY_UNKNOWN;
    bool there = replay->kinds != NULL && replay->edf != NULL && replay->budgets != NULL;
    if (!there || !taktp_state_init(replay, setup->from_start) || !taktp_history_init(replay)) {
        takt_replay_free(replay);
        return NULL;
    }
    return replay;
}

void takt_replay_free(struct takt_replay *replay)
{
    if (replay != NULL) {
        taktp_history_free(replay);
        taktp_state_free(&replay->state);
        taktp_choice_free(&replay->choice);
        free(replay->kinds);
        free(replay->edf);
        free(replay->budgets);
        free(replay);
    }
}

static void take(struct takt_replay *replay, const struct takt_replay_event *event)
{
    taktp_give_event(replay, event);
    if (event->event < TAKT_EVENT_STAT_JOBS && event->event != TAKT_EVENT_LOG_WORDS) {
        taktp_history_step(replay, event);
    } else if (event->event == TAKT_EVENT_STAT_END && event->value > replay->totals.end_ns) {
        replay->totals.end_ns = event->value;
    }
}

/* Whether what one record causes fits: two events with those before them, and each task's condition. */
static bool has_room(const struct takt_replay *replay, const struct takt_replay_out *out)
{
    size_t pieces = out->pieces_capacity - out->pieces_count;
    return out->events_capacity - out->events_count >= 2 * LAST_RING &&
           (replay->choice.windows == 0 || pieces >= replay->tasks + 4);
}

static void begin(struct takt_replay *replay, struct takt_replay_out *out)
{
    out->events_count = out->pieces_count = 0;
    replay->out = out;
}

size_t takt_replay_feed(struct takt_replay *replay, const uint8_t *records, size_t bytes, struct takt_replay_out *out)
{
    const size_t size = sizeof(struct takt_trace_record);
    size_t taken = 0;
    begin(replay, out);
    while (bytes - taken >= size && replay->totals.error == TAKT_REPLAY_OK && has_room(replay, out)) {
        struct takt_replay_event events[2];
        unsigned count = taktp_decode(replay, records + taken, events);
        for (unsigned i = 0; i < count; i++) {
            take(replay, &events[i]);
        }
        if (replay->totals.error == TAKT_REPLAY_OK) {
            taken += size;
            replay->totals.records++;
        }
    }
    replay->totals.now_ns = replay->decoder.now_ns;
    return taken;
}

size_t takt_replay_take(struct takt_replay *replay, const struct takt_replay_event *events, size_t count,
                        struct takt_replay_out *out)
{
    size_t taken = 0;
    begin(replay, out);
    while (taken < count && has_room(replay, out)) {
        replay->totals.now_ns = events[taken].time_ns;
        take(replay, &events[taken++]);
    }
    return taken;
}

void takt_replay_finish(struct takt_replay *replay, struct takt_replay_out *out)
{
    struct takt_replay_event event;
    begin(replay, out);
    if (taktp_decode_rest(replay, &event) != 0) {
        take(replay, &event);
    }
    taktp_give_last(replay);
    taktp_history_finish(replay);
}

void takt_replay_advance(struct takt_replay *replay, uint64_t now_ns)
{
    taktp_state_advance(&replay->state, now_ns);
}

const struct takt_replay_totals *takt_replay_totals(const struct takt_replay *replay)
{
    return &replay->totals;
}

const struct takt_replay_figures *takt_replay_figures(const struct takt_replay *replay, uint32_t task)
{
    return &replay->history.figures[task];
}

uint64_t takt_replay_locks(const struct takt_replay *replay, uint32_t task, uint32_t object)
{
    const struct taktp_locks *locks = &replay->history.locks[task];
    for (uint32_t i = 0; task < replay->tasks && i < locks->count; i++) {
        if (locks->first[i].object == object) {
            return locks->first[i].count;
        }
    }
    return 0;
}

uint64_t takt_replay_messages(const struct takt_replay *replay, uint16_t number)
{
    return replay->history.messages == NULL ? 0 : replay->history.messages[number];
}

const uint64_t *takt_replay_busy(const struct takt_replay *replay, uint32_t lane)
{
    return replay->history.bins[lane];
}

const uint64_t *takt_replay_begun(const struct takt_replay *replay)
{
    return replay->history.begun;
}

const struct takt_replay_task *takt_replay_task(struct takt_replay *replay, uint32_t index)
{
    return taktp_state_task(replay, index);
}

struct takt_replay_condition takt_replay_condition(struct takt_replay *replay, uint32_t index)
{
    (void)taktp_state_task(replay, index);
    return taktp_state_condition(replay, index);
}

uint32_t takt_replay_running(const struct takt_replay *replay)
{
    return replay->state.running;
}

uint32_t takt_replay_interrupt(const struct takt_replay *replay, uint32_t *depth)
{
    int32_t actor;
    uint32_t number;
    *depth = replay->state.depth;
    (void)taktp_state_actor(replay, &actor, &number);
    return number;
}

bool takt_replay_actor(struct takt_replay *replay, int32_t *actor, uint32_t *detail)
{
    return taktp_state_actor(replay, actor, detail);
}
