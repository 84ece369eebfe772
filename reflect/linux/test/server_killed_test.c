/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Servers and writers are killed at any time, TAKT_CASES times, while anybody sends them anything: values go on when
 * all are there again, and are whole; in the end no name is left.
 */
#define _GNU_SOURCE
#include "servers.h"

enum { WORDS = 5000, PACKETS = 40, LARGEST = 1600 };

static char plans[NODES][256];

static _Noreturn void write_for_ever(void)
{
    static uint32_t words[WORDS];
    struct takt_writer *writer;
    use_node(A);
    CHECK_EQUAL(takt_writer_open(&writer, "x", (struct takt_area_shape){sizeof words, 8}), TAKT_OK);
    for (uint32_t number = 1;; number++) {
        fill(words, WORDS, number);
        CHECK_EQUAL(takt_writer_write(writer, words, sizeof words), TAKT_OK);
        sleep_ms(1);
    }
}

static pid_t started_writer(void)
{
    pid_t process = fork();
    CHECK(process >= 0);
    if (process == 0) {
        end_with_test();
        write_for_ever();
    }
    return process;
}

/* Packets that are none, and such as begin like ours. */
static void send_anything(int socket, unsigned node, uint64_t *state)
{
    static uint8_t bytes[LARGEST];
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_port = htons(ports[node])};
    for (unsigned i = 0; i < PACKETS; i++) {
        size_t length = check_random(state) % sizeof bytes;
        for (size_t at = 0; at < length; at++) {
            bytes[at] = (uint8_t)check_random(state);
        }
        const uint8_t head[] = {0x54, 0x6b, 1, (uint8_t)(1 + check_random(state) % 5), 1, 0, 0, 0};
        if (length >= sizeof head && check_random(state) % 2 == 0) {
            memcpy(bytes, head, sizeof head);
        }
        sendto(socket, bytes, length, 0, (const struct sockaddr *)&to, sizeof to);
    }
}

/* Two more values than there were; all that are seen are whole. */
static void check_flows(struct takt_reader *reader)
{
    static uint32_t words[WORDS];
    struct takt_area_value value;
    uint64_t until = takt_reflect_now() + PATIENCE_NS;
    uint64_t from = takt_reflect_now();
    for (unsigned seen = 0; seen < 2;) {
        CHECK(takt_reflect_now() < until);
        CHECK_EQUAL(takt_reader_wait(reader, until), TAKT_OK);
        if (takt_reader_read(reader, words, sizeof words, &value) == TAKT_OK) {
            check_whole(words, WORDS);
            seen += value.stamp.time_ns > from; /* written since, so it came through all of them */
        }
    }
}

int main(int count, char **arguments)
{
    CHECK(count == 2);
    uint64_t state = check_seed();
    const char *full = getenv("TAKT_TEST_FULL");
    unsigned kills = (unsigned)check_cases(full != NULL && *full != '\0' ? 200 : 12);
    int socket_to_all = socket(AF_INET, SOCK_DGRAM, 0);
    struct takt_reader *reader;
    nodes_begin(arguments[1]);
    snprintf(plans[A], sizeof plans[A], "sender 1 x x %zu sync last 1000000 0 0 -\n", WORDS * sizeof(uint32_t));
    snprintf(plans[B], sizeof plans[B], "receiver 1 x x %zu 8 0 0 0 127.0.0.1 %u 1 -\n", WORDS * sizeof(uint32_t),
             ports[A]);
    pid_t writer = started_writer();
    CHECK_EQUAL(start_server(A, plans[A]), -1);
    CHECK_EQUAL(start_server(B, plans[B]), -1);
    use_node(B);
    CHECK_EQUAL(takt_reader_open(&reader, "x"), TAKT_OK);
    check_flows(reader);
    for (unsigned i = 0; i < kills; i++) {
        send_anything(socket_to_all, i % 2, &state);
        sleep_ms((unsigned)(check_random(&state) % 20));
        switch (check_random(&state) % 3) {
        case 0:
            kill_server(A);
            CHECK_EQUAL(start_server(A, plans[A]), -1);
            break;
        case 1:
            kill_server(B);
            CHECK_EQUAL(start_server(B, plans[B]), -1);
            break;
        default:
            CHECK(kill(writer, SIGKILL) == 0 && waitpid(writer, NULL, 0) == writer);
            writer = started_writer();
        }
        check_flows(reader);
    }
    for (unsigned node = 0; node < NODES; node++) {
        send_anything(socket_to_all, node, &state);
        for (uint64_t until = takt_reflect_now() + PATIENCE_NS; said(node, "malformed") == 0; sleep_ms(1)) {
            CHECK(takt_reflect_now() < until); /* what is no packet is counted, and harmless */
        }
    }
    check_flows(reader);
    CHECK(kill(writer, SIGKILL) == 0 && waitpid(writer, NULL, 0) == writer);
    stop_server(A);
    stop_server(B);
    takt_reader_close(reader);
    close(socket_to_all);
    struct takt_reflect_info info;
    use_node(A);
    CHECK_EQUAL(takt_reflect_list(&info, 1), 0); /* clears away what a killed writer left */
    nodes_end();
    return 0;
}
