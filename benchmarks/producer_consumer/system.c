/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The producer-consumer programs of seed 003, chapter V. Each producer makes one item a period, `items` in all; each
 * consumer takes what there is once a period, or, with channel woken, is released by each item. Making and taking
 * takes time (takt_work). Releases are spread over the first period after start_us, by option seed.
 *
 * Options: producers, consumers, items, period_us, consumer_period_us, produce_us, consume_us, turn_us, start_us, seed,
 * channel (channel.h), together (1: all are released first at start_us), order.
 * Under fixed bands every task has a priority of its own, producers above consumers, or by option order below them, or
 * all have the same; under edf a deadline of its period. Below them a task counts turns of turn_us each: what is
 * missing of those, and is not work, went to the kernel and the channel. At the last item one line of JSON is printed.
 */
#include "benchmarks/print.h"
#include "channel.h"
#include "counts.h"
#include "kernel/core/kernel.h"

enum { WORKERS_MAX = 2 * PARTIES_MAX, STACK_SIZE = 1024 };
enum { CALIBRATION = 1000 }; /* turns; twice as many are the second measure */

enum order { CONSUMERS_LAST, CONSUMERS_FIRST, EQUALS }; /* under fixed bands */

static struct worker {
    struct takt_task task; /* first: counts_in_call */
    struct takt_task_config config;
    struct takt_arrivals arrivals;
    uint32_t number; /* among its kind */
    uint32_t done;   /* items */
    bool calling;
} workers[WORKERS_MAX];

static uint64_t stacks[WORKERS_MAX][STACK_SIZE / sizeof(uint64_t)];
static uint64_t stack_turns[STACK_SIZE / sizeof(uint64_t)];
static uint64_t stack_idle[STACK_SIZE / sizeof(uint64_t)];
static uint64_t releases_ns[WORKERS_MAX][CAPACITY];
static struct takt_task_config turns_config;
static struct takt_task turns_task;
static const uint8_t level_bands[TAKT_LEVELS];

static void init(void);
TAKT_TIMERS_DEFINE(timers, WORKERS_MAX + 3);
TAKT_EDF_DEFINE(edf_room, 1, WORKERS_MAX);
extern struct takt_system takt_system;
extern const uint64_t takt_proof_hash;
const uint64_t takt_proof_hash = 0;
struct takt_system takt_system = {
    .edf_levels = {TAKT_EDF ? TAKT_BITMAP_BIT(0) : 0},
    .edf = &edf_room,
    .level_bands = level_bands,
    .init = init,
    .idle_stack = stack_idle,
    .idle_stack_size = sizeof stack_idle,
    .timers = &timers,
};

static uint32_t producers, consumers, items;
static enum order order;
static bool together;
static uint64_t produce_ns, consume_ns, turn_ns, start_ns;
static uint32_t random_state;
static uint32_t consumed;
static uint32_t expected[PARTIES_MAX]; /* of each producer, the next number */
static volatile uint32_t turns;
static uint64_t calibration_ns; /* what CALIBRATION turns take longer than none */
static uint64_t begin_ns;       /* from here on turns are counted */

bool counts_in_call(void)
{
    const struct takt_task *running = takti_kernel.ready.running;
    for (unsigned i = 0; i < producers + consumers; i++) {
        if (running == &workers[i].task) {
            return workers[i].calling;
        }
    }
    return false;
}

static _Noreturn void fail(const char *what)
{
    print("producer_consumer: ");
    print(what);
    print("\n");
    takt_board_exit(1);
}

static uint64_t option(const char *name)
{
    uint64_t value;
    if (!takt_board_option(name, &value)) {
        fail(name);
    }
    return value;
}

static _Noreturn void finish(void)
{
    struct counts found = counts;
    uint64_t end_ns = takt_now();
    print_number("{\"switches\": ", found.switches);
    print_number(", \"locks\": ", found.locks);
    print_number(", \"calls\": ", found.calls);
    print_number(", \"turns\": ", turns);
    print_number(", \"elapsed_ns\": ", end_ns - begin_ns);
    print_number(", \"calibration\": ", CALIBRATION);
    print_number(", \"calibration_ns\": ", calibration_ns);
    print("}\n");
    takt_board_exit(0);
}

static void produce(void *argument)
{
    struct worker *self = argument;
    struct item item = {self->number, self->done++};
    takt_work(produce_ns);
    self->calling = true;
    bool there_is_room = channel_put(self->number, &item);
    self->calling = false;
    if (!there_is_room) {
        fail("a channel is full");
    }
    if (self->done == items) {
        takt_task_stop(&self->task);
    }
}

