/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writers and readers are killed at any time, TAKT_CASES times: nothing is torn, nobody waits for what is gone, the
 * name is free at once, and in the end nothing is left of it.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "names.h"
#include "takt/reflect.h"

enum { SIZE = 4096 };
static const struct takt_area_shape shape = {.size = SIZE, .depth = 4};

static void fill(uint32_t *words, uint32_t number)
{
    for (unsigned i = 0; i < SIZE / sizeof *words; i++) {
        words[i] = number * 2654435761u + i;
    }
}

static void check_whole(const uint32_t *words)
{
    for (unsigned i = 0; i < SIZE / sizeof *words; i++) {
        CHECK_EQUAL(words[i], words[0] + i);
    }
}

static _Noreturn void write_for_ever(void)
{
    static uint32_t words[SIZE / 4];
    struct takt_writer *writer;
    CHECK_EQUAL(takt_writer_open(&writer, "x", shape), TAKT_OK);
    for (uint32_t number = 1;; number++) {
        fill(words, number);
        CHECK_EQUAL(takt_writer_write(writer, words, sizeof words), TAKT_OK);
    }
}

static _Noreturn void read_for_ever(void)
{
    static uint32_t words[SIZE / 4];
    struct takt_area_value value;
    struct takt_reader *reader;
    CHECK_EQUAL(takt_reader_open(&reader, "x"), TAKT_OK);
    for (;;) {
        enum takt_status status = takt_reader_wait(reader, TAKT_REFLECT_FOREVER);
        CHECK_EQUAL(status, TAKT_OK);
        if (takt_reader_read(reader, words, sizeof words, &value) == TAKT_OK) {
            check_whole(words);
        }
    }
}

static pid_t started(void (*child)(void))
{
    pid_t process = fork();
    CHECK(process >= 0);
    if (process == 0) {
        child();
    }
    return process;
}

static void killed(pid_t process)
{
    int how;
    CHECK(kill(process, SIGKILL) == 0);
    CHECK(waitpid(process, &how, 0) == process);
    CHECK(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL); /* not a check that failed */
}

static void sleep_some(uint64_t *state)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)(check_random(state) % 4000000)}, NULL);
}

int main(void)
{
    static uint32_t words[SIZE / 4];
    uint64_t state = check_seed();
    struct takt_area_value value;
    struct takt_reflect_info info;
    struct takt_reader *reader;
    unsigned good = 0;
    const char *full = getenv("TAKT_TEST_FULL");
    unsigned kills = (unsigned)check_cases(full != NULL && *full != '\0' ? 500 : 60);
    names_begin();
    CHECK_EQUAL(takt_reader_open(&reader, "x"), TAKT_OK);
    pid_t other = started(read_for_ever);
    for (unsigned i = 0; i < kills; i++) {
        pid_t writer = started(write_for_ever);
        sleep_some(&state);
        if (i % 3 == 0) {
            killed(other);
            other = started(read_for_ever);
        }
        if (takt_reader_wait(reader, takt_reflect_now() + 4 * TAKT_REFLECT_LOOK_NS) == TAKT_OK &&
            takt_reader_read(reader, words, sizeof words, &value) == TAKT_OK) {
            check_whole(words);
            good++;
        }
        if (i % 5 == 0) {
            CHECK(takt_reflect_list(&info, 1) <= 1);
        }
        killed(writer);
        if (takt_reader_read(reader, words, sizeof words, &value) ==
            TAKT_OK) { /* the last one is still there, and whole */
            check_whole(words);
        }
    }
    killed(other);
    printf("%u of %u writers were read, %llu found\n", good, kills,
           (unsigned long long)takt_reader_state(reader).writers);
    CHECK(good > 0);
    takt_reader_close(reader);
    CHECK_EQUAL(takt_reflect_list(&info, 1), 0); /* the remains of a name are cleared away */
    names_end();
    return 0;
}
