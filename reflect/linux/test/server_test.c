/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two servers on this machine: what is written on one node is read on the other, whole, in order, by every reader with
 * the right.
 */
#define _GNU_SOURCE
#include "servers.h"

#define KEYS_1                                                          \
    "1111111111111111111111111111111111111111111111111111111111111111 " \
    "2222222222222222222222222222222222222222222222222222222222222222"
#define KEYS_2                                                          \
    "1111111111111111111111111111111111111111111111111111111111111111 " \
    "2222222222222222222222222222222222222222222222222222222222222223"

enum { WORDS = 500, BULK = 50000, EACH = 200 };

static char lines[4096];

/* The lines of channels, with the writer's port where they say %u. */
static const char *planned(const char *format)
{
    snprintf(lines, sizeof lines, format, ports[A], ports[A], ports[A], ports[A]);
    return lines;
}

static struct takt_writer *opened_writer(unsigned node, const char *name, uint32_t size, uint32_t depth)
{
    struct takt_writer *writer;
    use_node(node);
    CHECK_EQUAL(takt_writer_open(&writer, name, (struct takt_area_shape){size, depth}), TAKT_OK);
    return writer;
}

static struct takt_reader *opened_reader(unsigned node, const char *name)
{
    struct takt_reader *reader;
    use_node(node);
    CHECK_EQUAL(takt_reader_open(&reader, name), TAKT_OK);
    return reader;
}

static void write_words(struct takt_writer *writer, size_t count, uint32_t number)
{
    static uint32_t words[BULK];
    fill(words, count, number);
    CHECK_EQUAL(takt_writer_write(writer, words, count * sizeof *words), TAKT_OK);
}

/* Each kind of push, with keys: first a writer that is there before the servers, then others. */
static void test_kinds(void)
{
    struct takt_writer *last = opened_writer(A, "last", WORDS * 4, 8);
    write_words(last, WORDS, 7);
    CHECK_EQUAL(start_server(A, "sender 1 last last 2000 sync last 1000000 500000 0 " KEYS_1 "\n"
                                "sender 2 each each 400 sync every 1000 500000 1 " KEYS_1 "\n"
                                "sender 3 timed timed 400 async last 1000000 500000 2 " KEYS_1 "\n"
                                "sender 4 bulk bulk 200000 bulk last 1000000 0 3 " KEYS_1 "\n"),
                -1);
    CHECK_EQUAL(start_server(B, planned("receiver 1 last there 2000 8 0 0 0 127.0.0.1 %u 1 " KEYS_1 "\n"
                                        "receiver 2 each each 400 256 0 0 0 127.0.0.1 %u 1 " KEYS_1 "\n"
                                        "receiver 3 timed timed 400 8 0 0 0 127.0.0.1 %u 1 " KEYS_1 "\n"
                                        "receiver 4 bulk bulk 200000 4 0 0 0 127.0.0.1 %u 1 " KEYS_1 "\n")),
                -1);
    struct takt_reader *there = opened_reader(B, "there");
    wait_value(there, WORDS, 7);
    write_words(last, 3, 8);
    wait_value(there, 3, 8);
    takt_writer_close(last);
    last = opened_writer(A, "last", WORDS * 4, 2); /* another writer, whose numbers begin anew */
    write_words(last, WORDS, 9);
    wait_value(there, WORDS, 9);

    struct takt_writer *each = opened_writer(A, "each", 400, 256);
    struct takt_reader *order = opened_reader(B, "each");
    wait_said(B, "\"name\":\"each\",\"area\":\"each\",\"wanted\":true,\"phase\":\"active\"");
    for (uint32_t i = 1; i <= EACH; i++) {
        write_words(each, 100, i);
    }
    for (uint32_t i = 1; i <= EACH; i++) {
        uint32_t words[100];
        struct takt_area_value value;
        while (takt_reader_take(order, words, sizeof words, &value) != TAKT_OK) {
            CHECK_EQUAL(takt_reader_wait(order, takt_reflect_now() + PATIENCE_NS), TAKT_OK);
        }
        CHECK_EQUAL(words[0], (uint32_t)(i * 2654435761u));
        check_whole(words, 100);
    }
    CHECK_EQUAL(takt_reader_state(order).lost, 0);

    struct takt_writer *timed = opened_writer(A, "timed", 400, 8);
    struct takt_reader *clocked = opened_reader(B, "timed");
    write_words(timed, 100, 3);
    wait_value(clocked, 100, 3);
    uint64_t first = said(B, "values_received");
    for (uint64_t until = takt_reflect_now() + PATIENCE_NS; said(B, "values_received") < first + 5; sleep_ms(1)) {
        CHECK(takt_reflect_now() < until); /* it comes again and again, though nothing is written */
    }

    struct takt_writer *bulk = opened_writer(A, "bulk", BULK * 4, 2);
    struct takt_reader *mass = opened_reader(B, "bulk");
    for (uint32_t i = 1; i <= 5; i++) {
        write_words(bulk, BULK, i);
        wait_value(mass, BULK, i);
    }
    CHECK_EQUAL(said(A, "forged") + said(B, "forged") + said(A, "malformed") + said(B, "malformed"), 0);
    CHECK_EQUAL(said(A, "overtaken"), 0);
    unsigned long long received = said(B, "values_received"); /* first: more are on their way */
    CHECK(said(A, "values_sent") >= received);
    stop_server(A);
    stop_server(B);
    for (unsigned i = 0; i < 4; i++) {
        takt_writer_close((struct takt_writer *[]){last, each, timed, bulk}[i]);
        takt_reader_close((struct takt_reader *[]){there, order, clocked, mass}[i]);
    }
}

