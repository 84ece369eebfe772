/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_SLOT_H
#define TAKT_SLOT_H

#include "base/dialect.h"
#include "takt/message_buffers.h"
#include "takt/mutex.h"
#include "takt/task.h"

TAKT_C_BEGIN

/*
 * A slot of the virtual communication bus: a queue of buffers that belongs to one task, its owner. A sender reserves a
 * buffer, fills it and commits it; the owner takes it, reads it in place and releases it. Closing a slot before it is
 * deallocated loses no message, since reserved buffers can still be committed. Seed 004, paper A, 5.3 (names: put,
 * put_ready, get, get_ready) and paper B, 5 and 6.
 *
 * In a process the address of a buffer is that of a copy in its own memory: a commit copies the message into the
 * kernel, a take out of it. Who has reserved or taken a buffer only the kernel decides (docs/decisions/0028).
 */

/*
 * Inheritance of the owner from messages that are committed and not yet released: it runs with the best of the levels
 * `levels[priority]` (the pinc table), and never below its own. A message of priority >= `count` has no effect. The
 * levels are fixed. The table may change at any time; each commit, release and flush reads it again.
 *
 * With a `trigger` the slot is allocated by that sporadic task and open from the start. Each message that is committed
 * releases a job of it, which takes by a try; one for which the owner waits releases none.
 */
struct takt_slot_inheritance {
    const uint8_t *levels;
    uint16_t count;
    struct takt_task *trigger; /* or NULL */
    struct takt_mutex link;    /* private: kernel lock. In the owner's list of contended mutexes ... */
    struct takt_task stand_in; /* private: ... and its waiter, at the level of the best message; never runs */
};

#define TAKT_SLOT_INHERITANCE_DEFINE(name, table, entries) \
    struct takt_slot_inheritance name = {.levels = (table), .count = (entries)}

/* The same with a trigger; `table` NULL and `entries` 0: the owner does not inherit. The slot is defined by
 * TAKT_SLOT_OPEN_DEFINE. */
#define TAKT_SLOT_TRIGGER_DEFINE(name, table, entries, task) \
    struct takt_slot_inheritance name = {.levels = (table), .count = (entries), .trigger = (task)}

/* Constant; may be in flash. */
struct takt_slot_config {
    void *storage;                             /* TAKT_SLOT_BYTES(message_size, capacity), aligned to 8 */
    struct takt_slot_inheritance *inheritance; /* NULL: the owner does not inherit, and no commit releases it */
    uint32_t important;                        /* the last free buffer is for priorities <= this; UINT32_MAX: for all */
    uint16_t message_size;                     /* bytes, > 0 */
    uint16_t capacity;                         /* messages, > 0 */
    uint16_t id;                               /* names it in the trace */
    bool by_priority;                /* priority 0 is taken first, FIFO among equals; otherwise FIFO by commit */
    bool in_turn[TAKT_FIFO_WAITERS]; /* tasks wait for a buffer in the order of their calls, whatever their keys */
};

#define TAKT_SLOT_BYTES(size, max) (TAKT_MESSAGE_BUFFER_BYTES(size) * (max))

enum takt_slot_state { TAKT_SLOT_FREE, TAKT_SLOT_CLOSED, TAKT_SLOT_OPEN };

/* Private: `hands` of the queue of waiters two pointers before it. */
struct takti_slot_hands {
    TAKT_ALIGNAS(sizeof(void *)) uint16_t unused;
    uint8_t hands;
};

/* Private. Buffers of a slot in the memory of processes. */
struct takti_slot_in_process {
    uint8_t *const *copies; /* constant. By index of a process: as many in its memory; NULL: it has no right to it */
    uint8_t *holders;       /* of each buffer the index of the process that reserved it plus one; 0: none */
    uint16_t stored;        /* number of committed messages that are not taken */
};

struct takt_slot {
    const struct takt_slot_config *config;
    struct takt_task *owner;             /* private: kernel lock, as the fields after it */
    struct takt_task *receivers;         /* private: the owner while it waits for a message */
    struct takt_task *senders;           /* private: tasks that wait for a buffer */
    struct takti_slot_hands received;    /* private: TAKEN */
    struct takti_slot_hands reserved;    /* private: BUFFER */
    struct takt_message_buffers buffers; /* private: holds committed messages that are not taken, sorted */
    struct takt_message_buffer *taken;   /* private: taken and not released */
    uint8_t state;                       /* private: enum takt_slot_state */
    struct takti_slot_in_process in_process[TAKT_PROCESSES];
};

#define TAKTI_SLOT_HEAD(configuration, task)                                              \
    .config = (configuration), .owner = (task), .received = {.hands = TAKTI_HANDS_TAKEN}, \
    .reserved = {.hands = TAKTI_HANDS_BUFFER}

#define TAKTI_SLOT(configuration)            \
    {                                        \
        TAKTI_SLOT_HEAD(configuration, NULL) \
    }

#define TAKT_SLOT_DEFINE(name, configuration) struct takt_slot name = TAKTI_SLOT(configuration)

/* Defines one with a trigger, allocated by `task` and open. `memory`, `size` and `max` as in the configuration. */
#define TAKT_SLOT_OPEN_DEFINE(name, configuration, memory, size, max, task) \
    struct takt_slot name = {TAKTI_SLOT_HEAD(configuration, task),          \
                             .buffers = TAKTI_MESSAGE_BUFFERS(memory, size, max), .state = TAKT_SLOT_OPEN}

