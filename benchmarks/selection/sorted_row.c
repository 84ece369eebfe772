/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorted row: the tasks' orders as bytes in an array, the last first, so that the first leaves by a count. A position
 * is found by bisection; the bytes behind it move four at a time.
 */
#include "selection.h"

static struct {
    unsigned count;
    uint32_t words[TASKS_MAX / 4];
} row;

struct storage selection_storage(unsigned count)
{
    return (struct storage){0, sizeof row.count + (count + 3u) / 4u * 4u + count * sizeof(struct task *)};
}

void selection_init(unsigned count)
{
    (void)count;
    row.count = 0;
}

/* How many entries go after (key, order): log2(count) steps. */
static inline unsigned find(uint64_t key, unsigned order)
{
    const uint8_t *entries = (const uint8_t *)row.words;
    const uint8_t *base = entries;
    if (row.count == 0) {
        return 0;
    }
    unsigned step = UINT32_C(0x80000000) >> __builtin_clz(row.count);
    unsigned jump = row.count - step + 1u; /* the first step leaves step - 1 entries on either side */
    do {
        unsigned other = base[step - 1u];
        uint64_t limit = task_table[other]->key;
        if (limit > key || (limit == key && other > order)) {
            base += jump;
        }
        step >>= 1;
        jump = step;
    } while (step != 0);
    return (unsigned)(base - entries);
}

void selection_insert(struct task *task)
{
    unsigned order = task->order;
    unsigned position = find(task->key, order);
    unsigned count = row.count++;
    uint32_t *word = &row.words[position >> 2];
    const uint32_t *last = &row.words[count >> 2];
    uint32_t keep = (UINT32_C(1) << (position % 4u * 8u)) - 1u;
    uint32_t old = *word;
    *word = (old & keep) | (old & ~keep) << 8 | order << (position % 4u * 8u);
    while (word != last) { /* at most a quarter of the tasks */
        uint32_t carry = old >> 24;
        old = *++word;
        *word = old << 8 | carry;
    }
}

void selection_remove(struct task *task)
{
    unsigned count = --row.count;
    uint8_t *entries = (uint8_t *)row.words;
    if (entries[count] == task->order) {
        return;
    }
    unsigned position = find(task->key, task->order);
    uint32_t *word = &row.words[position >> 2];
    const uint32_t *last = &row.words[count >> 2];
    uint32_t keep = (UINT32_C(1) << (position % 4u * 8u)) - 1u;
    uint32_t low = *word & keep;
    uint32_t high = (*word >> 8) & ~keep;
    while (word != last) { /* at most a quarter of the tasks */
        uint32_t next = word[1];
        *word++ = low | high | next << 24;
        low = 0;
        high = next >> 8;
    }
    *word = low | high;
}

struct task *selection_first(void)
{
    return row.count == 0 ? NULL : task_table[((const uint8_t *)row.words)[row.count - 1u]];
}
