/* SPDX-License-Identifier: Apache-2.0 */
/* Areas by name: the rights to open them, what readers get and when, and accesses to the memory that are impossible. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

#include "names.h"
#include "takt/reflect.h"

static const struct takt_area_shape shape = {.size = 32, .depth = 4};
static struct takt_area_value value;
static char to[64];

static struct takt_writer *writer_of(const char *name)
{
    struct takt_writer *writer;
    CHECK_EQUAL(takt_writer_open(&writer, name, shape), TAKT_OK);
    return writer;
}

static struct takt_reader *reader_of(const char *name)
{
    struct takt_reader *reader;
    CHECK_EQUAL(takt_reader_open(&reader, name), TAKT_OK);
    return reader;
}

static void write_text(struct takt_writer *writer, const char *text)
{
    CHECK_EQUAL(takt_writer_write(writer, text, strlen(text) + 1), TAKT_OK);
}

static void test_names(void)
{
    static const char *const wrong[] = {
        "", ".x", "a/b", "a b", "a~", "../x", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    struct takt_writer *writer;
    struct takt_reader *reader;
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_EQUAL(takt_writer_open(&writer, wrong[i], shape), TAKT_LIMIT);
        CHECK(writer == NULL && strstr(takt_reflect_error(), "is not a valid name") != NULL);
        CHECK_EQUAL(takt_reader_open(&reader, wrong[i]), TAKT_LIMIT);
        CHECK(reader == NULL);
    }
    CHECK_EQUAL(takt_writer_open(&writer, "x", (struct takt_area_shape){0, 4}), TAKT_LIMIT);
    CHECK_EQUAL(takt_writer_open(&writer, "x", (struct takt_area_shape){1, 3}), TAKT_LIMIT);
    CHECK_EQUAL(takt_writer_open(&writer, "x", (struct takt_area_shape){1 << 26, 32}), TAKT_LIMIT);
    CHECK_TEXT(takt_reflect_error(), "size 67108864, depth 32: 2147483648 bytes, more than 1073741824");
    CHECK_EQUAL(names_count(), 0);
    struct takt_writer *longest = writer_of("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    takt_writer_close(longest);
    takt_writer_close(NULL);
    takt_reader_close(NULL);
}

static void test_one_writer(void)
{
    struct takt_writer *second;
    struct takt_writer *first = writer_of("x");
    CHECK_EQUAL(takt_writer_open(&second, "x", shape), TAKT_BUSY);
    CHECK(strstr(takt_reflect_error(), "x has a writer") != NULL);
    struct takt_writer *other = writer_of("y");
    takt_writer_close(first);
    second = writer_of("x");
    takt_writer_close(second);
    takt_writer_close(other);
}

static void test_values(void)
{
    struct takt_writer *writer = writer_of("x");
    struct takt_reader *reader = reader_of("x");
    CHECK_EQUAL(takt_reader_state(reader).shape.size, 32);
    CHECK_EQUAL(takt_reader_read(reader, to, sizeof to, &value), TAKT_EMPTY);
    CHECK_EQUAL(takt_reader_wait(reader, TAKT_REFLECT_NOW), TAKT_TIMEOUT);
    uint64_t before = takt_reflect_now();
    write_text(writer, "one");
    CHECK_EQUAL(takt_reader_wait(reader, TAKT_REFLECT_FOREVER), TAKT_OK);
    CHECK_EQUAL(takt_reader_read(reader, to, sizeof to, &value), TAKT_OK);
    CHECK_TEXT(to, "one");
    CHECK(value.number == 1 && value.stamp.length == 4 && value.stamp.source == 0);
    CHECK(value.stamp.time_ns >= before && value.stamp.time_ns <= takt_reflect_now());
    CHECK_EQUAL(takt_reader_wait(reader, TAKT_REFLECT_NOW), TAKT_TIMEOUT);
    for (char number = '2'; number <= '7'; number++) {
        write_text(writer, (const char[]){number, '\0'});
    }
    CHECK_EQUAL(takt_reader_wait(reader, TAKT_REFLECT_NOW), TAKT_OK);
    for (char number = '4'; number <= '7'; number++) {
        CHECK_EQUAL(takt_reader_take(reader, to, sizeof to, &value), TAKT_OK);
        CHECK_TEXT(to, ((const char[]){number, '\0'}));
        CHECK_EQUAL(takt_reader_wait(reader, TAKT_REFLECT_NOW), number == '7' ? TAKT_TIMEOUT : TAKT_OK);
    }
    CHECK_EQUAL(takt_reader_take(reader, to, sizeof to, &value), TAKT_EMPTY);
    CHECK_EQUAL(takt_reader_state(reader).lost, 3);
    CHECK_EQUAL(takt_reader_read(reader, to, 31, &value), TAKT_LIMIT);
    CHECK_EQUAL(takt_writer_write(writer, to, 33), TAKT_LIMIT);
    CHECK_TEXT(takt_reflect_error(), "x: 33 bytes, but its values have at most 32");
    takt_reader_close(reader);
    takt_writer_close(writer);
}

/* The reader was there first, its writer comes, ends, and another one with longer values comes. */
static void test_another_writer(void)
{
    struct takt_reader *reader = reader_of("x");
    CHECK_EQUAL(takt_reader_read(reader, to, sizeof to, &value), TAKT_EMPTY);
    CHECK_EQUAL(takt_reader_state(reader).writers, 0);
    struct takt_writer *writer = writer_of("x");
    write_text(writer, "one");
    write_text(writer, "two");
    CHECK_EQUAL(takt_reader_wait(reader, TAKT_REFLECT_FOREVER), TAKT_OK);
    CHECK_EQUAL(takt_reader_take(reader, to, sizeof to, &value), TAKT_OK);
    CHECK_TEXT(to, "one"); /* it was there when the writer began: it takes all */
    takt_writer_close(writer);
    CHECK_EQUAL(takt_reader_take(reader, to, sizeof to, &value), TAKT_OK);
    CHECK_TEXT(to, "two"); /* what a writer wrote outlives it */
    CHECK_EQUAL(takt_reader_wait(reader, takt_reflect_now() + 3 * TAKT_REFLECT_LOOK_NS), TAKT_TIMEOUT);
    CHECK_EQUAL(takt_reader_read(reader, to, sizeof to, &value), TAKT_OK);
    CHECK_EQUAL(takt_writer_open(&writer, "x", (struct takt_area_shape){48, 2}), TAKT_OK);
    write_text(writer, "three");
    CHECK_EQUAL(takt_reader_wait(reader, TAKT_REFLECT_FOREVER), TAKT_OK);
    CHECK_EQUAL(takt_reader_read(reader, to, 47, &value), TAKT_LIMIT);
    CHECK_EQUAL(takt_reader_take(reader, to, sizeof to, &value), TAKT_OK);
    CHECK_TEXT(to, "three");
    CHECK(takt_reader_state(reader).writers == 2 && takt_reader_state(reader).lost == 0);
    takt_writer_close(writer);
    takt_reader_close(reader);
}

