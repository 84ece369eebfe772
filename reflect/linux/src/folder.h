/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTR_FOLDER_H
#define TAKTR_FOLDER_H

#include "takt/reflect.h"

/*
 * The folder of names. NAME is a link to the descriptor of the writer's memory (/proc/PID/fd/N), NAME~ a file that the
 * writer holds a lock on (lock.h): it is gone with the process, whatever happened to it. Both are cleared away under
 * that lock. A process with a name checks now and then whether it still exists: a folder, or a file in it, may be
 * removed by a cleanup, and is made again.
 */

enum { TAKTR_FOLDER_PATH = 4096 };

struct taktr_folder {
    int descriptor;               /* -1: it is not open */
    char path[TAKTR_FOLDER_PATH]; /* absolute */
};

/* Notes why a call fails, in the words of printf, and returns `status`. */
enum takt_status taktr_fail(enum takt_status status, const char *words, ...) __attribute__((format(printf, 2, 3)));

/* Opens it, and makes it if it was not there. False: noted why not. */
bool taktr_folder_open(struct taktr_folder *folder);

enum taktr_folder_state {
    TAKTR_FOLDER_STAYS,
    TAKTR_FOLDER_OTHER, /* its path led to another one, which is open now: names are to be set again */
    TAKTR_FOLDER_GONE   /* noted why there is none; the one that was removed stays open */
};

/* Looks whether its path leads to it still. `make`: it is made again if it was removed. */
enum taktr_folder_state taktr_folder_look(struct taktr_folder *folder, bool make);

void taktr_folder_close(struct taktr_folder *folder);

/* Whether it may be a name; if not, noted. */
bool taktr_name_is_right(const char *name);

/* Takes the name's lock: its descriptor; -1: somebody has it, -2: noted what went wrong. */
int taktr_name_lock(int folder, const char *name);

/* Whether the name has the lock that was taken. */
bool taktr_name_is_ours(int folder, const char *name, int lock);

/* The name leads to memory `descriptor` of this process from now on. */
bool taktr_name_set(int folder, const char *name, int descriptor);

/* Whether it leads there. */
bool taktr_name_is_set(int folder, const char *name, int descriptor);

/* What has the lock gives it back, and the name is nobody's, unless it was removed and is somebody else's by now. */
void taktr_name_free(int folder, const char *name, int lock);

/* Opens the memory of the name's writer for reading, and says whose it is; -1: it has no writer. */
int taktr_name_open(int folder, const char *name, int32_t *writer);

#endif
