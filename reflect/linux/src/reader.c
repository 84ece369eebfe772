/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"

struct takt_reader {
    char name[TAKT_REFLECT_NAME];
    struct taktr_folder folder;
    struct taktr_memory memory;
    bool awaited;           /* the next writer is one that began while we were there: its values count from the first */
    uintptr_t seen;         /* number of the value that was read or taken last */
    uint64_t looked_ns;     /* when it was last looked for another writer */
    uint64_t writers, lost; /* of writers before this one */
};

/* Goes on with another writer, if there is one. */
static void look(struct takt_reader *reader, uint64_t now)
{
    struct taktr_memory other;
    reader->looked_ns = now;
    (void)taktr_folder_look(&reader->folder, false); /* if there is none, the writer goes on in its memory */
    if (!taktr_memory_map(reader->folder.descriptor, reader->name, &reader->memory, 0, &other)) {
        reader->awaited = true;
        return;
    }
    if (reader->memory.mapped != NULL) {
        reader->lost += reader->memory.area.lost;
        taktr_memory_unmap(&reader->memory);
    }
    reader->memory = other;
    reader->seen = 0;
    reader->writers++;
    if (reader->awaited) {
        takt_area_from_first(&reader->memory.area);
    }
    reader->awaited = true;
}

static void look_if_due(struct takt_reader *reader)
{
    uint64_t now = takt_reflect_now();
    if (now - reader->looked_ns >= TAKT_REFLECT_LOOK_NS) {
        look(reader, now);
    }
}

enum takt_status takt_reader_open(struct takt_reader **opened, const char *name)
{
    *opened = NULL;
    if (!taktr_name_is_right(name)) {
        return TAKT_LIMIT;
    }
    struct takt_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) {
        return taktr_fail(TAKT_STATE, "no memory");
    }
    if (!taktr_folder_open(&reader->folder)) {
        free(reader);
        return TAKT_STATE;
    }
    memcpy(reader->name, name, strlen(name));
    look(reader, takt_reflect_now());
    *opened = reader;
    return TAKT_OK;
}

/* Whether there is memory, and room for one of its values. */
static enum takt_status ready(struct takt_reader *reader, size_t room)
{
    look_if_due(reader);
    if (reader->memory.mapped == NULL) {
        return taktr_fail(TAKT_EMPTY, "%s has had no writer yet", reader->name);
    }
    if (room < reader->memory.area.shape.size) {
        return taktr_fail(TAKT_LIMIT, "%s: a buffer of %zu bytes, but its values have %u", reader->name, room,
                          reader->memory.area.shape.size);
    }
    return TAKT_OK;
}

static enum takt_status ended(struct takt_reader *reader, enum takt_status status, const struct takt_area_value *value)
{
    if (status == TAKT_OK) {
        reader->seen = value->number;
        return TAKT_OK;
    }
    return taktr_fail(status, status == TAKT_EMPTY ? "%s has no value yet" : "%s is written faster than it is read",
                      reader->name);
}

enum takt_status takt_reader_read(struct takt_reader *reader, void *to, size_t room, struct takt_area_value *value)
{
    enum takt_status status = ready(reader, room);
    return status != TAKT_OK ? status : ended(reader, takt_area_read(&reader->memory.area, to, value), value);
}

enum takt_status takt_reader_take(struct takt_reader *reader, void *to, size_t room, struct takt_area_value *value)
{
    enum takt_status status = ready(reader, room);
    if (status != TAKT_OK) {
        return status;
    }
    status = takt_area_take(&reader->memory.area, to, value);
    if (status == TAKT_EMPTY) { /* one that was there before the reader is not taken, so it is not waited for either */
        reader->seen = reader->memory.area.taken;
    }
    return ended(reader, status, value);
}

