/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PIPE_H
#define TAKT_PIPE_H

#include "base/dialect.h"
#include "takt/task.h"

TAKT_C_BEGIN

/*
 * A stream of bytes, in the order in which they were written. A call moves between `least` and `size` of them. Waiting
 * readers and writers are served by key, FIFO among equals; the bytes of a writer that waits for space may be
 * interleaved with those of other writers.
 *
 * With protection a call of a process moves TAKT_PIPE_PIECE bytes at a time: better tasks run in between and may use
 * the pipe. So other tasks may write or read between the pieces of a long transfer as they may while it waits.
 *
 * With a `trigger` a job of that sporadic task is released whenever bytes come into the pipe, no reader waits for them,
 * and at least `trigger_bytes` are there then: by a write of another task or an interrupt, and by a read that makes
 * room for a writer that waits. The job reads by tries until the pipe is empty.
 */
enum {
    TAKT_PIPE_PIECE = 256,      /* bytes; the largest `least` of takt_pipe_try_... in a process */
    TAKT_PIPE_CAPACITY_MIN = 32 /* bytes, of a pipe that processes use: pieces pass through it */
};

struct takt_pipe {
    struct takt_task *waiters[2]; /* private: kernel lock, as all fields; in each pair the first is for reading */
    uint16_t id;                  /* private: names it in the trace */
    uint8_t hands;                /* private: BYTES */
    uint32_t possible[2];         /* private: bytes stored, and bytes free */
    uint32_t offsets[2];          /* private: offsets of the oldest byte, and of the next one; <= capacity */
    uint8_t *storage;             /* private: `capacity` bytes, caller-owned */
    uint32_t capacity;            /* private: bytes, > 0 */
    struct takt_task *trigger;    /* private: or NULL */
    uint32_t trigger_bytes;       /* private: > 0, with a trigger */
};

/* `memory`: uint8_t[bytes]. */
#define TAKT_PIPE_DEFINE(name, trace_id, memory, bytes) \
    struct takt_pipe name = TAKTI_PIPE(trace_id, memory, bytes, 0, NULL)

/* Defines one with a trigger: `least` bytes that are in it after a write release a job of `task`. */
#define TAKT_PIPE_TRIGGER_DEFINE(name, trace_id, memory, bytes, least, task) \
    struct takt_pipe name = TAKTI_PIPE(trace_id, memory, bytes, least, task)

#define TAKTI_PIPE(trace_id, memory, bytes, least, task)                                             \
    {                                                                                                \
        .id = (trace_id), .hands = TAKTI_HANDS_BYTES, .possible = {0, (bytes)}, .storage = (memory), \
        .capacity = (bytes), .trigger = (task), .trigger_bytes = (least)                             \
    }

/* Without a trigger. Context: any, while it is not in use. Blocks: never. */
void takt_pipe_init(struct takt_pipe *pipe, uint16_t trace_id, uint8_t *storage, uint32_t capacity);

/* Numbers of bytes of a transfer: `least` <= `size`; `least` 0: the call never waits. */
struct takt_pipe_count {
    uint32_t size;
    uint32_t least;
    uint32_t done; /* bytes moved, for any status; written by the call */
};

/*
 * Copies as many bytes as there is space for, up to `size`, locked; waits until `least` were copied. TAKT_TIMEOUT:
 * `until_ns` (absolute) came first; TAKT_DELETED: the pipe was deleted meanwhile; in both cases `done` is less than
 * `least`. Context: task, not cooperative. Blocks: until there is space for `least`. O(size + capacity + waiters),
 * transfers of waiters included.
 */
TAKT_MUST_USE enum takt_status takt_pipe_write(struct takt_pipe *pipe, const void *bytes,
                                               struct takt_pipe_count *count);
TAKT_MUST_USE enum takt_status takt_pipe_write_until(struct takt_pipe *pipe, const void *bytes,
                                                     struct takt_pipe_count *count, uint64_t until_ns);
/* TAKT_BUSY when `least` bytes are not possible at once: then none is moved. Context: any. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_pipe_try_write(struct takt_pipe *pipe, const void *bytes,
                                                   struct takt_pipe_count *count);

/* As write, for the oldest bytes. Context: task, not cooperative. Blocks: until there are `least`. */
TAKT_MUST_USE enum takt_status takt_pipe_read(struct takt_pipe *pipe, void *bytes, struct takt_pipe_count *count);
TAKT_MUST_USE enum takt_status takt_pipe_read_until(struct takt_pipe *pipe, void *bytes, struct takt_pipe_count *count,
                                                    uint64_t until_ns);
/* TAKT_BUSY when there are fewer than `least`. Context: any. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_pipe_try_read(struct takt_pipe *pipe, void *bytes, struct takt_pipe_count *count);

/* Every waiter returns TAKT_DELETED; stored bytes are lost. The storage is the caller's again. O(waiters), locked.
 * Context: task. Blocks: never. */
void takt_pipe_delete(struct takt_pipe *pipe);

TAKT_C_END

#endif
