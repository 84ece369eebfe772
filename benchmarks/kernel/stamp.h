/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BENCHMARK_STAMP_H
#define TAKT_BENCHMARK_STAMP_H

#include <stdint.h>

/* Where the processor is, in the target's unit: see target.c. */
enum { STAMPS = 6 }; /* a row's four, and two of the sweep */
extern uint32_t stamps[STAMPS];

/* Stores it into stamps[which]. Changes few registers, always by the same instructions. */
void stamp_take(unsigned which);

/* Guest instructions between two stamps, those of taking them included. */
uint32_t stamp_difference(uint32_t first, uint32_t second);

/*
 * The harness is built in five ways. What BENCHMARK_ROW_BEGINS and _ENDS name is called in every row:
 * - to measure: nothing;
 * - BENCHMARK_TEN_MORE: ten no-operations, which must be found in every row;
 * - BENCHMARK_SWEEP: an interrupt comes some instructions after the beginning (sweep.c);
 * - BENCHMARK_PROFILE: two functions say in a log of all instructions where the row is (profile.c);
 * - BENCHMARK_RECORDS: with FreeRTOS' trace, each row also prints its records (freertos/traced/records.c).
 */
struct row;
void records_stamp(unsigned which);
void records_print(const struct row *row);
void sweep_begin(unsigned which);
void profile_begin(unsigned which);
void profile_end(unsigned which);

#define BENCHMARK_ROW_BEGINS(which) __asm volatile("")
#define BENCHMARK_ROW_ENDS(which)
#define BENCHMARK_ROW_PRINTS(row)
#if defined BENCHMARK_TEN_MORE
#undef BENCHMARK_ROW_BEGINS
#define BENCHMARK_ROW_BEGINS(which) __asm volatile("nop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop")
#elif defined BENCHMARK_SWEEP
#undef BENCHMARK_ROW_BEGINS
#define BENCHMARK_ROW_BEGINS(which) sweep_begin(which)
#elif defined BENCHMARK_PROFILE
#undef BENCHMARK_ROW_BEGINS
#undef BENCHMARK_ROW_ENDS
#define BENCHMARK_ROW_BEGINS(which) profile_begin(which)
#define BENCHMARK_ROW_ENDS(which) profile_end(which)
#elif defined BENCHMARK_RECORDS
#undef BENCHMARK_ROW_BEGINS
#undef BENCHMARK_ROW_ENDS
#undef BENCHMARK_ROW_PRINTS
#define BENCHMARK_ROW_BEGINS(which) records_stamp(which)
#define BENCHMARK_ROW_ENDS(which) records_stamp(which)
#define BENCHMARK_ROW_PRINTS(row) records_print(row)
#endif

/* Never a tail call: the code between two stamps is theirs (harness.c measures it) and the row's. */
static inline void stamp_begin(unsigned which)
{
    stamp_take(which);
    BENCHMARK_ROW_BEGINS(which);
}

static inline void stamp_end(unsigned which)
{
    BENCHMARK_ROW_ENDS(which);
    stamp_take(which);
    __asm volatile("");
}

#endif
