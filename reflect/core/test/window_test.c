/* SPDX-License-Identifier: Apache-2.0 */
/* The window against a list of all that came. */
#include "takt/window.h"

#include "base/test/check.h"

enum { PACKETS = 3000 };

/* Whether it is new, by the words of the header. */
static bool expected(const uint64_t *came, unsigned count, uint64_t number)
{
    uint64_t highest = 0;
    for (unsigned i = 0; i < count; i++) {
        if (came[i] == number) {
            return false;
        }
        highest = came[i] > highest ? came[i] : highest;
    }
    return number > 0 && (number > highest || highest - number < TAKT_WINDOW_SIZE);
}

static void test_against_a_list(uint64_t *state)
{
    static uint64_t came[PACKETS];
    unsigned count = 0, refused = 0;
    struct takt_window window = {0};
    uint64_t base = check_random(state) % 2 ? 0 : UINT64_MAX - 4 * PACKETS;
    uint64_t now = base;
    for (unsigned packet = 0; packet < PACKETS; packet++) {
        uint64_t back = check_random(state) % 8 == 0 ? check_random(state) % (2 * TAKT_WINDOW_SIZE) : 0;
        now += check_random(state) % (check_random(state) % 64 == 0 ? 2 * TAKT_WINDOW_SIZE : 4);
        uint64_t number = now - (back < now - base ? back : 0);
        bool fresh = expected(came, count, number);
        CHECK_EQUAL(takt_window_take(&window, number), fresh);
        if (fresh) {
            came[count++] = number;
        } else {
            refused++;
        }
    }
    CHECK(count > 100 && refused > 100);
}

static void test_edges(void)
{
    struct takt_window window = {0};
    CHECK(!takt_window_take(&window, 0));
    CHECK(takt_window_take(&window, TAKT_WINDOW_SIZE));
    CHECK(takt_window_take(&window, 1));
    CHECK(!takt_window_take(&window, 1));
    CHECK(takt_window_take(&window, TAKT_WINDOW_SIZE + 2));
    CHECK(!takt_window_take(&window, 2)); /* out of it */
    CHECK(takt_window_take(&window, 3));
    CHECK(takt_window_take(&window, UINT64_MAX));
    CHECK(!takt_window_take(&window, UINT64_MAX));
    CHECK(takt_window_take(&window, UINT64_MAX - TAKT_WINDOW_SIZE + 1));
    CHECK(!takt_window_take(&window, UINT64_MAX - TAKT_WINDOW_SIZE));
}

int main(void)
{
    uint64_t state = check_seed();
    test_edges();
    for (unsigned run = 0; run < 10; run++) {
        test_against_a_list(&state);
    }
    return 0;
}
