/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REFLECT_SERVERS_H
#define REFLECT_SERVERS_H

/* Two nodes on this machine, each with a folder of names and a server of its own; the program is the first argument. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

#include "names.h"
#include "takt/reflect.h"

#define PATIENCE_NS UINT64_C(30000000000) /* what has not come by then does not come */

enum { A = 0, B = 1, NODES = 2 };
static const char *const node_names[NODES] = {"a", "b"};
static const char *program;
static uint16_t ports[NODES];
static pid_t servers[NODES];
static uint64_t link_bps = 1000000000;
static int server_says = STDERR_FILENO; /* where its stderr goes */
static struct rlimit server_files;      /* how many a server may open; all 0: as many as we may */

/* A test that fails leaves nobody behind. Context: a child. */
static inline void end_with_test(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static inline void sleep_ms(unsigned ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000}, NULL);
}

/* The folder of a node's names; opens go there from now on. */
static inline const char *use_node(unsigned node)
{
    static char path[64];
    snprintf(path, sizeof path, "%s/%s", names_folder, node_names[node]);
    CHECK(setenv("TAKT_REFLECT_FOLDER", path, 1) == 0);
    return path;
}

/* A port that nobody has. */
static inline uint16_t free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    int found = socket(AF_INET, SOCK_DGRAM, 0);
    CHECK(bind(found, (struct sockaddr *)&address, length) == 0);
    CHECK(getsockname(found, (struct sockaddr *)&address, &length) == 0);
    close(found);
    return ntohs(address.sin_port);
}

static inline void nodes_begin(const char *path)
{
    program = path;
    names_begin();
    for (unsigned i = 0; i < NODES; i++) {
        CHECK(mkdir(use_node(i), 0700) == 0);
        ports[i] = free_port();
    }
}

static inline void nodes_end(void)
{
    for (unsigned i = 0; i < NODES; i++) {
        CHECK(rmdir(use_node(i)) == 0); /* no name is left */
    }
    CHECK(rmdir(names_folder) == 0);
}

/* The plan of a node, with these lines of channels. */
static inline const char *plan_of(unsigned node, const char *channels)
{
    static char plan[8192];
    int length =
        snprintf(plan, sizeof plan,
                 "takt-reflectd 1\nnode %s 127.0.0.1 %u\nlink %" PRIu64 " 1500 500000 0 1392\npriority %u\n%send\n",
                 node_names[node], ports[node], link_bps, node == A ? 50 : 0, channels);
    CHECK(length > 0 && (size_t)length < sizeof plan);
    return plan;
}

/* Runs the program with a plan: `channels` are its lines of them. Returns its exit code, or -1 once it serves. */
static inline int start_server(unsigned node, const char *channels)
{
    const char *plan = plan_of(node, channels);
    ssize_t length = (ssize_t)strlen(plan);
    char said[128];
    int to[2];
    int from[2];
    CHECK(pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0);
    use_node(node);
    servers[node] = fork();
    CHECK(servers[node] >= 0);
    if (servers[node] == 0) {
        end_with_test();
        CHECK(server_files.rlim_max == 0 || setrlimit(RLIMIT_NOFILE, &server_files) == 0);
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        dup2(server_says, STDERR_FILENO);
        execl(program, program, (char *)NULL);
        _exit(99);
    }
    close(to[0]);
    close(from[1]);
    CHECK(write(to[1], plan, (size_t)length) == length);
    close(to[1]);
    ssize_t count = read(from[0], said, sizeof said);
    close(from[0]);
    if (count > 0) {
        return -1;
    }
    int how;
    CHECK(waitpid(servers[node], &how, 0) == servers[node] && WIFEXITED(how));
    return WEXITSTATUS(how);
}

/* Asks it to end, which it does in good order. */
static inline void stop_server(unsigned node)
{
    int how;
    CHECK(kill(servers[node], SIGTERM) == 0);
    CHECK(waitpid(servers[node], &how, 0) == servers[node]);
    CHECK(WIFEXITED(how) && WEXITSTATUS(how) == 0);
}

static inline void kill_server(unsigned node)
{
    int how;
    CHECK(kill(servers[node], SIGKILL) == 0);
    CHECK(waitpid(servers[node], &how, 0) == servers[node]);
    CHECK(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL); /* not a sanitizer's word */
}

/* What the server says to a line; NULL: there is none. */
static inline const char *asked(unsigned node, const char *line)
{
    static char answer[65536];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = 0;
    int connection = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s/%s@", use_node(node), node_names[node]);
    if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0) {
        close(connection);
        return NULL;
    }
    CHECK(write(connection, line, strlen(line)) == (ssize_t)strlen(line));
    CHECK(shutdown(connection, SHUT_WR) == 0);
    for (ssize_t count = 1; count > 0; length += (size_t)count) {
        count = read(connection, answer + length, sizeof answer - 1 - length);
        CHECK(count >= 0);
    }
    close(connection);
    answer[length] = '\0';
    return answer;
}

/* The first number behind "name": in what the server says of itself. */
static inline unsigned long long said(unsigned node, const char *name)
{
    char key[64];
    const char *state = asked(node, "state\n");
    CHECK(state != NULL);
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *found = strstr(state, key);
    CHECK(found != NULL);
    return strtoull(found + strlen(key), NULL, 10);
}

/* Waits until it says so. */
static inline void wait_said(unsigned node, const char *text)
{
    uint64_t until = takt_reflect_now() + PATIENCE_NS;
    for (;;) {
        const char *state = asked(node, "state\n");
        if (state != NULL && strstr(state, text) != NULL) {
            return;
        }
        if (takt_reflect_now() > until) {
            printf("%s never said %s but %s\n", node_names[node], text, state == NULL ? "nothing" : state);
            check_failed();
        }
        sleep_ms(5);
    }
}

/* Values that show whether they are whole. */
static inline void fill(uint32_t *words, size_t count, uint32_t number)
{
    for (size_t i = 0; i < count; i++) {
        words[i] = number * 2654435761u + (uint32_t)i;
    }
}

static inline void check_whole(const uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        CHECK_EQUAL(words[i], (uint32_t)(words[0] + i));
    }
}

/* Waits until the newest value of an area is that one. */
static inline void wait_value(struct takt_reader *reader, size_t count, uint32_t number)
{
    static uint32_t words[65536];
    struct takt_area_value value;
    uint64_t until = takt_reflect_now() + PATIENCE_NS;
    do {
        CHECK(takt_reflect_now() < until);
        CHECK_EQUAL(takt_reader_wait(reader, until), TAKT_OK);
        if (takt_reader_read(reader, words, sizeof words, &value) == TAKT_OK) {
            CHECK_EQUAL(value.stamp.length, count * sizeof *words);
            check_whole(words, count);
        }
    } while (words[0] != (uint32_t)(number * 2654435761u));
}

#endif
