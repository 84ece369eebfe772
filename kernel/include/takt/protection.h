/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PROTECTION_H
#define TAKT_PROTECTION_H

/* Whether tasks belong to processes, in user mode (takt/process.h). A build with processes defines it as 1. */
#ifndef TAKT_PROCESSES
#define TAKT_PROCESSES 0
#endif

#endif
