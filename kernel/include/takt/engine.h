/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_ENGINE_H
#define TAKT_ENGINE_H

#include "base/dialect.h"

TAKT_C_BEGIN

/* Whether the hardware task manager holds the ready tasks and the armed timers (hardware/driver/) in place of the
 * kernel's own queues. A build for it defines this as 1. */
#ifndef TAKT_ENGINE_RTM
#define TAKT_ENGINE_RTM 0
#endif
/* Minimum number of its records, a power of two, 16 to 128: one per ready task and per armed timer. */
#ifndef TAKT_RECORDS
#define TAKT_RECORDS 64
#endif

/*
 * The engine (kernel/engine/engine.h): TAKTI_ENGINE is the folder of its headers, and a build compiles its C files.
 * TAKT_SINGLE_PATH: without the fast paths for a task that is alone in its level; and armed timers need no storage.
 */
#if TAKT_ENGINE_RTM
#define TAKTI_ENGINE(header) <hardware/driver/header>
#define TAKT_SINGLE_PATH 1
#elif defined(__OPTIMIZE_SIZE__)
#define TAKTI_ENGINE(header) <kernel/engine/small/header>
#define TAKT_SINGLE_PATH 1
#else
#define TAKTI_ENGINE(header) <kernel/engine/queues/header>
#define TAKT_SINGLE_PATH 0
#endif

TAKT_C_END

#endif
