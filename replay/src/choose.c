/* SPDX-License-Identifier: Apache-2.0 */
/* Which events and pieces are given to the caller. */
#include "reader.h"

#include <stdlib.h>

enum { TASK_POSTED = 1, TASK_WAITS = 2 };

void taktp_choice_free(struct taktp_choice *choice)
{
    free(choice->messages);
    free(choice->objects);
    free(choice->tasks);
}

void takt_replay_choose(struct takt_replay *replay, uint8_t event, uint8_t choice)
{
    replay->choice.events[event] = choice;
}

static bool table(struct takt_replay *replay, uint8_t **row)
{
    uint32_t capacity = 0;
    return *row != NULL || taktp_grow(replay, (void **)row, &capacity, UINT16_MAX + 1, 1);
}

void takt_replay_choose_message(struct takt_replay *replay, uint16_t number)
{
    if (table(replay, &replay->choice.messages)) {
        replay->choice.messages[number] = 1;
    }
}

void takt_replay_choose_object(struct takt_replay *replay, uint16_t object, uint16_t task, bool posts)
{
    struct taktp_choice *choice = &replay->choice;
    if (table(replay, &choice->objects) && table(replay, &choice->tasks)) {
        choice->objects[object] = 1;
        choice->tasks[task] |= posts ? TASK_POSTED : 0;
    }
}

void takt_replay_choose_time(struct takt_replay *replay, uint64_t from_ns, uint64_t to_ns)
{
    struct taktp_choice *choice = &replay->choice;
    if (choice->windows < WINDOWS) {
        choice->from_ns[choice->windows] = from_ns;
        choice->to_ns[choice->windows++] = to_ns;
    }
}

static bool is_within(const struct taktp_choice *choice, uint64_t time_ns)
{
    bool within = false;
    for (unsigned i = 0; i < choice->windows; i++) {
        within |= time_ns >= choice->from_ns[i] && time_ns < choice->to_ns[i];
    }
    return within;
}

void taktp_give_piece(struct takt_replay *replay, const struct takt_replay_piece *piece)
{
    struct takt_replay_out *out = replay->out;
    if (is_within(&replay->choice, piece->start_ns) && out != NULL && out->pieces_count < out->pieces_capacity) {
        out->pieces[out->pieces_count++] = *piece;
    }
}

static void put(struct takt_replay *replay, const struct takt_replay_event *event)
{
    replay->out->events[replay->out->events_count++] = *event; /* there is room: TAKT_REPLAY_OUT_MIN */
}

/* Gives what the ring still has of the last `count` events, and was not given. Words of messages do not count. */
static void give_before(struct takt_replay *replay, unsigned count)
{
    struct taktp_choice *choice = &replay->choice;
    uint64_t least = choice->written > LAST_RING ? choice->written - LAST_RING : 0;
    uint64_t from = choice->written;
    least = choice->given > least ? choice->given : least;
    while (from > least && count != 0) {
        from--;
        count -= choice->ring[from % LAST_RING].event != TAKT_EVENT_LOG_WORDS;
    }
    for (; from < choice->written; from++) {
        put(replay, &choice->ring[from % LAST_RING]);
    }
    choice->given = choice->written;
}

void taktp_give_last(struct takt_replay *replay)
{
    give_before(replay, TAKT_REPLAY_LAST);
}

static bool is_done_to_objects(unsigned event)
{
    return event == TAKT_EVENT_SEND || event == TAKT_EVENT_POST || event == TAKT_EVENT_BLOCK ||
           event == TAKT_EVENT_RECEIVE || event == TAKT_EVENT_REFUSE || event == TAKT_EVENT_DELETE;
}

static bool ends_a_job(unsigned event)
{
    return event == TAKT_EVENT_COMPLETE || event == TAKT_EVENT_LOST || event == TAKT_EVENT_START ||
           event == TAKT_EVENT_STOP;
}

/* Whether it is about a chosen object, or ends a wait for one. */
static bool is_of_objects(struct taktp_choice *choice, const struct takt_replay_event *event)
{
    uint8_t *task = &choice->tasks[event->task & UINT16_MAX];
    if (event->event == TAKT_EVENT_READY) {
        bool waited = (*task & TASK_WAITS) != 0;
        *task &= (uint8_t)~TASK_WAITS;
        return waited;
    }
    if (ends_a_job(event->event)) {
        return (*task & TASK_POSTED) != 0;
    }
    if (!is_done_to_objects(event->event) || choice->objects[event->object] == 0) {
        return false;
    }
    if (event->event == TAKT_EVENT_BLOCK) {
        *task |= TASK_WAITS;
    }
    choice->gives_on = event->event == TAKT_EVENT_SEND || event->event == TAKT_EVENT_POST;
    return true;
}

/* What comes between an object's message and the release that it causes. */
static bool is_between(unsigned event)
{
    return event == TAKT_EVENT_READY || event == TAKT_EVENT_KEY;
}

static bool is_chosen(struct taktp_choice *choice, const struct takt_replay_event *event)
{
    unsigned how = choice->events[event->event];
    bool follows = choice->gives_next || choice->gives_on;
    choice->gives_next = how == TAKT_REPLAY_GIVE_AFTER;
    choice->gives_on = choice->gives_on && is_between(event->event);
    bool chosen = how != TAKT_REPLAY_SKIP || follows;
    if (how == TAKT_REPLAY_GIVE_WITHIN && !follows && !is_within(choice, event->time_ns)) {
        chosen = choice->outside[event->event]++ < TAKT_REPLAY_FIRST;
    }
    chosen |= choice->objects != NULL && choice->tasks != NULL && is_of_objects(choice, event);
    chosen |= event->event == TAKT_EVENT_LOG && choice->messages != NULL && choice->messages[event->value] != 0;
    return chosen;
}

void taktp_give_event(struct takt_replay *replay, const struct takt_replay_event *event)
{
    struct taktp_choice *choice = &replay->choice;
    if (event->event >= TAKT_EVENT_STAT_JOBS) {
        taktp_give_last(replay);
        if (choice->events[event->event] != TAKT_REPLAY_SKIP) {
            put(replay, event);
        }
        return;
    }
    bool words = event->event == TAKT_EVENT_LOG_WORDS;
    bool gives = words ? choice->gives_words : is_chosen(choice, event);
    choice->gives_words = gives && (words || event->event == TAKT_EVENT_LOG);
    choice->ring[choice->written++ % LAST_RING] = *event;
    if (gives) {
        bool last = choice->events[event->event] == TAKT_REPLAY_GIVE_LAST;
        give_before(replay, words || !last ? 1 : TAKT_REPLAY_LAST);
    }
}
