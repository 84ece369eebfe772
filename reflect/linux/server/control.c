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

/* Words of an error, in a string of JSON: what would end it is left out. */
static void print_error(FILE *out, const char *words)
{
    fprintf(out, "{\"error\":\"");
    for (; *words != '\0'; words++) {
        if (*words >= ' ' && *words != '"' && *words != '\\') {
            fputc(*words, out);
        }
    }
    fprintf(out, "\"}\n");
}

static void replace(FILE *out, struct takti_server *server, char *text, size_t length)
{
    struct takti_plan plan;
    if (!takti_plan_read(&plan, text, length)) {
        print_error(out, takt_reflect_error());
    } else if (!takti_channels_replace(server, &plan)) {
        print_error(out, takt_reflect_error());
        takti_plan_free(&plan);
    } else {
        fprintf(out, "{}\n");
    }
}

/* `text` ends with a zero behind its length. */
static void answer(FILE *out, struct takti_server *server, char *text, size_t length)
{
    if (strncmp(text, "takt-reflectd ", 14) == 0) {
        replace(out, server, text, length);
        return;
    }
    text[strcspn(text, "\n")] = '\0';
    bool start = strncmp(text, "start ", 6) == 0;
    if (strcmp(text, "state") == 0) {
        print_state(out, server);
    } else if (!start && strncmp(text, "stop ", 5) != 0) {
        print_error(out, "no such request");
    } else if (set_active(server, text + (start ? 6 : 5), start)) {
        fprintf(out, "{}\n");
    } else {
        print_error(out, "no such channel is read here");
    }
}

/* Reads what is asked, to its end; false: it did not come in time, or is too long. */
static bool read_request(int socket, char *text, size_t room, size_t *length)
{
    for (*length = 0; *length < room;) {
        ssize_t count = recv(socket, text + *length, room - *length, 0);
        if (count <= 0) {
            text[*length] = '\0';
            return count == 0;
        }
        *length += (size_t)count;
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
    static char request[TAKTI_PLAN_MAX + 1];
    size_t asked = 0;
    char *text = NULL;
    size_t length = 0;
    int asking = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    if (asking < 0) {
        return;
    }
    setsockopt(asking, SOL_SOCKET, SO_RCVTIMEO, &short_time, sizeof short_time);
    setsockopt(asking, SOL_SOCKET, SO_SNDTIMEO, &short_time, sizeof short_time);
    FILE *out = open_memstream(&text, &length);
    if (out != NULL && read_request(asking, request, TAKTI_PLAN_MAX, &asked)) {
        answer(out, server, request, asked);
    }
    explicit_bzero(request, asked); /* it may have had keys */
    if (out != NULL && fclose(out) == 0) {
        send_all(asking, text, length);
    }
    free(text);
    close(asking);
}
