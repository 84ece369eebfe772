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
/* library/: the streams of C, whose console is a call */
TAKTI_PRAGMA(redefine_extname printf takt_user_printf)
TAKTI_PRAGMA(redefine_extname vprintf takt_user_vprintf)
TAKTI_PRAGMA(redefine_extname puts takt_user_puts)
TAKTI_PRAGMA(redefine_extname putchar takt_user_putchar)
TAKTI_PRAGMA(redefine_extname time takt_user_time)
TAKTI_PRAGMA(redefine_extname clock takt_user_clock)
TAKTI_PRAGMA(redefine_extname gettimeofday takt_user_gettimeofday)
TAKTI_PRAGMA(redefine_extname settimeofday takt_user_settimeofday)
TAKTI_PRAGMA(redefine_extname sleep takt_user_sleep)
TAKTI_PRAGMA(redefine_extname usleep takt_user_usleep)
TAKTI_PRAGMA(redefine_extname takti_time_of_day_ns takt_user_time_of_day_ns)
#ifdef __linux__
TAKTI_PRAGMA(redefine_extname clock_gettime takt_user_clock_gettime)
TAKTI_PRAGMA(redefine_extname clock_settime takt_user_clock_settime)
TAKTI_PRAGMA(redefine_extname timespec_get takt_user_timespec_get)
TAKTI_PRAGMA(redefine_extname nanosleep takt_user_nanosleep)
TAKTI_PRAGMA(redefine_extname clock_nanosleep takt_user_clock_nanosleep)
#else                     /* there these are the C library's, which writes to the same file */
TAKTI_PRAGMA(redefine_extname stdout takt_user_stdout)
TAKTI_PRAGMA(redefine_extname stderr takt_user_stderr)
#ifdef TAKTI_PROCESS_NAME /* a process's own: library/console/stdin.c */
#define TAKTI_OWN(name, process) TAKTI_PRAGMA(redefine_extname name takt_##name##_##process)
#define TAKTI_OWN_OF(name, process) TAKTI_OWN(name, process)
TAKTI_OWN_OF(stdin, TAKTI_PROCESS_NAME)
TAKTI_OWN_OF(getchar, TAKTI_PROCESS_NAME)
TAKTI_OWN_OF(scanf, TAKTI_PROCESS_NAME)
TAKTI_OWN_OF(vscanf, TAKTI_PROCESS_NAME)
#undef TAKTI_OWN_OF
#undef TAKTI_OWN
#endif
#endif
TAKTI_PRAGMA(redefine_extname abort takt_user_abort)
/* Also what headers of C++ call without a declaration: __builtin_abort. There it has the name that is declared. */
#if defined(__cplusplus) && defined(__linux__)
extern "C" __attribute__((__noreturn__)) void abort(void) noexcept(true);
#elif defined(__cplusplus)
extern "C" __attribute__((__noreturn__)) void abort(void);
#elif !defined(__ASSEMBLER__)
__attribute__((__noreturn__)) void abort(void);
#define __builtin_abort() abort()
#endif
TAKTI_PRAGMA(redefine_extname __assert_func takt_user_assert_func) /* assert(), of picolibc */
TAKTI_PRAGMA(redefine_extname __assert_fail takt_user_assert_fail) /* of the host's C library */
#undef TAKTI_PRAGMA
#endif

#endif
