/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of entries.c: the heap of a process. It is in the process's memory, which may be damaged: base/heap.h. */
#include "kernel/process/check.h"

#include "base/heap.h"

#if TAKT_PROCESS_HEAP
extern const struct taktb_heap takti_heaps[]; /* by the index of the process, generated; of size 0: it has none */

static const struct taktb_heap *heap_running(void)
{
    return &takti_heaps[takti_process_running()->config->index];
}

static uint32_t heap_offset(const struct taktb_heap *heap, uintptr_t block)
{
    uintptr_t offset = block - (uintptr_t)heap->memory;
    return offset < heap->size ? (uint32_t)offset : 0; /* 0: no block */
}

/* The fault of a process that freed what it does not have, or whose heap is damaged. */
static bool heap_required(bool condition, uintptr_t value)
{
    if (!condition) {
        takti_process_fault(TAKT_PROCESS_HEAP_DAMAGED, value, takt_port_call_pc(), NULL, NULL);
    }
    return condition;
}

TAKTI_ENTRY(heap_allocate, uintptr_t size, uintptr_t alignment)
{
    const struct taktb_heap *heap = heap_running();
    bool power = alignment != 0 && (alignment & (alignment - 1)) == 0;
    if (!takti_required(power && heap->size != 0, alignment) || size > heap->size || alignment > heap->size) {
        return 0;
    }
    uint32_t block;
    enum taktb_heap_result result = taktb_heap_take(heap, (uint32_t)size, (uint32_t)alignment, &block);
    (void)heap_required(result != TAKTB_HEAP_DAMAGED, (uintptr_t)heap->memory);
    return result == TAKTB_HEAP_OK ? (uintptr_t)heap->memory + block : 0;
}

TAKTI_ENTRY(heap_free, uintptr_t block)
{
    const struct taktb_heap *heap = heap_running();
    if (takti_required(heap->size != 0, block)) {
        (void)heap_required(taktb_heap_give(heap, heap_offset(heap, block)) == TAKTB_HEAP_OK, block);
    }
    return 0;
}

TAKTI_ENTRY(heap_resize, uintptr_t block, uintptr_t size)
{
    const struct taktb_heap *heap = heap_running();
    if (!takti_required(heap->size != 0, block)) {
        return 0;
    }
    uint32_t bytes = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
    enum taktb_heap_result result = taktb_heap_resize(heap, heap_offset(heap, block), bytes);
    (void)heap_required(result != TAKTB_HEAP_DAMAGED, block);
    return result == TAKTB_HEAP_OK;
}
#endif
