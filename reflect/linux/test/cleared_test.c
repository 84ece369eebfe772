/* SPDX-License-Identifier: Apache-2.0 */
/* Names, or the folder of them, that somebody removes while writers, readers and servers have them. */
#define _GNU_SOURCE
#include <errno.h>
#include <ftw.h>

#include "servers.h"

enum { SIZE = 64 };

static struct takt_area_value value;
static char to[SIZE];

static struct takt_writer *opened_writer(const char *name)
{
    struct takt_writer *writer;
    CHECK_EQUAL(takt_writer_open(&writer, name, (struct takt_area_shape){SIZE, 8}), TAKT_OK);
    return writer;
}

static struct takt_reader *opened_reader(const char *name)
{
    struct takt_reader *reader;
    CHECK_EQUAL(takt_reader_open(&reader, name), TAKT_OK);
    return reader;
}

static int remove_one(const char *path, const struct stat *found, int kind, struct FTW *where)
{
    (void)found, (void)kind, (void)where;
    return remove(path);
}

/* With all that is in it; a writer may make a name meanwhile. */
static void remove_folder(const char *path)
{
    for (uint64_t until = takt_reflect_now() + PATIENCE_NS; nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS) != 0;) {
        CHECK(takt_reflect_now() < until);
    }
}

static void remove_file(const char *folder, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK(unlink(path) == 0);
}

/* Writes after as long as a writer does not look. */
static enum takt_status write_later(struct takt_writer *writer, const char *text)
{
    sleep_ms(TAKT_REFLECT_LOOK_NS / 1000000 + 1);
    return takt_writer_write(writer, text, strlen(text) + 1);
}

static void check_reads(struct takt_reader *reader, const char *text)
{
    CHECK_EQUAL(takt_reader_read(reader, to, sizeof to, &value), TAKT_OK);
    CHECK_TEXT(to, text);
}

static void check_new_reader_reads(const char *text)
{
    struct takt_reader *reader = opened_reader("x");
    check_reads(reader, text);
    takt_reader_close(reader);
}

/* The name is the writer's again with its next write, and stays its alone; its readers go on undisturbed. */
static void test_files_removed(const char *folder)
{
    static const char *const removed[][2] = {{"x", NULL}, {"x~", NULL}, {"x", "x~"}};
    struct takt_writer *other;
    struct takt_writer *writer = opened_writer("x");
    struct takt_reader *before = opened_reader("x");
    for (unsigned i = 0; i < sizeof removed / sizeof *removed; i++) {
        for (unsigned j = 0; j < 2 && removed[i][j] != NULL; j++) {
            remove_file(folder, removed[i][j]);
        }
        const char text[] = {(char)('1' + i), '\0'};
        CHECK_EQUAL(write_later(writer, text), TAKT_OK);
        check_new_reader_reads(text);
        check_reads(before, text);
        CHECK_EQUAL(takt_writer_open(&other, "x", (struct takt_area_shape){SIZE, 8}), TAKT_BUSY);
    }
    CHECK_EQUAL(takt_reader_state(before).writers, 1);
    takt_reader_close(before);
    takt_writer_close(writer);
}

static void test_folder_removed(const char *folder)
{
    char aside[128];
    struct takt_writer *writer = opened_writer("x");
    struct takt_reader *before = opened_reader("x");
    remove_folder(folder);
    CHECK_EQUAL(takt_reader_wait(before, takt_reflect_now() + 2 * TAKT_REFLECT_LOOK_NS), TAKT_TIMEOUT);
    CHECK(access(folder, F_OK) != 0); /* a reader makes none */
    CHECK_EQUAL(write_later(writer, "one"), TAKT_OK);
    check_new_reader_reads("one");
    check_reads(before, "one");
    snprintf(aside, sizeof aside, "%s-aside", folder);
    CHECK(rename(folder, aside) == 0);
    CHECK_EQUAL(write_later(writer, "two"), TAKT_OK);
    check_new_reader_reads("two");
    takt_writer_close(writer);
    writer = opened_writer("x"); /* and an earlier reader finds the next one in the folder that is there now */
    CHECK_EQUAL(write_later(writer, "three"), TAKT_OK);
    sleep_ms(TAKT_REFLECT_LOOK_NS / 1000000 + 1);
    check_reads(before, "three");
    takt_reader_close(before);
    takt_writer_close(writer);
    remove_folder(aside);
}

/* Where no folder can be made, a writer says so and goes on for its readers, until there is one. */
static void test_no_folder(const char *folder)
{
    struct takt_writer *writer = opened_writer("x");
    struct takt_reader *before = opened_reader("x");
    remove_folder(folder);
    FILE *file = fopen(folder, "w");
    CHECK(file != NULL && fclose(file) == 0);
    CHECK_EQUAL(write_later(writer, "one"), TAKT_STATE);
    CHECK(strstr(takt_reflect_error(), "x: its name was removed") != NULL);
    check_reads(before, "one");
    CHECK_EQUAL(takt_writer_write(writer, "two", 4), TAKT_STATE);
    CHECK(strstr(takt_reflect_error(), folder) != NULL);
    check_reads(before, "two");
    CHECK(unlink(folder) == 0);
    CHECK_EQUAL(write_later(writer, "three"), TAKT_OK);
    check_new_reader_reads("three");
    takt_reader_close(before);
    takt_writer_close(writer);
}

