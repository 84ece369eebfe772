/* SPDX-License-Identifier: Apache-2.0 */
/* What an application asks of a node's server here: a line through its socket (server/control.h). */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "folder.h"
#include "takt/reflect.h"

enum { LINE = 2 * TAKT_REFLECT_NAME, WITHIN_S = 1 /* for the request, and for the answer */ };

/* The socket of a node's server; -1: there is none. The path goes by the folder's descriptor, so its length is no
 * matter. */
static int connect_to(const char *node)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timeval at_most = {.tv_sec = WITHIN_S};
    struct taktr_folder folder;
    if (!taktr_folder_open(&folder)) {
        return -1;
    }
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s@", folder.descriptor, node);
    if (connection >= 0 && (setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &at_most, sizeof at_most) != 0 ||
                            setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &at_most, sizeof at_most) != 0 ||
                            connect(connection, (const struct sockaddr *)&address, sizeof address) != 0)) {
        close(connection);
        connection = -1;
    }
    taktr_folder_close(&folder);
    return connection;
}

/* Whether the server said that it is done: `{}`. */
static bool ask(int connection, const char *line, char *answer, size_t room)
{
    ssize_t length = (ssize_t)strlen(line);
    size_t got = 0;
    if (send(connection, line, (size_t)length, MSG_NOSIGNAL) != length || shutdown(connection, SHUT_WR) != 0) {
        return false;
    }
    for (ssize_t count = 1; count > 0 && got < room - 1; got += (size_t)(count > 0 ? count : 0)) {
        count = recv(connection, answer + got, room - 1 - got, 0);
    }
    answer[got] = '\0';
    return strcmp(answer, "{}\n") == 0;
}

static enum takt_status tell(const char *verb, const char *node, const char *channel)
{
    char line[LINE + 8];
    char answer[256] = "";
    if (!taktr_name_is_right(node) || !taktr_name_is_right(channel)) {
        taktr_fail(TAKT_LIMIT, "not a valid name of a node or channel");
        return TAKT_LIMIT;
    }
    int connection = connect_to(node);
    if (connection < 0) {
        taktr_fail(TAKT_STATE, "node %s has no server on this machine", node);
        return TAKT_STATE;
    }
    snprintf(line, sizeof line, "%s %s\n", verb, channel);
    bool done = ask(connection, line, answer, sizeof answer);
    close(connection);
    if (!done) {
        taktr_fail(TAKT_STATE, "%s: %s", node, answer[0] == '\0' ? "no answer" : answer);
    }
    return done ? TAKT_OK : TAKT_STATE;
}

enum takt_status takt_channel_start(const char *node, const char *channel)
{
    return tell("start", node, channel);
}

enum takt_status takt_channel_stop(const char *node, const char *channel)
{
    return tell("stop", node, channel);
}
