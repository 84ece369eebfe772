/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The shape in a memory of `bytes` bytes, if an area of it may have that and has room there. What is mapped
 * is checked again: this says only how much of it is worth to be, which is nothing of the gigabytes without a page
 * behind it that a wild writer has, and a server whose memory stays would fill. */
static bool has_shape(int descriptor, off_t bytes, struct takt_area_shape *shape)
{
    struct takt_area_memory head;
    if (pread(descriptor, &head, sizeof head, 0) != (ssize_t)sizeof head || head.size < 1 ||
        head.size > TAKT_AREA_SIZE_MAX || head.depth < 2 || head.depth > TAKT_AREA_DEPTH_MAX ||
        (uint64_t)head.size * head.depth > TAKT_REFLECT_BYTES_MAX) {
        return false;
    }
    *shape = (struct takt_area_shape){.size = (uint32_t)head.size, .depth = (uint32_t)head.depth};
    return (uint64_t)bytes >= TAKT_AREA_BYTES(shape->size, shape->depth);
}

bool taktr_memory_map(int folder, const char *name, const struct taktr_memory *known, uint32_t size,
                      struct taktr_memory *memory)
{
    ino_t but = known == NULL || known->mapped == NULL ? 0 : known->inode;
    *memory = (struct taktr_memory){0};
    struct stat found;
    int descriptor = taktr_name_open(folder, name, &memory->writer);
    if (descriptor < 0) {
        return false;
    }
    struct takt_area_shape *shape = &memory->area.shape;
    if (fstat(descriptor, &found) == 0 && found.st_uid == geteuid() && found.st_ino != but &&
        has_shape(descriptor, found.st_size, shape) && (size == 0 || size == shape->size)) {
        memory->bytes = TAKT_AREA_BYTES(shape->size, shape->depth);
        memory->inode = found.st_ino;
        void *mapped = mmap(NULL, memory->bytes, PROT_READ, MAP_SHARED, descriptor, 0);
        if (mapped != MAP_FAILED && takt_area_attach(&memory->area, mapped, memory->bytes) == TAKT_OK) {
            memory->mapped = mapped;
        } else if (mapped != MAP_FAILED) {
            munmap(mapped, memory->bytes);
        }
    }
    close(descriptor);
    return memory->mapped != NULL;
}

void taktr_memory_unmap(struct taktr_memory *memory)
{
    if (memory->mapped != NULL) {
        munmap((void *)(uintptr_t)memory->mapped, memory->bytes);
        memory->mapped = NULL;
    }
}