/* With protection: for processes, whose memory for copies, TAKT_SLOT_BYTES(size, max), is in `tables`; `reserved_by`:
 * `max` zeros. */
#define TAKT_SLOT_COPIED_DEFINE(name, configuration, tables, reserved_by) \
    struct takt_slot name = {TAKTI_SLOT_HEAD(configuration, NULL), .in_process = {{(tables), (reserved_by), 0}}}
#define TAKT_SLOT_OPEN_COPIED_DEFINE(name, configuration, memory, size, max, task, tables, reserved_by)    \
    struct takt_slot name = {TAKTI_SLOT_HEAD(configuration, task),                                         \
                             .buffers = TAKTI_MESSAGE_BUFFERS(memory, size, max), .state = TAKT_SLOT_OPEN, \
                             .in_process = {{(tables), (reserved_by), 0}}}

/* A free one: without a trigger. Context: any, while it is not in use. Blocks: never. */
void takt_slot_init(struct takt_slot *slot, const struct takt_slot_config *config);

/*
 * Makes the calling task the owner of a free slot, which is then closed. TAKT_STATE: the slot is not free. A task
 * deallocates its slots before it ends; a task that is stopped and started again still owns them, and inherits from the
 * next commit or release on. After a restart of the owner's process the slot is free, or, if other processes may use
 * it, closed without an owner: it is allocated with the messages that were committed. Context: task. Blocks: never.
 */
TAKT_MUST_USE enum takt_status takt_slot_allocate(struct takt_slot *slot);

/* Permits reservations. Context: task that owns it. Blocks: never. */
void takt_slot_open(struct takt_slot *slot);

/* Ends reservations; tasks that wait for a buffer return TAKT_STATE. Returns the number of messages that remain:
 * reserved, committed, or taken and not released. O(waiters), locked. Context: task that owns it. Blocks: never. */
unsigned takt_slot_close(struct takt_slot *slot);

/* Makes the slot free. TAKT_STATE: it is open, or messages remain. Context: task that owns it. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_slot_deallocate(struct takt_slot *slot);

/*
 * Reserves a buffer, aligned to 8, for a message of that priority; the caller must commit it. Waits while there is
 * none. Waiters are served by key, FIFO among equals, or all FIFO; one that may not have the last buffer is passed
 * over. TAKT_STATE:
 * the slot is not open, or was closed meanwhile; TAKT_TIMEOUT: `until_ns` (absolute) came first. Context: task, not
 * cooperative. Blocks: until a buffer is free. O(waiters).
 */
TAKT_MUST_USE enum takt_status takt_slot_reserve(struct takt_slot *slot, uint32_t priority, void **buffer);
TAKT_MUST_USE enum takt_status takt_slot_reserve_until(struct takt_slot *slot, uint32_t priority, void **buffer,
                                                       uint64_t until_ns);
/* TAKT_BUSY when there is none. Context: any. Blocks: never. O(1). */
TAKT_MUST_USE enum takt_status takt_slot_try_reserve(struct takt_slot *slot, uint32_t priority, void **buffer);

/*
 * Commits a complete message: the waiting owner receives it, or it is queued and the owner inherits. Context: task,
 * interrupt, the one that reserved the buffer, once. Blocks: never. O(capacity), and with inheritance as
 * takt_mutex_lock.
 */
void takt_slot_commit(struct takt_slot *slot, void *buffer);

/*
 * Takes the buffer of the first message, which the owner later releases; waits while there is none. TAKT_STATE: the
 * slot is closed and no message can come; TAKT_TIMEOUT: `until_ns` (absolute) came first. Context: task that owns it,
 * not cooperative. Blocks: until there is a message. O(capacity).
 */
TAKT_MUST_USE enum takt_status takt_slot_take(struct takt_slot *slot, void **buffer);
TAKT_MUST_USE enum takt_status takt_slot_take_until(struct takt_slot *slot, void **buffer, uint64_t until_ns);
/* TAKT_BUSY instead of waiting. Context: task that owns it. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_slot_try_take(struct takt_slot *slot, void **buffer);

/*
 * Frees a taken buffer, for the best waiter that may have it, and ends the owner's inheritance from its message.
 * Buffers may be released in any order. Returns the number that remain, as close does. O(capacity + waiters). Context:
 * task that owns it. Blocks: never.
 */
unsigned takt_slot_release(struct takt_slot *slot, void *buffer);

/* Releases all messages that are committed and not taken; returns as takt_slot_release. O(capacity * waiters), locked.
 * Context: task that owns it. Blocks: never. */
unsigned takt_slot_flush(struct takt_slot *slot);

struct takt_slot_info {
    const struct takt_slot_config *config; /* in a process NULL */
    const struct takt_task *owner;         /* NULL: the slot is free */
    enum takt_slot_state state;
    uint16_t reserved; /* reserved and not committed */
    uint16_t committed;
    uint16_t taken;
};

/* The current state of the slot. O(capacity), locked. Context: any. Blocks: never. */
struct takt_slot_info takt_slot_info(const struct takt_slot *slot);

TAKT_C_END

#endif
