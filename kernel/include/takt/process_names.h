/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PROCESS_NAMES_H
#define TAKT_PROCESS_NAMES_H

/*
 * What the names of calls mean in a process: takt_mutex_lock is the symbol takt_user_mutex_lock there, the stub that
 * traps. The build includes it before all else in the files of processes (docs/decisions/0016-processes.md).
 */
#if defined(TAKT_IN_PROCESS) && TAKT_IN_PROCESS
#include "kernel/process/calls.h"

#define TAKTI_PRAGMA(text) _Pragma(#text)
#define TAKTI_RENAME(number, name) TAKTI_PRAGMA(redefine_extname takt_##name takt_user_##name)
TAKTI_CALLS(TAKTI_RENAME, TAKTI_RENAME)
#undef TAKTI_RENAME
TAKTI_PRAGMA(redefine_extname __assert_func takt_user_assert_func) /* assert(), of picolibc */
TAKTI_PRAGMA(redefine_extname __assert_fail takt_user_assert_fail) /* of the host */
#undef TAKTI_PRAGMA
#endif

#endif
