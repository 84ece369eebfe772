/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "control.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "reflect/linux/src/lock.h"

static const char *const phases[] = {"idle", "starting", "active", "stopping", "refused"};
static const char *const verdicts[] = {"accepted", "stopped", "again", "unfit", "refused", "withheld"};

/* The path goes by the folder's descriptor, so its length is no matter. */
static struct sockaddr_un address_of(const struct taktr_server *server)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s@", server->folder.descriptor,
             server->plan.node);
    return address;
}

/* The name of the socket, in the folder. */
struct file {
    char text[TAKT_REFLECT_NAME + 1];
};

static struct file file_of(const struct taktr_server *server)
{
    struct file file;
    snprintf(file.text, sizeof file.text, "%s@", server->plan.node);
    return file;
}

static int listening_socket(struct taktr_server *server)
{
    struct stat made;
    struct sockaddr_un address = address_of(server);
    int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listening < 0) {
        taktr_fail(TAKT_STATE, "a socket for the tool: %s", strerror(errno));
        return -1;
    }
    unlink(address.sun_path);
    if (bind(listening, (const struct sockaddr *)&address, sizeof address) != 0 || chmod(address.sun_path, 0600) != 0 ||
        listen(listening, 128) != 0 ||
        fstatat(server->folder.descriptor, file_of(server).text, &made, AT_SYMLINK_NOFOLLOW) != 0) {
        taktr_fail(TAKT_STATE, "%s: %s", address.sun_path, strerror(errno));
        close(listening);
        return -1;
    }
    server->asked_at = made.st_ino;
    return listening;
}

