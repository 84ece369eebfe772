/* SPDX-License-Identifier: Apache-2.0 */
/* A server that gets the command to end does so within 0.2 s, whatever it is doing, in good order: while it waits for
 * its plan, opens areas, has requests to answer, or writes to a program that does not read. */
#define _GNU_SOURCE
#include "servers.h"

enum { TRIES = 5, AREAS = 1500, ASKING = 20, MOST_NS = 200000000 };

/* A pipe that takes nothing more. */
static int full_pipe(void)
{
    static const char much[4096];
    int ends[2];
    CHECK(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
    while (write(ends[1], much, sizeof much) > 0) {
    }
    CHECK(fcntl(ends[1], F_SETFL, 0) == 0); /* a writer blocks; its reading end stays open */
    return ends[1];
}

static int null_device(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    CHECK(null >= 0);
    return null;
}

/* Runs the server; returns where its plan goes. */
static int run_server(int says, int complains)
{
    int to[2];
    CHECK(pipe2(to, O_CLOEXEC) == 0);
    use_node(A);
    servers[A] = fork();
    CHECK(servers[A] >= 0);
    if (servers[A] == 0) {
        end_with_test();
        dup2(to[0], STDIN_FILENO);
        dup2(says, STDOUT_FILENO);
        dup2(complains, STDERR_FILENO);
        execl(program, program, (char *)NULL);
        _exit(99);
    }
    close(to[0]);
    return to[1];
}

static void send_all(int to, const char *text)
{
    for (size_t length = strlen(text); length > 0;) {
        ssize_t count = write(to, text, length);
        CHECK(count > 0);
        text += count;
        length -= (size_t)count;
    }
}

/* The plan of A with so many areas that are written here. */
static char *areas_plan(unsigned count, unsigned first)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    CHECK(out != NULL);
    fprintf(out, "takt-reflectd 1\nnode a 127.0.0.1 %u\nlink 1000000000 1500 500000 0 1392\npriority 0\n", ports[A]);
    for (unsigned i = 0; i < count; i++) {
        fprintf(out, "receiver %u r%u x%u 64 2 0 0 0 127.0.0.1 9 0 -\n", first + i, first + i, first + i);
    }
    fprintf(out, "end\n");
    CHECK(fclose(out) == 0);
    return text;
}

/* Tells it to end; how long that takes. It ends in good order, and leaves no name. */
static uint64_t end_server(void)
{
    uint64_t began = takt_reflect_now();
    stop_server(A);
    uint64_t took = takt_reflect_now() - began;
    CHECK(rmdir(use_node(A)) == 0 && mkdir(use_node(A), 0700) == 0);
    return took;
}

/* Until SIGTERM is blocked, and waited for: before that it ends the server anyhow, but not with 0. */
static void wait_blocked(void)
{
    char path[64];
    char line[128];
    unsigned long long blocked = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)servers[A]);
    for (uint64_t until = takt_reflect_now() + PATIENCE_NS; (blocked >> (SIGTERM - 1) & 1) == 0;) {
        FILE *status = fopen(path, "r");
        CHECK(status != NULL && takt_reflect_now() < until);
        while (fgets(line, sizeof line, status) != NULL) {
            sscanf(line, "SigBlk: %llx", &blocked);
        }
        fclose(status);
    }
    sleep_ms(10);
}

/* Until it has begun to open areas. */
static void wait_names(void)
{
    unsigned names = 0;
    for (uint64_t until = takt_reflect_now() + PATIENCE_NS; names < 20;) {
        DIR *folder = opendir(use_node(A));
        CHECK(folder != NULL && takt_reflect_now() < until);
        for (names = 0; readdir(folder) != NULL;) {
            names++;
        }
        closedir(folder);
    }
}

static uint64_t end_without_plan(void)
{
    int to = run_server(STDOUT_FILENO, STDERR_FILENO);
    wait_blocked();
    uint64_t took = end_server();
    close(to);
    return took;
}

static uint64_t end_in_plan(void)
{
    int to = run_server(STDOUT_FILENO, STDERR_FILENO);
    send_all(to, "takt-reflectd 1\nnode ");
    wait_blocked();
    uint64_t took = end_server();
    close(to);
    return took;
}

/* While nobody reads what it says. */
static uint64_t end_unread(int says, int complains)
{
    int to = run_server(says, complains);
    send_all(to, plan_of(A, ""));
    close(to);
    wait_said(A, "\"node\":\"a\""); /* it serves all the same */
    return end_server();
}

static uint64_t end_silent(void)
{
    static int full = -1;
    full = full < 0 ? full_pipe() : full;
    return end_unread(full, null_device());
}

static uint64_t end_uncomplaining(void)
{
    static int full = -1;
    full = full < 0 ? full_pipe() : full;
    return end_unread(null_device(), full);
}

/* While it opens areas. */
static uint64_t end_beginning(void)
{
    char *plan = areas_plan(AREAS, 1);
    int to = run_server(null_device(), STDERR_FILENO);
    send_all(to, plan);
    close(to);
    wait_names();
    uint64_t took = end_server();
    free(plan);
    return took;
}

/* While there are plans that it is to go on with, each with other areas. */
static uint64_t end_beside_plans(void)
{
    int connections[ASKING];
    char *plans[2] = {areas_plan(AREAS / 2, 1), areas_plan(AREAS / 2, 100001)};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/a@", use_node(A));
    CHECK_EQUAL(start_server(A, ""), -1);
    for (unsigned i = 0; i < ASKING; i++) {
        connections[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        CHECK(connect(connections[i], (struct sockaddr *)&address, sizeof address) == 0);
        CHECK(send(connections[i], plans[i % 2], strlen(plans[i % 2]), MSG_NOSIGNAL) > 0);
        CHECK(shutdown(connections[i], SHUT_WR) == 0);
    }
    wait_names();
    uint64_t took = end_server();
    for (unsigned i = 0; i < ASKING; i++) {
        close(connections[i]);
    }
    free(plans[0]);
    free(plans[1]);
    return took;
}

int main(int count, char **arguments)
{
    static const struct {
        const char *when;
        uint64_t (*end)(void);
    } states[] = {{"without a plan", end_without_plan},
                  {"within its plan", end_in_plan},
                  {"unread", end_silent},
                  {"with complaints unread", end_uncomplaining},
                  {"while it opens areas", end_beginning},
                  {"beside plans", end_beside_plans}};
    CHECK(count == 2);
    nodes_begin(arguments[1]);
    for (unsigned i = 0; i < sizeof states / sizeof *states; i++) {
        uint64_t least = UINT64_MAX; /* the machine may have something else to do */
        for (unsigned tries = 0; tries < TRIES && least > MOST_NS; tries++) {
            uint64_t took = states[i].end();
            least = took < least ? took : least;
        }
        printf("%-24s it ended %u us after the command to\n", states[i].when, (unsigned)(least / 1000));
        CHECK(least <= MOST_NS);
    }
    nodes_end();
    return 0;
}
