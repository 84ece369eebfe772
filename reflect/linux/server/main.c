/* SPDX-License-Identifier: Apache-2.0 */
/* takt-reflectd: reads a plan from its standard input (plan.h), and serves it until SIGTERM or SIGINT. `takt reflectd`
 * writes the plan. Exit code 2: there is something wrong with the plan, or with what it asks for.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "clients.h"

enum { LOOK_MS = 50 };

static struct taktr_server server = {.folder = {.descriptor = -1}, .socket = -1, .signals = -1};

/* The program that writes the plan may never end it. */
static bool read_plan(void)
{
    static char text[TAKTR_PLAN_MAX];
    size_t length = 0;
    for (ssize_t count = 1; count > 0 && length < sizeof text; length += (size_t)count) {
        struct pollfd events[2] = {{.fd = server.signals, .events = POLLIN}, {.fd = STDIN_FILENO, .events = POLLIN}};
        if (poll(events, 2, -1) < 0 || events[0].revents != 0) {
            return taktr_fail_errno("the plan");
        }
        count = read(STDIN_FILENO, text + length, sizeof text - length);
        if (count < 0) {
            return taktr_fail_errno("the plan");
        }
    }
    bool read = taktr_plan_read(&server.plan, text, length);
    sodium_memzero(text, sizeof text);
    return read;
}

/* Looks for writers and answers the tool, until a signal. False: it cannot, and takt_reflect_error says why. */
static bool serve(int *listening)
{
    static struct taktr_clients clients;
    struct pollfd events[2 + TAKTR_CLIENTS] = {{.fd = server.signals, .events = POLLIN},
                                               {.fd = *listening, .events = POLLIN}};
    taktr_channels_look(&server, true);
    taktr_clients_init(&clients);
    uint64_t look_ns = takt_reflect_now();
    taktr_clients_wait(&clients, events + 2);
    int count = poll(events, 2 + TAKTR_CLIENTS, LOOK_MS);
    for (; count >= 0 && events[0].revents == 0; count = poll(events, 2 + TAKTR_CLIENTS, LOOK_MS)) {
        uint64_t now = takt_reflect_now();
        if (now >= look_ns) {
            taktr_server_look(&server);
            taktr_channels_look(&server, false);
            look_ns = now + LOOK_MS * UINT64_C(1000000);
            events[1] = (struct pollfd){.fd = taktr_control_look(&server, *listening), .events = POLLIN};
            *listening = events[1].fd;
        }
        taktr_clients_serve(&clients, &server, events + 2, now);
        if (events[1].revents != 0 && !taktr_clients_accept(&clients, *listening, now)) {
            events[1].events = 0; /* there may be a descriptor later */
        }
        taktr_clients_wait(&clients, events + 2);
    }
    bool signalled = count >= 0 || taktr_fail_errno("waiting for the tool");
    taktr_clients_close(&clients);
    return signalled;
}

static bool run(int *listening)
{
    bool started = taktr_server_start(&server);
    if (started) {
        taktr_say(STDOUT_FILENO, "%s serves %u channels out and %u in", server.plan.node, server.plan.sender_count,
                  server.plan.receiver_count);
        started = serve(listening);
    }
    taktr_server_end(&server);
    return started;
}

int main(void)
{
    sigset_t ends;
    signal(SIGPIPE, SIG_IGN); /* a reader of the output may have ended */
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    bool good = sodium_init() >= 0 && sigprocmask(SIG_BLOCK, &ends, NULL) == 0;
    server.signals = signalfd(-1, &ends, SFD_CLOEXEC);
    good = (good && server.signals >= 0) || taktr_fail_errno("to receive a command to end");
    good = good && read_plan() && taktr_server_begin(&server);
    int listening = good ? taktr_control_open(&server) : -1;
    good = good && listening >= 0 && taktr_channels_open(&server);
    if (good) {
        taktr_server_real_time(&server);
        good = run(&listening);
    }
    good |= taktr_server_signalled(&server); /* while it began */
    if (!good) {
        taktr_say(STDERR_FILENO, "%s", takt_reflect_error());
    }
    taktr_channels_close(&server);
    if (listening >= 0) {
        taktr_control_close(&server, listening);
    }
    taktr_plan_free(&server.plan);
    return good ? 0 : 2;
}
