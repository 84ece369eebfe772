/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures the queue that is linked with it, beside a naive oracle that is asked after every operation. For each number
 * of tasks and each kind of keys, the queue is filled, emptied and kept at that number for a while. Printed: one line
 * of JSON with [sum, count, max] of instructions for each operation.
 */
#include "selection.h"
#include "target.h"

enum operation { INSERT, REMOVE_FIRST, REMOVE_ANY, FIRST, RELEASE, COMPLETION, OPERATIONS };
static const char *const operation_names[OPERATIONS] = {"insert", "remove_first", "remove_any",
                                                        "first",  "release",      "completion"};

/* Where new keys go. The middle of the range lies on a boundary of the upper word. */
enum keys { NARROW, WIDE, EQUAL, FEW, FALLING, RISING, LEANING, PERIODIC, KINDS };

#define MIDDLE (UINT64_C(7) << 32)
#ifndef ROUNDS
#define ROUNDS 24u /* of each kind: filled, kept for 2 * tasks + 8 jobs, emptied */
#endif

static const unsigned sizes[] = {1, 2, 3, 5, 8, 16, 32, 64};

struct task tasks[TASKS_MAX];
#define EIGHT(n)                                                                                                     \
    &tasks[n], &tasks[(n) + 1], &tasks[(n) + 2], &tasks[(n) + 3], &tasks[(n) + 4], &tasks[(n) + 5], &tasks[(n) + 6], \
        &tasks[(n) + 7]
struct task *const task_table[TASKS_MAX] = {EIGHT(0),  EIGHT(8),  EIGHT(16), EIGHT(24),
                                            EIGHT(32), EIGHT(40), EIGHT(48), EIGHT(56)};

static struct {
    uint64_t sum;
    uint32_t count;
    uint32_t max;
} results[OPERATIONS];
static uint8_t inside[TASKS_MAX]; /* the oracle's */
static unsigned size, inside_count;
static uint64_t state, drift;
static struct task *answer;

static uint32_t below(uint32_t limit)
{
    uint64_t z = state += UINT64_C(0x9E3779B97F4A7C15); /* splitmix64 */
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)(((z >> 32) * limit) >> 32);
}

static void print(const char *text)
{
    while (*text != '\0') {
        target_print(*text++);
    }
}

static void print_number(uint64_t value)
{
    char digits[21];
    unsigned first = sizeof digits - 1u;
    digits[first] = '\0';
    do {
        digits[--first] = (char)('0' + (char)(value % 10u));
        value /= 10u;
    } while (value != 0);
    print(&digits[first]);
}

static struct task *oracle_first(void)
{
    struct task *best = NULL;
    for (unsigned i = 0; i < size; i++) {
        if (inside[i] != 0 && (best == NULL || before(&tasks[i], best))) {
            best = &tasks[i];
        }
    }
    return best;
}

static void nothing(void)
{
}

static void five(void)
{
    __asm volatile("nop\n\tnop\n\tnop\n\tnop\n\tnop");
}

static void count(enum operation operation, uint32_t instructions)
{
    results[operation].sum += instructions;
    results[operation].count++;
    if (instructions > results[operation].max) {
        results[operation].max = instructions;
    }
}

static uint32_t first(void)
{
    void *result;
    uint32_t instructions = target_measure((void (*)(void))selection_first, NULL, &result);
    answer = result;
    if (answer != oracle_first()) {
        print("wrong first\n");
        target_exit(1);
    }
    if (inside_count == size) {
        count(FIRST, instructions);
    }
    return instructions;
}

static void insert(struct task *task)
{
    void *result;
    uint32_t instructions = target_measure((void (*)(void))selection_insert, task, &result);
    inside[task->order] = 1;
    inside_count++;
    uint32_t look = first();
    if (inside_count == size) { /* now there are as many as this row is about */
        count(INSERT, instructions);
        count(RELEASE, instructions + look);
    }
}