static void *write_late(void *writer)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    write_text(writer, "late");
    return NULL;
}

static void test_waiting(void)
{
    pthread_t thread;
    struct takt_writer *writer = writer_of("x");
    struct takt_reader *reader = reader_of("x");
    CHECK(pthread_create(&thread, NULL, write_late, writer) == 0);
    CHECK_EQUAL(takt_reader_wait(reader, TAKT_REFLECT_FOREVER), TAKT_OK);
    CHECK_EQUAL(takt_reader_read(reader, to, sizeof to, &value), TAKT_OK);
    CHECK_TEXT(to, "late");
    CHECK(pthread_join(thread, NULL) == 0);
    takt_reader_close(reader);
    takt_writer_close(writer);
}

/*
 * What was there before a reader may be read, and is not taken: takt_reflect_take does not wait for it again and again.
 */
static void test_a_value_from_before(void)
{
    struct takt_writer *writer = writer_of("x");
    write_text(writer, "old");
    struct takt_reader *reader = reader_of("x");
    CHECK_EQUAL(takt_reader_wait(reader, TAKT_REFLECT_NOW), TAKT_OK);
    CHECK_EQUAL(takt_reader_take(reader, to, sizeof to, &value), TAKT_EMPTY);
    CHECK_EQUAL(takt_reader_wait(reader, TAKT_REFLECT_NOW), TAKT_TIMEOUT);
    CHECK_EQUAL(takt_reader_read(reader, to, sizeof to, &value), TAKT_OK);
    write_text(writer, "new");
    CHECK_EQUAL(takt_reader_wait(reader, TAKT_REFLECT_NOW), TAKT_OK);
    CHECK_EQUAL(takt_reader_take(reader, to, sizeof to, &value), TAKT_OK);
    CHECK_TEXT((const char *)to, "new");
    takt_reader_close(reader);
    takt_writer_close(writer);
}

