/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_QUOTA_H
#define TAKTI_QUOTA_H

/* Resources that processes allocate at run time, with protection and without. Called with the kernel locked. */
#include "kernel/core/kernel.h"
#include "takt/create.h"
#include "takt/process.h"

/* The quota of the running task's process; NULL: it belongs to none. process.c, or unprotected.c */
struct takt_quota *takti_quota_running(void);

/* Allocates `size` bytes, rounded up to TAKT_GRANULE; NULL: not enough left, or `size` is 0. O(1). */
void *takti_quota_memory(struct takt_quota *quota, uint32_t size);

/* Zeroes the next piece of shared memory that no process has attached; returns whether it was the last.
 * O(TAKTI_SHARED_PIECE). */
enum { TAKTI_SHARED_PIECE = 256 }; /* bytes per locked section */
bool takti_shared_make(struct takt_shared *shared);

/*
 * Creates an object in a free slot; NULL: no slot, or no memory for its contents. The caller has checked the attributes
 * as required by takt/create.h. O(slots).
 */
struct takt_object *takti_create_mutex(struct takt_quota *quota);
struct takt_object *takti_create_condition(struct takt_quota *quota);
struct takt_object *takti_create_events(struct takt_quota *quota);
struct takt_object *takti_create_semaphore(struct takt_quota *quota,
                                           const struct takt_semaphore_attributes *attributes);
struct takt_object *takti_create_mailbox(struct takt_quota *quota, const struct takt_mailbox_attributes *attributes);
struct takt_object *takti_create_priority_mailbox(struct takt_quota *quota,
                                                  const struct takt_mailbox_attributes *attributes);
struct takt_object *takti_create_pipe(struct takt_quota *quota, uint32_t capacity);

#if TAKT_PROCESS_ALARMS
struct takt_object *takti_create_alarm(struct takt_quota *quota, const struct takt_alarm_attributes *attributes);

/* Whether an alarm of the process may expire repeatedly at that distance. */
static inline bool takti_alarm_valid(const struct takt_quota *quota, uint64_t period_ns)
{
    return period_ns == 0 || period_ns >= **quota->alarms_apart_ns;
}
#endif

/* The same for a thread; sets the config of its task, except fields that depend on the build. */
struct takt_thread *takti_create_thread(struct takt_quota *quota, const struct takt_thread_attributes *attributes);

enum { TAKTI_BUFFER_ALIGNMENT = 8 }; /* of the contents of mailboxes and pipes, in takt_quota.buffers */

/* takt_thread.state */
enum { TAKTI_THREAD_JOINABLE, TAKTI_THREAD_DETACHED };

/* takt_thread_join_until and takt_thread_detach for a joinable thread. They return unlocked. */
enum takt_status takti_thread_join(struct takt_thread *thread, uint64_t until_ns, uint32_t lock);
void takti_thread_detach(struct takt_thread *thread, uint32_t lock);

/* Frees a slot, with any object in it. All tasks and threads of the process are stopped. O(1). */
void takti_quota_handle_end(struct takt_object *slot);

/* Marks a slot as empty: handles of its object are stale. */
static inline void takti_handle_free(struct takt_object *slot)
{
    slot->kind |= TAKT_OBJECT_FREE;
    slot->generation++;
    if (slot->generation == 0) {
        slot->generation = 1;
    }
}

#endif
