/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that fork: a name is of the process that opened it, and of no child, whichever ends first. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "names.h"
#include "reflect/linux/src/lock.h"
#include "takt/reflect.h"

enum { FORKS = 100 };

static const struct takt_area_shape shape = {.size = 32, .depth = 4};
static struct takt_writer *writer;

static pid_t forked(void (*child)(void))
{
    pid_t process = fork();
    CHECK(process >= 0);
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(20);
        child();
        _exit(0);
    }
    return process;
}

static void join(pid_t process)
{
    int how;
    CHECK(waitpid(process, &how, 0) == process);
    CHECK(WIFEXITED(how) && WEXITSTATUS(how) == 0);
}

static void open_x(void)
{
    CHECK_EQUAL(takt_writer_open(&writer, "x", shape), TAKT_OK);
}

static void find_x_taken(void)
{
    struct takt_writer *other;
    CHECK_EQUAL(takt_writer_open(&other, "x", shape), TAKT_BUSY);
}

static void check_taken(void)
{
    join(forked(find_x_taken));
}

static _Noreturn void sleep_for_ever(void)
{
    for (;;) {
        pause();
    }
}

static int to_child[2], tells[2]; /* pipes: to the child's child, and from it */

/* Opens the name, and has a child that opens it on command. */
static void open_and_fork(void)
{
    char word = 'x';
    open_x();
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        alarm(20);
        close(to_child[1]);
        CHECK(write(tells[1], &word, 1) == 1 && read(to_child[0], &word, 1) == 1);
        open_x();
        takt_writer_close(writer);
        CHECK(write(tells[1], &word, 1) == 1 && read(to_child[0], &word, 1) == 0);
        _exit(0);
    }
    sleep_for_ever();
}

/* The one that opened it is killed: the name is free, for its child too, though that lives. */
static void test_a_child_that_stays(void)
{
    char word;
    CHECK(pipe(to_child) == 0 && pipe(tells) == 0);
    pid_t child = forked(open_and_fork);
    CHECK(read(tells[0], &word, 1) == 1);
    check_taken();
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
    close(tells[1]);
    CHECK(write(to_child[1], &word, 1) == 1 && read(tells[0], &word, 1) == 1);
    open_x();
    check_taken();
    takt_writer_close(writer);
    close(to_child[0]), close(to_child[1]), close(tells[0]);
}

/* Whether this process has memory of a writer that it can write. */
static bool has_writable(void)
{
    char line[512];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps) != NULL) {
        found |= strstr(line, "rw-s") != NULL && strstr(line, "memfd:takt") != NULL;
    }
    fclose(maps);
    return found;
}

/* What a child does with the writer that its parent opened. */
static void use_parents(void)
{
    CHECK(!has_writable());
    CHECK_EQUAL(takt_writer_write(writer, "child", 6), TAKT_STATE);
    CHECK(strstr(takt_reflect_error(), "x: it was opened by the parent") != NULL);
    find_x_taken();
    takt_writer_close(writer);
    find_x_taken();
    CHECK_EQUAL(takt_writer_open(&writer, "y", shape), TAKT_OK);
    CHECK(has_writable());
    CHECK_EQUAL(takt_writer_write(writer, "child", 6), TAKT_OK);
    takt_writer_close(writer);
}

static void test_a_child_that_writes(void)
{
    char to[32];
    struct takt_area_value value;
    struct takt_reader *reader;
    open_x();
    CHECK(has_writable());
    CHECK_EQUAL(takt_writer_write(writer, "parent", 7), TAKT_OK);
    join(forked(use_parents));
    CHECK_EQUAL(takt_reader_open(&reader, "x"), TAKT_OK);
    CHECK_EQUAL(takt_reader_read(reader, to, sizeof to, &value), TAKT_OK);
    CHECK_TEXT(to, "parent");
    takt_reader_close(reader);
    takt_writer_close(writer);
}

/* The lock is this process's until it closes the writer, whatever else the process does with that name. */
static void test_a_process_that_reads_what_it_writes(void)
{
    struct takt_reflect_info info;
    struct takt_writer *other;
    struct takt_reader *reader;
    open_x();
    CHECK_EQUAL(takt_reader_open(&reader, "x"), TAKT_OK);
    CHECK_EQUAL(takt_reader_wait(reader, takt_reflect_now() + 3 * TAKT_REFLECT_LOOK_NS), TAKT_TIMEOUT);
    takt_reader_close(reader);
    check_taken();
    CHECK_EQUAL(takt_writer_open(&other, "x", shape), TAKT_BUSY);
    check_taken();
    CHECK_EQUAL(takt_reflect_list(&info, 1), 1);
    char path[64];
    snprintf(path, sizeof path, "%s/x", names_folder);
    CHECK(unlink(path) == 0); /* as between its lock and its link */
    CHECK_EQUAL(takt_reflect_list(&info, 1), 0);
    check_taken();
    takt_writer_close(writer);
}

static bool ends;

static void *look_for_ever(void *unused)
{
    int folder = open(names_folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (!__atomic_load_n(&ends, __ATOMIC_RELAXED)) {
        CHECK(taktr_lock_is_held(folder, "x~")); /* as readers do, without memory from the sanitizer's heap */
    }
    close(folder);
    return unused;
}

static void list_x(void)
{
    struct takt_reflect_info info;
    CHECK_EQUAL(takt_reflect_list(&info, 1), 1);
}

/* A fork while another thread is in the library: the child can use it. */
static void test_forks_among_threads(void)
{
    pthread_t thread;
    open_x();
    CHECK(pthread_create(&thread, NULL, look_for_ever, NULL) == 0);
    for (unsigned i = 0; i < FORKS; i++) {
        join(forked(list_x));
    }
    check_taken();
    __atomic_store_n(&ends, true, __ATOMIC_RELAXED);
    CHECK(pthread_join(thread, NULL) == 0);
    takt_writer_close(writer);
}

int main(void)
{
    names_begin();
    test_a_child_that_stays();
    test_a_child_that_writes();
    test_a_process_that_reads_what_it_writes();
    test_forks_among_threads();
    names_end();
    return 0;
}
