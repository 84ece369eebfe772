/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTR_LOCK_H
#define TAKTR_LOCK_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Locks of files in the folder of names, which say that a name has an owner. A lock belongs to this process: it is gone
 * with it, however it ends, and a child that it forks does not have it (fcntl's F_SETLK; flock and F_OFD_SETLK are the
 * child's too, for as long as that lives). Such a lock ends when the process closes any descriptor of its file, so a
 * file that this process has locked is opened nowhere else: its list says which those are.
 *
 * `file`: a name in `folder`. Context: any thread. Blocks: no longer than the file system.
 */

/* Makes the file if it was not there: a descriptor that has its lock; -1: somebody has it; -2: errno says why not. */
int taktr_lock_take(int folder, const char *file);

/* The lock is nobody's. `file`, if not NULL, is removed before that if it is still the one that was locked. */
void taktr_lock_give(int folder, const char *file, int lock);

/* Whether somebody has it. */
bool taktr_lock_is_held(int folder, const char *file);

/* Whether that file is still the one that was locked. */
bool taktr_lock_is_current(int folder, const char *file, int lock);

/* This process, without a system call. */
pid_t taktr_lock_process(void);

#endif
