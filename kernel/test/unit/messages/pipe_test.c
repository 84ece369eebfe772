/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes: bytes in their order round the end of the storage, at-least counts, waiters of both sorts, deletion. */
#include "kernel/core/kernel.h"
#include "kernel/test/support/scenario.h"

enum { ROOM = 5, NOTES = 64 };

static uint8_t storage[ROOM + 1];
static struct takt_pipe pipe_of_5;
static char notes[NOTES];

static void note(const char *text)
{
    CHECK(strlen(notes) + strlen(text) < NOTES);
    strcat(notes, text);
}

static void new_scenario(void)
{
    scenario_new();
    takt_pipe_init(&pipe_of_5, 1, storage, ROOM);
    storage[ROOM] = 77;
    notes[0] = '\0';
}

static void run(const char *expected)
{
    scenario_run(20);
    CHECK_TEXT(notes, expected);
    CHECK_EQUAL(storage[ROOM], 77);
}

static void write_is(const char *text, unsigned least, enum takt_status expected, unsigned done)
{
    struct takt_pipe_count count = {.size = (uint32_t)strlen(text), .least = least, .done = 99};
    CHECK(takt_pipe_write_until(&pipe_of_5, text, &count, TAKT_MS(4)) == expected);
    CHECK_EQUAL(count.done, done);
}

static void try_write_is(const char *text, unsigned least, enum takt_status expected, unsigned done)
{
    struct takt_pipe_count count = {.size = (uint32_t)strlen(text), .least = least, .done = 99};
    CHECK(takt_pipe_try_write(&pipe_of_5, text, &count) == expected);
    CHECK_EQUAL(count.done, done);
}

static void read_is(const char *text, unsigned size, unsigned least, enum takt_status expected)
{
    char bytes[16] = "";
    struct takt_pipe_count count = {.size = size, .least = least, .done = 99};
    CHECK(takt_pipe_read_until(&pipe_of_5, bytes, &count, TAKT_MS(4)) == expected);
    CHECK_TEXT(bytes, text);
    CHECK_EQUAL(count.done, strlen(text));
}

static void try_read_is(const char *text, unsigned size, unsigned least, enum takt_status expected)
{
    char bytes[16] = "";
    struct takt_pipe_count count = {.size = size, .least = least, .done = 99};
    CHECK(takt_pipe_try_read(&pipe_of_5, bytes, &count) == expected);
    CHECK_TEXT(bytes, text);
    CHECK_EQUAL(count.done, strlen(text));
}

static void alone(void *argument)
{
    (void)argument;
    try_read_is("", 3, 1, TAKT_BUSY);
    try_read_is("", 3, 0, TAKT_OK);
    for (unsigned round = 0; round < 6; round++) { /* every byte of the storage is the first */
        write_is("abc", 3, TAKT_OK, 3);
        try_write_is("def", 3, TAKT_BUSY, 0);
        try_write_is("def", 2, TAKT_OK, 2);
        try_write_is("f", 0, TAKT_OK, 0);
        try_write_is("f", 1, TAKT_BUSY, 0);
        try_read_is("", 9, 6, TAKT_BUSY);
        try_read_is("ab", 2, 2, TAKT_OK);
        write_is("g", 1, TAKT_OK, 1);
        read_is("cdeg", 9, 1, TAKT_OK);
    }
    write_is("abcdefg", 6, TAKT_TIMEOUT, 5); /* nobody reads */
    try_read_is("abcde", 9, 5, TAKT_OK);
    write_is("xy", 2, TAKT_OK, 2);
    read_is("xy", 9, 3, TAKT_TIMEOUT);
    note(".");
}

static void storage_alone(void)
{
    new_scenario();
    (void)scenario_named("a", 1, alone);
    run(".");
}

static void read_text(unsigned size, unsigned least, const char *name)
{
    char bytes[16] = "";
    struct takt_pipe_count count = {.size = size, .least = least};
    CHECK(takt_pipe_read(&pipe_of_5, bytes, &count) == TAKT_OK);
    CHECK_EQUAL(count.done, strlen(bytes));
    note(bytes);
    note(name);
}

static void read_4_to_6(void *argument)
{
    read_text(6, 4, argument);
}

static void read_2_to_3(void *argument)
{
    read_text(3, 2, argument);
}

