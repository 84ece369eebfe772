/* SPDX-License-Identifier: Apache-2.0 */
/* Tournament: base/tournament.c with leaves_for(tasks) leaves, a power of two; a task's leaf is its order. */
#include "selection.h"
#include "tournament_tree.h"

static uint64_t keys[TASKS_MAX];
static uint16_t winners[TASKS_MAX];
static struct takt_tree tournament = {keys, winners, TASKS_MAX};

struct storage selection_storage(unsigned count)
{
    unsigned per_leaf = sizeof keys[0] + sizeof winners[0] + sizeof(struct task *);
    return (struct storage){0, sizeof tournament + leaves_for(count) * per_leaf};
}

void selection_init(unsigned count)
{
    tournament.leaves = leaves_for(count);
    takt_tree_init(&tournament);
}

void selection_insert(struct task *task)
{
    takt_tree_set(&tournament, task->order, task->key);
}

void selection_remove(struct task *task)
{
    takt_tree_set(&tournament, task->order, UINT64_MAX);
}

struct task *selection_first(void)
{
    unsigned leaf = takt_tree_first(&tournament);
    return keys[leaf] == UINT64_MAX ? NULL : task_table[leaf];
}
