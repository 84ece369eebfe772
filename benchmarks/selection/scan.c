/* SPDX-License-Identifier: Apache-2.0 */
/* Linear scan: an unsorted list, searched whenever the first is wanted. */
#include "selection.h"

static struct takt_node *list;

struct storage selection_storage(unsigned count)
{
    (void)count;
    return (struct storage){sizeof(struct takt_node), sizeof list};
}

void selection_init(unsigned count)
{
    (void)count;
    list = NULL;
}

void selection_insert(struct task *task)
{
    takt_list_append(&list, &task->links.link);
}

void selection_remove(struct task *task)
{
    takt_list_remove(&list, &task->links.link);
}

struct task *selection_first(void)
{
    if (list == NULL) {
        return NULL;
    }
    struct task *best = TAKT_CONTAINER(list, struct task, links.link);
    for (struct takt_node *node = list->next; node != list; node = node->next) { /* tasks of the level */
        struct task *task = TAKT_CONTAINER(node, struct task, links.link);
        if (before(task, best)) {
            best = task;
        }
    }
    return best;
}
