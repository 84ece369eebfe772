/* SPDX-License-Identifier: Apache-2.0 */
/* The epoch protocol in all interleavings. An argument "full" adds faults and settings. */
#include <stdio.h>
#include <string.h>

#include "net/can/test/mts/search.h"

static const struct setting USUAL[] = {
    {"two masters, the first slow", 2, 2, 1, 2, 1},
};

static const struct setting FULL[] = {
    {"two masters, the others slow, third frame", 2, 3, 6, 1, 1},
    {"two masters, the second slow", 2, 2, 2, 5, 1},
    {"two masters, the third slow", 2, 2, 4, 1, 1},
    {"three masters, the second slow", 3, 2, 2, 5, 1},
    {"three masters, the first slow, third frame", 3, 3, 1, 2, 1},
    {"two masters, the first slow, two faults", 2, 2, 1, 0, 2},
};

static void search_all(const struct setting *settings, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        printf("%s: %llu states\n", settings[i].name, (unsigned long long)search(&settings[i]));
        fflush(stdout);
    }
}

int main(int count, char **arguments)
{
    search_all(USUAL, sizeof(USUAL) / sizeof(USUAL[0]));
    if (count > 1 && strcmp(arguments[1], "full") == 0) {
        search_all(FULL, sizeof(FULL) / sizeof(FULL[0]));
    }
    return 0;
}