static bool take(struct worker *self, struct item *item)
{
    self->calling = true;
    bool found = channel_get(self->number, item);
    self->calling = false;
    return found;
}

static void consume(void *argument)
{
    struct worker *self = argument;
    struct item item;
    while (take(self, &item)) { /* at most what the channel holds, and what comes meanwhile */
        if (item.producer >= producers || item.number != expected[item.producer]++) {
            fail("an item is not the one that should have come");
        }
        takt_work(consume_ns);
        if (++consumed == producers * items) {
            finish();
        }
        if (channel_woken()) {
            break;
        }
    }
}

static __attribute__((noinline)) void count_turns(uint32_t limit)
{
    for (turns = 0; turns < limit; turns++) {
        takt_work(turn_ns);
    }
}

static uint64_t turns_ns(uint32_t limit)
{
    uint64_t from_ns = takt_now();
    count_turns(limit);
    return takt_now() - from_ns;
}

/* Of two lengths the difference: what it takes to ask for the time is in neither. */
static void count_for_ever(void *argument)
{
    (void)argument;
    uint64_t once_ns = turns_ns(CALIBRATION);
    calibration_ns = turns_ns(2 * CALIBRATION) - once_ns;
    begin_ns = takt_now();
    if (begin_ns >= start_ns) {
        fail("option start_us: too early");
    }
    counts = (struct counts){0}; /* without the start */
    count_turns(UINT32_MAX);
}

static void start(struct takt_task *task, const struct takt_task_config *config)
{
    if (takt_task_start(task, config) != TAKT_OK) {
        fail("a task does not start");
    }
}

/* Of `below_ns`, in us: a linear congruence, whose high bits are the good ones. */
static uint64_t random_ns(uint64_t below_ns)
{
    random_state = random_state * 1664525u + 1013904223u;
    return TAKT_US((below_ns / 1000u * (random_state >> 8)) >> 24);
}

static uint8_t level(unsigned index)
{
    static const unsigned turned = WORKERS_MAX - 1;
    return (uint8_t)(TAKT_EDF || order == EQUALS ? 0 : order == CONSUMERS_LAST ? index : turned - index);
}

static void worker_start(unsigned index, uint32_t number, void (*entry)(void *argument), uint64_t period_ns, bool woken)
{
    struct worker *worker = &workers[index];
    worker->number = number;
    worker->arrivals = (struct takt_arrivals){.releases_ns = releases_ns[index], .capacity = CAPACITY};
    worker->config = (struct takt_task_config){
        .name = "worker",
        .entry = entry,
        .argument = worker,
        .stack = stacks[index],
        .stack_size = STACK_SIZE,
        .index = (uint16_t)index,
        .release = woken ? TAKT_SPORADIC : TAKT_PERIODIC,
        .level = level(index),
        .period_ns = woken ? 1 : period_ns,
        .deadline_ns = period_ns,
        .offset_ns = start_ns + (together ? 0 : random_ns(period_ns)),
        .arrivals = woken ? &worker->arrivals : NULL,
    };
    start(&worker->task, &worker->config);
}

static void init(void)
{
    producers = (uint32_t)option("producers");
    consumers = (uint32_t)option("consumers");
    items = (uint32_t)option("items");
    produce_ns = TAKT_US(option("produce_us"));
    consume_ns = TAKT_US(option("consume_us"));
    turn_ns = TAKT_US(option("turn_us"));
    start_ns = TAKT_US(option("start_us"));
    random_state = (uint32_t)option("seed");
    together = option("together") != 0;
    order = (enum order)option("order");
    if (producers == 0 || producers > PARTIES_MAX || consumers == 0 || consumers > producers ||
        !channel_init((enum channel)option("channel"), producers, consumers, &workers[producers].task)) {
        fail("option producers, consumers or channel: there is none with these");
    }
    for (unsigned i = 0; i < producers; i++) {
        worker_start(i, i, produce, TAKT_US(option("period_us")), false);
    }
    for (unsigned i = 0; i < consumers; i++) {
        worker_start(producers + i, i, consume, TAKT_US(option("consumer_period_us")), channel_woken());
    }
    turns_config = (struct takt_task_config){
        .name = "turns",
        .entry = count_for_ever,
        .stack = stack_turns,
        .stack_size = sizeof stack_turns,
        .index = WORKERS_MAX,
        .level = TAKT_LEVELS - 2,
    };
    start(&turns_task, &turns_config);
}