static void write_to_readers(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    write_is("ab", 2, TAKT_OK, 2); /* not enough for P */
    note("1");
    write_is("c", 1, TAKT_OK, 1);
    try_write_is("defghijklmno", 12, TAKT_BUSY, 0); /* P has room for 3, Q for 3, the storage for 5 */
    try_write_is("defghijklmn", 11, TAKT_OK, 11);
    note("2");
    try_read_is("jklmn", 9, 5, TAKT_OK);
}

/* Longer than the storage: from writer to readers at once. */
static void readers_wait(void)
{
    new_scenario();
    (void)scenario_named("Q", 3, read_2_to_3);
    (void)scenario_named("P", 2, read_4_to_6);
    (void)scenario_named("w", 4, write_to_readers);
    run("1abcdefPghiQ2");
    if (TAKT_TRACE) {
        CHECK_TEXT(scenario_events(TAKT_EVENT_SEND, 0), "w1 w1 w1 w1 w1");
        CHECK_TEXT(scenario_events(TAKT_EVENT_RECEIVE, 0), "P1 P1 P1 Q1 Q1 w1");
    }
}

static void write_text(const char *text, unsigned least, const char *name)
{
    struct takt_pipe_count count = {.size = (uint32_t)strlen(text), .least = least};
    CHECK(takt_pipe_write(&pipe_of_5, text, &count) == TAKT_OK);
    note(name);
    note((const char[]){(char)('0' + count.done), '\0'});
}

static void write_8(void *argument)
{
    write_text("abcdefgh", 8, argument);
}

static void write_1_to_4(void *argument)
{
    write_text("ABCD", 1, argument);
}

static void read_from_writers(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    try_read_is("", 16, 13, TAKT_BUSY); /* 5 of p, 3 of p that waits, 4 of q */
    read_is("ab", 2, 2, TAKT_OK);
    read_is("cdefg", 5, 1, TAKT_OK);
    read_is("hABCD", 9, 5, TAKT_OK);
}

/* Room goes to the best writer; it returns once it has written enough, with what there was room for. */
static void writers_wait(void)
{
    new_scenario();
    (void)scenario_named("p", 2, write_8);
    (void)scenario_named("q", 3, write_1_to_4);
    (void)scenario_named("r", 4, read_from_writers);
    run("p8q4");
}

static void returns_deleted(void *argument)
{
    char bytes[8] = "zzzzzzz";
    bool writes = ((const char *)argument)[0] == 'w';
    struct takt_pipe_count count = {.size = 7, .least = 7};
    enum takt_status status =
        writes ? takt_pipe_write(&pipe_of_5, bytes, &count) : takt_pipe_read(&pipe_of_5, bytes, &count);
    CHECK(status == TAKT_DELETED);
    CHECK_EQUAL(count.done, writes ? 5 : 0);
    note(argument);
}

static void delete_at_2(void *argument)
{
    (void)argument;
    scenario_sleep_to(2);
    takt_pipe_delete(&pipe_of_5);
    try_read_is("", 1, 1, TAKT_BUSY);
    try_write_is("abcde", 5, TAKT_OK, 5);
    try_read_is("abc", 3, 3, TAKT_OK);
    takt_pipe_delete(&pipe_of_5);
    try_write_is("fg", 2, TAKT_OK, 2);
    try_read_is("fg", 2, 2, TAKT_OK);
}

static void deletion(void)
{
    new_scenario();
    (void)scenario_named("d", 0, delete_at_2);
    (void)scenario_named("w", 1, returns_deleted);
    run("w");
    new_scenario();
    (void)scenario_named("d", 0, delete_at_2);
    (void)scenario_named("r", 1, returns_deleted);
    (void)scenario_named("s", 2, returns_deleted);
    run("rs");
}

static uint8_t two[2];
static TAKT_PIPE_DEFINE(defined, 2, two, 2);

static void use_defined(void *argument)
{
    (void)argument;
    struct takt_pipe_count count = {.size = 3, .least = 2};
    CHECK(takt_pipe_write(&defined, "abc", &count) == TAKT_OK);
    CHECK_EQUAL(count.done, 2);
    note(".");
}

static void definition(void)
{
    new_scenario();
    (void)scenario_named("a", 1, use_defined);
    run(".");
}

int main(void)
{
    storage_alone();
    readers_wait();
    writers_wait();
    deletion();
    definition();
    return 0;
}
