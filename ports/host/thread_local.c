/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thread-local variables of contexts. The machine has one thread for all of them, so a switch copies: the variables of
 * the program, which the linker put into its segment PT_TLS, and errno, which is the C library's.
 */
#include "ports/host/thread_local.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>

extern const ElfW(Ehdr) __ehdr_start; /* the linker's */

/* A copy has errno, then the variables of the program. */
enum { ERRNO_SIZE = sizeof(int), ALIGNMENT = 64 };

/* The program's variables: where they are now, and with what they begin. Constant from the first size on. */
static struct {
    void *now;
    const void *begin;
    size_t size;
    size_t begin_size;
} variables;

static uintptr_t aligned(uintptr_t value, uintptr_t alignment)
{
    return alignment > 1 ? (value + alignment - 1) / alignment * alignment : value;
}

size_t takt_host_thread_locals_size(void)
{
    const char *image = (const char *)&__ehdr_start;
    const ElfW(Phdr) *header = (const void *)(image + __ehdr_start.e_phoff);
    for (unsigned i = 0; i < __ehdr_start.e_phnum; i++, header++) {
        if (header->p_type == PT_TLS) {
            uintptr_t thread = (uintptr_t)__builtin_thread_pointer();
#if defined(__aarch64__)
            variables.now = (void *)(thread + aligned(16, header->p_align));
#else
            variables.now = (void *)(thread - aligned(header->p_memsz, header->p_align));
#endif
            variables.begin = (const void *)((__ehdr_start.e_type == ET_EXEC ? 0 : (uintptr_t)image) + header->p_vaddr);
            variables.size = header->p_memsz;
            variables.begin_size = header->p_filesz;
        }
    }
    return aligned(ERRNO_SIZE + variables.size, ALIGNMENT);
}

void takt_host_thread_locals_begin(void *copy)
{
    memset(copy, 0, ERRNO_SIZE + variables.size);
    if (variables.begin_size != 0) {
        memcpy((uint8_t *)copy + ERRNO_SIZE, variables.begin, variables.begin_size);
    }
}

void takt_host_thread_locals_swap(void *from, const void *to)
{
    memcpy(from, &errno, ERRNO_SIZE);
    memcpy(&errno, to, ERRNO_SIZE);
    if (variables.size != 0) {
        memcpy((uint8_t *)from + ERRNO_SIZE, variables.now, variables.size);
        memcpy(variables.now, (const uint8_t *)to + ERRNO_SIZE, variables.size);
    }
}
