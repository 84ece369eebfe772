/* SPDX-License-Identifier: Apache-2.0 */
/* What the campaigns over random buses share: their arguments, and shares of bounds that were observed. */
#ifndef TAKT_TEST_CAN_CAMPAIGN_H
#define TAKT_TEST_CAN_CAMPAIGN_H

#include <stdint.h>
#include <stdlib.h>

#define CAN_SHARES 1001

/** MODE BUSES SEED TRIES. */
struct can_arguments {
    const char *mode;
    long buses;
    uint64_t first; /**< seed of the first bus */
    long tries;
};

static inline struct can_arguments can_arguments_of(int argc, char **argv)
{
    return (struct can_arguments){
        .mode = argc > 1 ? argv[1] : "",
        .buses = argc > 2 ? atol(argv[2]) : 1,
        .first = argc > 3 ? strtoull(argv[3], NULL, 10) : 1,
        .tries = argc > 4 ? atol(argv[4]) : 100,
    };
}

/** The least of the shares, in thousandths, that so many percent of them do not exceed. shares[i]: how many are i. */
static inline int can_quantile(const long *shares, int percent)
{
    long all = 0, before = 0;

    for (int i = 0; i < CAN_SHARES; i++) {
        all += shares[i];
    }
    for (int i = 0; i < CAN_SHARES; i++) {
        before += shares[i];
        if (100 * before >= percent * all) {
            return i;
        }
    }
    return 0;
}

#endif
