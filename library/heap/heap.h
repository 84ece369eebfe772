/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_LIBRARY_HEAP_H
#define TAKT_LIBRARY_HEAP_H

/* The heap under malloc: that of the system (unprotected.c), or of the process that calls, by a trap (the kernel's
 * entries/heap.h). One task at a time: the kernel is locked, so that a task that is stopped leaves it whole. */
#include <stdbool.h>
#include <stddef.h>

/* `alignment`: a power of two. NULL: there is no room. Context: task, takt_app_init. Blocks: never; O(1). */
void *takt_heap_allocate(size_t size, size_t alignment);

/* Asserts that `block` is a block in use. Context: task, takt_app_init. Blocks: never; O(1). */
void takt_heap_free(void *block);

/* Makes a block smaller, or larger where the memory behind it is free; false: it is as it was. Context: task,
 * takt_app_init. Blocks: never; O(1). */
bool takt_heap_resize(void *block, size_t size);

#endif
