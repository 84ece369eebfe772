/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "control.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static const char *const phases[] = {"idle", "starting", "active", "stopping", "refused"};
static const char *const verdicts[] = {"accepted", "stopped", "again", "unfit", "refused"};

/* The path goes by the folder's descriptor, so its length is no matter. */
static struct sockaddr_un address_of(const struct takti_server *server)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s@", server->folder, server->plan.node);
    return address;
}

int takti_control_open(const struct takti_server *server)
{
    struct sockaddr_un address = address_of(server);
    int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listening < 0) {
        takti_fail(TAKT_STATE, "a socket for the tool: %s", strerror(errno));
        return -1;
    }
    if (connect(listening, (const struct sockaddr *)&address, sizeof address) == 0) {
        takti_fail(TAKT_BUSY, "%s has a server already", server->plan.node);
        close(listening);
        return -1;
    }
    unlink(address.sun_path);
    if (bind(listening, (const struct sockaddr *)&address, sizeof address) != 0 || chmod(address.sun_path, 0600) != 0 ||
        listen(listening, 8) != 0) {
        takti_fail(TAKT_STATE, "%s: %s", address.sun_path, strerror(errno));
        close(listening);
        return -1;
    }
    return listening;
}

void takti_control_close(const struct takti_server *server, int listening)
{
    struct sockaddr_un address = address_of(server);
    unlink(address.sun_path);
    close(listening);
}

static void print_counters(FILE *out, const struct takti_server *server)
{
    const struct takt_node_counters *counters = &server->node.counters;
    const struct {
        const char *name;
        uint64_t count;
    } shown[] = {
        {"blocks_sent", counters->blocks_sent},
        {"values_sent", counters->values_sent},
        {"values_received", counters->values_received},
        {"overtaken", counters->overtaken},
        {"blocks_received", counters->blocks_received},
        {"subscriptions", counters->subscriptions},
        {"answers", counters->answers},
        {"malformed", counters->malformed},
        {"unknown", counters->unknown},
        {"forged", counters->forged},
        {"replayed", counters->replayed},
        {"unanswered", counters->unanswered},
        {"inactive", counters->inactive},
        {"old", counters->old},
        {"twice", counters->twice},
        {"unfit", counters->unfit},
        {"unsent", __atomic_load_n(&server->unsent, __ATOMIC_RELAXED)},
        {"dropped", __atomic_load_n(&server->dropped, __ATOMIC_RELAXED)},
    };
    for (unsigned i = 0; i < sizeof shown / sizeof *shown; i++) {
        fprintf(out, "%s\"%s\":%" PRIu64, i == 0 ? "" : ",", shown[i].name, shown[i].count);
    }
}

static void print_sender(FILE *out, const struct takti_server *server, uint32_t index)
{
    const struct takti_plan_sender *planned = &server->plan.senders[index];
    const struct takt_node_sender *sender = &server->node.senders[index];
    const struct takti_local *local = &server->locals[server->local_of[index]];
    bool wanted = sender->is.wanted && takt_reflect_now() < sender->is.lease_ns;
    fprintf(out,
            "{\"name\":\"%s\",\"area\":\"%s\",\"writer\":%d,\"unfit\":%u,\"subscribed\":%s,\"admitted\":%s,"
            "\"period_ns\":%" PRIu64 ",\"number\":%" PRIu64 "}",
            planned->name, planned->area, local->memory.mapped == NULL ? 0 : (int)local->memory.writer, local->unfit,
            wanted ? "true" : "false", planned->refusal.answer.verdict == TAKT_WIRE_REFUSED ? "false" : "true",
            wanted ? sender->is.push.rule.period_ns : planned->period_ns, sender->is.number);
}

