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
 * server takes part: the writer makes the memory, readers find it and can only read it.
 *
 * A name has one writer at a time, for as long as its process lives, however it ends; a child that this forks has
 * neither the name nor the writer's memory. An area is a memfd of mode 0600 that can neither shrink nor grow, so that
 * nobody's access can fail; what stands in it is trusted by nobody. Names are in a folder of the user alone:
 * $XDG_RUNTIME_DIR/takt, or /run/takt-UID, or where TAKT_REFLECT_FOLDER says. If somebody removes a name or the folder,
 * its writer makes it again.
 *
 * A reader may come before its writer, outlives it, and goes on with the next one of that name.
 *
 * Times are those of CLOCK_MONOTONIC, in ns. One thread at a time uses a writer or a reader; different ones are
 * independent, in one process too. What fails says why: takt_reflect_error.
 */

enum { TAKT_REFLECT_NAME = 64 }; /* bytes of a name with its end: letters, digits, `.`, `-`, `_`, not `.` first */

#define TAKT_REFLECT_BYTES_MAX (UINT64_C(1) << 30) /* of all values of an area, as they are declared: size * depth */

#define TAKT_REFLECT_NOW 0              /* as an instant: do not wait */
#define TAKT_REFLECT_FOREVER UINT64_MAX /* as an instant: wait for as long as it takes */

struct takt_writer; /* private */
struct takt_reader; /* private */

/* What is known of a name. */
struct takt_reflect_info {
    char name[TAKT_REFLECT_NAME];
    int32_t writer; /* its process; 0: nobody writes it */
    struct takt_area_shape shape;
    uint64_t newest;  /* number of the newest value; 0: there is none */
    uint64_t time_ns; /* when that was written */
};

/* Why the last call of this thread failed, in one line. Context: any thread. Blocks: never. */
const char *takt_reflect_error(void);

/* The time that writers stamp values with. Context: any thread. Blocks: never. */
uint64_t takt_reflect_now(void);

/*
 * Opens a name for writing, with a new area without values. TAKT_LIMIT: no such shape, or name, or too many bytes.
 * TAKT_BUSY: the name has a writer. TAKT_STATE: the system refuses something. `*writer` is NULL then. Context: any
 * thread. Blocks: no longer than the file system.
 */
TAKT_MUST_USE enum takt_status takt_writer_open(struct takt_writer **writer, const char *name,
                                                struct takt_area_shape shape);

/*
 * `length` bytes at `value` are the newest value, and who waits for one is woken. TAKT_LIMIT: it is longer than values
 * are here. TAKT_STATE: another process opened the writer, and forked this one. Once in TAKT_REFLECT_LOOK_NS it looks
 * whether the name is still there. If it was removed and cannot be had, the value is there for readers of before all
 * the same: TAKT_BUSY, another writer has it; TAKT_STATE, there is no folder. Context: any thread. Blocks: never, but
 * for that look, no longer than the file system. O(length).
 */
TAKT_MUST_USE enum takt_status takt_writer_write(struct takt_writer *writer, const void *value, size_t length);

/* The name is free, unless another process opened it. NULL: nothing happens. Context: any thread. Blocks: no longer
 * than the file system. */
void takt_writer_close(struct takt_writer *writer);

/*
 * Opens a name for reading, whether it has a writer or not yet. TAKT_LIMIT: no such name. TAKT_STATE: the system
 * refuses something. `*reader` is NULL then. Context: any thread. Blocks: no longer than the file system.
 */
TAKT_MUST_USE enum takt_status takt_reader_open(struct takt_reader **reader, const char *name);

/*
 * Copies the newest value to `to`, of `room` bytes. TAKT_EMPTY: there is none yet. TAKT_OVERTAKEN: the writer is too
 * fast for the depth of its area. TAKT_LIMIT: values are longer than `room` (takt_reader_shape). Once in
 * TAKT_REFLECT_LOOK_NS it looks whether there is another writer. Context: any thread. Blocks: never, but for that look,
 * no longer than the file system.
 */
TAKT_MUST_USE enum takt_status takt_reader_read(struct takt_reader *reader, void *to, size_t room,
                                                struct takt_area_value *value);

/* The same for the oldest value that was not taken yet: each in its order. `lost` of takt_reader_state counts others.
 */
TAKT_MUST_USE enum takt_status takt_reader_take(struct takt_reader *reader, void *to, size_t room,
                                                struct takt_area_value *value);

/*
 * Waits until there is a value that was neither read nor taken, or until an instant. One that was there before the
 * reader counts until takt_reader_take finds it EMPTY. TAKT_TIMEOUT: that came first.
 * Context: any thread. Blocks: until then, and notices a new writer within TAKT_REFLECT_LOOK_NS.
 */
TAKT_MUST_USE enum takt_status takt_reader_wait(struct takt_reader *reader, uint64_t until_ns);

#define TAKT_REFLECT_LOOK_NS UINT64_C(50000000)

/* What a reader reads. */
struct takt_reader_state {
    struct takt_area_shape shape; /* size 0: it has not found a writer yet */
    uint64_t writers;             /* that it found, one after the other */
    uint64_t lost;                /* values of theirs that were overwritten before they were taken */
};
struct takt_reader_state takt_reader_state(const struct takt_reader *reader); /* Context: any thread. Blocks: never. */

/*
 * Starts a channel at the end of it that is on a node of this machine, where it is written or where it is read: it is
 * sent while both its ends are started. Of a group the others are stopped. `node`, `channel`: as declared. TAKT_LIMIT:
 * no such names. TAKT_STATE: the node has no server here, or no end of that channel. Context: any thread. Blocks: 2 s
 * at most.
 */
TAKT_MUST_USE enum takt_status takt_channel_start(const char *node, const char *channel);

/* Stops it at that end. The rest as takt_channel_start. */
TAKT_MUST_USE enum takt_status takt_channel_stop(const char *node, const char *channel);

/* NULL: nothing happens. Context: any thread. Blocks: no longer than the file system. */
void takt_reader_close(struct takt_reader *reader);

/*
 * What is known of the names here, `room` of them at most, in no order; returns how many there are, or -1. Those whose
 * writer is gone are cleared away. Context: any thread. Blocks: no longer than the file system.
 */
int takt_reflect_list(struct takt_reflect_info *infos, int room);

#ifdef __cplusplus
}
#endif

#endif
