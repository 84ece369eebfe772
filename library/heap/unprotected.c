/* SPDX-License-Identifier: Apache-2.0 */
/* The heap of a system without protection. Its sections are shorter than the kernel's own (docs/decisions/0036). */
#include "library/heap/heap.h"

#include "base/heap.h"
#include "kernel/port.h"
#include "takt/fault.h"

extern const struct taktb_heap takti_heap; /* system.c, where one is declared */

/* As TAKT_ASSERT; the record has in place of a file what is wrong. `caller`: of malloc.c, or of a task. */
static void check(bool right, const char *wrong, const void *caller)
{
    if (TAKT_ASSERTIONS && !right) {
        takt_fault_raise(TAKT_FAULT_ASSERTION, wrong, 1, (uintptr_t)caller);
    }
}

/* Of calls in interrupts some would be right, but not those in interrupts that are never masked. */
static uint32_t enter(const void *caller)
{
    uint32_t lock = takt_port_lock();
    check(takt_port_caller(lock) == 0, "heap: a call in an interrupt", caller);
    return lock;
}

static const char no_block[] = "heap: freed or resized what is no block in use, or memory of the heap was overwritten";

static uint32_t offset_of(const void *block)
{
    return (uint32_t)((uintptr_t)block - (uintptr_t)takti_heap.memory);
}

void *takt_heap_allocate(size_t size, size_t alignment)
{
    uint32_t block;
    const void *caller = __builtin_return_address(0);
    uint32_t lock = enter(caller);
    enum taktb_heap_result result = taktb_heap_take(&takti_heap, (uint32_t)size, (uint32_t)alignment, &block);
    takt_port_unlock(lock);
    check(result != TAKTB_HEAP_DAMAGED, "heap: memory of it was overwritten", caller);
    return result == TAKTB_HEAP_OK ? takti_heap.memory + block : NULL;
}

void takt_heap_free(void *block)
{
    const void *caller = __builtin_return_address(0);
    uint32_t lock = enter(caller);
    enum taktb_heap_result result = taktb_heap_give(&takti_heap, offset_of(block));
    takt_port_unlock(lock);
    check(result == TAKTB_HEAP_OK, no_block, caller);
}

bool takt_heap_resize(void *block, size_t size)
{
    const void *caller = __builtin_return_address(0);
    uint32_t lock = enter(caller);
    enum taktb_heap_result result = taktb_heap_resize(&takti_heap, offset_of(block), (uint32_t)size);
    takt_port_unlock(lock);
    check(result != TAKTB_HEAP_DAMAGED, no_block, caller);
    return result == TAKTB_HEAP_OK;
}