static void print_receiver(FILE *out, const struct takti_server *server, uint32_t index)
{
    const struct takti_plan_receiver *planned = &server->plan.receivers[index];
    const struct takt_node_receiver *receiver = &server->node.receivers[index];
    bool refused = receiver->is.phase == TAKT_NODE_REFUSED;
    fprintf(out, "{\"name\":\"%s\",\"area\":\"%s\",\"wanted\":%s,\"phase\":\"%s\",\"number\":%" PRIu64 ",\"refusal\":",
            planned->name, planned->area, receiver->is.wanted ? "true" : "false", phases[receiver->is.phase],
            receiver->is.have);
    if (refused) {
        const struct takt_wire_packet *refusal = &receiver->is.refusal;
        fprintf(out, "{\"verdict\":\"%s\",\"inequality\":%u,\"left\":%" PRIu64 ",\"right\":%" PRIu64 "}}",
                verdicts[refusal->answer.verdict], refusal->answer.inequality, refusal->answer.left,
                refusal->answer.right);
    } else {
        fprintf(out, "null}");
    }
}

static void print_state(FILE *out, struct takti_server *server)
{
    pthread_mutex_lock(&server->lock);
    fprintf(out, "{\"node\":\"%s\",\"process\":%d,\"real_time\":%s,\"counters\":{", server->plan.node, (int)getpid(),
            server->real_time ? "true" : "false");
    print_counters(out, server);
    fprintf(out, "},\"senders\":[");
    for (uint32_t i = 0; i < server->node.sender_count; i++) {
        fprintf(out, i == 0 ? "" : ",");
        print_sender(out, server, i);
    }
    fprintf(out, "],\"receivers\":[");
    for (uint32_t i = 0; i < server->node.receiver_count; i++) {
        fprintf(out, i == 0 ? "" : ",");
        print_receiver(out, server, i);
    }
    fprintf(out, "]}\n");
    pthread_mutex_unlock(&server->lock);
}

/* Starts or stops the channel of that name. False: it is not read here. */
static bool set_active(struct takti_server *server, const char *name, bool active)
{
    uint32_t i = 0;
    while (i < server->node.receiver_count && strcmp(server->plan.receivers[i].name, name) != 0) {
        i++;
    }
    if (i == server->node.receiver_count) {
        return false;
    }
    pthread_mutex_lock(&server->lock);
    uint64_t now = takt_reflect_now();
    if (active) {
        takt_node_start(&server->node, i, now);
    } else {
        takt_node_stop(&server->node, i, now);
    }
    pthread_mutex_unlock(&server->lock);
    takti_kick(&server->push);
    return true;
}

static void answer(FILE *out, struct takti_server *server, const char *line)
{
    bool start = strncmp(line, "start ", 6) == 0;
    if (strcmp(line, "state") == 0) {
        print_state(out, server);
    } else if (!start && strncmp(line, "stop ", 5) != 0) {
        fprintf(out, "{\"error\":\"no such request\"}\n");
    } else if (set_active(server, line + (start ? 6 : 5), start)) {
        fprintf(out, "{}\n");
    } else {
        fprintf(out, "{\"error\":\"no such channel is read here\"}\n");
    }
}

/* Reads a line; false: none came in time. */
static bool read_line(int socket, char *line, size_t room)
{
    size_t length = 0;
    while (length < room) {
        ssize_t count = recv(socket, line + length, room - length, 0);
        if (count <= 0) {
            return false;
        }
        char *end = memchr(line + length, '\n', (size_t)count);
        if (end != NULL) {
            *end = '\0';
            return true;
        }
        length += (size_t)count;
    }
    return false;
}

static void send_all(int socket, const char *bytes, size_t length)
{
    for (size_t sent = 0; sent < length;) {
        ssize_t count = send(socket, bytes + sent, length - sent, MSG_NOSIGNAL);
        if (count <= 0) {
            return;
        }
        sent += (size_t)count;
    }
}

void takti_control_answer(struct takti_server *server, int listening)
{
    struct timeval short_time = {.tv_usec = 200000};
    char line[TAKT_REFLECT_NAME + 16];
    char *text = NULL;
    size_t length = 0;
    int asking = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    if (asking < 0) {
        return;
    }
    setsockopt(asking, SOL_SOCKET, SO_RCVTIMEO, &short_time, sizeof short_time);
    setsockopt(asking, SOL_SOCKET, SO_SNDTIMEO, &short_time, sizeof short_time);
    FILE *out = open_memstream(&text, &length);
    if (out != NULL && read_line(asking, line, sizeof line)) {
        answer(out, server, line);
    }
    if (out != NULL && fclose(out) == 0) {
        send_all(asking, text, length);
    }
    free(text);
    close(asking);
}
