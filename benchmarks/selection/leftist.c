/* SPDX-License-Identifier: Apache-2.0 */
/* Leftist heap. */
#include "selection.h"

static struct takt_heap_node *root;

struct storage selection_storage(unsigned count)
{
    (void)count;
    return (struct storage){sizeof(struct takt_heap_node), sizeof root};
}

void selection_init(unsigned count)
{
    (void)count;
    root = NULL;
}

void selection_insert(struct task *task)
{
    task->links.heap.key = task->key;
    task->links.heap.order = task->order;
    takt_heap_insert(&root, &task->links.heap);
}

void selection_remove(struct task *task)
{
    takt_heap_remove(&root, &task->links.heap);
}

struct task *selection_first(void)
{
    return root == NULL ? NULL : TAKT_CONTAINER(root, struct task, links.heap);
}
