/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_ENGINE_H
#define TAKT_ENGINE_H

/* Whether the task manager in hardware keeps who is ready and what is expected (hardware/driver/rtm.c), in place of the
 * kernel's own queues. A build for it defines it as 1. */
#ifndef TAKT_ENGINE_RTM
#define TAKT_ENGINE_RTM 0
#endif
/* How many records it has at least, a power of two, 16 to 128: what waits and who is ready, together. */
#ifndef TAKT_RECORDS
#define TAKT_RECORDS 64
#endif

/* What is ready and what is expected is known by what kernel/core/ready.h and timer.h declare alone: no short ways for
 * the usual cases, which know what the queues look like. */
#if defined(__OPTIMIZE_SIZE__) || TAKT_ENGINE_RTM
#define TAKT_SINGLE_PATH 1
#else
#define TAKT_SINGLE_PATH 0
#endif

#endif
