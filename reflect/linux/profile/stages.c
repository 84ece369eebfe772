/* SPDX-License-Identifier: Apache-2.0 */
#include "stages.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reflect/linux/server/stage.h"
#include "takt/pace.h"
#include "takt/reflect.h"
#include "takt/wire.h"

enum { KEPT = 4096, TRAINS = 64 };

static const char *const names[TAKTR_STAGES] = {
    "send_first", "send_next", "send_small", "receive_next", "receive_last", "receive_small",
    "hand_over",  "timer",     "memory",     "trip",         "write",        "read",
};

struct times {
    uint64_t count, least, most;
    uint64_t ns[KEPT]; /* the last of them */
};

/* Blocks of a value behind its first one. */
struct train {
    uint64_t ns, bytes, wire_bytes, blocks;
};

static struct takt_pace_link byte_a_ns; /* set before there are threads */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    uint64_t run;
    uint64_t whole; /* values that came */
    uint64_t released_ns;
    uint64_t begun_ns; /* when the pusher began with the small value `index` */
    uint64_t index;    /* of the last value that the pusher began with for the first time */
    struct times times[TAKTR_STAGES];
    struct train trains[TRAINS], train;
    uint64_t train_count, train_began_ns;
    uint32_t block; /* bytes in the first block of the last value that came */
} seen;

/* The lock is held, from here to the next line. */
static void begin(uint64_t run)
{
    memset(&seen, 0, sizeof seen);
    seen.run = run;
}

static void add(enum taktr_stage stage, uint64_t ns)
{
    struct times *times = &seen.times[stage];
    if (seen.run == 0) {
        return;
    }
    times->least = times->count == 0 || ns < times->least ? ns : times->least;
    times->most = ns > times->most ? ns : times->most;
    times->ns[times->count++ % KEPT] = ns;
}

/* From one time to another, which two threads read before they had the lock: the other may be the first. */
static uint64_t since(uint64_t from_ns, uint64_t to_ns)
{
    return to_ns > from_ns ? to_ns - from_ns : 0;
}

/* Its mark, if it is the first block of a value; else zeros. */
static struct taktr_profile_mark mark_of(const struct takt_wire_packet *packet)
{
    struct taktr_profile_mark mark = {0};
    if (packet->data.offset == 0 && packet->length >= sizeof mark) {
        memcpy(&mark, packet->payload, sizeof mark);
    }
    return mark;
}

static void sent(const struct takt_wire_packet *packet, uint64_t due_at, uint64_t cost_ns)
{
    struct taktr_profile_mark mark = mark_of(packet);
    bool again = mark.run != seen.run || mark.index <= seen.index; /* it was missed, or is of before */
    if (packet->data.total <= TAKTR_PROFILE_SMALL) {
        add(TAKTR_STAGE_SEND_SMALL, cost_ns);
    } else if (packet->data.offset == 0) {
        add(TAKTR_STAGE_SEND_FIRST, cost_ns);
    } else if (packet->data.offset + packet->length != packet->data.total) {
        add(TAKTR_STAGE_SEND_NEXT, cost_ns); /* the last block is shorter */
    }
    if (!again) {
        seen.index = mark.index;
        seen.begun_ns = packet->data.total <= TAKTR_PROFILE_SMALL ? due_at : 0;
        add(TAKTR_STAGE_HAND_OVER, since(seen.released_ns, due_at));
    }
}

uint64_t taktr_stages_wire_bytes(uint32_t block)
{
    return takt_pace_wire_ns(&byte_a_ns, TAKT_WIRE_HEAD + block + TAKT_WIRE_TAG);
}

/* How fast blocks follow the first one. */
static void follow(const struct takt_wire_packet *packet, bool whole, uint64_t now)
{
    if (packet->data.offset == 0) {
        seen.train = (struct train){0};
        seen.train_began_ns = now;
        return;
    }
    seen.train.bytes += packet->length;
    seen.train.wire_bytes += taktr_stages_wire_bytes(packet->length);
    seen.train.blocks++;
    if (whole && seen.run != 0) {
        seen.train.ns = now - seen.train_began_ns;
        seen.trains[seen.train_count++ % TRAINS] = seen.train;
    }
}

static void came(const struct takt_wire_packet *packet, bool whole, uint64_t now)
{
    struct taktr_profile_mark mark = mark_of(packet);
    bool small = packet->data.total <= TAKTR_PROFILE_SMALL;
    if (packet->channel == TAKTR_PROFILE_OUT && packet->data.offset == 0 && mark.run != seen.run) {
        begin(mark.run);
    }
    if (packet->data.offset == 0) {
        seen.block = packet->length;
    }
    if (!small) {
        follow(packet, whole, now);
    } else if (whole && packet->channel == TAKTR_PROFILE_BACK && seen.begun_ns != 0 && mark.index == seen.index) {
        add(TAKTR_STAGE_MEMORY, since(seen.begun_ns, now));
        seen.begun_ns = 0;
    }
    seen.whole += whole;
    if (whole && packet->channel == TAKTR_PROFILE_OUT) {
        seen.released_ns = now; /* it goes back */
    }
}

