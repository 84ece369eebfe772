/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_TIME_HOST_NAMES_H
#define TAKT_TIME_HOST_NAMES_H

/* On board host: files of an application ask for virtual time, and the machine's C library for its own. The build
 * includes this file first. In processes takt/process_names.h has other names for them. settimeofday keeps its name, so
 * that no program, whatever it was compiled with, is linked with the one that sets the machine's clock. */
#if !defined(TAKT_IN_PROCESS) || !TAKT_IN_PROCESS
#define TAKTI_TIME_PRAGMA(text) _Pragma(#text)
#define TAKTI_TIME_NAME(name) TAKTI_TIME_PRAGMA(redefine_extname name takt_library_##name)
TAKTI_TIME_NAME(time)
TAKTI_TIME_NAME(clock)
TAKTI_TIME_NAME(gettimeofday)
TAKTI_TIME_NAME(clock_gettime)
#undef TAKTI_TIME_NAME
#undef TAKTI_TIME_PRAGMA
#endif

#endif
