/* SPDX-License-Identifier: Apache-2.0 */
/* A carrier: datagrams, a socket for each stream. `best`: the urgent stream's packets are marked for a queue with
 * bands. */
#include "carrier.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    PORT = 17000,
    EXPEDITED = 46 << 2,
    BACKGROUND = 8 << 2,
    INTERACTIVE = 6,
    BULK = 2
}; /* DSCP; linux/pkt_sched.h */

struct block {       /* in front of each */
    uint64_t number; /* of the value */
    uint32_t total, offset;
};

struct endpoint {
    int socket;
    uint64_t number; /* writer: of the last value; reader: of the one that is put together */
    uint32_t have;   /* bytes of it */
    struct sockaddr_in other;
    unsigned char datagram[sizeof(struct block) + VALUE_MAX];
};

static struct settings settings;

bool carrier_start(const struct settings *wanted)
{
    settings = *wanted;
    return true;
}

static bool mark(int socket, bool urgent)
{
    int service = urgent ? EXPEDITED : BACKGROUND, priority = urgent ? INTERACTIVE : BULK;
    /* In this order: the first sets a priority too. */
    return setsockopt(socket, IPPROTO_IP, IP_TOS, &service, sizeof service) == 0 &&
           setsockopt(socket, SOL_SOCKET, SO_PRIORITY, &priority, sizeof priority) == 0;
}

struct endpoint *carrier_open(const struct stream *stream)
{
    struct endpoint *endpoint = calloc(1, sizeof *endpoint);
    if (endpoint == NULL) {
        return NULL;
    }
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons((uint16_t)(PORT + stream->index))};
    endpoint->other = own;
    inet_pton(AF_INET, settings.own, &own.sin_addr);
    inet_pton(AF_INET, settings.other, &endpoint->other.sin_addr);
    endpoint->socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool ready = endpoint->socket >= 0 && bind(endpoint->socket, (struct sockaddr *)&own, sizeof own) == 0;
    if (ready && strcmp(settings.setting, "best") == 0) {
        ready = mark(endpoint->socket, stream->urgent);
    }
    if (!ready) {
        perror("udp");
        return NULL;
    }
    return endpoint;
}

bool carrier_write(struct endpoint *endpoint, const void *value, size_t size)
{
    size_t step = settings.block != 0 && settings.block < size ? settings.block : size;
    endpoint->number++;
    for (size_t offset = 0; offset < size; offset += step) {
        size_t length = size - offset < step ? size - offset : step;
        struct block block = {endpoint->number, (uint32_t)size, (uint32_t)offset};
        struct iovec parts[] = {{&block, sizeof block}, {(char *)(uintptr_t)value + offset, length}};
        struct msghdr message = {
            .msg_name = &endpoint->other, .msg_namelen = sizeof endpoint->other, .msg_iov = parts, .msg_iovlen = 2};
        if (sendmsg(endpoint->socket, &message, 0) < 0) {
            return false;
        }
    }
    return true;
}

/* Takes one in. The link keeps their order; of a value that misses a block nothing is handed out. */
static size_t take(struct endpoint *endpoint, unsigned char *value, size_t length)
{
    struct block block;
    if (length <= sizeof block) {
        return 0;
    }
    memcpy(&block, endpoint->datagram, sizeof block);
    length -= sizeof block;
    if (block.total > VALUE_MAX || block.offset + length > block.total) {
        return 0;
    }
    if (block.number != endpoint->number) {
        endpoint->number = block.number;
        endpoint->have = 0;
    }
    memcpy(value + block.offset, endpoint->datagram + sizeof block, length);
    endpoint->have += (uint32_t)length;
    return endpoint->have == block.total ? block.total : 0;
}

size_t carrier_read(struct endpoint *endpoint, void *value, uint64_t until_ns)
{
    for (uint64_t now = now_ns(); now < until_ns; now = now_ns()) {
        struct pollfd waiting = {endpoint->socket, POLLIN, 0};
        if (poll(&waiting, 1, (int)((until_ns - now) / 1000000u) + 1) <= 0) {
            continue;
        }
        ssize_t length = recv(endpoint->socket, endpoint->datagram, sizeof endpoint->datagram, 0);
        size_t size = length > 0 ? take(endpoint, value, (size_t)length) : 0;
        if (size != 0) {
            return size;
        }
    }
    return 0;
}