static void sleep_until(uint64_t due_at)
{
    struct timespec until = {.tv_sec = (time_t)(due_at / 1000000000), .tv_nsec = (long)(due_at % 1000000000)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* Until the writer writes the next one, or until `due_at`. */
static void wait_for_write(const struct takt_reader *reader, uintptr_t newest, uint64_t due_at)
{
    struct timespec until = {.tv_sec = (time_t)(due_at / 1000000000), .tv_nsec = (long)(due_at % 1000000000)};
    _Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a futex is the low half of a word, which comes first");
    syscall(SYS_futex, reader->memory.area.memory->newest, FUTEX_WAIT_BITSET, (uint32_t)newest, &until, NULL,
            FUTEX_BITSET_MATCH_ANY);
}

enum takt_status takt_reader_wait(struct takt_reader *reader, uint64_t until_ns)
{
    for (;;) {
        bool there = reader->memory.mapped != NULL;
        uintptr_t newest = there ? takt_area_newest(&reader->memory.area) : 0;
        if (newest != 0 && newest != reader->seen) {
            return TAKT_OK;
        }
        uint64_t now = takt_reflect_now();
        if (now - reader->looked_ns >= TAKT_REFLECT_LOOK_NS) {
            look(reader, now);
            continue;
        }
        if (now >= until_ns) {
            return taktr_fail(TAKT_TIMEOUT, "%s: no new value before the timeout", reader->name);
        }
        uint64_t next = reader->looked_ns + TAKT_REFLECT_LOOK_NS;
        next = next < until_ns ? next : until_ns;
        if (there) {
            wait_for_write(reader, newest, next);
        } else {
            sleep_until(next);
        }
    }
}

struct takt_reader_state takt_reader_state(const struct takt_reader *reader)
{
    const struct taktr_memory *memory = &reader->memory;
    struct takt_reader_state state = {.writers = reader->writers, .lost = reader->lost};
    if (memory->mapped != NULL) {
        state.shape = memory->area.shape;
        state.lost += memory->area.lost;
    }
    return state;
}

void takt_reader_close(struct takt_reader *reader)
{
    if (reader != NULL) {
        taktr_memory_unmap(&reader->memory);
        taktr_folder_close(&reader->folder);
        free(reader);
    }
}

/* What its memory says. */
static bool inform(int folder, const char *name, struct takt_reflect_info *info)
{
    struct taktr_memory memory;
    struct takt_area_value value = {0};
    if (!taktr_memory_map(folder, name, NULL, 0, &memory)) {
        return false;
    }
    *info = (struct takt_reflect_info){.writer = memory.writer, .shape = memory.area.shape};
    memcpy(info->name, name, strlen(name));
    void *to = malloc(memory.area.shape.size);
    if (to != NULL && takt_area_read(&memory.area, to, &value) == TAKT_OK) {
        info->newest = value.number;
        info->time_ns = value.stamp.time_ns;
    }
    free(to);
    taktr_memory_unmap(&memory);
    return true;
}

/* The name that a lock file is of; false: it is none. */
static bool name_of(const char *file, char *name)
{
    size_t length = strlen(file);
    if (length < 2 || length > TAKT_REFLECT_NAME || file[length - 1] != '~') {
        return false;
    }
    memcpy(name, file, length - 1);
    name[length - 1] = '\0';
    return taktr_name_is_right(name);
}

int takt_reflect_list(struct takt_reflect_info *infos, int room)
{
    struct taktr_folder opened;
    if (!taktr_folder_open(&opened)) {
        return -1;
    }
    int folder = opened.descriptor;
    DIR *entries = fdopendir(folder);
    if (entries == NULL) {
        taktr_fail(TAKT_STATE, "the folder of names: %s", strerror(errno));
        taktr_folder_close(&opened);
        return -1;
    }
    int count = 0;
    char name[TAKT_REFLECT_NAME + 1];
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        struct takt_reflect_info info;
        if (!name_of(entry->d_name, name)) {
            continue;
        }
        if (inform(folder, name, &info)) {
            if (count < room) {
                infos[count] = info;
            }
            count++;
            continue;
        }
        int lock = taktr_name_lock(folder, name); /* its writer may just be beginning: then it has that */
        if (lock >= 0) {
            taktr_name_free(folder, name, lock);
        }
    }
    closedir(entries);
    return count;
}
