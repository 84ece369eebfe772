/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_RTM_UNIT_H
#define TAKT_RTM_UNIT_H

/* The task manager as rtm.c sees it: its window, and what levels, deadlines and expiries are there. */
#include "hardware/driver/operations.h"
#include "kernel/core/kernel.h"

#define RECORD(record, word) (*takti_rtm_word(record, word))
#define WORD(offset) (*takti_rtm_unit(offset))

/* The level of a task that is ready or waits quietly; 0: the record is not in use, or that of an expiry. */
static inline unsigned level_of(unsigned record)
{
    return (RECORD(record, RTM_RECORD_STATUS) & RTM_STATUS_VALID) == 0 ? 0 : RECORD(record, RTM_RECORD_KEY) >> LEVEL;
}

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

static inline bool has_record(const struct takt_timer *timer)
{
    return !TAKTI_UNLIKELY(timer->record == 0);
}

/* rtm_rest.c: notes in takti_kernel.timers.quietly and .plain which tasks can wait quietly. */
void takti_rtm_find_quiet(void);

#endif
