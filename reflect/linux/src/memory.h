/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTR_MEMORY_H
#define TAKTR_MEMORY_H

#include <sys/types.h>

#include "folder.h"

/* What is behind a name, for readers, and for the server, which is a reader of some names and the writer of others. */

/* A writer's memory, mapped for reading. */
struct taktr_memory {
    const void *mapped; /* NULL: there is none */
    size_t bytes;
    ino_t inode;
    int32_t writer;
    struct takt_area_reader area;
};

/*
 * Maps the memory of the name's writer, as much of it as an area of its shape has; false: there is none, or it is that
 * of `known`, which may be NULL. `size`: of values, or 0 for any: of another one nothing is mapped, and
 * memory->area.shape says which it is.
 */
bool taktr_memory_map(int folder, const char *name, const struct taktr_memory *known, uint32_t size,
                      struct taktr_memory *memory);

void taktr_memory_unmap(struct taktr_memory *memory);

/* The area that the writer writes, for a caller that writes it itself, and then wakes the waiting readers. */
struct takt_area *taktr_writer_area(struct takt_writer *writer);
void taktr_writer_wake(const struct takt_writer *writer);

/*
 * Looks whether the name still leads to the writer's memory, and sets it again if somebody removed it. TAKT_BUSY,
 * TAKT_STATE: it does not, as takt_writer_write. Blocks: no longer than the file system.
 */
enum takt_status taktr_writer_look(struct takt_writer *writer, uint64_t now);

#endif
