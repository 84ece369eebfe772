/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lock.h"

enum { TRIES = 3 };

static _Thread_local char error[512];

const char *takt_reflect_error(void)
{
    return error;
}

enum takt_status taktr_fail(enum takt_status status, const char *words, ...)
{
    va_list arguments;
    va_start(arguments, words);
    vsnprintf(error, sizeof error, words, arguments);
    va_end(arguments);
    return status;
}

static bool folder_name(char *path, size_t room)
{
    const char *asked = getenv("TAKT_REFLECT_FOLDER");
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    int length = asked != NULL && *asked != '\0'       ? snprintf(path, room, "%s", asked)
                 : runtime != NULL && *runtime != '\0' ? snprintf(path, room, "%s/takt", runtime)
                                                       : snprintf(path, room, "/run/takt-%u", (unsigned)geteuid());
    return length > 0 && (size_t)length < room;
}

/* The folder of that path, if it is the user's alone; -1: noted why not. */
static int folder_at(const char *path, bool make)
{
    if (make && mkdir(path, 0700) != 0 && errno != EEXIST) {
        taktr_fail(TAKT_STATE, "%s: %s (set TAKT_REFLECT_FOLDER to use another folder)", path, strerror(errno));
        return -1;
    }
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat found;
    if (folder < 0 || fstat(folder, &found) != 0) {
        taktr_fail(TAKT_STATE, "%s: %s (set TAKT_REFLECT_FOLDER to use another folder)", path, strerror(errno));
    } else if (found.st_uid != geteuid() || (found.st_mode & 077) != 0) {
        taktr_fail(
            TAKT_STATE,
            "%s: other users may access it, or it belongs to another user (chmod 700, or set TAKT_REFLECT_FOLDER)",
            path);
    } else {
        return folder;
    }
    if (folder >= 0) {
        close(folder);
    }
    return -1;
}

/* So that it is found again from another directory. */
static bool make_absolute(struct taktr_folder *folder)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder->descriptor);
    ssize_t length = *folder->path == '/' ? 0 : readlink(link, folder->path, sizeof folder->path);
    if (length < 0 || length == sizeof folder->path) {
        taktr_fail(TAKT_STATE, "the folder of names: its path is not known (set TAKT_REFLECT_FOLDER)");
        taktr_folder_close(folder);
        return false;
    }
    if (length > 0) {
        folder->path[length] = '\0';
    }
    return true;
}

bool taktr_folder_open(struct taktr_folder *folder)
{
    folder->descriptor = -1;
    if (!folder_name(folder->path, sizeof folder->path)) {
        taktr_fail(TAKT_STATE, "the path of the folder of names is too long (TAKT_REFLECT_FOLDER, XDG_RUNTIME_DIR)");
        return false;
    }
    folder->descriptor = folder_at(folder->path, true);
    return folder->descriptor >= 0 && make_absolute(folder);
}

enum taktr_folder_state taktr_folder_look(struct taktr_folder *folder, bool make)
{
    struct stat ours;
    struct stat current;
    if (fstat(folder->descriptor, &ours) == 0 && lstat(folder->path, &current) == 0 && ours.st_ino == current.st_ino &&
        ours.st_dev == current.st_dev) {
        return TAKTR_FOLDER_STAYS;
    }
    int other = folder_at(folder->path, make);
    if (other < 0) {
        return TAKTR_FOLDER_GONE;
    }
    close(folder->descriptor);
    folder->descriptor = other;
    return TAKTR_FOLDER_OTHER;
}

void taktr_folder_close(struct taktr_folder *folder)
{
    if (folder->descriptor >= 0) {
        close(folder->descriptor);
        folder->descriptor = -1;
    }
}

bool taktr_name_is_right(const char *name)
{
    static const char characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    size_t length = strnlen(name, TAKT_REFLECT_NAME);
    if (length >= 1 && length < TAKT_REFLECT_NAME && *name != '.' && strspn(name, characters) == length) {
        return true;
    }
    taktr_fail(TAKT_LIMIT,
               "\"%.*s\" is not a valid name: 1 to %d letters, digits, `.`, `-` or `_`, not beginning with `.`",
               (int)length, name, TAKT_REFLECT_NAME - 1);
    return false;
}

/* The name with an ending that no name has. */
struct file {
    char text[TAKT_REFLECT_NAME + 8];
};

static struct file file_of(const char *name, const char *ending)
{
    struct file file;
    snprintf(file.text, sizeof file.text, "%s%s", name, ending);
    return file;
}

int taktr_name_lock(int folder, const char *name)
{
    struct file file = file_of(name, "~");
    int lock = taktr_lock_take(folder, file.text);
    if (lock == -2) {
        taktr_fail(TAKT_STATE, "%s: %s", file.text, strerror(errno));
    }
    return lock;
}

bool taktr_name_is_ours(int folder, const char *name, int lock)
{
    struct file file = file_of(name, "~");
    return taktr_lock_is_current(folder, file.text, lock);
}

/* Where a name leads that is set to a descriptor of this process. */
struct target {
    char text[64];
};

static struct target target_of(int descriptor)
{
    struct target target;
    snprintf(target.text, sizeof target.text, "/proc/%ld/fd/%d", (long)getpid(), descriptor);
    return target;
}

bool taktr_name_set(int folder, const char *name, int descriptor)
{
    struct target target = target_of(descriptor);
    struct file fresh = file_of(name, "~new");
    for (unsigned tries = 0; tries < TRIES; tries++) {
        unlinkat(folder, fresh.text, 0); /* of a writer that was killed between the next two */
        if (symlinkat(target.text, folder, fresh.text) == 0 && renameat(folder, fresh.text, folder, name) == 0) {
            return true;
        }
        if (errno != ENOENT) { /* otherwise a cleanup came in between */
            break;
        }
    }
    taktr_fail(TAKT_STATE, "%s: %s", name, strerror(errno));
    return false;
}

bool taktr_name_is_set(int folder, const char *name, int descriptor)
{
    struct target target = target_of(descriptor);
    char found[sizeof target.text];
    ssize_t length = readlinkat(folder, name, found, sizeof found);
    return length == (ssize_t)strlen(target.text) && memcmp(found, target.text, (size_t)length) == 0;
}

void taktr_name_free(int folder, const char *name, int lock)
{
    struct file file = file_of(name, "~");
    struct file fresh = file_of(name, "~new");
    if (taktr_name_is_ours(folder, name, lock)) {
        unlinkat(folder, name, 0);
        unlinkat(folder, fresh.text, 0);
    }
    taktr_lock_give(folder, file.text, lock);
}

int taktr_name_open(int folder, const char *name, int32_t *writer)
{
    char target[64];
    ssize_t length = readlinkat(folder, name, target, sizeof target - 1);
    int process = 0;
    int descriptor = 0;
    int end = 0;
    if (length < 0 || !taktr_lock_is_held(folder, file_of(name, "~").text)) {
        return -1;
    }
    target[length] = '\0';
    if (sscanf(target, "/proc/%9d/fd/%9d%n", &process, &descriptor, &end) != 2 || target[end] != '\0') {
        return -1;
    }
    *writer = process;
    int memory = open(target, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    int sealed = memory < 0 ? -1 : fcntl(memory, F_GET_SEALS); /* fails where it is no memfd */
    if (memory >= 0 && (sealed < 0 || (sealed & F_SEAL_SHRINK) == 0)) {
        close(memory); /* that number is another process by now, or the memory could become shorter */
        memory = -1;
    }
    return memory;
}
