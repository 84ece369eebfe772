/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QUEUES_H
#define QUEUES_H

/*
 * What benchmarks/ipc measures: the same loops over every queue, each in the queue's own language, so that its calls
 * can be inline there. An item is `bytes` / 8 words, all of them its number; all queues have room for QUEUE_ITEMS.
 * A queue that refuses is asked again, after queue_refused().
 */
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { QUEUE_ITEMS = 64 };

struct queue {
    const char *name;
    unsigned bytes;
    /* One thread: `count` times one item in and out. Returns how many came out wrong. */
    uint64_t (*pairs)(uint64_t count);
    /* Two threads: `count` items in, and out. The queue is empty before and after. NULL: not measured. */
    void (*produce)(uint64_t count);
    uint64_t (*consume)(uint64_t count);
};

/* Returns at once, but now and then lets others run: the other side may have lost its processor. */
void queue_refused(void);

/* Each ends with an entry without a name. */
extern const struct queue ring_queues[], state_queues[], mailbox_queues[], boost_queues[], rtrb_queues[];

#ifdef __cplusplus
}
#endif

#endif
