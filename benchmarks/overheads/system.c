/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel takes from tasks, ns. Random sets of up to 32 periodic tasks (options seed, tasks, edf; notify: half
 * of them with that policy, one always late), and an interrupt that calls the kernel. Every task spins and looks at the
 * clock all the time; between two looks next to each other no time passes, so a gap is the kernel's: from the last
 * instruction of one task, or of the same, to the first of the next. A gap is put down to what came in it: a job's end,
 * releases, a deadline, an interrupt. The result is one line of JSON with the longest gap of each sort;
 * benchmarks/overheads.py makes bounds of many runs.
 */
#include <string.h>

#include "counter.h"
#include "kernel/port.h"
#include "takt/board.h"
#include "takt/takt.h"

enum { TASKS_MAX = 32, STACK_SIZE = 1024, RELEASES_MAX = 8, IRQ = 20 };
enum { LEVEL_FIRST = 1, LEVEL_EDF = 29, LEVEL_SPINNER = 30 };

#define TICKS_OF(instructions) ((instructions)*INSTRUCTION_NS / TICK_NS)
#define LOOK_TICKS TICKS_OF(25u) /* more than two looks are apart by themselves */
#define LATE_TICKS TICKS_OF(40u) /* what came this little before a look may not be served yet: serving takes longer */
#define WARM_UP_TICKS (50000000u / TICK_NS)

static const uint64_t duration_ns = TAKT_S(2);
static const uint64_t interrupt_period_ns = 931000 + 7 * 40;
static const uint64_t late_deadline_ns = TAKT_US(600);

static uint64_t stacks[TASKS_MAX + 1][STACK_SIZE / sizeof(uint64_t)];
static struct takt_task_config configs[TASKS_MAX + 1];
static struct takt_task tasks[TASKS_MAX + 1];
static struct takt_task_statistics statistics[TASKS_MAX + 1];
static struct takt_deadline_timer deadline_timers[TASKS_MAX + 1];
static uint64_t stack_idle[STACK_SIZE / sizeof(uint64_t)];
static const uint8_t level_bands[TAKT_LEVELS] = {[LEVEL_EDF] = 1, [LEVEL_SPINNER] = 2};
static struct takt_trace_record records[1024]; /* overwritten again and again: the dearer case */

static void init(void);
TAKT_TIMERS_DEFINE(timers, 2 * (TASKS_MAX + 1) + 2);
TAKT_EDF_DEFINE(edf_space, 1, TASKS_MAX + 1);
extern struct takt_system takt_system;
extern const uint64_t takt_proof_hash;
const uint64_t takt_proof_hash = 0;
struct takt_system takt_system = {
    .level_bands = level_bands,
    .edf_levels = {TAKT_BITMAP_BIT(LEVEL_EDF)},
    .edf = &edf_space,
    .init = init,
    .idle_stack = stack_idle,
    .idle_stack_size = sizeof stack_idle,
    .timers = &timers,
    .trace_records = records,
    .trace_capacity = sizeof records / sizeof records[0],
};

/* Something that comes again and again; ticks of the counter. */
struct event {
    uint32_t next;
    uint32_t period;
};
static struct event releases[TASKS_MAX];
static struct event late_deadline;
static unsigned task_count;
static bool notify; /* half of the tasks have policy notify, and one of those is always late */

/* Ticks. Owner: the kernel lock. */
static uint32_t begun;          /* time 0 */
static unsigned handled;        /* interrupts since the last gap */
static uint32_t latency;        /* of the last one */
static uint32_t interrupt_next; /* when the handler is due */
static uint32_t looked;         /* the last look of any task */
static uint32_t sorted;         /* the last time that looking took long: interrupts had to wait for it */
static volatile bool done;      /* the rows are being printed */
static uint32_t jobs_ended;     /* of all tasks, up to the last gap */

static uint32_t gap_most[2][RELEASES_MAX]; /* by whether a job ended, and releases; nothing else came */
static uint32_t deadline_most;
static uint32_t interrupt_most;
static uint32_t latency_most;

/* How often `event` came up to `to`, since the last call. What came in the last instructions waits for the next gap. */
static unsigned events_until(struct event *event, uint32_t to)
{
    unsigned count = 0;
    for (; (int32_t)(event->next - (to - LATE_TICKS)) <= 0; event->next += event->period) {
        count++; /* bounded by the gap over the period */
    }
    return count;
}

static void keep_most(uint32_t *most, uint32_t value)
{
    if (value > *most) {
        *most = value;
    }
}

static void sort_gap(uint32_t gap, uint32_t to)
{
    unsigned released = 0;
    uint32_t completed = 0;
    for (unsigned i = 0; i < task_count; i++) {
        released += events_until(&releases[i], to);
        completed += statistics[i].jobs_completed;
    }
    uint32_t ends = completed - jobs_ended; /* two: one was preempted after its last look */
    jobs_ended = completed;
    unsigned late = notify ? events_until(&late_deadline, to) : 0;
    unsigned interrupted =
        handled; /* not by instants: the device's timer may come in one gap, the handler in the next */
    handled = 0;
    if (done || to - begun < WARM_UP_TICKS) {
        return;
    }
    if (released + late == 0 && interrupted == 1) { /* it waited for nothing but a locked section */
        keep_most(&latency_most, latency);
    }
    if (late + interrupted == 0 && released < RELEASES_MAX && ends < 2) {
        keep_most(&gap_most[ends][released], gap);
    } else if (ends == 0 && released + interrupted == 0 && late == 1) {
        keep_most(&deadline_most, gap);
    } else if (ends == 0 && released + late == 0 && interrupted == 1) {
        keep_most(&interrupt_most, gap);
    }
}

