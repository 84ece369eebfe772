/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_ENGINE_H
#define TAKT_ENGINE_H

/* Whether the hardware task manager holds the ready tasks and the armed timers (hardware/driver/rtm.c) in place of the
 * kernel's own queues. A build for it defines this as 1. */
#ifndef TAKT_ENGINE_RTM
#define TAKT_ENGINE_RTM 0
#endif
/* Minimum number of its records, a power of two, 16 to 128: one per ready task and per armed timer. */
#ifndef TAKT_RECORDS
#define TAKT_RECORDS 64
#endif

/* Whether ready tasks and armed timers are reached only through the interface of kernel/core/ready.h and timer.h,
 * without the fast paths that depend on the layout of the queues. */
#if defined(__OPTIMIZE_SIZE__) || TAKT_ENGINE_RTM
#define TAKT_SINGLE_PATH 1
#else
#define TAKT_SINGLE_PATH 0
#endif

#endif
