/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel takes from tasks, ns. Random sets of periodic tasks (options seed, tasks, edf, equals), on their own,
 * with watched deadlines (notify: all of them, one always late) or with an interrupt that calls the kernel (interrupt).
 * Every task spins and looks at the clock all the time; between two looks next to each other no time passes, so a gap
 * is the kernel's: from the last instruction of one task, or of the same, to the first of the next. A gap is put down
 * to what the kernel did in it: jobs that ended, were released or were late, interrupts that were handled, a switch.
 * Then the ready queue by itself. The result is one line of JSON with the longest of each sort; docs/overheads.md says
 * how bounds are made of many runs.
 */
#include "benchmarks/overheads/releases.h"
#include "benchmarks/print.h"
#include "counter.h"
#include "kernel/core/kernel.h"
#include "takt/board.h"
#if TAKT_PROCESSES
#include "protected.h"
#endif

enum { TASKS_MAX = TAKT_LEVELS - 2, STACK_SIZE = 1024, IRQ = 20 };
enum { LEVEL_EDF = 0, LEVEL_SPINNER = TASKS_MAX }; /* the first in which several tasks may be, and the last */
enum { OTHER_TIMERS = 2 }; /* of a generated system besides those of tasks: slices, its end; a budget is there itself */
enum { QUEUE_ROUNDS = 100, LOOK_INSTRUCTIONS = 20 };

/* What came to pass between two looks. A completion may be that of the spinner of a cooperative system: no row. */
enum row { ROW_STAYS, ROW_SWITCHES, ROW_COMPLETES, ROW_COMPLETES_TO_RELEASED, ROWS };
static const char *const row_names[ROWS] = {"stays_", "switches_", "completes_", "completes_to_released_"};

#define LOOK_TICKS (25u * INSTRUCTION_NS / TICK_NS) /* more than two looks are apart by themselves */
#define WARM_UP_TICKS (20000000u / TICK_NS)

#define SPINNER_JOB_TICKS (3000000u / TICK_NS)

static const uint64_t duration_ns = TAKT_S(1);
static const uint64_t interrupt_period_ns = 931000 + 7 * 40;
static const uint32_t period_ns_least = 400000; /* of each task that there is: all sets have as many jobs a second */

#if TAKT_PROCESSES
#define STACKS_ALIGNED __attribute__((aligned(TAKT_GRANULE))) /* a guard is the lowest bytes of each */
#else
#define STACKS_ALIGNED
#endif
static uint64_t stacks[TASKS_MAX + 1][STACK_SIZE / sizeof(uint64_t)] STACKS_ALIGNED;
static struct takt_task_config configs[TASKS_MAX + 1];
static struct takt_task tasks[TASKS_MAX + 1];
static struct takt_task_statistics statistics[TASKS_MAX + 1];
static struct takt_deadline_timer deadline_timers[TASKS_MAX + 1];
#if TAKT_BUDGETS
static struct takt_budget budgets[TASKS_MAX + 1]; /* last longer than the run: at the end of the queue of timers */
#endif
static struct takti_call end_calls[OTHER_TIMERS];
static uint64_t stack_idle[2 * STACK_SIZE / sizeof(uint64_t)];
static const uint8_t level_bands[TAKT_LEVELS] = {[LEVEL_SPINNER] = 1};
static struct takt_trace_record records[1024]; /* overwritten again and again: the more expensive case */

static void init(void);
TAKT_TIMERS_DEFINE(timers, (2 + TAKT_SERVERS) * (TASKS_MAX + 1) + OTHER_TIMERS + TAKT_BUDGETS);
TAKT_EDF_DEFINE(edf_room, 1, TASKS_MAX + 1);
extern struct takt_system takt_system;
extern const uint64_t takt_proof_hash;
const uint64_t takt_proof_hash = 0;
struct takt_system takt_system = {
    .level_bands = level_bands,
    .edf = &edf_room,
    .init = init,
    .idle_stack = stack_idle,
    .idle_stack_size = sizeof stack_idle,
    .timers = &timers,
    .trace_records = records,
    .trace_capacity = sizeof records / sizeof records[0],
};

static unsigned task_count;
static unsigned looks_ended; /* index of the task that looked last */

/* Ticks of the counter. Owner: the kernel lock. */
static uint32_t begun;               /* time 0 */
static unsigned handled;             /* interrupts since the last gap */
static uint32_t latency;             /* of the last one */
static uint32_t interrupt_next;      /* when the handler is due */
static uint32_t sorted;              /* the last time that looking took long: interrupts had to wait for it */
static uint32_t released[TASKS_MAX]; /* absolute deadline of the last release, ns, its low half */

