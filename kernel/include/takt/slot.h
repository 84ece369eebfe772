/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_SLOT_H
#define TAKT_SLOT_H

#include "takt/message_buffers.h"
#include "takt/mutex.h"
#include "takt/task.h"

/*
 * A slot of the virtual communication bus: a queue of buffers that belongs to one task, its owner. Whoever sends
 * reserves a buffer, fills it and commits it; the owner takes it, reads it where it lies, and releases it. Closing a
 * slot before it is deallocated loses no message, for those that are reserved are still committed. Seed 004, paper A,
 * 5.3 (names: put, put_ready, get, get_ready) and paper B, 5 and 6.
 */

/*
 * What the owner inherits from messages that were committed and not yet released: the best of the levels
 * `levels[priority]` (the pinc table); it never runs below its own. A message of priority >= `count` lends nothing.
 * The levels are fixed ones. The table may change at any time; each commit, release and flush looks at it anew.
 */
struct takt_slot_inheritance {
    const uint8_t *levels;
    uint16_t count;
    struct takt_mutex link;    /* private: kernel lock. In the owner's list of what others wait for ... */
    struct takt_task stand_in; /* private: ... and who waits: nobody, at the level of the best message */
};

#define TAKT_SLOT_INHERITANCE_DEFINE(name, table, entries) \
    struct takt_slot_inheritance name = {.levels = (table), .count = (entries)}

/* Constant; in flash, if it is to be. */
struct takt_slot_config {
    void *storage;                             /* TAKT_SLOT_BYTES(message_size, capacity), aligned to 8 */
    struct takt_slot_inheritance *inheritance; /* or NULL: the owner inherits nothing */
    uint32_t important;                        /* the last buffer is for priorities <= this one; UINT32_MAX: for all */
    uint16_t message_size;                     /* bytes, > 0 */
    uint16_t capacity;                         /* messages, > 0 */
    uint16_t id;                               /* names it in the trace */
    bool by_priority;                          /* 0 is taken first, FIFO among equals; otherwise FIFO by commit */
};

#define TAKT_SLOT_BYTES(size, max) (TAKT_MESSAGE_BUFFER_BYTES(size) * (max))

enum takt_slot_state { TAKT_SLOT_FREE, TAKT_SLOT_CLOSED, TAKT_SLOT_OPEN };

/* Private: enum takti_hands of a queue two pointers before. */
struct takti_slot_hands {
    _Alignas(void *) uint16_t unused;
    uint8_t hands;
};

struct takt_slot {
    const struct takt_slot_config *config;
    struct takt_task *owner;             /* private: kernel lock, like the rest */
    struct takt_task *receivers;         /* private: the owner, when it waits for a message */
    struct takt_task *senders;           /* private: tasks that wait for a buffer */
    struct takti_slot_hands received;    /* private: TAKEN */
    struct takti_slot_hands reserved;    /* private: BUFFER */
    struct takt_message_buffers buffers; /* private: what was committed and not taken is sorted in it */
    struct takt_message_buffer *taken;   /* private: what was taken and not released */
    uint8_t state;                       /* private: enum takt_slot_state */
};

#define TAKTI_SLOT(configuration)                                                          \
    {                                                                                      \
        .config = (configuration), .received = {.hands = TAKTI_HANDS_TAKEN}, .reserved = { \
            .hands = TAKTI_HANDS_BUFFER                                                    \
        }                                                                                  \
    }

#define TAKT_SLOT_DEFINE(name, configuration) struct takt_slot name = TAKTI_SLOT(configuration)

/* Context: any, while nobody uses it. Blocks: never. */
void takt_slot_init(struct takt_slot *slot, const struct takt_slot_config *config);

/*
 * The calling task becomes the owner of a slot that is free, and which is then closed. TAKT_STATE: it is not free. A
 * task deallocates its slots before it ends; one that is stopped and started again still owns them, and inherits from
 * the next commit or release on. Context: task. Blocks: never.
 */
TAKT_MUST_USE enum takt_status takt_slot_allocate(struct takt_slot *slot);

/* Lets messages come. Context: task that owns it. Blocks: never. */
void takt_slot_open(struct takt_slot *slot);

/* From now on none can be reserved; whoever waits for that returns TAKT_STATE. Returns how many remain: reserved,
 * committed, or taken and not released. O(waiters), locked. Context: task that owns it. Blocks: never. */
unsigned takt_slot_close(struct takt_slot *slot);

/* The slot is free. TAKT_STATE: it is open, or messages remain. Context: task that owns it. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_slot_deallocate(struct takt_slot *slot);

/*
 * Gives the caller a buffer for a message of that priority, aligned to 8, which it commits in any case; waits while
 * there is none. Waiters get theirs by key, FIFO among equals; one that may not have the last buffer is passed over.
 * TAKT_STATE: the slot is not open, or was closed meanwhile; TAKT_TIMEOUT: `until_ns` (absolute) came first. Context:
 * task, not cooperative. Blocks: until a buffer is free. O(waiters).
 */
TAKT_MUST_USE enum takt_status takt_slot_reserve(struct takt_slot *slot, uint32_t priority, void **buffer);
TAKT_MUST_USE enum takt_status takt_slot_reserve_until(struct takt_slot *slot, uint32_t priority, void **buffer,
                                                       uint64_t until_ns);
/* TAKT_BUSY when there is none. Context: any. Blocks: never. O(1). */
TAKT_MUST_USE enum takt_status takt_slot_try_reserve(struct takt_slot *slot, uint32_t priority, void **buffer);

/* The message is complete: the owner gets it, or it is sorted in, and the owner inherits. Context: task, interrupt;
 * whoever has it, once. Blocks: never. O(capacity), and with inheritance as takt_mutex_lock. */
void takt_slot_commit(struct takt_slot *slot, void *buffer);

/*
 * The buffer of the first message, which the owner releases; waits while there is none. TAKT_STATE: the slot is closed
 * and none will come; TAKT_TIMEOUT: `until_ns` (absolute) came first. Context: task that owns it, not cooperative.
 * Blocks: until there is a message. O(capacity).
 */
TAKT_MUST_USE enum takt_status takt_slot_take(struct takt_slot *slot, void **buffer);
TAKT_MUST_USE enum takt_status takt_slot_take_until(struct takt_slot *slot, void **buffer, uint64_t until_ns);
/* TAKT_BUSY instead of waiting. Context: task that owns it. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_slot_try_take(struct takt_slot *slot, void **buffer);

/*
 * The buffer may be used anew, at once by the best waiter that may have it; what its message lent to the owner ends. In
 * any order. Returns how many remain, as close does. O(capacity + waiters). Context: task that owns it. Blocks: never.
 */
unsigned takt_slot_release(struct takt_slot *slot, void *buffer);

/* Releases all that were committed and not taken; returns as takt_slot_release. O(capacity * waiters), locked. Context:
 * task that owns it. Blocks: never. */
unsigned takt_slot_flush(struct takt_slot *slot);

struct takt_slot_info {
    const struct takt_slot_config *config;
    const struct takt_task *owner; /* NULL: the slot is free */
    enum takt_slot_state state;
    uint16_t reserved; /* and not committed */
    uint16_t committed;
    uint16_t taken;
};

/* A copy of what is known at this moment. O(capacity), locked. Context: any. Blocks: never. */
struct takt_slot_info takt_slot_info(const struct takt_slot *slot);

#endif
