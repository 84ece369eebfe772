/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/window.h"

bool takt_window_take(struct takt_window *window, uint64_t number)
{
    uint64_t *word = &window->came[number / 64 % (TAKT_WINDOW_SIZE / 64)];
    uint64_t bit = UINT64_C(1) << number % 64;
    if (number > window->highest) {
        uint64_t ahead = number - window->highest;
        uint64_t cleared = ahead < TAKT_WINDOW_SIZE ? ahead : TAKT_WINDOW_SIZE;
        for (uint64_t i = 0; i < cleared; i++) { /* the numbers in between were not received */
            uint64_t between = number - i;
            window->came[between / 64 % (TAKT_WINDOW_SIZE / 64)] &= ~(UINT64_C(1) << between % 64);
        }
        window->highest = number;
    } else if (number == 0 || window->highest - number >= TAKT_WINDOW_SIZE || (*word & bit) != 0) {
        return false;
    }
    *word |= bit;
    return true;
}