static void received(const struct takt_wire_packet *packet, bool whole, uint64_t cost_ns)
{
    bool small = packet->data.total <= TAKTR_PROFILE_SMALL;
    if (small && whole) {
        add(TAKTR_STAGE_RECEIVE_SMALL, cost_ns);
    } else if (whole) {
        add(TAKTR_STAGE_RECEIVE_LAST, cost_ns);
    } else if (packet->length == seen.block) {
        add(TAKTR_STAGE_RECEIVE_NEXT, cost_ns);
    }
}

/* Whether it is a value of ours, on its way there or back. */
static bool is_value(const uint8_t *bytes, size_t length, struct takt_wire_packet *packet)
{
    return length > TAKT_WIRE_TAG && takt_wire_decode(bytes, length - TAKT_WIRE_TAG, packet) &&
           packet->kind == TAKT_WIRE_DATA && packet->channel != TAKTR_PROFILE_FIGURES;
}

uint64_t taktr_stage_clock(void)
{
    struct timespec executed;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &executed);
    return (uint64_t)executed.tv_sec * 1000000000 + (uint64_t)executed.tv_nsec;
}

void taktr_stage_sent(const uint8_t *bytes, size_t length, uint64_t due_at, uint64_t began)
{
    uint64_t cost_ns = taktr_stage_clock() - began;
    struct takt_wire_packet packet;
    if (is_value(bytes, length, &packet)) {
        pthread_mutex_lock(&lock);
        sent(&packet, due_at, cost_ns);
        pthread_mutex_unlock(&lock);
    }
}

void taktr_stage_waited(uint64_t due_at)
{
    taktr_stages_add(TAKTR_STAGE_TIMER, since(due_at, takt_reflect_now()));
}

void taktr_stage_came(const uint8_t *bytes, size_t length, bool whole)
{
    uint64_t now = takt_reflect_now();
    struct takt_wire_packet packet;
    if (is_value(bytes, length, &packet)) {
        pthread_mutex_lock(&lock);
        came(&packet, whole, now);
        pthread_mutex_unlock(&lock);
    }
}

void taktr_stage_received(const uint8_t *bytes, size_t length, bool whole, uint64_t cost_ns)
{
    struct takt_wire_packet packet;
    if (is_value(bytes, length, &packet)) {
        pthread_mutex_lock(&lock);
        received(&packet, whole, cost_ns);
        pthread_mutex_unlock(&lock);
    }
}

void taktr_stages_link(const struct takt_pace_link *link)
{
    byte_a_ns = *link;
    byte_a_ns.rate_bps = UINT64_C(8000000000);
}

void taktr_stages_begin(uint64_t run)
{
    pthread_mutex_lock(&lock);
    begin(run);
    pthread_mutex_unlock(&lock);
}

void taktr_stages_add(enum taktr_stage stage, uint64_t ns)
{
    pthread_mutex_lock(&lock);
    add(stage, ns);
    pthread_mutex_unlock(&lock);
}

void taktr_stages_released(uint64_t due_at)
{
    pthread_mutex_lock(&lock);
    seen.released_ns = due_at;
    pthread_mutex_unlock(&lock);
}

static int ascending(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void print_times(FILE *out, const char *name, struct times *times, bool first)
{
    uint64_t kept = times->count < KEPT ? times->count : KEPT;
    qsort(times->ns, kept, sizeof *times->ns, ascending);
    fprintf(out,
            "%s\"%s\":{\"count\":%" PRIu64 ",\"least_ns\":%" PRIu64 ",\"median_ns\":%" PRIu64 ",\"most_ns\":%" PRIu64
            "}",
            first ? "" : ",", name, times->count, times->least, kept == 0 ? 0 : times->ns[kept / 2], times->most);
}

void taktr_stages_print(FILE *out, bool real_time)
{
    static struct times times[TAKTR_STAGES]; /* of one thread: sorting takes its time */
    static struct train trains[TRAINS];
    pthread_mutex_lock(&lock);
    uint64_t run = seen.run;
    uint64_t whole = seen.whole;
    uint64_t count = seen.train_count < TRAINS ? seen.train_count : TRAINS;
    memcpy(times, seen.times, sizeof times);
    memcpy(trains, seen.trains, sizeof trains);
    pthread_mutex_unlock(&lock);
    fprintf(out, "{\"run\":%" PRIu64 ",\"whole\":%" PRIu64 ",\"real_time\":%s,\"stages\":{", run, whole,
            real_time ? "true" : "false");
    for (unsigned i = 0; i < TAKTR_STAGES; i++) {
        print_times(out, names[i], &times[i], i == 0);
    }
    fprintf(out, "},\"trains\":[");
    for (uint64_t i = 0; i < count; i++) {
        fprintf(out, "%s{\"ns\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"wire_bytes\":%" PRIu64 ",\"blocks\":%" PRIu64 "}",
                i == 0 ? "" : ",", trains[i].ns, trains[i].bytes, trains[i].wire_bytes, trains[i].blocks);
    }
    fprintf(out, "]}");
}
