/* SPDX-License-Identifier: Apache-2.0 */
/* The inline functions of base/arith.h as symbols that a test can call. */
#include "base/arith.h"

uint64_t shim_add(uint64_t a, uint64_t b)
{
    return takt_add(a, b);
}

uint64_t shim_subtract(uint64_t a, uint64_t b)
{
    return takt_subtract(a, b);
}

uint64_t shim_multiply(uint64_t a, uint64_t b)
{
    return takt_multiply(a, b);
}

uint64_t shim_divide_up(uint64_t numerator, uint64_t divisor)
{
    return takt_divide_up(numerator, divisor);
}

uint64_t shim_count_until(uint64_t time, uint64_t first, uint64_t period)
{
    return takt_count_until(time, first, period);
}

uint64_t shim_ratio_down(uint64_t numerator, uint64_t divisor, bool *exact)
{
    return takt_ratio_down(numerator, divisor, exact);
}
