/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All streams of one node, a thread each: writers release stamped values at their periods, readers log when they come.
 * Called by takt.reproduce.midart.runs; what it writes is read there.
 */
#include "carrier.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { ARGUMENTS = 9, URGENT = 51, ORDINARY = 50 }; /* the last two: priorities under SCHED_FIFO */
static const uint64_t WARM_NS = 50000000, QUIET_NS = 300000000;

struct head {                    /* of every value */
    uint64_t number, release_ns; /* number 0: sent before the start, so that the carrier finds its peer */
};

struct record {
    uint64_t number, release_ns, first_ns, second_ns; /* writer: before and after the call; reader: received, 0 */
};

struct line { /* a stream, its thread, and what it saw */
    struct stream stream;
    struct record *records;
    uint64_t recorded, warm, broken, failed;
    pthread_t thread;
};

static struct settings settings;
static struct line lines[STREAMS_MAX];
static uint64_t start_ns, end_ns;

uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void wait_until(uint64_t until_ns)
{
    struct timespec until = {(time_t)(until_ns / 1000000000u), (long)(until_ns % 1000000000u)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
    }
}

/* Its last byte tells whether a value came whole. */
static void fill(unsigned char *value, size_t size, uint64_t number, uint64_t release_ns)
{
    struct head head = {number, release_ns};
    memcpy(value, &head, sizeof head);
    value[size - 1] = (unsigned char)(number * 31 + size);
}

static void write_all(struct line *line, struct endpoint *endpoint, unsigned char *value)
{
    const struct stream *stream = &line->stream;
    uint64_t apart_ns = stream->period_ns > WARM_NS ? stream->period_ns : WARM_NS; /* no more often than it will be */
    for (uint64_t now = now_ns(); now + QUIET_NS < start_ns; now += apart_ns) {
        fill(value, stream->size, 0, now);
        line->warm += carrier_write(endpoint, value, stream->size);
        wait_until(now + apart_ns);
    }
    for (uint64_t number = 1; number <= stream->count; number++) {
        uint64_t release_ns = start_ns + stream->offset_ns + (number - 1) * stream->period_ns;
        if (release_ns > end_ns) {
            break;
        }
        wait_until(release_ns);
        uint64_t before_ns = now_ns();
        if (stream->period_ns == 0) {
            release_ns = before_ns;
        }
        fill(value, stream->size, number, release_ns);
        line->failed += !carrier_write(endpoint, value, stream->size);
        line->records[line->recorded++] = (struct record){number, release_ns, before_ns, now_ns()};
    }
}

static void read_all(struct line *line, struct endpoint *endpoint, unsigned char *value)
{
    const struct stream *stream = &line->stream;
    size_t size;
    while (line->recorded < stream->count && (size = carrier_read(endpoint, value, end_ns)) != 0) {
        uint64_t received_ns = now_ns();
        struct head head;
        memcpy(&head, value, sizeof head);
        if (size != stream->size || value[size - 1] != (unsigned char)(head.number * 31 + size)) {
            line->broken++;
        } else if (head.number == 0) {
            line->warm++;
        } else {
            line->records[line->recorded++] = (struct record){head.number, head.release_ns, received_ns, 0};
            if (head.number == stream->count) {
                break;
            }
        }
    }
}

static void *run(void *argument)
{
    struct line *line = argument;
    struct sched_param priority = {.sched_priority = line->stream.urgent ? URGENT : ORDINARY};
    int policy;
    struct sched_param inherited;
    pthread_getschedparam(pthread_self(), &policy, &inherited);
    if (policy == SCHED_FIFO && pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority) != 0) {
        fprintf(stderr, "%s: its priority is refused\n", line->stream.name);
    }
    struct endpoint *endpoint = carrier_open(&line->stream);
    unsigned char *value = calloc(1, VALUE_MAX);
    if (endpoint == NULL || value == NULL) {
        line->failed++;
        return NULL;
    }
    (settings.writes ? write_all : read_all)(line, endpoint, value);
    return NULL; /* memory is the process's: it ends now */
}

static bool keep(const struct line *line, const char *folder)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s.log", folder, line->stream.name);
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        perror(path);
        return false;
    }
    uint64_t head[] = {line->recorded, line->warm, line->broken, line->failed};
    bool written = fwrite(head, sizeof head, 1, file) == 1 &&
                   fwrite(line->records, sizeof *line->records, line->recorded, file) == line->recorded;
    return fclose(file) == 0 && written;
}

/* NAME:SIZE:OFFSET_NS:PERIOD_NS:COUNT:URGENT */
static bool parse(const char *text, unsigned index, struct line *line)
{
    struct stream *stream = &line->stream;
    unsigned urgent;
    int parts = sscanf(text, "%31[^:]:%zu:%" SCNu64 ":%" SCNu64 ":%" SCNu64 ":%u", stream->name, &stream->size,
                       &stream->offset_ns, &stream->period_ns, &stream->count, &urgent);
    stream->index = index;
    stream->urgent = urgent != 0;
    return parts == 6 && stream->size > sizeof(struct head) && stream->size <= VALUE_MAX && stream->count != 0;
}

int main(int count, char **words)
{
    int streams = count - ARGUMENTS;
    if (streams < 1 || streams > STREAMS_MAX) {
        fprintf(stderr, "write|read OWN OTHER SETTING BLOCK START_NS END_NS FOLDER STREAM...\n");
        return 2;
    }
    settings =
        (struct settings){words[2], words[3], words[4], strtoul(words[5], NULL, 10), strcmp(words[1], "write") == 0};
    start_ns = strtoull(words[6], NULL, 10);
    end_ns = strtoull(words[7], NULL, 10);
    for (int index = 0; index < streams; index++) {
        if (!parse(words[ARGUMENTS + index], (unsigned)index, &lines[index])) {
            fprintf(stderr, "%s: not a stream\n", words[ARGUMENTS + index]);
            return 2;
        }
        lines[index].records = calloc(lines[index].stream.count, sizeof(struct record));
        if (lines[index].records == NULL) {
            return 1;
        }
    }
    mlockall(MCL_CURRENT | MCL_FUTURE); /* where it is permitted */
    if (!carrier_start(&settings)) {
        return 1;
    }
    for (int index = 0; index < streams; index++) {
        if (pthread_create(&lines[index].thread, NULL, run, &lines[index]) != 0) {
            return 1;
        }
    }
    bool whole = true;
    for (int index = 0; index < streams; index++) {
        pthread_join(lines[index].thread, NULL);
        whole = keep(&lines[index], words[8]) && whole;
    }
    return whole ? 0 : 1;
}
