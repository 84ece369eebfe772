/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries of entries.c: signals and pools. The process names a signal by the address of its copy of it; which signal
 * that is, and whether the running task holds it, follows from the pool's table of copies and from the kernel's own
 * signal.
 */
#include "kernel/process/check.h"

TAKTI_ENTRY(signal_allocate, uintptr_t handle, uint32_t number)
{
    const struct takt_task *task = takti_kernel.ready.running;
    struct takt_signal_pool *pool = takti_object(handle, TAKT_OBJECT_SIGNAL_POOL, TAKT_RIGHT_USE);
    struct takt_signal *signal = pool == NULL ? NULL : takt_signal_allocate(pool, number);
    if (signal == NULL) {
        return 0;
    }
    struct takt_signal *copy = takti_signal_copy(signal, task);
    copy->number = number;
    copy->pool = (struct takt_signal_pool *)handle;
    return (uintptr_t)copy;
}

/* The signal whose copy is at `*variable`, which the running task holds. */
static struct takt_signal *signal_held(struct takt_signal **variable)
{
    if (!takti_writable(variable, sizeof *variable, _Alignof(struct takt_signal *))) {
        return NULL;
    }
    const struct takt_signal *copy = *variable;
    if (!takti_writable(copy, sizeof *copy, 8)) {
        return NULL;
    }
    const struct takt_signal_pool *pool = takti_object((uintptr_t)copy->pool, TAKT_OBJECT_SIGNAL_POOL, TAKT_RIGHT_USE);
    if (pool == NULL) {
        return NULL;
    }
    struct takt_signal *signal = takti_signal_of(pool, copy, takti_kernel.ready.running);
    return takti_required(signal != NULL, (uintptr_t)copy) ? signal : NULL;
}

/* The receiver's process must have copies of such signals. */
TAKTI_ENTRY(signal_send, struct takt_signal **variable, uintptr_t handle)
{
    struct takt_signal_queue *queue = takti_object(handle, TAKT_OBJECT_SIGNAL_QUEUE, TAKT_RIGHT_GIVE);
    struct takt_signal *signal = queue == NULL ? NULL : signal_held(variable);
    if (signal != NULL && takti_required(takti_signal_fits(signal, queue->owner), handle)) {
        takti_signal_send_copy(signal, *variable);
        *variable = NULL;
        takt_signal_send(&signal, queue);
    }
    return 0;
}

TAKTI_ENTRY(signal_free, struct takt_signal **variable)
{
    struct takt_signal *signal = signal_held(variable);
    if (signal != NULL) {
        *variable = NULL;
        takt_signal_free(&signal);
    }
    return 0;
}

/* The task of a handle, which is only compared: so no right is needed. */
static const struct takt_task *task_named(uintptr_t handle)
{
    const struct takt_system *system = takti_kernel.system;
    uintptr_t index = handle & UINT16_MAX;
    bool named = index < system->object_count && system->objects[index].kind == TAKT_OBJECT_TASK &&
                 system->objects[index].generation == handle >> 16;
    return takti_required(named, handle) ? system->objects[index].object : NULL;
}

/* The filter that a process passed, as the kernel's function takes it. False: it was a fault. */
static bool filter_taken(struct takt_signal_filter *own, const struct takt_signal_filter *filter)
{
    if (!takti_readable(filter, sizeof *filter, _Alignof(struct takt_signal_filter))) {
        return false;
    }
    *own = *filter;
    if (!takti_required(own->count <= TAKT_PROCESS_NUMBERS_MAX, own->count) ||
        (own->count > 0 && !takti_readable(own->numbers, own->count * sizeof(uint32_t), _Alignof(uint32_t)))) {
        return false;
    }
    own->sender = own->sender == NULL ? NULL : task_named((uintptr_t)own->sender);
    return filter->sender == NULL || own->sender != NULL;
}