static uint32_t gap_most[ROWS][RELEASES_MAX]; /* by releases; nothing else came */
static uint32_t deadline_most;
static uint32_t interrupt_most;
static uint32_t latency_most;
static uint32_t latency_least = UINT32_MAX; /* of an interrupt that nothing kept waiting */

#if TAKT_PROCESSES /* an interrupt whose handler is a task, line: look_user.h */
static struct takt_process_interrupt line_interrupt;
static bool acknowledges; /* in the call */
static uint32_t line_most, acknowledge_most, line_end_most;
#define LINE(i) (line_interrupt.task == &tasks[i])
#else
#define LINE(i) false
#endif

static void keep_most(uint32_t *most, uint32_t value)
{
    if (value > *most) {
        *most = value;
    }
}

/* What the kernel did since it was asked last. */
struct account {
    unsigned releases;
    unsigned ends;
    unsigned misses;
    bool looker;   /* was released */
    bool line;     /* of which the task of the line is one; it is not among the releases */
    bool line_end; /* or its end is one of the ends */
};

/* Once for every gap: few instructions a task. */
static struct account account_since(unsigned looker)
{
    static uint32_t ended;
    static uint32_t missed;
    static uint32_t lines_ended;
    struct account account = {.ends = -ended, .misses = -missed};
    for (unsigned i = 0; i < task_count; i++) {
        account.ends += statistics[i].jobs_completed;
        account.misses += statistics[i].misses;
        if (LINE(i)) {
            account.line = released[i] != (uint32_t)tasks[i].job_deadline_ns;
            account.line_end = lines_ended != statistics[i].jobs_completed;
            released[i] = (uint32_t)tasks[i].job_deadline_ns;
            lines_ended = statistics[i].jobs_completed;
        } else if (released[i] != (uint32_t)tasks[i].job_deadline_ns) {
            released[i] += (uint32_t)configs[i].period_ns; /* tasks with time to spare: never two in one gap */
            account.releases++;
            account.looker = account.looker || i == looker;
        }
    }
    ended += account.ends;
    missed += account.misses;
    return account;
}

#if TAKT_PROCESSES
/* Whether a gap has to do with a line: those with anything else in them are not measured. */
static bool sort_line(uint32_t gap, const struct account *account, unsigned interrupted, bool switched)
{
    bool acknowledged = acknowledges;
    bool alone = account->releases + account->misses == 0;
    acknowledges = false;
    if (alone && interrupted == 1 && account->line && account->ends == 0 && !switched) {
        keep_most(&line_most, gap);
    } else if (alone && acknowledged && interrupted + account->ends == 0 && !account->line && !switched) {
        keep_most(&acknowledge_most, gap);
    } else if (alone && account->line_end && account->ends == 1 && interrupted == 0 && !account->line) {
        keep_most(&line_end_most, gap);
    }
    return acknowledged || account->line || account->line_end || line_interrupt.task != NULL;
}
#else
static bool sort_line(uint32_t gap, const struct account *account, unsigned interrupted, bool switched)
{
    (void)gap;
    (void)account;
    (void)interrupted;
    (void)switched;
    return false;
}
#endif

static void sort_keys(uint32_t gap, bool nothing);

static void sort_gap(uint32_t gap, uint32_t to, unsigned looker)
{
    static uint32_t spinner_ended;
    struct account account = account_since(looker);
    bool spins = statistics[task_count].jobs_completed != spinner_ended; /* a cooperative one: overruns on purpose */
    spinner_ended = statistics[task_count].jobs_completed;
    unsigned interrupted = handled;
    handled = 0;
    if (spins || to - begun < WARM_UP_TICKS || account.releases >= RELEASES_MAX) {
        return;
    }
    if (sort_line(gap, &account, interrupted, looker != looks_ended)) {
        return;
    }
    bool nothing = account.releases + account.ends + account.misses == 0 && looker == looks_ended;
    sort_keys(gap, nothing && interrupted == 0);
    if (nothing && interrupted == 1) { /* it waited for nothing but a locked section */
        keep_most(&interrupt_most, gap);
    }
    if (account.releases + account.misses == 0 && interrupted == 1 && latency != 0) {
        keep_most(&latency_most, latency);
        latency_least = latency < latency_least ? latency : latency_least;
    }
    if (account.misses + interrupted == 0 && account.ends < 2) {
        enum row row = account.ends != 0       ? (account.looker ? ROW_COMPLETES_TO_RELEASED : ROW_COMPLETES)
                       : looker != looks_ended ? ROW_SWITCHES
                                               : ROW_STAYS;
        keep_most(&gap_most[row][account.releases], gap);
    } else if (account.ends + account.releases + interrupted == 0 && account.misses == 1) {
        keep_most(&deadline_most, gap);
    }
}

