/* SPDX-License-Identifier: Apache-2.0 */
/* The profiler's program: two of it, each of a node, of which one looks at what both did. The program is the first
 * argument. What is made of it: tests/reflect/test_profile_costs.py.
 */
#define _GNU_SOURCE
#include "servers.h"

enum { SMALL = 20, VALUES = 30, LENGTH = 5000, BLOCKS = 4 }; /* of 1392 bytes: the last is shorter */

static const char *const there = "sender 2 profile.back profile.out 5000 sync last 1000 0 1 -\n"
                                 "sender 3 profile.figures profile.figures 32768 sync last 1000000 0 2 -\n"
                                 "receiver 1 profile.out profile.out 5000 2 1000 0 0 127.0.0.1 %u 1 -\n";
static const char *const here = "sender 1 profile.out profile.out 5000 sync last 1000 0 0 -\n"
                                "receiver 2 profile.back profile.back 5000 2 1000 0 0 127.0.0.1 %u 1 -\n"
                                "receiver 3 profile.figures profile.figures 32768 2 1000 0 0 127.0.0.1 %u 1 -\n";

/* Starts the program of a node; what it prints is read from what is returned. */
static int start(unsigned node, const char *channels, char **words)
{
    const char *plan = plan_of(node, channels);
    int to[2];
    int from[2];
    CHECK(pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0);
    use_node(node);
    servers[node] = fork();
    CHECK(servers[node] >= 0);
    if (servers[node] == 0) {
        end_with_test();
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        execv(program, words);
        _exit(99);
    }
    close(to[0]);
    close(from[1]);
    CHECK(write(to[1], plan, strlen(plan)) == (ssize_t)strlen(plan));
    close(to[1]);
    return from[0];
}

static int start_answering(void)
{
    char channels[1024];
    char said[64];
    char *words[] = {(char *)(uintptr_t)program, (char *)(uintptr_t) "answer", NULL};
    snprintf(channels, sizeof channels, there, ports[A]);
    int from = start(B, channels, words);
    CHECK(read(from, said, sizeof said) > 0);
    return from;
}

/* Its exit code; what it printed is in `text`. */
static int measure(const char *run, const char *patience, char *text, size_t room)
{
    char channels[1024];
    char numbers[4][16];
    char *words[9] = {(char *)(uintptr_t)program, (char *)(uintptr_t) "measure", (char *)(uintptr_t)run};
    const unsigned values[] = {SMALL, VALUES, LENGTH, 30};
    for (unsigned i = 0; i < 4; i++) {
        snprintf(numbers[i], sizeof numbers[i], "%u", values[i]);
        words[3 + i] = numbers[i];
    }
    words[7] = (char *)(uintptr_t)patience;
    snprintf(channels, sizeof channels, here, ports[B], ports[B]);
    int from = start(A, channels, words);
    size_t length = 0;
    for (ssize_t count = 1; count > 0; length += (size_t)count) {
        count = read(from, text + length, room - 1 - length);
        CHECK(count >= 0);
    }
    text[length] = '\0';
    close(from);
    int how;
    CHECK(waitpid(servers[A], &how, 0) == servers[A] && WIFEXITED(how));
    return WEXITSTATUS(how);
}

/* The number behind "name": that comes first after `from`. */
static unsigned long long number(const char *from, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *found = from == NULL ? NULL : strstr(from, key);
    CHECK(found != NULL);
    return strtoull(found + strlen(key), NULL, 10);
}

/* How often a stage was seen by one side, and that its times ascend. */
static unsigned long long seen(const char *side, const char *stage)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\":{", stage);
    const char *found = strstr(side, key);
    CHECK(found != NULL);
    unsigned long long least = number(found, "least_ns");
    unsigned long long median = number(found, "median_ns");
    CHECK(least <= median && median <= number(found, "most_ns"));
    return number(found, "count");
}

/* Something is seen so often; a value in ten may be sent twice, when a subscription says that it is missing. */
static void about(unsigned long long count, unsigned expected)
{
    if (count < expected || count > expected + expected / 10) {
        fprintf(stderr, "%llu seen, expected %u\n", count, expected);
    }
    CHECK(count >= expected && count <= expected + expected / 10);
}

static void test_each_stage_is_seen(void)
{
    static char text[1 << 17];
    int answering = start_answering();
    CHECK(measure("7", "20", text, sizeof text) == 0);
    const char *other = strstr(text, "\"there\":");
    CHECK(other != NULL && number(text, "lost") == 0 && number(text, "run") == 7 && number(other, "run") == 7);
    const char *const sides[] = {text, other};
    for (unsigned i = 0; i < 2; i++) {
        about(seen(sides[i], "send_small"), SMALL);
        about(seen(sides[i], "send_first"), VALUES);
        about(seen(sides[i], "send_next"), VALUES * (BLOCKS - 2));
        about(seen(sides[i], "receive_small"), SMALL);
        about(seen(sides[i], "receive_last"), VALUES);
        about(seen(sides[i], "receive_next"), VALUES * (BLOCKS - 1));
        about(seen(sides[i], "hand_over"), SMALL + VALUES);
        CHECK(seen(sides[i], "timer") > 0); /* pacing */
    }
    about(seen(text, "memory"), SMALL);
    CHECK(seen(text, "trip") == SMALL && seen(text, "write") == VALUES && seen(text, "read") == VALUES);
    CHECK(seen(other, "memory") == 0 && seen(other, "trip") == 0);
    about(number(other, "whole"), SMALL + VALUES);
    CHECK(number(other, "blocks") == BLOCKS - 1 && number(other, "bytes") == LENGTH - 1392);
    CHECK(number(text, "small_wire_bytes") == 64 + 80 + 28 + 38); /* heads of ours, of IP and UDP, and of Ethernet */
    /* Another run has nothing of the one before. */
    CHECK(measure("8", "20", text, sizeof text) == 0);
    other = strstr(text, "\"there\":");
    CHECK(other != NULL && number(other, "run") == 8);
    about(seen(other, "receive_small"), SMALL);
    stop_server(B);
    close(answering);
}

static void test_nobody_answers(void)
{
    static char text[1024];
    CHECK(measure("7", "1", text, sizeof text) == 3 && text[0] == '\0');
}

int main(int count, char **words)
{
    CHECK(count == 2);
    link_bps = 100000000; /* so that pacing waits between blocks, however slow this machine is */
    nodes_begin(words[1]);
    test_each_stage_is_seen();
    test_nobody_answers();
    nodes_end();
    return 0;
}
