/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PROCESS_NAMES_H
#define TAKT_PROCESS_NAMES_H

/*
 * Maps the names of calls to their stubs in a process: takt_mutex_lock becomes the symbol takt_user_mutex_lock, which
 * traps. The build includes this file first in the sources of processes (docs/decisions/0016-processes.md).
 */
#if defined(TAKT_IN_PROCESS) && TAKT_IN_PROCESS
#include "kernel/process/calls.h"

#define TAKTI_PRAGMA(text) _Pragma(#text)
#define TAKTI_RENAME(number, name) TAKTI_PRAGMA(redefine_extname takt_##name takt_user_##name)
TAKTI_CALLS(TAKTI_RENAME, TAKTI_RENAME)
#undef TAKTI_RENAME
TAKTI_PRAGMA(redefine_extname takt_signal_data takt_user_signal_data) /* without a trap */
TAKTI_PRAGMA(redefine_extname __assert_func takt_user_assert_func)    /* assert(), of picolibc */
TAKTI_PRAGMA(redefine_extname __assert_fail takt_user_assert_fail)    /* of the host's C library */
#undef TAKTI_PRAGMA
#endif

#endif
