/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bus udp_multicast above a stand-in for Linux's calls on datagrams: under the cases of all drivers, and with calls
 * that fail. That its datagrams are those of python-can is tested with that (tests/canbus).
 */
#include "library/can/host/udp_multicast.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "library/can/host/packed.h"
#include "net/can/test/queue/controller_cases.h"

enum { RECEIVER = 1000, SENDER = 1001, QUEUE_MAX = 200, OWN_PORT = 40000 };

struct datagram {
    uint8_t bytes[400];
    size_t count;
    in_port_t port; /* it comes from */
};

struct queue {
    struct datagram all[QUEUE_MAX];
    unsigned first, count;
};

static struct takt_udp_multicast driver;
static struct queue arrived, other; /* at the socket, and at another program */
static bool receives, sends, joined;
static int time_to_live;
static unsigned opens, closes;
static struct sockaddr_in bound, connected;
static const char *failing;
static int failing_error;

int __wrap_socket(int domain, int type, int protocol);
int __wrap_setsockopt(int descriptor, int level, int option, const void *value, socklen_t size);
int __wrap_bind(int descriptor, const struct sockaddr *address, socklen_t size);
int __wrap_connect(int descriptor, const struct sockaddr *address, socklen_t size);
int __wrap_getsockname(int descriptor, struct sockaddr *address, socklen_t *size);
ssize_t __wrap_send(int descriptor, const void *data, size_t size, int flags);
ssize_t __wrap_recvfrom(int descriptor, void *data, size_t size, int flags, struct sockaddr *from, socklen_t *from_size);
int __wrap_close(int descriptor);

static bool fails(const char *call)
{
    errno = failing_error;
    return failing != NULL && strcmp(failing, call) == 0;
}

static void put(struct queue *queue, const struct datagram *datagram)
{
    CHECK(queue->count < QUEUE_MAX);
    queue->all[(queue->first + queue->count++) % QUEUE_MAX] = *datagram;
}

static bool take(struct queue *queue, struct datagram *datagram)
{
    if (queue->count == 0) {
        return false;
    }
    *datagram = queue->all[queue->first];
    queue->first = (queue->first + 1) % QUEUE_MAX;
    queue->count--;
    return true;
}

int __wrap_socket(int domain, int type, int protocol)
{
    CHECK(domain == AF_INET && protocol == 0);
    CHECK((type & SOCK_DGRAM) != 0 && (type & SOCK_NONBLOCK) != 0 && (type & SOCK_CLOEXEC) != 0);
    if (fails("socket") || (receives && fails("second socket"))) {
        return -1;
    }
    opens++;
    time_to_live = receives ? 1 : time_to_live;
    bool second = receives;
    receives = true;
    sends = sends || second;
    return second ? SENDER : RECEIVER;
}

int __wrap_setsockopt(int descriptor, int level, int option, const void *value, socklen_t size)
{
    if (level == IPPROTO_IP && option == IP_ADD_MEMBERSHIP) {
        const struct ip_mreq *membership = value;
        CHECK(descriptor == RECEIVER && size == sizeof *membership);
        CHECK_EQUAL(membership->imr_multiaddr.s_addr, inet_addr("239.74.163.2"));
        joined = !fails("join");
        return joined ? 0 : -1;
    }
    if (level == IPPROTO_IP && option == IP_MULTICAST_TTL) {
        CHECK_EQUAL(descriptor, SENDER);
        time_to_live = *(const int *)value;
    }
    return 0;
}

int __wrap_bind(int descriptor, const struct sockaddr *address, socklen_t size)
{
    CHECK(descriptor == RECEIVER && size == sizeof bound);
    memcpy(&bound, address, sizeof bound);
    return fails("bind") ? -1 : 0;
}

int __wrap_connect(int descriptor, const struct sockaddr *address, socklen_t size)
{
    CHECK(descriptor == SENDER && size == sizeof connected);
    memcpy(&connected, address, sizeof connected);
    return fails("connect") ? -1 : 0;
}

