/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PROTECTION_H
#define TAKT_PROTECTION_H

/* Whether tasks run in user mode and belong to processes (takt/process.h). A build with processes defines it as 1. */
#ifndef TAKT_PROCESSES
#define TAKT_PROCESSES 0
#endif

/* Whether tasks start threads, and create objects, at run time (takt/process.h, takt/create.h). The build of a system
 * without protection that declares quotas defines it as 1. */
#ifndef TAKT_QUOTAS
#define TAKT_QUOTAS TAKT_PROCESSES
#endif

/* Whether tasks start and stop whole processes (takt_process_start). The build of a system with such a process defines
 * it as 1. */
#ifndef TAKT_PROCESS_START
#define TAKT_PROCESS_START 0
#endif

/* Whether processes use slots (takt/slot.h). The build of a system with protection that declares any defines it as 1.
 */
#ifndef TAKT_PROCESS_SLOTS
#define TAKT_PROCESS_SLOTS 0
#endif

/* Whether processes create alarms (takt_alarm_create). The build of a system with such a process defines it as 1. */
#ifndef TAKT_PROCESS_ALARMS
#define TAKT_PROCESS_ALARMS 0
#endif

/* Whether processes have heaps (malloc). The build of a system with such a process defines it as 1. */
#ifndef TAKT_PROCESS_HEAP
#define TAKT_PROCESS_HEAP 0
#endif

/* Whether a process runs constructors of static objects when it starts (takt_process_config.constructs). The build of a
 * system with such a process defines it as 1, and TAKT_PROCESS_START. */
#ifndef TAKT_PROCESS_CONSTRUCTS
#define TAKT_PROCESS_CONSTRUCTS 0
#endif

/* Whether this is a source file of a process, where the names of calls refer to their stubs. Then the build defines it
 * as 1. */
#ifndef TAKT_IN_PROCESS
#define TAKT_IN_PROCESS 0
#endif

#endif
