/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_QUOTA_H
#define TAKTI_QUOTA_H

/* What processes take at run time, with protection and without. Called with the kernel locked. */
#include "kernel/core/kernel.h"
#include "takt/create.h"
#include "takt/process.h"

/* That of the running task's process; or NULL: it is of none. process.c, or unprotected.c */
struct takt_quota *takti_quota_running(void);

/* `size` bytes, rounded up to TAKT_GRANULE; NULL: there are not so many left, or none are wanted. O(1). */
void *takti_quota_memory(struct takt_quota *quota, uint32_t size);

/* Zeroes the next piece of shared memory that nobody has; whether it was the last. O(TAKTI_SHARED_PIECE). */
enum { TAKTI_SHARED_PIECE = 256 }; /* bytes: so much is done with the kernel locked */
bool takti_shared_make(struct takt_shared *shared);

/*
 * A new object in a free place, or NULL: there is none, or no room for what it holds. What takt/create.h asks of
 * attributes the caller has seen to. O(places).
 */
struct takt_object *takti_create_mutex(struct takt_quota *quota);
struct takt_object *takti_create_condition(struct takt_quota *quota);
struct takt_object *takti_create_events(struct takt_quota *quota);
struct takt_object *takti_create_semaphore(struct takt_quota *quota,
                                           const struct takt_semaphore_attributes *attributes);
struct takt_object *takti_create_mailbox(struct takt_quota *quota, const struct takt_mailbox_attributes *attributes);
struct takt_object *takti_create_pipe(struct takt_quota *quota, uint32_t capacity);

/* The same for a thread: what its task is started with is in its config, but for what is the build's own. */
struct takt_thread *takti_create_thread(struct takt_quota *quota, const struct takt_thread_attributes *attributes);

/* takt_thread.state */
enum { TAKTI_THREAD_JOINABLE, TAKTI_THREAD_DETACHED };

/* takt_thread_join_until and takt_thread_detach, of one that may be joined. Unlocked afterwards. */
enum takt_status takti_thread_join(struct takt_thread *thread, uint64_t until_ns, uint32_t lock);
void takti_thread_detach(struct takt_thread *thread, uint32_t lock);

/* A place is free, whatever stood there. All tasks and threads of the process are stopped. O(1). */
void takti_quota_handle_end(struct takt_object *place);

/* What stood in a place is there no more: its handles are stale. */
static inline void takti_handle_free(struct takt_object *place)
{
    place->kind |= TAKT_OBJECT_FREE;
    place->generation++;
    if (place->generation == 0) {
        place->generation = 1;
    }
}

#endif
