/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lock.h"
#include "memory.h"

enum { LOCK_TRIES = 20 }; /* a millisecond apart */

struct takt_writer {
    char name[TAKT_REFLECT_NAME];
    pid_t process; /* that opened it */
    struct taktr_folder folder;
    int lock, memory;        /* descriptors */
    enum takt_status status; /* of its name, when that was looked at last */
    uint64_t looked_ns;
    size_t bytes;
    void *mapped;
    struct takt_area area;
};

uint64_t takt_reflect_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Memory that keeps its length for ever, mapped here and from then on writable nowhere else, in no child either. */
static enum takt_status make_memory(struct takt_writer *writer, struct takt_area_shape shape)
{
    writer->bytes = TAKT_AREA_BYTES(shape.size, shape.depth);
    writer->memory = memfd_create("takt", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (writer->memory < 0 || fchmod(writer->memory, 0600) != 0 ||
        ftruncate(writer->memory, (off_t)writer->bytes) != 0) {
        return taktr_fail(TAKT_STATE, "%zu bytes of shared memory: %s", writer->bytes, strerror(errno));
    }
    writer->mapped = mmap(NULL, writer->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, writer->memory, 0);
    if (writer->mapped == MAP_FAILED || madvise(writer->mapped, writer->bytes, MADV_DONTFORK) != 0 ||
        fcntl(writer->memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) != 0) {
        return taktr_fail(TAKT_STATE, "%zu bytes of shared memory: %s", writer->bytes, strerror(errno));
    }
    return takt_area_init(&writer->area, writer->mapped, shape);
}

/* The name's lock, as taktr_name_lock. A cleanup of names holds it for a moment, so that one attempt is not enough. */
static int lock_name(int folder, const char *name)
{
    int lock = taktr_name_lock(folder, name);
    for (int tries = 0; lock == -1 && tries < LOCK_TRIES; tries++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        lock = taktr_name_lock(folder, name);
    }
    return lock;
}

/* Whether an area may have that shape; if not, noted. */
static bool shape_is_right(struct takt_area_shape shape)
{
    bool size = shape.size >= 1 && shape.size <= TAKT_AREA_SIZE_MAX;
    bool depth = shape.depth >= 2 && shape.depth <= TAKT_AREA_DEPTH_MAX && (shape.depth & (shape.depth - 1)) == 0;
    if (!size || !depth) {
        taktr_fail(TAKT_LIMIT, "size %u, depth %u: the size must be 1 to %d, the depth a power of two from 2 to %d",
                   shape.size, shape.depth, TAKT_AREA_SIZE_MAX, TAKT_AREA_DEPTH_MAX);
    }
    bool bytes = (uint64_t)shape.size * shape.depth <= TAKT_REFLECT_BYTES_MAX;
    if (size && depth && !bytes) {
        taktr_fail(TAKT_LIMIT, "size %u, depth %u: %" PRIu64 " bytes, more than %" PRIu64 "", shape.size, shape.depth,
                   (uint64_t)shape.size * shape.depth, TAKT_REFLECT_BYTES_MAX);
    }
    return size && depth && bytes;
}

enum takt_status takt_writer_open(struct takt_writer **opened, const char *name, struct takt_area_shape shape)
{
    *opened = NULL;
    if (!taktr_name_is_right(name) || !shape_is_right(shape)) {
        return TAKT_LIMIT;
    }
    struct takt_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) {
        return taktr_fail(TAKT_STATE, "no memory");
    }
    memcpy(writer->name, name, strlen(name));
    writer->process = taktr_lock_process();
    writer->lock = writer->memory = -1;
    writer->mapped = MAP_FAILED;
    writer->looked_ns = takt_reflect_now();
    enum takt_status status = taktr_folder_open(&writer->folder) ? TAKT_OK : TAKT_STATE;
    if (status == TAKT_OK) {
        writer->lock = lock_name(writer->folder.descriptor, name);
        status = writer->lock >= 0    ? make_memory(writer, shape)
                 : writer->lock == -1 ? taktr_fail(TAKT_BUSY, "%s has a writer already", name)
                                      : TAKT_STATE;
    }
    if (status == TAKT_OK && !taktr_name_set(writer->folder.descriptor, name, writer->memory)) {
        status = TAKT_STATE;
    }
    if (status == TAKT_OK) {
        *opened = writer;
    } else {
        takt_writer_close(writer);
    }
    return status;
}

