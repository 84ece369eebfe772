/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries of entries.c: slots. The process names a buffer by the address of its copy of it; which buffer that is, and
 * whether the process has reserved it or the running task, the owner, has taken it, follows from the kernel's own
 * state.
 */
#include "kernel/process/check.h"

/* A slot that the running task may send to, with the variable for the address of a buffer. */
static struct takt_slot *slot_to(uintptr_t handle, void **buffer)
{
    struct takt_slot *slot = takti_object(handle, TAKT_OBJECT_SLOT, TAKT_RIGHT_GIVE);
    return slot != NULL && takti_writable(buffer, sizeof *buffer, _Alignof(void *)) ? slot : NULL;
}

/* A slot that the running task owns. */
static struct takt_slot *slot_of(uintptr_t handle)
{
    struct takt_slot *slot = takti_object(handle, TAKT_OBJECT_SLOT, TAKT_RIGHT_USE);
    bool owns = slot != NULL && takti_required(takti_slot_is_owner(slot, takti_kernel.ready.running), handle);
    return owns ? slot : NULL;
}

/* The same to take from. */
static struct takt_slot *slot_from(uintptr_t handle, void **buffer)
{
    struct takt_slot *slot = slot_of(handle);
    return slot != NULL && takti_writable(buffer, sizeof *buffer, _Alignof(void *)) ? slot : NULL;
}

TAKTI_ENTRY(slot_allocate, uintptr_t handle)
{
    struct takt_slot *slot = takti_object(handle, TAKT_OBJECT_SLOT, TAKT_RIGHT_USE);
    return slot == NULL ? 0 : takt_slot_allocate(slot);
}

TAKTI_ENTRY(slot_open, uintptr_t handle)
{
    struct takt_slot *slot = slot_of(handle);
    if (slot != NULL) {
        takt_slot_open(slot);
    }
    return 0;
}

TAKTI_ENTRY(slot_close, uintptr_t handle)
{
    struct takt_slot *slot = slot_of(handle);
    return slot == NULL ? 0 : takt_slot_close(slot);
}

TAKTI_ENTRY(slot_deallocate, uintptr_t handle)
{
    struct takt_slot *slot = slot_of(handle);
    return slot == NULL ? 0 : takt_slot_deallocate(slot);
}

TAKTI_ENTRY(slot_reserve, uintptr_t handle, uint32_t priority, void **buffer)
{
    struct takt_slot *slot = slot_to(handle, buffer);
    return slot == NULL ? 0 : takt_slot_reserve(slot, priority, buffer);
}

TAKTI_ENTRY(slot_reserve_until, uintptr_t handle, const struct takti_multiword_slot *wide)
{
    if (!takti_readable(wide, sizeof *wide, _Alignof(struct takti_multiword_slot))) {
        return 0;
    }
    const struct takti_multiword_slot given = *wide;
    struct takt_slot *slot = slot_to(handle, given.buffer);
    return slot == NULL ? 0 : takt_slot_reserve_until(slot, given.priority, given.buffer, given.until_ns);
}

TAKTI_ENTRY(slot_try_reserve, uintptr_t handle, uint32_t priority, void **buffer)
{
    struct takt_slot *slot = slot_to(handle, buffer);
    return slot == NULL ? 0 : takt_slot_try_reserve(slot, priority, buffer);
}

/* The process has reserved the buffer, and not committed it. */
TAKTI_ENTRY(slot_commit, uintptr_t handle, const void *message)
{
    struct takt_slot *slot = takti_object(handle, TAKT_OBJECT_SLOT, TAKT_RIGHT_GIVE);
    void *buffer = slot == NULL ? NULL : takti_slot_reserved(slot, message, takti_kernel.ready.running);
    if (slot != NULL && takti_required(buffer != NULL, (uintptr_t)message)) {
        takt_slot_commit(slot, buffer);
    }
    return 0;
}

TAKTI_ENTRY(slot_take, uintptr_t handle, void **buffer)
{
    struct takt_slot *slot = slot_from(handle, buffer);
    return slot == NULL ? 0 : takt_slot_take(slot, buffer);
}

TAKTI_ENTRY(slot_take_until, uintptr_t handle, void **buffer, uint64_t until_ns)
{
    struct takt_slot *slot = slot_from(handle, buffer);
    return slot == NULL ? 0 : takt_slot_take_until(slot, buffer, until_ns);
}

TAKTI_ENTRY(slot_try_take, uintptr_t handle, void **buffer)
{
    struct takt_slot *slot = slot_from(handle, buffer);
    return slot == NULL ? 0 : takt_slot_try_take(slot, buffer);
}

/* The running task has taken the buffer. */
TAKTI_ENTRY(slot_release, uintptr_t handle, const void *message)
{
    struct takt_slot *slot = slot_of(handle);
    void *buffer = slot == NULL ? NULL : takti_slot_taken(slot, message, takti_kernel.ready.running);
    return slot != NULL && takti_required(buffer != NULL, (uintptr_t)message) ? takt_slot_release(slot, buffer) : 0;
}

TAKTI_ENTRY(slot_flush, uintptr_t handle)
{
    struct takt_slot *slot = slot_of(handle);
    return slot == NULL ? 0 : takt_slot_flush(slot);
}

/* Of any slot to which the process has a right. */
TAKTI_ENTRY(slot_info, uintptr_t handle, struct takt_slot_info *info)
{
    const struct takt_slot *slot = takti_object(handle, TAKT_OBJECT_SLOT, TAKT_RIGHT_USE | TAKT_RIGHT_GIVE);
    if (slot != NULL && takti_writable(info, sizeof *info, _Alignof(struct takt_slot_info))) {
        struct takt_slot_info found = takt_slot_info(slot);
        found.config = NULL;
        found.owner = found.owner == NULL ? NULL : (const struct takt_task *)takti_task_handle(found.owner);
        *info = found;
    }
    return 0;
}