/* At the first look: the counter's value at time 0, to which every event is moved. */
static void begin(void)
{
    begun = COUNTER;
    begun -= (uint32_t)takt_port_now_ns() / TICK_NS;
    looked = begun;
    for (unsigned i = 0; i < task_count; i++) {
        releases[i].next += begun;
    }
    late_deadline.next += begun;
    interrupt_next += begun;
}

/* Locked: what comes meanwhile comes at the unlock, after `looked` has moved on, and belongs to the next gap. */
static void look(void)
{
    uint32_t state = takt_port_lock();
    if (begun == 0) {
        begin();
    }
    uint32_t now = COUNTER;
    uint32_t gap = now - looked;
    if (gap > LOOK_TICKS) {
        sort_gap(gap, now);
        sorted = COUNTER;
    }
    looked = COUNTER;
    takt_port_unlock(state);
}

static void spin(uint32_t looks)
{
    for (; looks != 0; looks--) {
        look();
    }
}

static void job(void *argument)
{
    spin((uint32_t)(uintptr_t)argument + 1u);
}

static void print(const char *text)
{
    takt_board_console_write(text, strlen(text));
}

static void print_row(const char *name, unsigned place, uint64_t value)
{
    char digits[20];
    unsigned first = sizeof digits;
    char index[2] = {(char)('0' + (char)place), '\0'};
    do {
        digits[--first] = (char)('0' + (char)(value % 10u));
        value /= 10u;
    } while (value != 0);
    print("\"");
    print(name);
    print(index);
    print("\": ");
    takt_board_console_write(digits + first, sizeof digits - first);
    print(", ");
}

static void spinner(void *argument)
{
    (void)argument;
    while (takt_now() < duration_ns) {
        spin(50);
    }
    done = true;
    print("{");
    for (unsigned i = 0; i < RELEASES_MAX; i++) {
        print_row("release_", i, (uint64_t)gap_most[0][i] * TICK_NS);
        print_row("complete_release_", i, (uint64_t)gap_most[1][i] * TICK_NS);
    }
    print_row("timer_", 0, (uint64_t)deadline_most * TICK_NS);
    print_row("interrupt_", 0, (uint64_t)interrupt_most * TICK_NS);
    print_row("latency_", 0, (uint64_t)latency_most * TICK_NS);
    print("\"unsorted\": 0}\n");
    takt_board_exit(0);
}

static void handler(void)
{
    handled++;
    latency = COUNTER - interrupt_next;
    if ((int32_t)(interrupt_next - sorted) <= 0) {
        latency = 0; /* the section was not the kernel's */
    }
    interrupt_next += (uint32_t)(interrupt_period_ns / TICK_NS);
}

static uint64_t option(const char *name, uint64_t otherwise)
{
    uint64_t value;
    return takt_board_option(name, &value) ? value : otherwise;
}

/* Marsaglia's xorshift. */
static uint32_t random_below(uint32_t limit)
{
    static uint32_t state;
    if (state == 0) {
        state = (uint32_t)option("seed", 1) * 2654435761u | 1u;
    }
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % limit;
}

static void start(unsigned index, uint64_t period_ns, uint64_t deadline_ns, uint32_t looks, unsigned level)
{
    bool watched = notify && index % 2 == 0 && period_ns != 0;
    configs[index] = (struct takt_task_config){
        .name = "overhead",
        .entry = period_ns == 0 ? spinner : job,
        .argument = (void *)(uintptr_t)looks,
        .stack = stacks[index],
        .stack_size = STACK_SIZE,
        .index = (uint16_t)index,
        .release = period_ns == 0 ? TAKT_BACKGROUND : TAKT_PERIODIC,
        .on_miss = watched ? TAKT_MISS_NOTIFY : TAKT_MISS_CONTINUE,
        .statistics = &statistics[index],
        .deadline_timer = watched ? &deadline_timers[index] : NULL,
        .level = (uint8_t)level,
        .period_ns = period_ns,
        .deadline_ns = deadline_ns,
    };
    if (takt_task_start(&tasks[index], &configs[index]) != TAKT_OK) {
        takt_board_exit(2);
    }
}

static void init(void)
{
    bool edf = option("edf", 0) != 0;
    notify = option("notify", 1) != 0;
    task_count = (unsigned)option("tasks", TASKS_MAX);
    for (unsigned i = 0; i < task_count; i++) {
        uint32_t period = (10000000u + random_below(30000000u)) / TICK_NS;
        unsigned level = edf ? (unsigned)LEVEL_EDF : LEVEL_FIRST + i * (LEVEL_EDF - LEVEL_FIRST) / TASKS_MAX;
        uint64_t period_ns = (uint64_t)period * TICK_NS;
        releases[i] = (struct event){0, period};
        bool late = notify && i == 0; /* it spins for longer than its deadline */
        if (late) {
            late_deadline = (struct event){(uint32_t)(late_deadline_ns / TICK_NS), period};
        }
        start(i, period_ns, late ? late_deadline_ns : period_ns, late ? 1500 : 1 + random_below(100), level);
    }
    start(task_count, 0, 0, 0, LEVEL_SPINNER);
    interrupt_next = (uint32_t)(TAKT_MS(60) / TICK_NS);
    takt_port_irq_attach(IRQ, handler, true);
    takt_board_interrupt_every(IRQ, TAKT_MS(60), interrupt_period_ns);
}
