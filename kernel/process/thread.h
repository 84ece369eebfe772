/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_THREAD_H
#define TAKTI_THREAD_H

/* Threads and what else stands in the places of a quota. Called with the kernel locked. */
#include "kernel/process/process.h"

/* takt_thread.state */
enum { TAKTI_THREAD_JOINABLE, TAKTI_THREAD_DETACHED };

/* What stood in the place of a quota is there no more: its handles are stale. */
static inline void takti_place_free(struct takt_object *object)
{
    object->kind |= TAKT_OBJECT_FREE;
    object->generation++;
    if (object->generation == 0) {
        object->generation = 1;
    }
}

#endif
