/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_RTM_UNIT_H
#define TAKT_RTM_UNIT_H

/* The task manager as rtm.c sees it: its window, and what levels, deadlines and expiries are there. */
#include "hardware/driver/rtm_limits.h"
#include "hardware/driver/rtm_registers.h"
#include "kernel/core/kernel.h"

/* The linker script's: the window, as records. */
extern volatile struct {
    uint32_t words[RTM_RECORD_BYTES / sizeof(uint32_t)];
} takt_rtm[];

#define RECORD(record, word) takt_rtm[record].words[(word) / sizeof(uint32_t)]
#define WORD(offset) RECORD((offset) / RTM_RECORD_BYTES, (offset) % RTM_RECORD_BYTES)

enum {
    /* After so many quanta each record's time was looked at: a cycle each, of which ibex-soc has 3.2 in a quantum, and
     * those of commands. */
    ROUND = TAKT_RECORDS * 3 / 8 + 8
};

_Static_assert(TAKT_RECORDS >= RECORDS_MIN && TAKT_RECORDS <= RTM_RECORDS_MAX &&
                   (TAKT_RECORDS & (TAKT_RECORDS - 1)) == 0,
               "TAKT_RECORDS: it must be a power of two, from 16 to 128");

/* Beyond it a wake-up is parked: armed for the horizon, and again when that has come. Half of what the unit knows. */
#define HORIZON_NS ((UINT64_C(1) << (30 + TIME_SHIFT)) - 1)

/* Of a timer that is armed, or whose task is ready; others may have none. */
static inline unsigned record_of(const struct takt_timer *timer)
{
    return (timer->record & TAKTI_RECORD) - 1u;
}

static inline bool has_record(const struct takt_timer *timer)
{
    return !TAKTI_UNLIKELY(timer->record == 0);
}

/* One below its own: level 0 is that of expiries. */
static inline unsigned level_in_unit(const struct takt_task *task)
{
    uintptr_t before = (uintptr_t)takti_kernel.ready.levels - sizeof *task->level;
    return (unsigned)(((uintptr_t)task->level - before) / sizeof *task->level);
}

static inline uint32_t deadline_order(uint64_t deadline_ns)
{
    return (uint32_t)(deadline_ns >> DEADLINE_SHIFT) & ORDER;
}

/* The first quantum that is not before the expiry. */
static inline uint32_t quanta(uint64_t at_ns)
{
    return (uint32_t)((at_ns + (1u << TIME_SHIFT) - 1) >> TIME_SHIFT);
}

/* rtm_rest.c: notes in takti_kernel.timers.quietly which tasks can wait quietly. */
void takti_rtm_find_quiet(void);

#endif
