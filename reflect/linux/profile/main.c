/* SPDX-License-Identifier: Apache-2.0 */
/* takt-reflect-profile: a server of a node that looks at itself (seed 002, 7.2), with a plan from its standard input as
 * takt-reflectd has it. `takt reflect profile` writes the plan, and makes of what is printed what admission reads.
 *
 *   takt-reflect-profile answer                               until SIGTERM or SIGINT
 *   takt-reflect-profile measure RUN SMALL VALUES LENGTH WITHIN PATIENCE
 *
 * The answering side sends its reflected area "profile.out" as "profile.back": so values go back
 * from memory to memory. Its measurements it writes to "profile.figures". The measuring side writes SMALL values of 64
 * bytes, then VALUES of LENGTH bytes, or as many as go into WITHIN seconds, each after the last came back; and prints a
 * document: here and there (stages.h), lost, small_wire_bytes. For the first answer it waits for PATIENCE seconds.
 *
 * Exit code 2: there is something wrong with the plan; 3: the other node does not answer.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "reflect/linux/server/server.h"
#include "stages.h"

#define SECOND UINT64_C(1000000000)
#define LOST_NS (3 * SECOND) /* after that a value does not come */

enum { LOOK_MS = 50, GOOD = 0, WRONG = 2 };

static struct taktr_server server = {.folder = {.descriptor = -1}, .socket = -1, .signals = -1};

static bool read_plan(void)
{
    static char text[TAKTR_PLAN_MAX];
    size_t length = fread(text, 1, sizeof text, stdin);
    bool read = taktr_plan_read(&server.plan, text, length);
    sodium_memzero(text, sizeof text);
    return read;
}

static uint32_t document(char *text, size_t room)
{
    FILE *out = fmemopen(text, room, "w");
    taktr_stages_print(out, server.real_time);
    long length = ftell(out);
    fclose(out);
    return length < 0 ? 0 : (uint32_t)length;
}

/* Writes what was seen, whenever there is more, until a signal. */
static bool answer(void)
{
    static char text[TAKTR_PROFILE_FIGURES_BYTES], before[TAKTR_PROFILE_FIGURES_BYTES];
    struct takt_writer *figures;
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    struct pollfd signals = {.fd = signalfd(-1, &ends, SFD_CLOEXEC), .events = POLLIN};
    if (takt_writer_open(&figures, "profile.figures",
                         (struct takt_area_shape){TAKTR_PROFILE_FIGURES_BYTES, TAKTR_PROFILE_DEPTH}) != TAKT_OK) {
        return false;
    }
    printf("%s answers\n", server.plan.node);
    fflush(stdout);
    bool written = true;
    for (bool first = true; written && poll(&signals, 1, LOOK_MS) == 0; first = false) {
        taktr_channels_look(&server, first);
        uint32_t length = document(text, sizeof text);
        if (strcmp(text, before) != 0) {
            memcpy(before, text, sizeof before);
            written = takt_writer_write(figures, text, length) == TAKT_OK;
        }
    }
    takt_writer_close(figures);
    return written;
}

struct ends {
    struct takt_writer *out;
    struct takt_reader *back, *figures;
    uint8_t *value;
    uint32_t size;
};

static bool open_ends(struct ends *ends)
{
    ends->size = server.plan.senders[0].size;
    ends->value = calloc(1, ends->size);
    return ends->value != NULL &&
           takt_writer_open(&ends->out, "profile.out", (struct takt_area_shape){ends->size, TAKTR_PROFILE_DEPTH}) ==
               TAKT_OK &&
           takt_reader_open(&ends->back, "profile.back") == TAKT_OK &&
           takt_reader_open(&ends->figures, "profile.figures") == TAKT_OK;
}

static void close_ends(struct ends *ends)
{
    takt_writer_close(ends->out);
    takt_reader_close(ends->back);
    takt_reader_close(ends->figures);
    free(ends->value);
}

/* Whether the value of that mark is back before `until`. */
static bool comes_back(struct ends *ends, struct taktr_profile_mark wanted, uint64_t until)
{
    while (takt_reader_wait(ends->back, until) == TAKT_OK) {
        struct taktr_profile_mark found = {0};
        struct takt_area_value value;
        uint64_t began = takt_reflect_now();
        if (takt_reader_read(ends->back, ends->value, ends->size, &value) != TAKT_OK) {
            continue;
        }
        memcpy(&found, ends->value, sizeof found);
        if (found.run == wanted.run && found.index == wanted.index) {
            if (value.stamp.length > TAKTR_PROFILE_SMALL) {
                taktr_stages_add(TAKTR_STAGE_READ, takt_reflect_now() - began);
            }
            return true;
        }
    }
    return false;
}