/* Another writer had the name sooner: it keeps it, readers go on with it, and the first one gets an error. */
static void test_another_writer(const char *folder)
{
    struct takt_writer *first = opened_writer("x");
    struct takt_reader *before = opened_reader("x");
    remove_file(folder, "x");
    remove_file(folder, "x~");
    struct takt_writer *second = opened_writer("x");
    CHECK_EQUAL(takt_writer_write(second, "second", 7), TAKT_OK);
    CHECK_EQUAL(write_later(first, "first"), TAKT_BUSY);
    CHECK(strstr(takt_reflect_error(), "another writer") != NULL);
    check_reads(before, "second");
    takt_writer_close(first);
    check_new_reader_reads("second");
    CHECK_EQUAL(write_later(second, "again"), TAKT_OK);
    takt_reader_close(before);
    takt_writer_close(second);
}

/* A folder that was named from where the program is no longer. */
static void test_relative_path(const char *folder)
{
    char here[128];
    CHECK(getcwd(here, sizeof here) != NULL && chdir(folder) == 0 && mkdir("inner", 0700) == 0);
    CHECK(setenv("TAKT_REFLECT_FOLDER", "inner", 1) == 0);
    struct takt_writer *writer = opened_writer("x");
    struct takt_reader *reader = opened_reader("x");
    CHECK(chdir(here) == 0);
    CHECK_EQUAL(write_later(writer, "one"), TAKT_OK);
    CHECK(access("inner", F_OK) != 0);
    check_reads(reader, "one");
    takt_reader_close(reader);
    takt_writer_close(writer);
    snprintf(here, sizeof here, "%s/inner", folder);
    CHECK(rmdir(here) == 0);
    use_node(A);
}

static void write_number(struct takt_writer *writer, uint32_t number)
{
    uint32_t words[SIZE / 4];
    fill(words, SIZE / 4, number);
    CHECK_EQUAL(takt_writer_write(writer, words, sizeof words), TAKT_OK);
}

/* Both folders go while servers run: they answer again, what they write is found again, and so are writers here. */
static void test_servers(void)
{
    char receiver[128];
    struct takt_writer *writer_of_server;
    use_node(A);
    struct takt_writer *writer = opened_writer("x");
    snprintf(receiver, sizeof receiver, "receiver 1 x x 64 8 0 0 0 127.0.0.1 %u 1 -\n", ports[A]);
    CHECK_EQUAL(start_server(A, "sender 1 x x 64 sync last 1000000 0 0 -\n"), -1);
    CHECK_EQUAL(start_server(B, receiver), -1);
    use_node(B);
    struct takt_reader *before = opened_reader("x");
    write_number(writer, 1);
    wait_value(before, SIZE / 4, 1);
    for (unsigned node = 0; node < NODES; node++) {
        remove_folder(use_node(node));
        write_number(writer, 10 + node);
        wait_value(before, SIZE / 4, 10 + node); /* nothing of it is in the way of values */
        wait_said(node, "\"node\":");
    }
    use_node(B);
    struct takt_reader *after = opened_reader("x");
    wait_value(after, SIZE / 4, 11);
    takt_writer_close(writer);
    use_node(A);
    writer = opened_writer("x"); /* the server looks for it where it is now */
    write_number(writer, 20);
    wait_value(after, SIZE / 4, 20);
    wait_value(before, SIZE / 4, 20);
    remove_file(use_node(B), "x~");
    remove_file(use_node(B), "b@~");
    sleep_ms(3 * TAKT_REFLECT_LOOK_NS / 1000000);
    pid_t first = servers[B];
    uint16_t port = ports[B];
    ports[B] = free_port();
    CHECK_EQUAL(start_server(B, ""), 2); /* its name is the first one's */
    ports[B] = port;
    servers[B] = first;
    CHECK_EQUAL(takt_writer_open(&writer_of_server, "x", (struct takt_area_shape){SIZE, 8}), TAKT_BUSY);
    stop_server(A);
    stop_server(B);
    takt_writer_close(writer);
    takt_reader_close(before);
    takt_reader_close(after);
}

/* A server that cannot have its names says so, or cannot say so, serves, and has them when it can. */
static void test_server_without_folder(void)
{
    int says[2];
    const char *folder = use_node(A);
    for (unsigned heard = 0; heard < 2; heard++) {
        CHECK(pipe2(says, O_CLOEXEC) == 0);
        server_says = says[1];
        CHECK_EQUAL(start_server(A, "receiver 1 x x 64 8 0 0 0 127.0.0.1 9 1 -\n"), -1);
        if (heard == 0) {
            close(says[0]);
        }
        remove_folder(folder);
        FILE *file = fopen(folder, "w");
        CHECK(file != NULL && fclose(file) == 0);
        sleep_ms(3 * TAKT_REFLECT_LOOK_NS / 1000000);
        if (heard == 1) {
            char words[512] = "";
            CHECK(read(says[0], words, sizeof words - 1) > 0);
            CHECK(strstr(words, folder) != NULL);
            close(says[0]);
        }
        close(says[1]);
        CHECK(unlink(folder) == 0);
        wait_said(A, "\"node\":");
        stop_server(A);
    }
    server_says = STDERR_FILENO;
}

int main(int count, char **arguments)
{
    CHECK(count == 2);
    nodes_begin(arguments[1]);
    const char *folder = use_node(A);
    test_files_removed(folder);
    test_folder_removed(folder);
    test_no_folder(folder);
    test_another_writer(folder);
    test_relative_path(folder);
    test_servers();
    test_server_without_folder();
    nodes_end();
    return 0;
}
