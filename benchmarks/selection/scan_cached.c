/* SPDX-License-Identifier: Apache-2.0 */
/* Linear scan at its best: an unsorted list that remembers its first, searched only when that one leaves. */
#include "selection.h"

static struct takt_node *list;
static struct task *first;

struct storage selection_storage(unsigned count)
{
    (void)count;
    return (struct storage){sizeof(struct takt_node), sizeof list + sizeof first};
}

void selection_init(unsigned count)
{
    (void)count;
    list = NULL;
    first = NULL;
}

void selection_insert(struct task *task)
{
    takt_list_append(&list, &task->links.link);
    if (first == NULL || before(task, first)) {
        first = task;
    }
}

void selection_remove(struct task *task)
{
    takt_list_remove(&list, &task->links.link);
    if (task != first) {
        return;
    }
    struct takt_node *node = list;
    if (node == NULL) {
        first = NULL;
        return;
    }
    struct task *best = TAKT_CONTAINER(node, struct task, links.link);
    while ((node = node->next) != list) { /* tasks of the level */
        struct task *other = TAKT_CONTAINER(node, struct task, links.link);
        if (before(other, best)) {
            best = other;
        }
    }
    first = best;
}

struct task *selection_first(void)
{
    return first;
}