/* A value goes there and comes back. False: it does not. */
static bool make_trip(struct ends *ends, struct taktr_profile_mark mark, uint32_t length, uint64_t patience_ns)
{
    memcpy(ends->value, &mark, sizeof mark);
    uint64_t began = takt_reflect_now();
    taktr_stages_released(began);
    if (takt_writer_write(ends->out, ends->value, length) != TAKT_OK) {
        return false;
    }
    if (length > TAKTR_PROFILE_SMALL) {
        taktr_stages_add(TAKTR_STAGE_WRITE, takt_reflect_now() - began);
    }
    if (!comes_back(ends, mark, began + patience_ns)) {
        return false;
    }
    if (length <= TAKTR_PROFILE_SMALL) {
        taktr_stages_add(TAKTR_STAGE_TRIP, takt_reflect_now() - began);
    }
    return true;
}

/* What the other node has seen of the run, with all values that came back; NULL: it does not come. */
static const char *figures_of(struct ends *ends, uint64_t run, uint64_t whole)
{
    static char text[TAKTR_PROFILE_FIGURES_BYTES + 1];
    uint64_t until = takt_reflect_now() + LOST_NS;
    while (takt_reader_wait(ends->figures, until) == TAKT_OK) {
        struct takt_area_value value;
        uint64_t its_run = 0;
        uint64_t its_whole = 0;
        if (takt_reader_read(ends->figures, text, TAKTR_PROFILE_FIGURES_BYTES, &value) != TAKT_OK) {
            continue;
        }
        text[value.stamp.length] = '\0';
        if (sscanf(text, "{\"run\":%" SCNu64 ",\"whole\":%" SCNu64, &its_run, &its_whole) == 2 && its_run == run &&
            its_whole >= whole) {
            return text;
        }
    }
    return NULL;
}

/* Between two trips: some 1 to 3 ms, not always the same, so that no timer's beat is in all of them. */
static void pause_between(uint64_t index)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000 + (long)(index * 7919 % 2000) * 1000}, NULL);
}

struct task {
    uint64_t run, small, values, length, within_s, patience_s;
};

static int measure(const struct task *task)
{
    struct ends ends = {0};
    uint64_t lost = 0;
    uint64_t whole = 0;
    if (!open_ends(&ends)) {
        close_ends(&ends);
        return WRONG;
    }
    taktr_channels_look(&server, true);
    uint64_t until = takt_reflect_now() + task->patience_s * SECOND;
    struct taktr_profile_mark mark = {0};
    bool there = false;
    while (!there && takt_reflect_now() < until) {
        mark.index++;
        there = make_trip(&ends, mark, TAKTR_PROFILE_SMALL, SECOND / 5);
    }
    mark = (struct taktr_profile_mark){.run = task->run};
    taktr_stages_begin(task->run);
    until = UINT64_MAX;
    for (uint64_t i = 0; there && i < task->small + task->values && takt_reflect_now() < until; i++) {
        if (i == task->small) {
            until = takt_reflect_now() + task->within_s * SECOND;
        }
        mark.index++;
        bool back = make_trip(&ends, mark, i < task->small ? TAKTR_PROFILE_SMALL : (uint32_t)task->length, LOST_NS);
        lost += !back;
        whole += back;
        pause_between(i);
    }
    const char *figures = there && whole != 0 ? figures_of(&ends, task->run, whole) : NULL;
    close_ends(&ends);
    if (figures == NULL) {
        return TAKTR_PROFILE_NO_ANSWER;
    }
    printf("{\"here\":");
    taktr_stages_print(stdout, server.real_time);
    printf(",\"there\":%s,\"lost\":%" PRIu64 ",\"small_wire_bytes\":%" PRIu64 "}\n", figures, lost,
           taktr_stages_wire_bytes(TAKTR_PROFILE_SMALL));
    return GOOD;
}

static bool read_task(struct task *task, char **words)
{
    uint64_t *numbers[] = {&task->run, &task->small, &task->values, &task->length, &task->within_s, &task->patience_s};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char *end;
        *numbers[i] = strtoull(words[i], &end, 10);
        if (*end != '\0') {
            return false;
        }
    }
    return task->length >= sizeof(struct taktr_profile_mark) && task->length <= server.plan.senders[0].size;
}

int main(int count, char **words)
{
    struct task task;
    int code = WRONG;
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    bool answers = count == 2 && strcmp(words[1], "answer") == 0;
    bool measures = count == 8 && strcmp(words[1], "measure") == 0;
    bool good = sodium_init() >= 0 && read_plan(); /* a signal ends it while it waits for its plan */
    if (answers) {
        sigprocmask(SIG_BLOCK, &ends, NULL);
    }
    good = good && (answers || measures) && server.plan.sender_count != 0 && (answers || read_task(&task, words + 2)) &&
           taktr_server_begin(&server) && taktr_channels_open(&server);
    if (good) {
        taktr_stages_link(&server.plan.link);
        taktr_server_real_time(&server);
        good = taktr_server_start(&server);
        code = !good ? WRONG : !answers ? measure(&task) : answer() ? GOOD : WRONG;
        taktr_server_end(&server);
    }
    if (code != GOOD) {
        fprintf(stderr, "takt-reflect-profile: %s\n",
                code == TAKTR_PROFILE_NO_ANSWER ? "the other node does not answer" : takt_reflect_error());
    }
    taktr_channels_close(&server);
    taktr_plan_free(&server.plan);
    return code;
}
