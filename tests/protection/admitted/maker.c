/* SPDX-License-Identifier: Apache-2.0 */
/* Starts threads with deadlines. The console has the lines that were wrong. */
#include "takt_app.h"

#include "takt/board.h"
#include "takt/process.h"

static void print_line(unsigned line)
{
    char text[] = "admitted: line 0000 is wrong\n";
    for (unsigned index = 18; index > 14; index--, line /= 10) {
        text[index] = (char)('0' + line % 10);
    }
    takt_board_console_write(text, sizeof text - 1);
}

static void check_line(unsigned line, bool right)
{
    if (!right) {
        counted.wrong++;
        print_line(line);
    }
}
#define HOLDS(condition) check_line(__LINE__, (condition))

static void honest(void *argument)
{
    (void)argument;
    counted.jobs++;
    takt_work(TAKT_US(500));
}

static void liar(void *argument)
{
    (void)argument;
    takt_work(TAKT_MS(100));
}

static struct takt_task *thread;

static enum takt_status create(void (*entry)(void *argument), unsigned period_ms, unsigned wcet_ms)
{
    const struct takt_thread_attributes attributes = {.entry = entry,
                                                      .stack_size = 512,
                                                      .level = 0,
                                                      .period_ns = TAKT_MS(period_ms),
                                                      .deadline_ns = TAKT_MS(period_ms),
                                                      .wcet_ns = TAKT_MS(wcet_ms)};
    return takt_thread_create(&thread, &attributes);
}

void maker_loop(void *argument)
{
    static const char right[] = "admitted: all are right\n";
    (void)argument;
    if (counted.lives++ == 0) {
        HOLDS(create(honest, 20, 1) == TAKT_OK);
        HOLDS(create(honest, 10, 9) == TAKT_REFUSED); /* steady has no time for it */
        HOLDS(create(honest, 1, 1) == TAKT_REFUSED);
        takt_delay(TAKT_MS(105));
        HOLDS(counted.jobs >= 5 && counted.jobs <= 7);
        HOLDS(create(liar, 50, 1) == TAKT_OK);
        takt_delay(TAKT_S(10)); /* its budget ends the process */
        HOLDS(false);
    }
    HOLDS(counted.lives == 2);
    takt_delay(TAKT_MS(60));                      /* the threads of the life before count until their next releases */
    HOLDS(create(honest, 10, 9) == TAKT_REFUSED); /* steady is still in the set */
    HOLDS(create(honest, 20, 1) == TAKT_OK);
    HOLDS(create(honest, 20, 1) == TAKT_OK);
    HOLDS(create(honest, 100, 1) == TAKT_LIMIT); /* of its deadline_threads */
    if (counted.wrong == 0) {
        takt_board_console_write(right, sizeof right - 1);
    }
    for (;;) {
        takt_delay(TAKT_MS(100));
    }
}
