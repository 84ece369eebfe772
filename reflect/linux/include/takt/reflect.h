/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_REFLECT_H
#define TAKT_REFLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "takt/area.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Reflective memory areas of this machine (seed 002, 5: M_Write and M_Read), between processes of one user, by name. No
 * server is involved: the writer creates the memory, readers find it and have read access only.
 *
 * A name has one writer at a time, until its process ends in any way; a forked child inherits neither the name nor the
 * writer's memory. An area is a memfd of mode 0600 that can neither shrink nor grow, so that accesses cannot fail;
 * readers do not trust its contents. Names are in a folder private to the user: $XDG_RUNTIME_DIR/takt, or
 * /run/takt-UID, or TAKT_REFLECT_FOLDER. If a name or the folder is removed, the writer creates it again.
 *
 * A reader may be opened before its writer, outlives it, and continues with the next writer of that name.
 *
 * Times are those of CLOCK_MONOTONIC, in ns. One thread at a time uses a writer or a reader; different ones are
 * independent, in one process too. The reason of a failure: takt_reflect_error.
 */

enum { TAKT_REFLECT_NAME = 64 }; /* bytes with terminator: letters, digits, `.`, `-`, `_`, not `.` first */

#define TAKT_REFLECT_BYTES_MAX (UINT64_C(1) << 30) /* largest size * depth of an area */

#define TAKT_REFLECT_NOW 0              /* as a time: do not wait */
#define TAKT_REFLECT_FOREVER UINT64_MAX /* as a time: no timeout */

struct takt_writer; /* private */
struct takt_reader; /* private */

/* Information about a name. */
struct takt_reflect_info {
    char name[TAKT_REFLECT_NAME];
    int32_t writer; /* its process; 0: none */
    struct takt_area_shape shape;
    uint64_t newest;  /* number of the newest value; 0: none */
    uint64_t time_ns; /* time of its write */
};

/* Why the last call of this thread failed, in one line. Context: any thread. Blocks: never. */
const char *takt_reflect_error(void);

/* The current time, on the clock of time stamps. Context: any thread. Blocks: never. */
uint64_t takt_reflect_now(void);

/*
 * Opens a name for writing, with a new area without values. TAKT_LIMIT: invalid shape or name, or too many bytes.
 * TAKT_BUSY: the name has a writer. TAKT_STATE: a system call failed. `*writer` is NULL then. Context: any thread.
 * Blocks: no longer than the file system.
 */
TAKT_MUST_USE enum takt_status takt_writer_open(struct takt_writer **writer, const char *name,
                                                struct takt_area_shape shape);

/*
 * Writes `length` bytes at `value` as the newest value and wakes waiting readers. TAKT_LIMIT: longer than values of the
 * area. TAKT_STATE: the writer was opened by another process, which forked this one. Once per TAKT_REFLECT_LOOK_NS it
 * checks that the name still exists. If the name was removed and cannot be created again, readers that have the area
 * still get the value: TAKT_BUSY, another writer has the name; TAKT_STATE, there is no folder. Context: any thread.
 * Blocks: never, except in that check, no longer than the file system. O(length).
 */
TAKT_MUST_USE enum takt_status takt_writer_write(struct takt_writer *writer, const void *value, size_t length);

/* Closes a writer and frees its name, unless another process opened it. NULL: no effect. Context: any thread. Blocks:
 * no longer than the file system. */
void takt_writer_close(struct takt_writer *writer);

/*
 * Opens a name for reading, with or without a writer. TAKT_LIMIT: invalid name. TAKT_STATE: a system call failed.
 * `*reader` is NULL then. Context: any thread. Blocks: no longer than the file system.
 */
TAKT_MUST_USE enum takt_status takt_reader_open(struct takt_reader **reader, const char *name);

/*
 * Copies the newest value to `to`, of `room` bytes. TAKT_EMPTY: no value yet. TAKT_OVERTAKEN: the writer is too fast
 * for the depth of its area. TAKT_LIMIT: values are longer than `room` (takt_reader_shape). Once per
 * TAKT_REFLECT_LOOK_NS it checks for a new writer. Context: any thread. Blocks: never, except in that check, no longer
 * than the file system.
 */
TAKT_MUST_USE enum takt_status takt_reader_read(struct takt_reader *reader, void *to, size_t room,
                                                struct takt_area_value *value);

/* As read, for the oldest value not yet taken: each in order. `lost` of takt_reader_state counts those overwritten
 * before. Context: any thread. Blocks: never, except as read. */
TAKT_MUST_USE enum takt_status takt_reader_take(struct takt_reader *reader, void *to, size_t room,
                                                struct takt_area_value *value);

/*
 * Waits for a value that was neither read nor taken. A value from before the reader was opened counts until
 * takt_reader_take returns TAKT_EMPTY. TAKT_TIMEOUT: `until_ns` came first.
 * Context: any thread. Blocks: until then, and notices a new writer within TAKT_REFLECT_LOOK_NS.
 */
TAKT_MUST_USE enum takt_status takt_reader_wait(struct takt_reader *reader, uint64_t until_ns);

#define TAKT_REFLECT_LOOK_NS UINT64_C(50000000)

/* State of a reader. */
struct takt_reader_state {
    struct takt_area_shape shape; /* size 0: no writer found yet */
    uint64_t writers;             /* number of successive writers found */
    uint64_t lost;                /* their values that were overwritten before they were taken */
};

/* The state of a reader. Context: any thread. Blocks: never. */
struct takt_reader_state takt_reader_state(const struct takt_reader *reader);

/*
 * Starts a channel at its end on a node of this machine, the writer's or the reader's: the channel is sent while both
 * ends are started. The others of its group are stopped. `node`, `channel`: names as declared. TAKT_LIMIT: invalid
 * names. TAKT_STATE: the node has no server here, or no end of that channel. Context: any thread. Blocks: 2 s at most.
 */
TAKT_MUST_USE enum takt_status takt_channel_start(const char *node, const char *channel);

/* Stops the channel at that end. Otherwise as takt_channel_start. Context: any thread. Blocks: 2 s at most. */
TAKT_MUST_USE enum takt_status takt_channel_stop(const char *node, const char *channel);

/* Closes a reader. NULL: no effect. Context: any thread. Blocks: no longer than the file system. */
void takt_reader_close(struct takt_reader *reader);

/*
 * Lists at most `room` of the names on this machine, unordered; returns their total number, or -1. Removes names
 * without a writer. Context: any thread. Blocks: no longer than the file system.
 */
int takt_reflect_list(struct takt_reflect_info *infos, int room);

#ifdef __cplusplus
}
#endif

#endif
