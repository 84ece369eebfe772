/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malloc and the functions like it. O(1), but what calloc zeroes and realloc copies, which is done with interrupts open
 * and grows with the size. Compiled without what the compiler knows of these functions: it would call one from another.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/heap.h"
#include "library/heap/heap.h"

void *malloc(size_t size);
void free(void *block);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size);
int posix_memalign(void **block, size_t alignment, size_t size);
size_t malloc_usable_size(void *block);

static void *take(size_t size, size_t alignment)
{
    bool possible = size <= TAKTB_HEAP_SIZE_MAX && alignment <= TAKTB_HEAP_SIZE_MAX;
    return possible ? takt_heap_allocate(size, alignment) : NULL;
}

static void *allocate(size_t size, size_t alignment)
{
    void *block = take(size, alignment);
    if (block == NULL) {
        errno = ENOMEM;
    }
    return block;
}

void *malloc(size_t size)
{
    return allocate(size, TAKTB_HEAP_ALIGNMENT);
}

void free(void *block)
{
    if (block != NULL) {
        takt_heap_free(block);
    }
}

void *calloc(size_t count, size_t size)
{
    size_t whole;
    if (__builtin_mul_overflow(count, size, &whole)) {
        errno = ENOMEM;
        return NULL;
    }
    void *block = allocate(whole, TAKTB_HEAP_ALIGNMENT);
    if (block != NULL) {
        memset(block, 0, whole);
    }
    return block;
}

void *realloc(void *block, size_t size)
{
    if (block == NULL) {
        return allocate(size, TAKTB_HEAP_ALIGNMENT);
    }
    if (size == 0) {
        takt_heap_free(block);
        return NULL;
    }
    if (size <= TAKTB_HEAP_SIZE_MAX && takt_heap_resize(block, size)) {
        return block;
    }
    void *larger = allocate(size, TAKTB_HEAP_ALIGNMENT);
    if (larger != NULL) {
        memcpy(larger, block, taktb_heap_usable(block)); /* it was not large enough */
        takt_heap_free(block);
    }
    return larger;
}

static int is_power(size_t alignment)
{
    return alignment != 0 && (alignment & (alignment - 1)) == 0;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    if (!is_power(alignment)) {
        errno = EINVAL;
        return NULL;
    }
    return allocate(size, alignment);
}

void *memalign(size_t alignment, size_t size)
{
    return aligned_alloc(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    if (!is_power(alignment) || alignment < sizeof(void *)) {
        return EINVAL;
    }
    void *one = take(size, alignment);
    if (one != NULL) {
        *block = one;
    }
    return one == NULL ? ENOMEM : 0;
}

size_t malloc_usable_size(void *block)
{
    return block == NULL ? 0 : taktb_heap_usable(block);
}
