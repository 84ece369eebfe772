/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 64-bit integer arithmetic that cannot wrap: sums and products saturate at TAKT_SATURATED, and callers test for it.
 *
 * Saturation keeps order: a saturated value is a lower bound of the true one, so a comparison "greater than a limit"
 * stays correct. Context: any. Bound: constant time, except takt_ratio_*: at most 32 steps.
 */
#ifndef TAKT_BASE_ARITH_H
#define TAKT_BASE_ARITH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/inline.h"

#define TAKT_SATURATED UINT64_MAX

/** One in the fixed-point fractions of takt_ratio_*: 32 bits after the point. */
#define TAKT_RATIO_ONE (UINT64_C(1) << 32)

/** a + b, or TAKT_SATURATED. */
static TAKT_INLINE uint64_t takt_add(uint64_t a, uint64_t b)
{
    uint64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? TAKT_SATURATED : sum;
}

/** a - b, or 0 when b is greater. */
static inline uint64_t takt_subtract(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/** a * b, or TAKT_SATURATED. */
static inline uint64_t takt_multiply(uint64_t a, uint64_t b)
{
    uint64_t product;

    return __builtin_mul_overflow(a, b, &product) ? TAKT_SATURATED : product;
}

/** The least integer not below numerator / divisor; divisor > 0. */
static inline uint64_t takt_divide_up(uint64_t numerator, uint64_t divisor)
{
    return numerator == 0 ? 0 : (numerator - 1) / divisor + 1;
}

/** a / b, b > 0. Compiled for size: 64 steps, an eighth of the bytes of the compiler's library function. */
static inline uint64_t takt_quotient(uint64_t a, uint64_t b)
{
#ifdef __OPTIMIZE_SIZE__
    uint64_t rest = 0;

    for (int bit = 0; bit < 64; bit++) {
        rest = rest << 1 | a >> 63; /* has as many bits as steps were done */
        a <<= 1;
        if (rest >= b) {
            rest -= b;
            a |= 1;
        }
    }
    return a;
#else
    return a / b;
#endif
}

/** Number of the points first, first + period, first + 2 period ... that are <= time; period > 0. */
static inline uint64_t takt_count_until(uint64_t time, uint64_t first, uint64_t period)
{
    return time < first ? 0 : takt_quotient(time - first, period) + 1;
}

/** Advances `point` to the first of point, point + period ... after `time`, or TAKT_SATURATED. Returns the number of
 * periods.
 */
static TAKT_INLINE uint64_t takt_pass(uint64_t *point, uint64_t time, uint64_t period)
{
    uint64_t count = takt_count_until(time, *point, period);

    if (count != 0) {
        *point = takt_add(*point + (count - 1) * period, period); /* the last that is not after `time` cannot wrap */
    }
    return count;
}

/** Greatest fraction with 32 bits after the point that is <= numerator / divisor, or TAKT_SATURATED.
 * 0 < divisor < 2^63. `exact`, when not NULL, is cleared if the result is rounded and left unchanged otherwise.
 */
static inline uint64_t takt_ratio_down(uint64_t numerator, uint64_t divisor, bool *exact)
{
    uint64_t whole = numerator / divisor, rest = numerator % divisor, fraction = 0;

    if (whole >= TAKT_RATIO_ONE) {
        return TAKT_SATURATED;
    }
    if (rest < TAKT_RATIO_ONE) {
        fraction = (rest << 32) / divisor;
        rest = (rest << 32) % divisor;
    } else {
        for (int bit = 0; bit < 32; bit++) { /* long division: rest << 32 would not fit */
            rest <<= 1;
            fraction <<= 1;
            if (rest >= divisor) {
                rest -= divisor;
                fraction |= 1;
            }
        }
    }
    if (exact && rest != 0) {
        *exact = false;
    }
    return (whole << 32) | fraction;
}

#endif