/* The queue of the running task, which may receive by that filter into `*variable`. */
static struct takt_signal_queue *queue_for(uintptr_t handle, struct takt_signal_filter *own,
                                           const struct takt_signal_filter *filter, struct takt_signal **variable)
{
    struct takt_signal_queue *queue = takti_object(handle, TAKT_OBJECT_SIGNAL_QUEUE, TAKT_RIGHT_USE);
    bool may = queue != NULL && takti_required(queue->owner == takti_kernel.ready.running, handle) &&
               (filter == NULL || filter_taken(own, filter)) &&
               takti_writable(variable, sizeof *variable, _Alignof(struct takt_signal *));
    return may ? queue : NULL;
}

TAKTI_ENTRY(signal_receive, uintptr_t handle, const struct takt_signal_filter *filter, struct takt_signal **variable)
{
    struct takt_signal_filter own;
    struct takt_signal_queue *queue = queue_for(handle, &own, filter, variable);
    return queue == NULL ? 0 : takt_signal_receive(queue, filter == NULL ? NULL : &own, variable);
}

TAKTI_ENTRY(signal_receive_until, uintptr_t handle, const struct takti_multiword_signal *wide)
{
    if (!takti_readable(wide, sizeof *wide, _Alignof(struct takti_multiword_signal))) {
        return 0;
    }
    struct takt_signal_filter own;
    const struct takti_multiword_signal given = *wide;
    struct takt_signal_queue *queue = queue_for(handle, &own, given.filter, given.signal);
    const struct takt_signal_filter *filter = given.filter == NULL ? NULL : &own;
    return queue == NULL ? 0 : takt_signal_receive_until(queue, filter, given.signal, given.until_ns);
}

TAKTI_ENTRY(signal_try_receive, uintptr_t handle, const struct takt_signal_filter *filter,
            struct takt_signal **variable)
{
    struct takt_signal_filter own;
    struct takt_signal_queue *queue = queue_for(handle, &own, filter, variable);
    return queue == NULL ? 0 : takt_signal_try_receive(queue, filter == NULL ? NULL : &own, variable);
}

/* A pool whose blocks the running task may allocate to `*block`. */
static struct takt_pool *pool_for(uintptr_t handle, void **block)
{
    struct takt_pool *pool = takti_object(handle, TAKT_OBJECT_POOL, TAKT_RIGHT_USE);
    return pool != NULL && takti_writable(block, sizeof *block, _Alignof(void *)) ? pool : NULL;
}

TAKTI_ENTRY(pool_allocate, uintptr_t handle, void **block)
{
    struct takt_pool *pool = pool_for(handle, block);
    return pool == NULL ? 0 : takt_pool_allocate(pool, block);
}

TAKTI_ENTRY(pool_allocate_until, uintptr_t handle, void **block, uint64_t until_ns)
{
    struct takt_pool *pool = pool_for(handle, block);
    return pool == NULL ? 0 : takt_pool_allocate_until(pool, block, until_ns);
}

TAKTI_ENTRY(pool_try_allocate, uintptr_t handle)
{
    const struct takt_task *task = takti_kernel.ready.running;
    struct takt_pool *pool = takti_object(handle, TAKT_OBJECT_POOL, TAKT_RIGHT_USE);
    void *token = pool == NULL ? NULL : takt_pool_try_allocate(pool);
    return token == NULL ? 0 : (uintptr_t)takti_pool_block(pool, token, task);
}

/* The process must have the block. */
TAKTI_ENTRY(pool_free, uintptr_t handle, void *block)
{
    struct takt_pool *pool = takti_object(handle, TAKT_OBJECT_POOL, TAKT_RIGHT_USE);
    if (pool != NULL) {
        struct takti_pool_token *token = takti_pool_token_of(pool, block, takti_process_running()->config->index);
        if (takti_required(token != NULL, (uintptr_t)block)) {
            token->holder = 0;
            takt_pool_free(pool, token);
        }
    }
    return 0;
}

TAKTI_ENTRY(pool_delete, uintptr_t handle)
{
    struct takt_pool *pool = takti_object(handle, TAKT_OBJECT_POOL, TAKT_RIGHT_MANAGE);
    if (pool != NULL) {
        takt_pool_delete(pool);
    }
    return 0;
}
