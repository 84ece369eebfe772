/* SPDX-License-Identifier: Apache-2.0 */
/* The process of the highest priority: it creates the rings, starts them, and presents the results. */
#include <string.h>

#include "takt/board.h"
#include "telecom.h"

/* Ways to keep the time, the same work each. Tasks that still sleep see the end of their phase later. */
#define PAUSE_NS TAKT_MS(50)
static const struct keeping ways[] = {
    {"nobody else", 0, 0},
    {"12 sleep on", 0, PHASE_NS + PAUSE_NS / 2},
    {"12 wake every 25 ms", 0, TAKT_MS(25)},
    {"tick of 100 Hz", TAKT_MS(10), 0},
    {"tick of 1000 Hz", TAKT_MS(1), 0},
    {"tick, 12 sleep on", TAKT_MS(1), PHASE_NS + PAUSE_NS / 2},
};

static void print(const char *text)
{
    takt_board_console_write(text, strlen(text));
}

static void print_number(uint64_t value)
{
    char digits[20];
    unsigned first = sizeof digits;
    do {
        digits[--first] = (char)('0' + (char)(value % 10u));
        value /= 10u;
    } while (value != 0);
    takt_board_console_write(digits + first, sizeof digits - first);
}

static void print_us(const char *before, uint64_t nanoseconds)
{
    print(before);
    print_number(nanoseconds / 1000u);
    print(" us");
}

/* Of a million parts as percent. */
static void print_share(uint64_t parts)
{
    char digits[] = ".0000 %), ";
    for (uint64_t digit = 4, rest = parts % 10000u; digit > 0; digit--, rest /= 10u) {
        digits[digit] = (char)('0' + (char)(rest % 10u));
    }
    print(" (");
    print_number(parts / 10000u);
    print(digits);
}

_Noreturn void give_up(const char *why)
{
    print("telecom: ");
    print(why);
    print("\n");
    takt_board_exit(1);
}

void task_start(struct takt_task *task, struct takt_task_config *config, const struct takt_task *like)
{
    static uint16_t started = sizeof takt_tasks / sizeof takt_tasks[0];
    config->index = started++;
    config->level = like->config->level;
    if (takt_task_start(task, config) != TAKT_OK) {
        give_up("runtime_tasks of system.toml are too few");
    }
}

static void print_work(const struct rings_counts *done)
{
    static const char *const parts[] = {" rings of ", " processes, ", " loops of ", " iterations: "};
    const uint32_t values[] = {RINGS, PROCESSES, LOOPS, ITERATIONS};
    for (unsigned i = 0; i < 4; i++) {
        print_number(values[i]);
        print(parts[i]);
    }
    print_number(done->iterations);
    print(" iterations, ");
    print_number(done->signals);
    print(" signals, ");
    print_number(done->switches);
    print(" switches\n");
}

/* The same work is done in every phase. Returns what it was. */
static struct rings_counts check_work(void)
{
    struct rings_counts done = rings_counts();
    if (done.iterations != (uint32_t)RINGS * PROCESSES * LOOPS * ITERATIONS ||
        done.signals != RINGS * PROCESSES * LOOPS) {
        give_up("the rings are not done: PHASE_NS is too short");
    }
    return done;
}

static void measure(const struct keeping *way)
{
    uint64_t start_ns = takt_now();
    keeping_begin(way);
    rings_start();
    takt_delay_until(start_ns + PHASE_NS);
    uint64_t end_ns = takt_now();
    struct keeping_counts counts = keeping_end();
    struct rings_counts done = check_work();
    if (way == ways) {
        print_work(&done);
    }
    uint64_t idle_ns = end_ns - counts.began_ns;
    uint64_t administration_ns = idle_ns > counts.idle_ns ? idle_ns - counts.idle_ns : 0;
    print(way->name);
    print_us(": rings ", counts.began_ns - start_ns);
    print_us(", idle ", idle_ns);
    print_us(", administration ", administration_ns);
    print_share(administration_ns * 1000000u / idle_ns);
    print_number(counts.wakes);
    print(" wakes\n");
    takt_delay(PAUSE_NS); /* tasks that still sleep wake, and the trace is sent */
}

void director(void *argument)
{
    (void)argument;
    rings_create();
    keeping_create();
    for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        measure(&ways[i]);
    }
    takt_run_finish();
}
