/* SPDX-License-Identifier: Apache-2.0 */
/* How long the lock of a server's node is held, with as many channels each way as a plan may have: processor time of
 * the thread that has it, from its lock to its unlock, so that what else runs on the machine is in no figure. Others
 * wait for it meanwhile, with priority inheritance, and what is in it is in the ages of all values.
 *
 *   locks_test [CHANNELS [MOST_US]]    prints what holds it, and for how long; fails if that is more than MOST_US
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "names.h"
#include "reflect/linux/server/control.h"

enum { ROUNDS = 3, AREA_FILES = 3, OTHER_FILES = 200 };

static struct taktr_server server = {.folder = {.descriptor = -1}, .socket = -1, .signals = -1};
static unsigned channels = 4096;
static uint64_t held_ns, since_ns; /* the longest since reset; of the one that is held */

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);

static uint64_t executed(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    int result = __real_pthread_mutex_lock(mutex);
    if (mutex == &server.lock) {
        since_ns = executed();
    }
    return result;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    if (mutex == &server.lock) {
        uint64_t ns = executed() - since_ns;
        held_ns = ns > held_ns ? ns : held_ns;
    }
    return __real_pthread_mutex_unlock(mutex);
}

/* How channels are combined. */
struct shape {
    const char *name;
    unsigned first; /* number of the first channel */
    unsigned group; /* senders of a group, receivers of an area */
    bool active;    /* receivers */
};

static char *plan_text(const struct shape *shape, size_t *length)
{
    char *text;
    FILE *out = open_memstream(&text, length);
    CHECK(out != NULL);
    fprintf(out, "takt-reflectd 1\nnode a 127.0.0.1 9\nlink 1000000000 1500 500000 0 1392\npriority 0\n");
    for (unsigned i = 0; i < channels; i++) {
        fprintf(out, "sender %u s%u w%u 64 %s last 1000000 0 %u -\n", shape->first + i, i, i / shape->group,
                i < 100 ? "sync" : "async", i);
        if (shape->group > 1) {
            fprintf(out, "group %u %u 1000000 %u\n", shape->first + i, 1 + i / shape->group, i % shape->group == 0);
        }
    }
    for (unsigned i = 0; i < channels; i++) {
        fprintf(out, "receiver %u r%u x%u 64 2 0 0 1000000 127.0.0.1 9 %d -\n", shape->first + i, i, i / shape->group,
                shape->active && i % shape->group == 0);
    }
    fprintf(out, "end\n");
    CHECK(fclose(out) == 0);
    return text;
}

static uint64_t worst_ns;

static void report(const char *what, const char *of, uint64_t ns)
{
    printf("%-40s %-12s %8.1f us\n", what, of, (double)ns / 1000);
    worst_ns = ns > worst_ns ? ns : worst_ns;
}

/* Longest hold in the best of ROUNDS. */
static void measure(const char *what, const char *of, void (*act)(unsigned round))
{
    uint64_t least = UINT64_MAX;
    for (unsigned round = 0; round < ROUNDS; round++) {
        held_ns = 0;
        act(round);
        least = held_ns < least ? held_ns : least;
    }
    report(what, of, least);
}

static const struct shape *replacing[2];

static void replace(unsigned round)
{
    size_t length;
    struct taktr_plan plan;
    char *text = plan_text(replacing[round % 2], &length);
    if (!taktr_plan_read(&plan, text, length) || !taktr_channels_replace(&server, &plan)) {
        printf("%s\n", takt_reflect_error());
        check_failed();
    }
    free(text);
}

static void ask(const char *line)
{
    char text[128];
    size_t length;
    snprintf(text, sizeof text, "%s\n", line);
    free(taktr_control_answer(&server, text, strlen(text), &length));
}

static void state(unsigned round)
{
    (void)round;
    ask("state");
}

static void turn(unsigned round)
{
    char line[64];
    snprintf(line, sizeof line, "%s s%u", round % 2 == 0 ? "stop" : "start", channels - 1);
    ask(line);
    snprintf(line, sizeof line, "%s r%u", round % 2 == 0 ? "start" : "stop", channels - 1);
    ask(line);
}

/* As the threads do it. */
static void push(unsigned round)
{
    static uint8_t bytes[65536];
    struct takt_node_address to;
    uint64_t now = takt_reflect_now() + round * 1000000000ull;
    for (unsigned i = 0; i < 100; i++) {
        pthread_mutex_lock(&server.lock);
        (void)takt_node_band(&server.node, now);
        if (takt_node_send(&server.node, bytes, &to, now) == 0) {
            (void)takt_node_until(&server.node);
        }
        pthread_mutex_unlock(&server.lock);
        now += 100000;
    }
}

/* All receivers that are wanted begin at once, or end because nobody answered, or wait until a pause is over. */
static void set_receivers(enum takt_node_phase phase, uint64_t lease_ns, uint64_t free_ns)
{
    for (uint32_t i = 0; i < server.node.receiver_count; i++) {
        struct takt_node_receiver *receiver = &server.node.receivers[i];
        bool first = i == 0 || server.reflected_of[i] != server.reflected_of[i - 1];
        receiver->internal.wanted = first;
        receiver->internal.phase = first ? phase : TAKT_NODE_IDLE;
        receiver->internal.lease_ns = lease_ns;
        receiver->internal.free_ns = free_ns;
    }
}

