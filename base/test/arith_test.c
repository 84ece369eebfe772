/* SPDX-License-Identifier: Apache-2.0 */
/* Saturating arithmetic against 128 bits. */
#include "base/arith.h"

#include "base/test/check.h"

__extension__ typedef unsigned __int128 wide;

static uint64_t clamp(wide value)
{
    return value > UINT64_MAX ? UINT64_MAX : (uint64_t)value;
}

/* Numbers of every size, the ends among them. */
static uint64_t number(uint64_t *state)
{
    uint64_t random = check_random(state);
    unsigned bits = (unsigned)(random >> 58);
    uint64_t value = check_random(state) >> bits;
    return random % 16 == 0 ? UINT64_MAX : random % 16 == 1 ? 0 : random % 16 == 2 ? TAKT_RATIO_ONE : value;
}

static void ratio(uint64_t numerator, uint64_t divisor)
{
    bool exact = true;
    bool cut = ((wide)numerator << 32) % divisor != 0;
    wide expected = ((wide)numerator << 32) / divisor;
    uint64_t found = takt_ratio_down(numerator, divisor, &exact);
    CHECK_EQUAL(takt_ratio_down(numerator, divisor, NULL), found);
    CHECK_EQUAL(found, clamp(expected));
    CHECK(expected > UINT64_MAX || exact == !cut);
}

int main(void)
{
    uint64_t state = check_seed();
    for (unsigned long round = 0; round < check_cases(200000); round++) {
        uint64_t a = number(&state);
        uint64_t b = number(&state);
        CHECK_EQUAL(takt_add(a, b), clamp((wide)a + b));
        CHECK_EQUAL(takt_subtract(a, b), a > b ? a - b : 0);
        CHECK_EQUAL(takt_multiply(a, b), clamp((wide)a * b));
        if (b > 0) {
            uint64_t first = number(&state);
            CHECK_EQUAL(takt_divide_up(a, b), (uint64_t)(((wide)a + b - 1) / b));
            if (a < first) {
                CHECK_EQUAL(takt_count_until(a, first, b), 0);
            } else if (a - first < UINT64_MAX || b > 1) {
                uint64_t count = (a - first) / b + 1;
                uint64_t point = first;
                CHECK_EQUAL(takt_count_until(a, first, b), count);
                CHECK_EQUAL(takt_pass(&point, a, b), count);
                CHECK_EQUAL(point, clamp((wide)first + (wide)count * b));
            }
        }
        if (b > 0 && b < UINT64_C(1) << 63) {
            ratio(a, b);
        }
    }
    return 0;
}
