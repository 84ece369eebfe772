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

enum { TRIES = 100 };

static _Thread_local char error[512];

const char *takt_reflect_error(void)
{
    return error;
}

enum takt_status takti_fail(enum takt_status status, const char *words, ...)
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

int takti_folder_open(void)
{
    char path[256];
    if (!folder_name(path, sizeof path)) {
        takti_fail(TAKT_STATE, "the folder of names has too long a path (TAKT_REFLECT_FOLDER, XDG_RUNTIME_DIR)");
        return -1;
    }
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        takti_fail(TAKT_STATE, "%s: %s (another folder: set TAKT_REFLECT_FOLDER)", path, strerror(errno));
        return -1;
    }
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat found;
    if (folder < 0 || fstat(folder, &found) != 0) {
        takti_fail(TAKT_STATE, "%s: %s (another folder: set TAKT_REFLECT_FOLDER)", path, strerror(errno));
    } else if (found.st_uid != geteuid() || (found.st_mode & 077) != 0) {
        takti_fail(TAKT_STATE,
                   "%s: others may enter it, or it is another user's (chmod 700, or set TAKT_REFLECT_FOLDER)", path);
    } else {
        return folder;
    }
    if (folder >= 0) {
        close(folder);
    }
    return -1;
}

bool takti_name_is_right(const char *name)
{
    static const char characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    size_t length = strnlen(name, TAKT_REFLECT_NAME);
    if (length >= 1 && length < TAKT_REFLECT_NAME && *name != '.' && strspn(name, characters) == length) {
        return true;
    }
    takti_fail(TAKT_LIMIT, "\"%.*s\" is no name: 1 to %d letters, digits, `.`, `-` or `_`, and no `.` first",
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

/* Whether that is still the file of that name: who had the lock before may have removed it. */
static bool is_current(int folder, const struct file *file, int lock)
{
    struct stat ours;
    struct stat current;
    return fstat(lock, &ours) == 0 && fstatat(folder, file->text, &current, AT_SYMLINK_NOFOLLOW) == 0 &&
           ours.st_ino == current.st_ino && ours.st_dev == current.st_dev;
}

int takti_name_lock(int folder, const char *name)
{
    struct file file = file_of(name, "~");
    for (int tries = 0; tries < TRIES; tries++) {
        int lock = openat(folder, file.text, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (lock < 0) {
            break;
        }
        struct flock whole = {.l_type = F_WRLCK};
        if (fcntl(lock, F_OFD_SETLK, &whole) != 0) {
            close(lock);
            return -1;
        }
        if (is_current(folder, &file, lock)) {
            return lock;
        }
        close(lock);
    }
    takti_fail(TAKT_STATE, "%s: %s", file.text, strerror(errno));
    return -2;
}

bool takti_name_set(int folder, const char *name, int descriptor)
{
    char target[64];
    struct file fresh = file_of(name, "~new");
    snprintf(target, sizeof target, "/proc/%ld/fd/%d", (long)getpid(), descriptor);
    unlinkat(folder, fresh.text, 0); /* of a writer that was killed between the next two */
    if (symlinkat(target, folder, fresh.text) != 0 || renameat(folder, fresh.text, folder, name) != 0) {
        takti_fail(TAKT_STATE, "%s: %s", name, strerror(errno));
        return false;
    }
    return true;
}

void takti_name_free(int folder, const char *name, int lock)
{
    struct file file = file_of(name, "~");
    struct file fresh = file_of(name, "~new");
    unlinkat(folder, name, 0);
    unlinkat(folder, fresh.text, 0);
    unlinkat(folder, file.text, 0); /* last, and under the lock: who comes now makes another one */
    close(lock);
}

/* Whether a writer holds the name, by its lock, which looking does not take. */
static bool is_held(int folder, const char *name)
{
    struct file file = file_of(name, "~");
    struct flock whole = {.l_type = F_WRLCK};
    int lock = openat(folder, file.text, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bool held = lock >= 0 && fcntl(lock, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
    if (lock >= 0) {
        close(lock);
    }
    return held;
}

int takti_name_open(int folder, const char *name, int32_t *writer)
{
    char target[64];
    ssize_t length = readlinkat(folder, name, target, sizeof target - 1);
    int process = 0;
    int descriptor = 0;
    int end = 0;
    if (length < 0 || !is_held(folder, name)) {
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
