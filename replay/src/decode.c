/* SPDX-License-Identifier: Apache-2.0 */
/* Records to events: absolute times and deadlines, callers of messages. */
#include "reader.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "records are read as they are");

static struct takt_trace_record record_of(const uint8_t *bytes)
{
    struct takt_trace_record record;
    memcpy(&record, bytes, sizeof record); /* the address may be odd */
    return record;
}

static uint64_t wide_of(const struct takt_trace_record *record)
{
    return record->job | (uint64_t)record->object << 32 | (uint64_t)record->value << 48;
}

static bool is_known(unsigned event)
{
    return event <= TAKT_EVENT_LOG_WORDS || (event >= TAKT_EVENT_STAT_JOBS && event <= TAKT_EVENT_STAT_END) ||
           (event >= TAKT_EVENT_STAT_WRITES && event <= TAKT_EVENT_STAT_MESSAGE_LATE);
}

static bool is_wide(unsigned event)
{
    return event == TAKT_EVENT_LOST_RECORDS || event >= TAKT_EVENT_STAT_JOBS;
}

/* Messages of the log do not say whose they are. NONE: an interrupt's, or of what runs before the first task. */
static uint32_t caller_of(const struct taktp_decoder *decoder)
{
    return decoder->interrupts != 0 ? TAKT_TRACE_NONE : decoder->running;
}

static void follow(struct taktp_decoder *decoder, const struct takt_trace_record *record)
{
    if (record->event == TAKT_EVENT_RUN) {
        decoder->running = record->task;
    } else if (record->event == TAKT_EVENT_INTERRUPT) {
        decoder->interrupts++;
    } else if (record->event == TAKT_EVENT_INTERRUPT_END) {
        decoder->interrupts -= decoder->interrupts != 0;
    } else if (record->event == TAKT_EVENT_LOST_RECORDS) {
        decoder->running = TAKT_REPLAY_UNKNOWN;
        decoder->interrupts = 0;
    }
}

static struct takt_replay_event event_of(const struct taktp_decoder *decoder, const struct takt_trace_record *record)
{
    struct takt_replay_event event = {.time_ns = decoder->now_ns,
                                      .value = record->value,
                                      .task = record->task,
                                      .job = record->job,
                                      .object = record->object,
                                      .event = record->event,
                                      .band = record->band};
    if (is_wide(record->event)) {
        event.value = wide_of(record);
        event.job = TAKT_TRACE_NO_JOB;
        event.object = TAKT_TRACE_NO_OBJECT;
    } else if (record->event == TAKT_EVENT_LOG || record->event == TAKT_EVENT_LOG_WORDS) {
        event.words = wide_of(record);
        event.value = record->task;
        event.task = caller_of(decoder);
        event.job = TAKT_TRACE_NO_JOB;
        event.object = TAKT_TRACE_NO_OBJECT;
        event.band = TAKT_TRACE_NO_BAND;
    }
    return event;
}

unsigned taktp_decode_rest(struct takt_replay *replay, struct takt_replay_event *events)
{
    struct taktp_decoder *decoder = &replay->decoder;
    if (!decoder->waits) {
        return 0;
    }
    decoder->waits = false;
    events[0] = decoder->release;
    return 1;
}

/* A release, whose deadline is near, or in a record of its own. */
static unsigned release(struct taktp_decoder *decoder, const struct takt_trace_record *record,
                        struct takt_replay_event *event)
{
    uint32_t left_ns = record->object | (uint32_t)record->value << 16;
    *event = event_of(decoder, record);
    event->object = TAKT_TRACE_NO_OBJECT;
    event->value = decoder->now_ns + left_ns;
    if (left_ns != TAKT_TRACE_FAR) {
        return 1;
    }
    event->value = 0;
    decoder->release = *event;
    decoder->waits = true;
    return 0;
}

unsigned taktp_decode(struct takt_replay *replay, const uint8_t *bytes, struct takt_replay_event *events)
{
    struct taktp_decoder *decoder = &replay->decoder;
    const struct takt_trace_record record = record_of(bytes);
    if (!is_known(record.event)) {
        replay->totals.error = TAKT_REPLAY_UNKNOWN_EVENT;
        replay->totals.damage = record.event;
        return taktp_decode_rest(replay, events);
    }
    if (record.event == TAKT_EVENT_TIME) {
        if (wide_of(&record) < decoder->now_ns) {
            replay->totals.error = TAKT_REPLAY_TIME_BACK;
            replay->totals.damage = wide_of(&record);
            return taktp_decode_rest(replay, events);
        }
        decoder->now_ns = wide_of(&record);
        return 0;
    }
    if (record.event == TAKT_EVENT_DEADLINE) {
        decoder->release.value = wide_of(&record);
        return taktp_decode_rest(replay, events);
    }
    unsigned count = taktp_decode_rest(replay, events);
    if (record.event == TAKT_EVENT_LOG_WORDS) {
        events[count] = event_of(decoder, &record);
        return count + 1;
    }
    decoder->now_ns += record.delta_ns;
    if (record.event == TAKT_EVENT_RELEASE) {
        return count + release(decoder, &record, &events[count]);
    }
    follow(decoder, &record);
    events[count] = event_of(decoder, &record);
    return count + 1;
}