/* Whether the name still leads to its socket, and to no other file that somebody put there. */
static bool is_there(const struct taktr_server *server)
{
    struct stat found;
    return fstatat(server->folder.descriptor, file_of(server).text, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISSOCK(found.st_mode) && found.st_ino == server->asked_at;
}

int taktr_control_open(struct taktr_server *server)
{
    server->named = taktr_name_lock(server->folder.descriptor, file_of(server).text);
    if (server->named == -1) {
        taktr_fail(TAKT_BUSY, "node %s already has a server on this machine", server->plan.node);
    }
    int listening = server->named < 0 ? -1 : listening_socket(server);
    if (listening < 0 && server->named >= 0) {
        taktr_name_free(server->folder.descriptor, file_of(server).text, server->named);
    }
    return listening;
}

/* Takes the socket's name again if it was removed. False: another server has it. */
static bool keep_name(struct taktr_server *server)
{
    int folder = server->folder.descriptor;
    if (taktr_name_is_ours(folder, file_of(server).text, server->named)) {
        return true;
    }
    int named = taktr_name_lock(folder, file_of(server).text);
    if (named >= 0) {
        taktr_lock_give(folder, NULL, server->named);
        server->named = named;
    }
    return named >= 0;
}

int taktr_control_look(struct taktr_server *server, int listening)
{
    if (!keep_name(server) || is_there(server)) {
        return listening;
    }
    int other = listening_socket(server);
    if (other < 0) {
        return listening;
    }
    close(listening);
    return other;
}

void taktr_control_close(struct taktr_server *server, int listening)
{
    taktr_name_free(server->folder.descriptor, file_of(server).text, server->named);
    close(listening);
}

static void print_counters(FILE *out, const struct taktr_server *server, const struct takt_node_counters *counters)
{
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

static void print_sender(FILE *out, struct taktr_server *server, uint32_t index)
{
    const struct taktr_plan_sender *planned = &server->plan.senders[index];
    const struct takt_node_sender *sender = &server->node.senders[index];
    const struct taktr_local *local = &server->locals[server->local_of[index]];
    pthread_mutex_lock(&server->lock);
    bool wanted = sender->internal.wanted && takt_reflect_now() < sender->internal.lease_ns;
    bool started = !sender->internal.stopped;
    uint64_t period_ns = wanted ? sender->internal.push.rule.period_ns : planned->period_ns;
    uint64_t number = sender->internal.number;
    int process = local->memory.mapped == NULL ? 0 : (int)local->memory.writer;
    pthread_mutex_unlock(&server->lock);
    fprintf(out,
            "{\"name\":\"%s\",\"area\":\"%s\",\"writer\":%d,\"unfit\":%u,\"subscribed\":%s,\"started\":%s,"
            "\"admitted\":%s,\"period_ns\":%" PRIu64 ",\"number\":%" PRIu64 "}",
            planned->name, planned->area, process, local->unfit, wanted ? "true" : "false", started ? "true" : "false",
            planned->refusal.answer.verdict == TAKT_WIRE_REFUSED ? "false" : "true", period_ns, number);
}

static void print_receiver(FILE *out, struct taktr_server *server, uint32_t index)
{
    const struct taktr_plan_receiver *planned = &server->plan.receivers[index];
    const struct takt_node_receiver *receiver = &server->node.receivers[index];
    pthread_mutex_lock(&server->lock);
    enum takt_node_phase phase = receiver->internal.phase;
    struct takt_wire_packet refusal = receiver->internal.refusal;
    bool wanted = receiver->internal.wanted;
    uint64_t have = receiver->internal.have;
    pthread_mutex_unlock(&server->lock);
    fprintf(out, "{\"name\":\"%s\",\"area\":\"%s\",\"wanted\":%s,\"phase\":\"%s\",\"number\":%" PRIu64 ",\"refusal\":",
            planned->name, planned->area, wanted ? "true" : "false", phases[phase], have);
    if (phase == TAKT_NODE_REFUSED) {
        fprintf(out, "{\"verdict\":\"%s\",\"inequality\":%u,\"left\":%" PRIu64 ",\"right\":%" PRIu64 "}}",
                verdicts[refusal.answer.verdict], refusal.answer.inequality, refusal.answer.left, refusal.answer.right);
    } else {
        fprintf(out, "null}");
    }
}

/* The lock is held for a line at a time: clients do not keep the threads from their deadlines. */
static void print_state(FILE *out, struct taktr_server *server)
{
    pthread_mutex_lock(&server->lock);
    struct takt_node_counters counters = server->node.counters;
    pthread_mutex_unlock(&server->lock);
    fprintf(out, "{\"node\":\"%s\",\"process\":%d,\"real_time\":%s,\"counters\":{", server->plan.node, (int)getpid(),
            server->real_time ? "true" : "false");
    print_counters(out, server, &counters);
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
}

static void set_receiver(struct taktr_server *server, uint32_t index, bool active)
{
    if (active) {
        takt_node_start(&server->node, index, takt_reflect_now());
    } else {
        takt_node_stop(&server->node, index, takt_reflect_now());
    }
}

static void set_sender(struct taktr_server *server, uint32_t index, bool active)
{
    if (active) {
        takt_node_sender_start(&server->node, index, takt_reflect_now());
    } else {
        takt_node_sender_stop(&server->node, index, takt_reflect_now());
    }
}

/* Starts or stops the channel of that name, at this end of it. False: neither end is here. */
static bool set_active(struct taktr_server *server, const char *name, bool active)
{
    const struct taktr_plan *plan = &server->plan; /* nobody else changes it: it is searched without the lock */
    uint32_t receiver = 0;
    uint32_t sender = 0;
    while (receiver < plan->receiver_count && strcmp(plan->receivers[receiver].name, name) != 0) {
        receiver++;
    }
    while (sender < plan->sender_count && strcmp(plan->senders[sender].name, name) != 0) {
        sender++;
    }
    pthread_mutex_lock(&server->lock);
    if (receiver < plan->receiver_count) {
        set_receiver(server, receiver, active);
    } else if (sender < plan->sender_count) {
        set_sender(server, sender, active);
    }
    pthread_mutex_unlock(&server->lock);
    taktr_wake(&server->push);
    return receiver < plan->receiver_count || sender < plan->sender_count;
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

static void replace(FILE *out, struct taktr_server *server, char *text, size_t length)
{
    struct taktr_plan plan;
    if (!taktr_plan_read(&plan, text, length)) {
        print_error(out, takt_reflect_error());
    } else if (!taktr_channels_replace(server, &plan)) {
        print_error(out, takt_reflect_error());
        taktr_plan_free(&plan);
    } else {
        fprintf(out, "{}\n");
    }
}

/* `text` ends with a zero behind its length. */
static void answer(FILE *out, struct taktr_server *server, char *text, size_t length)
{
    if (strncmp(text, "takt-reflectd ", 14) == 0) {
        replace(out, server, text, length);
        return;
    }
    size_t line = strcspn(text, "\n");
    if (line + 1 != length) { /* more than a line, a zero in it, or the begin of one by a client that died */
        print_error(out, "no such request");
        return;
    }
    text[line] = '\0';
    bool start = strncmp(text, "start ", 6) == 0;
    if (strcmp(text, "state") == 0) {
        print_state(out, server);
    } else if (!start && strncmp(text, "stop ", 5) != 0) {
        print_error(out, "no such request");
    } else if (set_active(server, text + (start ? 6 : 5), start)) {
        fprintf(out, "{}\n");
    } else {
        print_error(out, "no such channel is read or written here");
    }
}

char *taktr_control_answer(struct taktr_server *server, char *request, size_t asked, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    if (out == NULL) {
        return NULL;
    }
    answer(out, server, request, asked);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