static void begin_all(unsigned round)
{
    set_receivers(TAKT_NODE_IDLE, 0, 0);
    push(round);
}

static void end_all(unsigned round)
{
    set_receivers(TAKT_NODE_STOPPING, 0, 0);
    push(round);
}

static void wait_all(unsigned round)
{
    set_receivers(TAKT_NODE_IDLE, 0, UINT64_MAX);
    push(round);
}

/* All senders are subscribed, and have no value. */
static void push_nothing(unsigned round)
{
    uint64_t now = takt_reflect_now();
    for (uint32_t i = 0; i < server.node.sender_count; i++) {
        struct takt_node_sender *sender = &server.node.senders[i];
        sender->internal.asked = true;
        sender->internal.period_ns = sender->period_ns;
        sender->internal.lease_ns = now + 1000000000000;
        sender->internal.free_ns = 0;
    }
    push(round);
    for (uint32_t i = 0; i < server.node.sender_count; i++) {
        server.node.senders[i].internal.lease_ns = 0;
    }
    push(round);
}

static void dispatch(unsigned round)
{
    uint64_t now = takt_reflect_now() + round * 1000000000ull;
    pthread_mutex_lock(&server.lock);
    (void)taktr_channels_written(&server, now);
    (void)takt_node_band(&server.node, now);
    (void)takt_node_promotion(&server.node, now);
    pthread_mutex_unlock(&server.lock);
}

static struct takt_writer *writers[100];

static void write_all(unsigned round)
{
    for (unsigned i = 0; i < 100; i++) {
        if (writers[i] != NULL) {
            CHECK_EQUAL(takt_writer_write(writers[i], &round, sizeof round), TAKT_OK);
        }
    }
    dispatch(round);
}

static void writers_come(unsigned round)
{
    char name[16];
    (void)round;
    for (unsigned i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "w%u", i);
        takt_writer_close(writers[i]);
        CHECK_EQUAL(takt_writer_open(&writers[i], name, (struct takt_area_shape){64, 2}), TAKT_OK);
    }
    taktr_channels_look(&server, false);
}

int main(int count, char **arguments)
{
    static const struct shape shapes[] = {{"alone", 1, 1, true},
                                          {"pairs", 1, 2, true},
                                          {"one group", 1, 100000, true},
                                          {"other numbers", 100001, 1, true}};
    channels = count > 1 ? (unsigned)strtoul(arguments[1], NULL, 10) : channels;
    uint64_t most_us = count > 2 ? strtoul(arguments[2], NULL, 10) : UINT64_MAX / 1000;
    struct rlimit files;
    CHECK(getrlimit(RLIMIT_NOFILE, &files) == 0);
    files.rlim_cur = files.rlim_max;
    CHECK(setrlimit(RLIMIT_NOFILE, &files) == 0);
    if (files.rlim_max < AREA_FILES * (rlim_t)channels + OTHER_FILES) {
        channels = (unsigned)(files.rlim_max - OTHER_FILES) / AREA_FILES;
        printf("so few files may be open that there are %u channels\n", channels);
    }
    names_begin();
    CHECK(pthread_mutex_init(&server.lock, NULL) == 0);
    size_t length;
    char *text = plan_text(&shapes[0], &length);
    CHECK(taktr_plan_read(&server.plan, text, length));
    free(text);
    CHECK(taktr_folder_open(&server.folder) && taktr_channels_open(&server));
    const unsigned pairs[][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 3}, {0, 2}};
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char of[64];
        replacing[0] = &shapes[pairs[i][0]];
        replacing[1] = &shapes[pairs[i][1]];
        snprintf(of, sizeof of, "%u/%u", pairs[i][0], pairs[i][1]);
        replace(0);
        measure("another plan", of, replace);
    }
    for (unsigned i = 0; i < 3; i++) {
        replacing[0] = &shapes[i];
        replace(0);
        measure("pushing", shapes[i].name, push);
        measure("receivers that begin", shapes[i].name, begin_all);
        measure("receivers that end", shapes[i].name, end_all);
        measure("receivers that wait", shapes[i].name, wait_all);
        measure("senders without values", shapes[i].name, push_nothing);
        measure("dispatching", shapes[i].name, dispatch);
        measure("a state", shapes[i].name, state);
        measure("starts and stops", shapes[i].name, turn);
        measure("writers that come", shapes[i].name, writers_come);
        measure("writes of 100", shapes[i].name, write_all);
    }
    for (unsigned i = 0; i < 100; i++) {
        takt_writer_close(writers[i]);
    }
    taktr_channels_close(&server);
    taktr_plan_free(&server.plan);
    taktr_folder_close(&server.folder);
    CHECK(rmdir(names_folder) == 0);
    CHECK(worst_ns <= most_us * 1000);
    return 0;
}