struct takt_area *taktr_writer_area(struct takt_writer *writer)
{
    return &writer->area;
}

void taktr_writer_wake(const struct takt_writer *writer)
{
    syscall(SYS_futex, writer->area.memory->newest, FUTEX_WAKE, INT_MAX, NULL, NULL, 0); /* takt_reader_wait */
}

/* Notes what became of the name. */
static enum takt_status noted(const struct takt_writer *writer)
{
    if (writer->status == TAKT_BUSY) {
        return taktr_fail(TAKT_BUSY, "%s: its name was removed and now has another writer", writer->name);
    }
    return writer->status == TAKT_OK
               ? TAKT_OK
               : taktr_fail(writer->status, "%s: its name was removed and cannot be created again in %s", writer->name,
                            writer->folder.path);
}

/* Takes the name in the folder that is there now: it was removed from the one before, or with that. */
static enum takt_status take_again(struct takt_writer *writer)
{
    int lock = taktr_name_lock(writer->folder.descriptor, writer->name);
    if (lock >= 0) {
        taktr_lock_give(writer->folder.descriptor, NULL, writer->lock);
        writer->lock = lock;
        return TAKT_OK;
    }
    return lock == -1 ? TAKT_BUSY : TAKT_STATE;
}

enum takt_status taktr_writer_look(struct takt_writer *writer, uint64_t now)
{
    writer->looked_ns = now;
    writer->status = taktr_folder_look(&writer->folder, true) == TAKTR_FOLDER_GONE ? TAKT_STATE : TAKT_OK;
    int folder = writer->folder.descriptor;
    if (writer->status == TAKT_OK && !taktr_name_is_ours(folder, writer->name, writer->lock)) {
        writer->status = take_again(writer);
    }
    if (writer->status == TAKT_OK && !taktr_name_is_set(folder, writer->name, writer->memory) &&
        !taktr_name_set(folder, writer->name, writer->memory)) {
        writer->status = TAKT_STATE;
    }
    return noted(writer);
}

enum takt_status takt_writer_write(struct takt_writer *writer, const void *value, size_t length)
{
    struct takt_area_stamp stamp = {.time_ns = takt_reflect_now(),
                                    .length = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX};
    if (writer->process != taktr_lock_process()) {
        return taktr_fail(TAKT_STATE, "%s: it was opened by the parent process; open it after the fork", writer->name);
    }
    enum takt_status status = takt_area_write(&writer->area, value, &stamp);
    if (status != TAKT_OK) {
        return taktr_fail(status, "%s: %zu bytes, but its values have at most %u", writer->name, length,
                          writer->area.shape.size);
    }
    taktr_writer_wake(writer);
    bool due = stamp.time_ns - writer->looked_ns >= TAKT_REFLECT_LOOK_NS;
    return due ? taktr_writer_look(writer, stamp.time_ns) : noted(writer);
}

/* In a child of the process that opened it there is neither its lock nor its mapping: what has that address is another
 * one's. */
void takt_writer_close(struct takt_writer *writer)
{
    if (writer == NULL) {
        return;
    }
    bool ours = writer->process == getpid();
    if (writer->lock >= 0 && ours) {
        taktr_name_free(writer->folder.descriptor, writer->name, writer->lock);
    } else if (writer->lock >= 0) {
        close(writer->lock);
    }
    if (writer->mapped != MAP_FAILED && ours) {
        munmap(writer->mapped, writer->bytes);
    }
    if (writer->memory >= 0) {
        close(writer->memory);
    }
    taktr_folder_close(&writer->folder);
    free(writer);
}
