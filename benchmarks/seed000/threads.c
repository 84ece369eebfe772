/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and processes that are made, and what a task below them all misses meanwhile. */
#include "measure.h"

enum { LEVEL_BETTER = 1, LEVEL_WORSE = 4 }; /* in the band of system.toml: than the measuring task's, 3 */

static volatile uint32_t ran;

static void thread_entry(void *argument)
{
    (void)argument;
    stamp(1);
    ran++;
}

/* Of a thread that is better and has ended when its creator goes on, or of one that has not begun. */
static struct takt_task *thread_create(uint32_t level)
{
    struct takt_thread_attributes attributes = {.entry = thread_entry, .stack_size = 512, .level = level};
    struct takt_task *thread = NULL;
    uint32_t before = ran;
    stamp(0);
    enum takt_status status = takt_thread_create(&thread, &attributes);
    expect(status == TAKT_OK && (ran != before) == (level == LEVEL_BETTER), THREAD_CREATE_RUNS);
    return thread;
}

void threads_once(void)
{
    struct takt_task *thread = thread_create(LEVEL_BETTER);
    count(THREAD_CREATE_RUNS, 0);
    stamp(0);
    enum takt_status status = takt_thread_join(thread);
    stamp(1);
    expect(status == TAKT_OK, THREAD_JOIN);
    count(THREAD_JOIN, 0);
    thread = thread_create(LEVEL_BETTER);
    stamp(0);
    takt_thread_detach(thread);
    stamp(1);
    count(THREAD_DETACH_ENDED, 0);
    thread = thread_create(LEVEL_WORSE);
    stamp(0);
    takt_thread_detach(thread);
    stamp(1);
    count(THREAD_DETACH_RUNNING, 0);
    uint32_t before = ran;
    takt_delay(TAKT_US(200));
    expect(ran == before + 1, THREAD_DETACH_RUNNING);
}

/* The lowest task: counts how often it goes round. */
static volatile uint32_t rounds;
enum { ROUND_INSTRUCTIONS = 5 };

void spin_run(void *argument)
{
    (void)argument;
    uint32_t value = 0;
    for (;;) {
        value++;
        __asm volatile("nop\n\tnop" : "+r"(value)); /* with the store and the jump: ROUND_INSTRUCTIONS */
        rounds = value;
    }
}

/* Rounds in a time that begins with a call, or with none. */
static uint32_t rounds_within(bool start)
{
    uint64_t until_ns = takt_now() + TAKT_MS(20);
    uint32_t before = rounds;
    if (start) {
        expect(takt_process_start(PROCESS_made) == TAKT_OK, PROCESS_START);
    }
    takt_delay_until(until_ns);
    return rounds - before;
}

/* A start is made in steps, between which others run: its cost is what the lowest task misses. */
void processes_once(void)
{
    uint32_t before = *(volatile uint32_t *)&begun;
    uint32_t idle = rounds_within(false);
    uint32_t busy = rounds_within(true);
    expect(*(volatile uint32_t *)&begun == before + 1, PROCESS_START);
    count_instructions(PROCESS_START, (idle - busy) * ROUND_INSTRUCTIONS);
    expect(takt_process_stop(PROCESS_made) == TAKT_OK, PROCESS_START);
    takt_delay(TAKT_MS(20));
}