/* By whatever way: readers cannot write, and nobody can make the memory shorter. */
static void test_nobody_writes(void)
{
    struct takt_writer *writer = writer_of("x");
    char path[64];
    snprintf(path, sizeof path, "%s/x", names_folder);
    int memory = open(path, O_RDWR | O_CLOEXEC);
    CHECK(memory >= 0);
    struct stat found;
    CHECK(fstat(memory, &found) == 0 && (found.st_mode & 0777) == 0600);
    size_t bytes = (size_t)found.st_size;
    CHECK(ftruncate(memory, 0) != 0 && ftruncate(memory, 2 * found.st_size) != 0);
    CHECK(pwrite(memory, path, 1, 0) < 0);
    CHECK(mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0) == MAP_FAILED);
    void *mapped = mmap(NULL, bytes, PROT_READ, MAP_SHARED, memory, 0);
    CHECK(mapped != MAP_FAILED);
    CHECK(mprotect(mapped, bytes, PROT_READ | PROT_WRITE) != 0);
    CHECK(munmap(mapped, bytes) == 0);
    close(memory);
    takt_writer_close(writer);
}

/* Links that lead to something else, as when a number of a process is used again; nothing of it is waited for or
 * mapped. */
static void test_false_links(void)
{
    char link[64];
    char target[64];
    int pipes[2];
    CHECK(pipe(pipes) == 0);
    int unsealed = memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    CHECK(unsealed >= 0 && ftruncate(unsealed, 4096) == 0); /* an area that could become shorter */
    void *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, unsealed, 0);
    struct takt_area area;
    CHECK(mapped != MAP_FAILED);
    CHECK_EQUAL(takt_area_init(&area, mapped, shape), TAKT_OK);
    CHECK(munmap(mapped, 4096) == 0);
    const int others[] = {pipes[0], unsealed, 1000};
    struct takt_writer *writer = writer_of("x"); /* has the lock of the name */
    snprintf(link, sizeof link, "%s/x", names_folder);
    for (unsigned i = 0; i < 5; i++) {
        CHECK(unlink(link) == 0);
        snprintf(target, sizeof target,
                 i < 3    ? "/proc/%d/fd/%d"
                 : i == 3 ? "/dev/zero"
                          : "/proc/%d/fd/%dx",
                 getpid(), others[i % 3]);
        CHECK(symlink(target, link) == 0);
        struct takt_reader *reader = reader_of("x");
        CHECK_EQUAL(takt_reader_read(reader, to, sizeof to, &value), TAKT_EMPTY);
        CHECK_EQUAL(takt_reader_state(reader).writers, 0);
        takt_reader_close(reader);
    }
    takt_writer_close(writer);
    close(pipes[0]);
    close(pipes[1]);
    close(unsealed);
}

