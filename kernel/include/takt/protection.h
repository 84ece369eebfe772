/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PROTECTION_H
#define TAKT_PROTECTION_H

/* Whether tasks belong to processes, in user mode (takt/process.h). A build with processes defines it as 1. */
#ifndef TAKT_PROCESSES
#define TAKT_PROCESSES 0
#endif

/* Whether tasks start threads, and create objects, at run time (takt/process.h, takt/create.h). A build without
 * protection, of a system that declares it, defines it as 1. */
#ifndef TAKT_QUOTAS
#define TAKT_QUOTAS TAKT_PROCESSES
#endif

/* Whether this file is one of a process: then names of calls are those of their stubs. The build defines it as 1. */
#ifndef TAKT_IN_PROCESS
#define TAKT_IN_PROCESS 0
#endif

#endif
