/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_FOLDER_H
#define TAKTI_FOLDER_H

#include "takt/reflect.h"

/*
 * The folder of names. NAME is a link to the descriptor of the writer's memory (/proc/PID/fd/N), NAME~ a file that the
 * writer holds a lock on: it is gone with the process, whatever happened to it. Both are cleared away under that lock.
 */

/* Notes why a call fails, in the words of printf, and returns `status`. */
enum takt_status takti_fail(enum takt_status status, const char *words, ...) __attribute__((format(printf, 2, 3)));

/* The folder, made if it was not there, as a descriptor; -1: noted why not. */
int takti_folder_open(void);

/* Whether it may be a name; if not, noted. */
bool takti_name_is_right(const char *name);

/* Takes the name's lock: its descriptor; -1: somebody has it, -2: noted what went wrong. */
int takti_name_lock(int folder, const char *name);

/* The name leads to memory `descriptor` of this process from now on. */
bool takti_name_set(int folder, const char *name, int descriptor);

/* What has the lock gives it back, and the name is nobody's. */
void takti_name_free(int folder, const char *name, int lock);

/* Opens the memory of the name's writer for reading, and says whose it is; -1: it has no writer. */
int takti_name_open(int folder, const char *name, int32_t *writer);

#endif