/* How much this process has mapped. */
static size_t mapped_bytes(void)
{
    size_t pages = 0;
    FILE *found = fopen("/proc/self/statm", "r");
    CHECK(found != NULL && fscanf(found, "%zu", &pages) == 1 && fclose(found) == 0);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Memory of a writer gone wild, a tebibyte without a page behind it: no more of it is mapped than an area of its shape
 * has, and none if that is no shape, so a server whose memory stays is not made to fill it. */
static void test_memory_without_end(void)
{
    static const struct takt_area_shape shapes[] = {{32, 4}, {1 << 26, 4096}, {32, 0}, {0, 4}, {1 << 27, 2}};
    char link[64];
    char target[64];
    struct takt_writer *writer = writer_of("x"); /* has the lock of the name */
    snprintf(link, sizeof link, "%s/x", names_folder);
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        int memory = memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        CHECK(memory >= 0 && ftruncate(memory, (off_t)1 << 40) == 0 && fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
        struct takt_area_memory *head = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
        struct takt_area area;
        CHECK(head != MAP_FAILED);
        CHECK_EQUAL(takt_area_init(&area, head, shape), TAKT_OK);
        head->size = shapes[i].size;
        head->depth = shapes[i].depth;
        snprintf(target, sizeof target, "/proc/%d/fd/%d", getpid(), memory);
        CHECK(unlink(link) == 0 && symlink(target, link) == 0);
        size_t before = mapped_bytes();
        struct takt_reader *reader = reader_of("x");
        CHECK_EQUAL(takt_reader_state(reader).writers, i == 0);
        CHECK(mapped_bytes() - before < 1 << 20);
        takt_reader_close(reader);
        CHECK(munmap(head, 4096) == 0);
        close(memory);
    }
    takt_writer_close(writer);
}

/* A link to an area that is right, but nobody has the lock of that name: what is left of a writer that is gone. */
static void test_nobodys_link(void)
{
    char link[64];
    char other[64];
    char target[64] = {0};
    struct takt_writer *writer = writer_of("x");
    snprintf(link, sizeof link, "%s/x", names_folder);
    snprintf(other, sizeof other, "%s/y", names_folder);
    CHECK(readlink(link, target, sizeof target - 1) > 0);
    CHECK(symlink(target, other) == 0);
    struct takt_reader *reader = reader_of("y");
    CHECK_EQUAL(takt_reader_state(reader).writers, 0);
    takt_reader_close(reader);
    CHECK(unlink(other) == 0);
    takt_writer_close(writer);
}

static void test_folders(void)
{
    struct takt_writer *writer;
    struct takt_reader *reader;
    CHECK(chmod(names_folder, 0750) == 0);
    CHECK_EQUAL(takt_writer_open(&writer, "x", shape), TAKT_STATE);
    CHECK(strstr(takt_reflect_error(), "other users may access it") != NULL);
    CHECK_EQUAL(takt_reader_open(&reader, "x"), TAKT_STATE);
    CHECK_EQUAL(takt_reflect_list(NULL, 0), (unsigned long long)-1);
    CHECK(chmod(names_folder, 0700) == 0);
    CHECK(setenv("TAKT_REFLECT_FOLDER", "/proc/none/x", 1) == 0);
    CHECK_EQUAL(takt_writer_open(&writer, "x", shape), TAKT_STATE);
    CHECK(strstr(takt_reflect_error(), "/proc/none/x: No such file") != NULL);
    CHECK(setenv("TAKT_REFLECT_FOLDER", names_folder, 1) == 0);
}

static void test_list(void)
{
    struct takt_reflect_info infos[4];
    CHECK_EQUAL(takt_reflect_list(infos, 4), 0);
    struct takt_writer *first = writer_of("first");
    struct takt_writer *second = writer_of("second");
    write_text(second, "one");
    write_text(second, "two");
    CHECK_EQUAL(takt_reflect_list(infos, 1), 2);
    CHECK_EQUAL(takt_reflect_list(infos, 4), 2);
    unsigned at = strcmp(infos[0].name, "second") == 0 ? 0 : 1;
    CHECK_TEXT(infos[at].name, "second");
    CHECK_TEXT(infos[1 - at].name, "first");
    CHECK(infos[at].writer == getpid() && infos[at].shape.size == 32 && infos[at].shape.depth == 4);
    CHECK(infos[at].newest == 2 && infos[at].time_ns > 0 && infos[1 - at].newest == 0);
    takt_writer_close(first);
    CHECK_EQUAL(takt_reflect_list(infos, 4), 1);
    takt_writer_close(second);
}

int main(void)
{
    names_begin();
    test_names();
    test_one_writer();
    test_values();
    test_another_writer();
    test_waiting();
    test_a_value_from_before();
    test_nobody_writes();
    test_false_links();
    test_memory_without_end();
    test_nobodys_link();
    test_folders();
    test_list();
    names_end();
    return 0;
}
