/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implicit heap of ARITY (Williams 1964; Johnson 1975) whose entries hold the key, so that a comparison follows no
 * pointer; an owner knows its slot, so that it can leave from anywhere. Entries move into a hole, never swap.
 */
#include "selection.h"

struct entry {
    uint64_t key;
    struct task *owner;
    uint16_t order;
};

static struct {
    unsigned count;
    struct entry entries[TASKS_MAX];
} heap;

struct storage selection_storage(unsigned count)
{
    return (struct storage){sizeof(uint16_t), sizeof heap.count + count * sizeof(struct entry)};
}

void selection_init(unsigned count)
{
    (void)count;
    heap.count = 0;
}

static inline int entry_before(const struct entry *entry, uint64_t key, unsigned order)
{
    return entry->key < key || (entry->key == key && entry->order < order);
}

static inline void put(unsigned slot, const struct entry *entry)
{
    heap.entries[slot] = *entry;
    entry->owner->slot = (uint16_t)slot;
}

/* The entry comes into `slot`, which is empty, or as far above it as it goes: log(count) levels. */
static inline void up(unsigned slot, const struct entry *entry)
{
    while (slot > 0) {
        unsigned parent = (slot - 1u) / ARITY;
        if (!entry_before(entry, heap.entries[parent].key, heap.entries[parent].order)) {
            break;
        }
        put(slot, &heap.entries[parent]);
        slot = parent;
    }
    put(slot, entry);
}

void selection_insert(struct task *task)
{
    up(heap.count++, &(struct entry){task->key, task, task->order});
}

void selection_remove(struct task *task)
{
    unsigned slot = task->slot;
    struct entry last = heap.entries[--heap.count];
    unsigned count = heap.count;
    if (slot == count) {
        return;
    }
    if (slot > 0 && entry_before(&last, task->key, task->order)) {
        up(slot, &last);
        return;
    }
    for (;;) { /* log(count) levels */
        unsigned child = ARITY * slot + 1u;
        if (child >= count) {
            break;
        }
        unsigned end = child + ARITY < count ? child + ARITY : count;
        const struct entry *best = &heap.entries[child];
        for (const struct entry *other = best + 1; other < &heap.entries[end]; other++) { /* ARITY */
            if (entry_before(other, best->key, best->order)) {
                best = other;
            }
        }
        if (!entry_before(best, last.key, last.order)) {
            break;
        }
        put(slot, best);
        slot = (unsigned)(best - heap.entries);
    }
    put(slot, &last);
}

struct task *selection_first(void)
{
    return heap.count == 0 ? NULL : heap.entries[0].owner;
}
