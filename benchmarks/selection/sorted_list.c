/* SPDX-License-Identifier: Apache-2.0 */
/* Sorted list, searched from its first: doubly linked, so that any task leaves at once. */
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
    struct takt_node *position = list;
    if (position == NULL) {
        takt_list_append(&list, &task->links.link);
        return;
    }
    if (before(task, TAKT_CONTAINER(position, struct task, links.link))) {
        list = &task->links.link;
    } else {
        do { /* tasks of the level */
            position = position->next;
        } while (position != list && before(TAKT_CONTAINER(position, struct task, links.link), task));
    }
    takt_list_insert_before(position, &task->links.link);
}

void selection_remove(struct task *task)
{
    takt_list_remove(&list, &task->links.link);
}

struct task *selection_first(void)
{
    return list == NULL ? NULL : TAKT_CONTAINER(list, struct task, links.link);
}
