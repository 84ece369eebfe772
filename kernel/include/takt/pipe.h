/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PIPE_H
#define TAKT_PIPE_H

#include "takt/task.h"

/*
 * A stream of bytes, in the order in which they were written. A call moves between `least` and `size` of them. Waiting
 * readers and writers are served by key, FIFO among equals; bytes of a writer that waits for room may have those of
 * others between them.
 *
 * With protection a call of a process moves TAKT_PIPE_PIECE bytes at a time: whoever is better runs in between, and may
 * use the pipe. So it is with what others write, or take, between the pieces of a long transfer as while it waits.
 */
enum {
    TAKT_PIPE_PIECE = 256,      /* bytes; takt_pipe_try_... of a process may want no more as `least` */
    TAKT_PIPE_CAPACITY_MIN = 32 /* bytes, of one that processes use, for a piece goes through it */
};

struct takt_pipe {
    struct takt_task *waiters[2]; /* private: kernel lock, like the rest; of pairs the first is for reading */
    uint16_t id;                  /* private: names it in the trace */
    uint8_t hands;                /* private: BYTES */
    uint32_t possible[2];         /* private: bytes in it, and those that there is room for */
    uint32_t place[2];            /* private: of the oldest byte, and of the next one; <= capacity */
    uint8_t *storage;             /* private: `capacity` bytes, the caller's */
    uint32_t capacity;            /* private: bytes, > 0 */
};

/* `memory`: uint8_t[bytes]. */
#define TAKT_PIPE_DEFINE(name, trace_id, memory, bytes) struct takt_pipe name = TAKTI_PIPE(trace_id, memory, bytes)

#define TAKTI_PIPE(trace_id, memory, bytes)                                                   \
    {                                                                                         \
        .possible = {0, (bytes)}, .storage = (memory), .capacity = (bytes), .id = (trace_id), \
        .hands = TAKTI_HANDS_BYTES                                                            \
    }

/* Context: any, while nobody uses it. Blocks: never. */
void takt_pipe_init(struct takt_pipe *pipe, uint16_t trace_id, uint8_t *storage, uint32_t capacity);

/* How many bytes: `least` <= `size`; 0: the call never waits. */
struct takt_pipe_count {
    uint32_t size;
    uint32_t least;
    uint32_t done; /* what was moved, whatever the call returns; written by it */
};

/*
 * Copies bytes, locked, as many as there is room for, up to `size`; waits until it were `least`. TAKT_TIMEOUT:
 * `until_ns` (absolute) came first; TAKT_DELETED: the pipe was deleted meanwhile; `done` may then be anything below
 * `least`. Context: task, not cooperative. Blocks: until there is room for `least`. O(size + capacity + waiters), what
 * waiters get or give included.
 */
TAKT_MUST_USE enum takt_status takt_pipe_write(struct takt_pipe *pipe, const void *bytes,
                                               struct takt_pipe_count *count);
TAKT_MUST_USE enum takt_status takt_pipe_write_until(struct takt_pipe *pipe, const void *bytes,
                                                     struct takt_pipe_count *count, uint64_t until_ns);
/* TAKT_BUSY when `least` are not possible at once: then none is moved. Context: any. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_pipe_try_write(struct takt_pipe *pipe, const void *bytes,
                                                   struct takt_pipe_count *count);

/* The same for the oldest bytes. Context: task, not cooperative. Blocks: until there are `least`. */
TAKT_MUST_USE enum takt_status takt_pipe_read(struct takt_pipe *pipe, void *bytes, struct takt_pipe_count *count);
TAKT_MUST_USE enum takt_status takt_pipe_read_until(struct takt_pipe *pipe, void *bytes, struct takt_pipe_count *count,
                                                    uint64_t until_ns);
/* TAKT_BUSY when there are less than `least`. Context: any. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_pipe_try_read(struct takt_pipe *pipe, void *bytes, struct takt_pipe_count *count);

/* Every waiter returns TAKT_DELETED; bytes in it are gone. The storage is the caller's again. O(waiters), locked.
 * Context: task. Blocks: never. */
void takt_pipe_delete(struct takt_pipe *pipe);

#endif
