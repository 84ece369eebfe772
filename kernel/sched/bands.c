/* SPDX-License-Identifier: Apache-2.0 */
/* Any ordered list of fixed and edf bands: a bitmap of levels, a FIFO per fixed level, a heap per edf level. */
#include "kernel/src/kernel.h"

void takti_ready_insert(struct takt_task *task, bool first)
{
    struct takti_ready *ready = &takti_kernel.ready;
    union takti_level *level = &ready->levels[task->level];
    if (takti_is_edf(task->level)) {
        task->queue.heap.key = task->key_deadline_ns;
        task->queue.heap.order = task->config->index;
        takt_heap_insert(&level->heap, &task->queue.heap);
    } else if (first) {
        takt_list_prepend(&level->fifo, &task->queue.link);
    } else {
        takt_list_append(&level->fifo, &task->queue.link);
    }
    takt_bitmap_set(ready->occupied, TAKT_LEVEL_WORDS, task->level);
}

void takti_ready_remove(struct takt_task *task)
{
    struct takti_ready *ready = &takti_kernel.ready;
    union takti_level *level = &ready->levels[task->level];
    bool empty;
    if (takti_is_edf(task->level)) {
        takt_heap_remove(&level->heap, &task->queue.heap);
        empty = level->heap == NULL;
    } else {
        takt_list_remove(&level->fifo, &task->queue.link);
        empty = level->fifo == NULL;
    }
    if (empty) {
        takt_bitmap_clear(ready->occupied, TAKT_LEVEL_WORDS, task->level);
    }
}

struct takt_task *takti_ready_first(void)
{
    struct takti_ready *ready = &takti_kernel.ready;
    unsigned level = takt_bitmap_first(ready->occupied, TAKT_LEVEL_WORDS);
    if (level == TAKT_LEVELS) {
        return NULL;
    }
    if (takti_is_edf(level)) {
        return TAKT_CONTAINER(ready->levels[level].heap, struct takt_task, queue.heap);
    }
    return TAKT_CONTAINER(ready->levels[level].fifo, struct takt_task, queue.link);
}