/* Nobody waits for a look at the areas, which comes each 50 ms: a write wakes its sender, and a value its reader.
 */
static void test_prompt(void)
{
    uint64_t least = UINT64_MAX;
    struct takt_writer *writer = opened_writer(A, "x", WORDS * 4, 8);
    CHECK_EQUAL(start_server(A, "sender 1 x x 2000 sync last 1 0 0 -\n"), -1);
    CHECK_EQUAL(start_server(B, planned("receiver 1 x x 2000 8 0 0 0 127.0.0.1 %u 1 -\n")), -1);
    struct takt_reader *reader = opened_reader(B, "x");
    write_words(writer, WORDS, 1);
    wait_value(reader, WORDS, 1);
    for (uint32_t i = 2; i < 20; i++) {
        uint64_t began = takt_reflect_now();
        write_words(writer, WORDS, i);
        wait_value(reader, WORDS, i);
        uint64_t took = takt_reflect_now() - began;
        least = took < least ? took : least;
    }
    CHECK(least < TAKT_REFLECT_LOOK_NS / 2);
    stop_server(A);
    stop_server(B);
    takt_writer_close(writer);
    takt_reader_close(reader);
}

/* A reader without a key gets nothing, and one that was not admitted gets the reason. */
static void test_refusals(void)
{
    CHECK_EQUAL(start_server(A, "sender 1 x x 2000 sync last 1000000 0 0 " KEYS_1 "\n"
                                "sender 2 y y 2000 sync last 1000000 0 1 " KEYS_1 "\n"
                                "refused 2 17 16 3\n"
                                "sender 3 z z 2000 sync last 1000000 0 2 " KEYS_1 "\n"),
                -1);
    struct takt_writer *x = opened_writer(A, "x", WORDS * 4, 8);
    struct takt_writer *z = opened_writer(A, "z", 8, 8);
    write_words(x, WORDS, 1);
    CHECK_EQUAL(start_server(B, planned("receiver 1 x x 2000 8 0 0 0 127.0.0.1 %u 1 " KEYS_2 "\n"
                                        "receiver 2 y y 2000 8 0 0 0 127.0.0.1 %u 1 " KEYS_1 "\n"
                                        "receiver 3 z z 1999 8 0 0 0 127.0.0.1 %u 1 " KEYS_1 "\n")),
                -1);
    wait_said(B, "\"verdict\":\"refused\",\"inequality\":3,\"left\":17,\"right\":16");
    wait_said(B, "\"verdict\":\"unfit\",\"inequality\":0,\"left\":2000,\"right\":1999");
    wait_said(A, "\"unfit\":8,");
    CHECK(said(A, "forged") > 0);
    CHECK(strstr(asked(B, "state\n"), "\"phase\":\"active\"") == NULL);
    CHECK_EQUAL(said(A, "blocks_sent"), 0);
    CHECK_TEXT(asked(B, "start nothing\n"), "{\"error\":\"no such channel is read or written here\"}\n");
    CHECK_TEXT(asked(B, "nonsense\n"), "{\"error\":\"no such request\"}\n");
    CHECK_TEXT(asked(B, "stop x\n"), "{}\n");
    /* A node has one server, an area one writer. */
    pid_t serving[NODES] = {servers[A], servers[B]};
    CHECK_EQUAL(start_server(A, ""), 2);
    ports[B] = free_port();
    CHECK_EQUAL(start_server(B, ""), 2);
    memcpy(servers, serving, sizeof servers);
    stop_server(B);
    CHECK_EQUAL(start_server(B, ""), -1);
    stop_server(A);
    stop_server(B);
    struct takt_writer *taken = opened_writer(B, "x", 8, 2);
    CHECK_EQUAL(start_server(B, planned("receiver 1 x x 2000 8 0 0 0 127.0.0.1 %u 1 -\n")), 2);
    takt_writer_close(taken);
    takt_writer_close(x);
    takt_writer_close(z);
}

/* Takes values in their order, up to that one; none is missing. */
static void take_up_to(struct takt_reader *reader, uint32_t *from, uint32_t last)
{
    uint64_t until = takt_reflect_now() + PATIENCE_NS;
    while (*from < last) {
        uint32_t words[100];
        struct takt_area_value value;
        CHECK(takt_reflect_now() < until);
        if (takt_reader_take(reader, words, sizeof words, &value) != TAKT_OK) {
            CHECK_EQUAL(takt_reader_wait(reader, until), TAKT_OK);
            continue;
        }
        ++*from;
        CHECK_EQUAL(words[0], (uint32_t)(*from * 2654435761u));
        check_whole(words, 100);
    }
}

