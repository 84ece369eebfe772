/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100, FIRST_ROOM = 16 };

/* A file that this process has locked. */
struct locked {
    dev_t device;
    ino_t inode;
};

static pthread_mutex_t mutex; /* of what follows, and of every open and close of a file that may be locked */
static struct locked *list;   /* ascending */
static size_t count, room;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pid_t process; /* changes in a child that has one thread */

/* A thread with real-time priority may wait for one that has none. */
static void make_mutex(void)
{
    pthread_mutexattr_t inherit;
    pthread_mutexattr_init(&inherit);
    pthread_mutexattr_setprotocol(&inherit, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&mutex, &inherit);
    pthread_mutexattr_destroy(&inherit);
}

static void before_fork(void)
{
    pthread_mutex_lock(&mutex);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&mutex);
}

static void in_child(void)
{
    make_mutex(); /* it was locked by a thread that is not here */
    count = 0;
    process = getpid();
}

static void begin(void)
{
    make_mutex();
    process = getpid();
    pthread_atfork(before_fork, in_parent, in_child);
}

pid_t taktr_lock_process(void)
{
    pthread_once(&once, begin);
    return process;
}

static void enter(void)
{
    pthread_once(&once, begin);
    pthread_mutex_lock(&mutex);
}

static void leave(void)
{
    pthread_mutex_unlock(&mutex);
}

static bool is_before(const struct locked *a, const struct stat *b)
{
    return a->device != b->st_dev ? a->device < b->st_dev : a->inode < b->st_ino;
}

/* Where it is in the list, or belongs. */
static size_t index_of(const struct stat *file)
{
    size_t from = 0;
    for (size_t to = count; from < to;) {
        size_t middle = from + (to - from) / 2;
        if (is_before(&list[middle], file)) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

static bool is_listed(const struct stat *file)
{
    size_t index = index_of(file);
    return index < count && list[index].device == file->st_dev && list[index].inode == file->st_ino;
}

/* False: there is no memory. */
static bool add(const struct stat *file)
{
    if (count == room) {
        size_t more = room == 0 ? FIRST_ROOM : 2 * room;
        struct locked *longer = realloc(list, more * sizeof *list);
        if (longer == NULL) {
            return false;
        }
        list = longer;
        room = more;
    }
    size_t index = index_of(file);
    memmove(&list[index + 1], &list[index], (count - index) * sizeof *list);
    list[index] = (struct locked){.device = file->st_dev, .inode = file->st_ino};
    count++;
    return true;
}

static void take_out(const struct stat *file)
{
    if (is_listed(file)) {
        size_t index = index_of(file);
        count--;
        memmove(&list[index], &list[index + 1], (count - index) * sizeof *list);
    }
}

/* Whether this process has it locked. */
static bool is_ours(int folder, const char *file)
{
    struct stat found;
    return fstatat(folder, file, &found, AT_SYMLINK_NOFOLLOW) == 0 && is_listed(&found);
}

bool taktr_lock_is_current(int folder, const char *file, int lock)
{
    struct stat ours;
    struct stat current;
    return fstat(lock, &ours) == 0 && fstatat(folder, file, &current, AT_SYMLINK_NOFOLLOW) == 0 &&
           ours.st_ino == current.st_ino && ours.st_dev == current.st_dev;
}

/* Locks what was opened. The same as taktr_lock_take; -3: the file has become another one, so it is to be opened again.
 */
static int lock_opened(int folder, const char *file, int lock)
{
    struct stat ours;
    struct flock whole = {.l_type = F_WRLCK};
    if (fcntl(lock, F_SETLK, &whole) != 0) {
        return errno == EAGAIN || errno == EACCES ? -1 : -2;
    }
    if (!taktr_lock_is_current(folder, file, lock)) {
        return -3; /* the previous holder has removed it */
    }
    if (fstat(lock, &ours) == 0 && add(&ours)) {
        return lock;
    }
    unlinkat(folder, file, 0);
    errno = ENOMEM;
    return -2;
}

int taktr_lock_take(int folder, const char *file)
{
    int result = -3;
    enter();
    for (int tries = 0; tries < TRIES && result == -3; tries++) {
        if (is_ours(folder, file)) {
            result = -1;
            break;
        }
        int lock = openat(folder, file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        result = lock < 0 ? -2 : lock_opened(folder, file, lock);
        if (lock >= 0 && result < 0) {
            int why = errno;
            close(lock);
            errno = why;
        }
    }
    leave();
    return result == -3 ? -2 : result;
}

void taktr_lock_give(int folder, const char *file, int lock)
{
    struct stat ours;
    enter();
    if (file != NULL && taktr_lock_is_current(folder, file, lock)) {
        unlinkat(folder, file, 0); /* under the lock: a later process makes another one */
    }
    if (fstat(lock, &ours) == 0) {
        take_out(&ours);
    }
    close(lock);
    leave();
}

bool taktr_lock_is_held(int folder, const char *file)
{
    struct flock whole = {.l_type = F_WRLCK};
    enter();
    bool held = is_ours(folder, file);
    int lock = held ? -1 : openat(folder, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (lock >= 0) {
        held = fcntl(lock, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
        close(lock);
    }
    leave();
    return held;
}
