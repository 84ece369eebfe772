/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_TIME_H
#define TAKT_TIME_H

#include <stdint.h>

#include "base/dialect.h"
#include "base/status.h"

TAKT_C_BEGIN

/* Absolute times are ns since takt_start, 64 bits: they do not wrap. */
#define TAKT_FOREVER UINT64_MAX
#define TAKT_US(n) ((uint64_t)(n)*UINT64_C(1000))
#define TAKT_MS(n) ((uint64_t)(n)*UINT64_C(1000000))
#define TAKT_S(n) ((uint64_t)(n)*UINT64_C(1000000000))

/* The current time, ns; 0 before the start. Context: any. Blocks: never. */
uint64_t takt_now(void);

/* Blocks the calling task until `until_ns` (absolute); returns at once if that has passed. TAKT_FOREVER: until the task
 * is stopped. Context: task, not cooperative. Blocks: until then. */
void takt_delay_until(uint64_t until_ns);

/* Blocks the calling task for at least `duration_ns`; the end must be before TAKT_FOREVER. Context: task, not
 * cooperative. Blocks: until then. */
void takt_delay(uint64_t duration_ns);

/* Executes for `duration_ns` of processor time, preemption not counted: a synthetic load. On an emulated board it
 * counts its own instructions; on `host` it charges virtual time. Context: task, interrupt. Blocks: never. */
void takt_work(uint64_t duration_ns);

TAKT_C_END

#endif
