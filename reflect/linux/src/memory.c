/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool takti_memory_map(int folder, const char *name, const struct takti_memory *known, struct takti_memory *memory)
{
    ino_t but = known == NULL || known->mapped == NULL ? 0 : known->inode;
    *memory = (struct takti_memory){0};
    struct stat found;
    int descriptor = takti_name_open(folder, name, &memory->writer);
    if (descriptor < 0) {
        return false;
    }
    if (fstat(descriptor, &found) == 0 && found.st_uid == geteuid() && found.st_size > 0 && found.st_ino != but) {
        void *mapped = mmap(NULL, (size_t)found.st_size, PROT_READ, MAP_SHARED, descriptor, 0);
        memory->bytes = (size_t)found.st_size;
        memory->inode = found.st_ino;
        if (mapped != MAP_FAILED && takt_area_attach(&memory->area, mapped, memory->bytes) == TAKT_OK) {
            memory->mapped = mapped;
        } else if (mapped != MAP_FAILED) {
            munmap(mapped, memory->bytes);
        }
    }
    close(descriptor);
    return memory->mapped != NULL;
}

void takti_memory_unmap(struct takti_memory *memory)
{
    if (memory->mapped != NULL) {
        munmap((void *)(uintptr_t)memory->mapped, memory->bytes);
        memory->mapped = NULL;
    }
}
