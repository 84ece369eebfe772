/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of eight and a root: base/tournament.c. A task's leaf is its order. */
#include "base/tournament.h"
#include "selection.h"

static uint64_t keys[TAKT_TOURNAMENT_KEYS(TASKS_MAX)];
static struct takt_tournament_group results[TAKT_TOURNAMENT_GROUPS(TASKS_MAX)];
static struct takt_tournament tournament;

struct storage selection_storage(unsigned count)
{
    unsigned rounds = TAKT_TOURNAMENT_GROUPS(count) > 1 ? TAKT_TOURNAMENT_GROUPS(count) : 0;
    return (struct storage){0, sizeof tournament + TAKT_TOURNAMENT_KEYS(count) * sizeof keys[0] +
                                   rounds * sizeof results[0] + count * sizeof(struct task *)};
}

void selection_init(unsigned count)
{
    takt_tournament_init(&tournament, keys, results, count);
}

void selection_insert(struct task *task)
{
    (void)takt_tournament_insert(&tournament, task->order, task->key);
}

void selection_remove(struct task *task)
{
    takt_tournament_remove(&tournament, task->order);
}

struct task *selection_first(void)
{
    return tournament.least == TAKT_TOURNAMENT_NONE ? NULL : task_table[tournament.first];
}