/* At the first look: the counter's value at time 0. */
static void begin(void)
{
    begun = COUNTER;
    begun -= (uint32_t)takt_port_now_ns() / TICK_NS;
    interrupt_next += begun;
}

static uint64_t option(const char *name, uint64_t otherwise)
{
    uint64_t value;
    return takt_board_option(name, &value) ? value : otherwise;
}

static void spin(unsigned looker, uint32_t looks);
static void start(unsigned index, struct takt_task_config config);
static void print_row(const char *name, unsigned index, uint64_t value);

#if TAKT_PROCESSES
#include "look_user.h"
#else
#include "look_kernel.h"
#endif
#include "served.h"

static void spin(unsigned looker, uint32_t looks)
{
    for (; looks != 0; looks--) {
        look(looker);
    }
}

static uint32_t job_looks[TASKS_MAX];

static void job(void *argument)
{
    unsigned index = (unsigned)(uintptr_t)argument;
    spin(index, job_looks[index]);
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

static uint32_t block_most, unblock_most, select_most;

static __attribute__((noinline)) void unblock(struct takt_task *task)
{
    (void)takti_ready_insert(task, TAKTI_LAST);
}

static __attribute__((noinline)) void block(struct takt_task *task)
{
    takti_ready_remove(task);
}

static __attribute__((noinline)) struct takt_task *first(void)
{
    return takti_ready_first();
}

static void select_measure(void)
{
    uint32_t from = COUNTER;
    (void)first();
    keep_most(&select_most, COUNTER - from);
}

/*
 * The ready queue by itself, at the end of all things: tasks come in with random keys until all are in, and go, one
 * half of the time the first, in which a queue by deadline has most to do. A call and a return are in it. Locked.
 */
static void queue_measure(void)
{
    bool in[TASKS_MAX];
    for (unsigned i = 0; i < task_count; i++) {
        in[i] = tasks[i].timer.state == TAKTI_READY;
    }
    for (unsigned count = QUEUE_ROUNDS * task_count; count != 0; count--) {
        bool fills = count / (2 * task_count) % 2 == 0;
        unsigned i = random_below(task_count);
        if (in[i] && !fills && random_below(2) == 0) {
            struct takt_task *best = first();
            i = best >= tasks && best < tasks + task_count ? (unsigned)(best - tasks) : i;
        }
        uint32_t from = COUNTER;
        if (in[i] && !fills) {
            block(&tasks[i]);
            keep_most(&block_most, COUNTER - from);
            in[i] = false;
        } else if (!in[i] && fills) {
            takti_key_deadline_set(&tasks[i], takti_in_edf(&takti_kernel.ready, &tasks[i]) ? random_below(1000000) : 0);
            from = COUNTER;
            unblock(&tasks[i]);
            keep_most(&unblock_most, COUNTER - from);
            in[i] = true;
        }
        select_measure();
    }
}

static void print_row(const char *name, unsigned index, uint64_t value)
{
    print("\"");
    print(name);
    print_number("", index);
    print_number("\": ", value);
    print(", ");
}

static void rows_print(void)
{
    print("{");
    for (unsigned row = 0; row < ROWS; row++) {
        for (unsigned i = 0; i < RELEASES_MAX; i++) {
            print_row(row_names[row], i, (uint64_t)gap_most[row][i] * TICK_NS);
        }
    }
    print_row("timer_", 0, (uint64_t)deadline_most * TICK_NS);
    print_row("interrupt_", 0, (uint64_t)interrupt_most * TICK_NS);
    print_row("latency_", 0, latency_most == 0 ? 0 : (uint64_t)(latency_most - latency_least) * TICK_NS);
    print_row("block_", 0, (uint64_t)block_most * TICK_NS);
    print_row("unblock_", 0, (uint64_t)unblock_most * TICK_NS);
    print_row("select_", 0, (uint64_t)select_most * TICK_NS);
    keys_print();
    lines_print();
    print_number("\"instruction_ns\": ", INSTRUCTION_NS);
    print("}\n");
}

/* Of the lowest level: whatever time the others leave. In a cooperative system a job that is always late. */
static void spinner(void *argument)
{
    (void)argument;
    uint32_t from = COUNTER;
    while (!TAKT_COOPERATIVE || COUNTER - from < SPINNER_JOB_TICKS) {
        spin(task_count, 50);
    }
}

/* In the timer's interrupt, at the end of the run. */
static void finish(struct takti_call *due)
{
    (void)due;
    (void)takt_port_lock();
    if (faulted()) {
        takt_board_exit(2);
    }
    queue_measure();
    rows_print();
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

static void start(unsigned index, struct takt_task_config config)
{
    configs[index] = config;
    configs[index].name = "overhead";
    configs[index].stack = stacks[index];
    configs[index].stack_size = STACK_SIZE;
    configs[index].index = (uint16_t)index;
    configs[index].statistics = &statistics[index];
    task_place(&configs[index]);
#if TAKT_BUDGETS
    budgets[index] = (struct takt_budget){.full_ns = 2 * duration_ns, .policy = TAKT_BUDGET_NOTIFY};
    configs[index].budget = &budgets[index];
#endif
    serve(index);
    if (takt_task_start(&tasks[index], &configs[index]) != TAKT_OK) {
        takt_board_exit(2);
    }
}

/*
 * The first is short and comes often: its next release is mostly the next of all, far up in the queue of timers. The
 * second is long: others are released meanwhile, and nothing switches. With `notify` it is longer than its deadline.
 */
static void job_start(unsigned index, unsigned level, bool notify)
{
    uint32_t least_ns = period_ns_least * task_count;
    uint32_t short_ns = least_ns / 16 > 1000000 ? least_ns / 16 : 1000000;
    uint64_t period_ns = (index == 0 ? short_ns : least_ns + random_below(3 * least_ns)) / TICK_NS * TICK_NS;
    uint64_t deadline_ns = index != 1 ? period_ns : notify ? least_ns / 8 : least_ns - 1000;
    released[index] = (uint32_t)deadline_ns; /* the release at time 0 */
    job_looks[index] =
        index == 1 ? least_ns / (4 * LOOK_INSTRUCTIONS * INSTRUCTION_NS) : 2 + random_below(index == 0 ? 10 : 100);
    start(index, (struct takt_task_config){
                     .entry = job,
                     .argument = (void *)(uintptr_t)index,
                     .release = TAKT_PERIODIC,
                     .on_miss = notify ? TAKT_MISS_NOTIFY : TAKT_MISS_CONTINUE,
                     .deadline_timer = notify ? &deadline_timers[index] : NULL,
                     .level = (uint8_t)level,
                     .period_ns = period_ns,
                     .deadline_ns = deadline_ns,
                 });
}

static void spinner_start(void)
{
    struct takt_task_config config = {.entry = spinner, .release = TAKT_BACKGROUND, .level = LEVEL_SPINNER};
    if (TAKT_COOPERATIVE) {
        config.release = TAKT_PERIODIC;
        config.period_ns = TAKT_MS(1);
        config.deadline_ns = TAKT_MS(1);
    }
    start(task_count, config);
}

static void init(void)
{
    bool edf = option("edf", 0) != 0;
    bool notify = option("notify", 0) != 0;
    unsigned equals = option("equals", 0) != 0 ? 2 : 1;
    task_count = (unsigned)option("tasks", TASKS_MAX);
    for (unsigned i = 0; i < task_count; i++) {
        job_start(i, edf || shared > 1 ? (unsigned)LEVEL_EDF : i / equals, notify);
    }
    spinner_start();
    lines_start();
    for (unsigned i = 0; i < OTHER_TIMERS; i++) {
        takti_call_at(&end_calls[i], duration_ns + i, finish);
    }
    if (option("interrupt", 0) != 0) {
        interrupt_next = (uint32_t)(TAKT_MS(60) / TICK_NS);
        takt_port_irq_attach(IRQ, handler, true);
        takt_board_interrupt_every(IRQ, TAKT_MS(60), interrupt_period_ns);
    }
}

_Noreturn void __real_takt_start(const struct takt_system *system);
_Noreturn void __wrap_takt_start(const struct takt_system *system);

/* The linker puts this before the kernel's: which levels are edf, and their room, is an option's to say. */
_Noreturn void __wrap_takt_start(const struct takt_system *system)
{
    static struct takt_system started;
    static struct takt_edf_space room;
    started = *system;
    room = edf_room;
    room.leaves = (uint16_t)(option("tasks", TASKS_MAX) + 1);
    started.edf = &room;
    system_complete(&started);
    servers_declare(&started);
    started.edf_levels[0] = option("edf", 0) != 0 ? TAKT_BITMAP_BIT(LEVEL_EDF) : 0;
    __real_takt_start(&started);
}
