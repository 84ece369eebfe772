/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_HOST_THREAD_LOCAL_H
#define TAKT_HOST_THREAD_LOCAL_H

#include <stddef.h>

/* Bytes of a copy of all thread-local variables of a context, errno among them: a multiple of 64. To be called first.
 */
size_t takt_host_thread_locals_size(void);

/* A copy of what they begin with. */
void takt_host_thread_locals_begin(void *copy);

/* Keeps those of now in the copy `from`, and takes the copy `to`. */
void takt_host_thread_locals_swap(void *from, const void *to);

#endif