int __wrap_getsockname(int descriptor, struct sockaddr *address, socklen_t *size)
{
    const struct sockaddr_in own = {
        .sin_family = AF_INET, .sin_port = htons(OWN_PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    CHECK(descriptor == SENDER && *size == sizeof own);
    memcpy(address, &own, sizeof own);
    return 0;
}

ssize_t __wrap_send(int descriptor, const void *data, size_t size, int flags)
{
    struct datagram datagram = {.count = size, .port = htons(OWN_PORT)};
    CHECK(descriptor == SENDER && sends && flags == 0 && size <= sizeof datagram.bytes);
    if (fails("send")) {
        return -1;
    }
    memcpy(datagram.bytes, data, size);
    put(&other, &datagram);
    put(&arrived, &datagram); /* the group has this machine in it */
    return (ssize_t)size;
}

ssize_t __wrap_recvfrom(int descriptor, void *data, size_t size, int flags, struct sockaddr *from, socklen_t *from_size)
{
    struct datagram datagram;
    CHECK(descriptor == RECEIVER && receives && flags == 0);
    if (!take(&arrived, &datagram)) {
        errno = EAGAIN;
        return -1;
    }
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = datagram.port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    CHECK(*from_size == sizeof address);
    memcpy(from, &address, sizeof address);
    size_t count = datagram.count < size ? datagram.count : size; /* the rest is gone */
    memcpy(data, datagram.bytes, count);
    return (ssize_t)count;
}

int __wrap_close(int descriptor)
{
    bool *open = descriptor == RECEIVER ? &receives : &sends;
    CHECK((descriptor == RECEIVER || descriptor == SENDER) && *open);
    *open = joined = false;
    closes++;
    return 0;
}

static void begin_at(const char *interface, bool fd)
{
    if (receives) {
        driver.socket.controller.calls->stop(&driver.socket.controller);
    }
    memset(&arrived, 0, sizeof arrived);
    memset(&other, 0, sizeof other);
    failing = NULL;
    takt_udp_multicast_init(&driver, interface, fd);
}

static void begin(void)
{
    begin_at("udp_multicast:239.74.163.2", true);
}

static void run(void)
{
}

static bool seen(struct takt_can_frame *frame)
{
    struct datagram datagram;
    return take(&other, &datagram) && takt_can_unpack(datagram.bytes, datagram.count, frame);
}

static void give(const struct takt_can_frame *frame)
{
    struct datagram datagram = {.port = htons(TAKT_UDP_MULTICAST_PORT)};
    datagram.count = takt_can_pack(frame, datagram.bytes);
    put(&arrived, &datagram);
}

/* What is sent is sent at once, there are no errors, and each event makes the socket readable. */
static const struct controller_bench multicast = {
    .controller = &driver.socket.controller, .begin = begin, .run = run, .seen = seen, .give = give};

static enum takt_status start(void)
{
    return driver.socket.controller.calls->start(&driver.socket.controller);
}

static bool received(struct takt_can_frame *frame)
{
    return driver.socket.controller.calls->receive(&driver.socket.controller, frame);
}

static void test_addresses(void)
{
    static const char *const none[] = {"udp_multicast:", "udp_multicast:192.168.1.1", "udp_multicast:239.74.163.2:0",
                                       "udp_multicast:239.74.163.2:70000", "udp_multicast:239.74.163.2000000000"};
    begin();
    CHECK_EQUAL(start(), TAKT_OK);
    CHECK_EQUAL(time_to_live, 0); /* nothing leaves the machine */
    CHECK(joined);
    CHECK_EQUAL(ntohs(bound.sin_port), 43113);
    CHECK_EQUAL(ntohs(connected.sin_port), 43113);
    CHECK_EQUAL(bound.sin_addr.s_addr, inet_addr("239.74.163.2"));
    begin_at("udp_multicast:239.74.163.2:5000", true);
    CHECK_EQUAL(start(), TAKT_OK);
    CHECK_EQUAL(ntohs(connected.sin_port), 5000);
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++) {
        begin_at(none[i], true);
        opens = 0;
        CHECK_EQUAL(start(), TAKT_REFUSED);
        CHECK_EQUAL(driver.socket.error, EINVAL);
        CHECK_EQUAL(opens, 0);
    }
}

static void test_refused_calls(void)
{
    static const char *const calls[] = {"socket", "bind", "join", "second socket", "connect"};
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        begin();
        opens = closes = 0;
        failing = calls[i];
        failing_error = ENODEV;
        CHECK_EQUAL(start(), TAKT_REFUSED);
        CHECK_EQUAL(driver.socket.error, ENODEV);
        CHECK_EQUAL(opens, closes);
        CHECK(driver.socket.descriptor == -1);
        load(0, frame_of(0x100, 1)); /* nothing: it is stopped */
        CHECK(!driver.socket.loaded);
    }
}

/* A frame that the system does not take is sent later, once; own ones are not received. */
static void test_no_room(void)
{
    struct takt_can_frame found, given = frame_of(0x101, 2);
    started();
    failing = "send";
    failing_error = ENOBUFS;
    load(0, frame_of(0x100, 1));
    expect_no_event();
    CHECK(driver.socket.loaded && !driver.socket.written);
    failing = NULL;
    expect_event(TAKT_CAN_MAILBOX_SENT, 0);
    expect_no_event();
    expect_seen(frame_of(0x100, 1));
    expect_silence();
    give(&given);
    CHECK(received(&found));
    CHECK(takt_can_frame_equals(&found, &given));
    CHECK(!received(&found));
}

static void test_datagrams(void)
{
    struct takt_can_frame found, fd = {.shape = {.fd = true, .dlc = 15}, .id = 0x102}, given = frame_of(0x103, 2);
    struct datagram datagram = {.port = htons(9)};
    started();
    put(&arrived, &datagram); /* empty */
    datagram.count = sizeof datagram.bytes;
    datagram.bytes[0] = 0x80;
    put(&arrived, &datagram); /* longer than a frame */
    give(&fd);
    give(&given);
    CHECK(received(&found));
    CHECK(takt_can_frame_equals(&found, &fd));
    CHECK(received(&found));
    CHECK_EQUAL(found.id, 0x103);
    begin_at("udp_multicast:239.74.163.2", false); /* classic frames alone */
    CHECK_EQUAL(start(), TAKT_OK);
    give(&fd);
    give(&given);
    CHECK(received(&found));
    CHECK_EQUAL(found.id, 0x103);
    for (unsigned i = 0; i < TAKT_CAN_SOCKET_RECEIVED + 20; i++) {
        given.id = i;
        give(&given);
    }
    for (unsigned i = 0; i < TAKT_CAN_SOCKET_RECEIVED + 20; i++) { /* what there is no room for waits in the system */
        expect_no_event();
        CHECK(received(&found));
        CHECK_EQUAL(found.id, i);
    }
    CHECK(!received(&found));
    driver.socket.controller.calls->stop(&driver.socket.controller);
}

int main(void)
{
    takt_udp_multicast_init(&driver, "udp_multicast:239.74.163.2", true);
    controller_cases(&multicast);
    test_addresses();
    test_refused_calls();
    test_no_room();
    test_datagrams();
    return 0;
}
