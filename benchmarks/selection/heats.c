/* SPDX-License-Identifier: Apache-2.0 */
/* Heats of eight and a final: base/heats.c. A task's leaf is its order. */
#include "base/heats.h"
#include "selection.h"

static uint64_t keys[TAKT_HEATS_KEYS(TASKS_MAX)];
static struct takt_heat results[TAKT_HEATS(TASKS_MAX)];
static struct takt_heats heats;

struct storage selection_storage(unsigned count)
{
    unsigned rounds = TAKT_HEATS(count) > 1 ? TAKT_HEATS(count) : 0;
    return (struct storage){0, sizeof heats + TAKT_HEATS_KEYS(count) * sizeof keys[0] + rounds * sizeof results[0] +
                                   count * sizeof(struct task *)};
}

void selection_init(unsigned count)
{
    takt_heats_init(&heats, keys, results, count);
}

void selection_insert(struct task *task)
{
    takt_heats_insert(&heats, task->order, task->key);
}

void selection_remove(struct task *task)
{
    takt_heats_remove(&heats, task->order);
}

struct task *selection_first(void)
{
    return heats.least == TAKT_HEATS_NONE ? NULL : task_table[heats.first];
}