static void take(struct task *task)
{
    void *result;
    int is_first = task == oracle_first();
    int full = inside_count == size;
    uint32_t instructions = target_measure((void (*)(void))selection_remove, task, &result);
    inside[task->order] = 0;
    inside_count--;
    uint32_t look = first();
    if (full && is_first) {
        count(REMOVE_FIRST, instructions);
        count(COMPLETION, instructions + look);
    }
    if (full) {
        count(REMOVE_ANY, instructions);
    }
}

static uint64_t new_key(enum keys kind, const struct task *task)
{
    switch (kind) {
    case NARROW:
        return MIDDLE - 50000u + below(100000);
    case WIDE:
        return ((uint64_t)below(64) << 32) + below(UINT32_MAX);
    case EQUAL:
        return MIDDLE;
    case FEW:
        return MIDDLE - 2u + below(4);
    case FALLING:
        return MIDDLE - ++drift;
    case RISING:
        return MIDDLE + ++drift;
    case LEANING: /* against the order of declaration, and now and then one before all */
        return below(3) == 0 ? 1000u + below(1000) : MIDDLE - 16u * task->order;
    default: /* the deadline of its next job; periods from 1 to 33 */
        return task->key + 1000u * (1u + task->order * 7u % 33u);
    }
}

static struct task *random_outside(void)
{
    unsigned i = below(size);
    while (inside[i] != 0) {
        i = (i + 1u) % size;
    }
    return &tasks[i];
}

static struct task *random_inside(void)
{
    unsigned i = below(size);
    while (inside[i] == 0) {
        i = (i + 1u) % size;
    }
    return &tasks[i];
}

static void round_of(enum keys kind)
{
    drift = 0;
    for (unsigned i = 0; i < size; i++) {
        tasks[i].key = MIDDLE;
    }
    while (inside_count < size) {
        struct task *task = random_outside();
        task->key = new_key(kind, task);
        insert(task);
    }
    for (unsigned job = 0; job < 2u * size + 8u; job++) { /* one leaves, comes again with another key */
        struct task *task = job % 2u == 0 || kind == PERIODIC ? answer : random_inside();
        take(task);
        task->key = new_key(job % 16u == 15u ? WIDE : kind, task);
        insert(task);
    }
    while (inside_count > 0) {
        take(inside_count % 4u == 0 ? random_inside() : answer);
    }
}

static void print_results(void)
{
    struct storage storage = selection_storage(size);
    print("{\"tasks\": ");
    print_number(size);
    print(", \"bytes_per_task\": ");
    print_number(storage.per_task);
    print(", \"bytes_per_level\": ");
    print_number(storage.per_level);
    for (unsigned i = 0; i < OPERATIONS; i++) {
        print(", \"");
        print(operation_names[i]);
        print("\": [");
        print_number(results[i].sum);
        print(", ");
        print_number(results[i].count);
        print(", ");
        print_number(results[i].max);
        print("]");
    }
    print("}");
}

_Noreturn void measure(void)
{
    void *result;
    if (target_measure(nothing, NULL, &result) != 2 ||
        target_measure(five, NULL, &result) != 7) { /* the call and the return */
        print("the counter does not count\n");
        target_exit(1);
    }
    for (unsigned i = 0; i < TASKS_MAX; i++) {
        tasks[i].order = (uint16_t)i;
    }
    print("[");
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size = sizes[i];
        for (unsigned operation = 0; operation < OPERATIONS; operation++) {
            results[operation].sum = results[operation].count = results[operation].max = 0;
        }
        selection_init(size);
        state = size;
        answer = NULL;
        for (unsigned kind = 0; kind < KINDS; kind++) {
            for (unsigned round = 0; round < ROUNDS; round++) {
                round_of((enum keys)kind);
            }
        }
        print(i == 0 ? "" : ",\n");
        print_results();
    }
    print("]\n");
    target_exit(0);
}