#define KEPT_A "sender 5 each each 400 sync every 1000 500000 1 " KEYS_1 "\n"
#define KEPT_B "receiver 5 each each 400 256 0 0 0 127.0.0.1 %u 1 " KEYS_1 "\n"
#define MORE_A "sender 3 more more 8000 sync last 1 0 0 -\n"
#define MORE_B "receiver 3 more more 8000 4 0 0 0 127.0.0.1 %u 1 -\n"

/* Servers go on with other plans: a channel that is in both loses nothing, others begin and end. */
static void test_other_plans(void)
{
    struct takt_writer *each = opened_writer(A, "each", 400, 256);
    struct takt_writer *more = opened_writer(A, "more", 8000, 4);
    uint32_t taken = 0;
    CHECK_EQUAL(start_server(A, KEPT_A), -1);
    CHECK_EQUAL(start_server(B, planned(KEPT_B)), -1);
    struct takt_reader *order = opened_reader(B, "each");
    struct takt_reader *late = opened_reader(B, "more");
    wait_said(B, "\"phase\":\"active\"");
    for (uint32_t i = 1; i <= 40; i++) {
        write_words(each, 100, i);
        if (i % 10 == 0) { /* with a channel more before it, without it, ... */
            bool with = i % 20 != 0;
            CHECK_TEXT(asked(A, plan_of(A, with ? MORE_A KEPT_A : KEPT_A)), "{}\n");
            CHECK_TEXT(asked(B, plan_of(B, planned(with ? MORE_B KEPT_B : KEPT_B))), "{}\n");
            if (with) {
                write_words(more, 2000, i);
                wait_value(late, 2000, i);
            }
        }
    }
    take_up_to(order, &taken, 40);
    CHECK_EQUAL(takt_reader_state(order).lost, 0);
    struct takt_writer *freed = opened_writer(B, "more", 8, 2); /* the server gave the name back */
    /* What is refused changes nothing. */
    CHECK(strstr(asked(B, plan_of(B, planned(MORE_B KEPT_B))), "more has a writer") != NULL);
    CHECK(strstr(asked(B, plan_of(B, planned("receiver 5 each each 400 128 0 0 0 127.0.0.1 %u 1 -\n"))),
                 "size 400 and depth 128") != NULL);
    CHECK(strstr(asked(A, plan_of(A, "sender 5 each each\n")), "line 5 of the plan") != NULL);
    CHECK(strstr(asked(A, plan_of(B, "")), "another node") != NULL);
    write_words(each, 100, 41);
    take_up_to(order, &taken, 41);
    /* One that is no longer admitted is stopped, and its reader hears why. */
    CHECK_TEXT(asked(A, plan_of(A, KEPT_A "refused 5 9 8 2\n")), "{}\n");
    wait_said(B, "\"verdict\":\"refused\",\"inequality\":2,\"left\":9,\"right\":8");
    stop_server(A);
    stop_server(B);
    takt_writer_close(each);
    takt_writer_close(more);
    takt_writer_close(freed);
    takt_reader_close(order);
    takt_reader_close(late);
}

/* Two writers of one reader's area: after each switch it has values of the other one, and none is of both. */
static void test_switch(void)
{
    struct takt_writer *writers[2] = {opened_writer(A, "north", WORDS * 4, 8), opened_writer(A, "south", WORDS * 4, 8)};
    CHECK_EQUAL(start_server(A, "sender 1 north north 2000 async last 1000000 0 0 -\n"
                                "sender 2 south south 2000 async last 1000000 0 1 -\n"),
                -1);
    CHECK_EQUAL(start_server(B, planned("receiver 1 north view 2000 8 0 0 2000000 127.0.0.1 %u 1 -\n"
                                        "receiver 2 south view 2000 8 0 0 2000000 127.0.0.1 %u 0 -\n")),
                -1);
    struct takt_reader *view = opened_reader(B, "view");
    write_words(writers[0], WORDS, 1000);
    write_words(writers[1], WORDS, 2000);
    for (unsigned i = 0; i < 20; i++) {
        wait_value(view, WORDS, i % 2 == 0 ? 1000 : 2000);
        asked(B, i % 2 == 0 ? "start south\n" : "start north\n");
    }
    asked(B, "stop north\n");
    wait_said(B, "\"name\":\"north\",\"area\":\"view\",\"wanted\":false,\"phase\":\"idle\"");
    wait_said(B, "\"name\":\"south\",\"area\":\"view\",\"wanted\":false,\"phase\":\"idle\"");
    wait_said(A, "\"subscribed\":false");
    stop_server(A);
    stop_server(B);
    takt_writer_close(writers[0]);
    takt_writer_close(writers[1]);
    takt_reader_close(view);
}

int main(int count, char **arguments)
{
    CHECK(count == 2);
    nodes_begin(arguments[1]);
    test_prompt();
    test_kinds();
    test_refusals();
    test_switch();
    test_other_plans();
    nodes_end();
    return 0;
}
