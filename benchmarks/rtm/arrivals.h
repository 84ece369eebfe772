/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RTM_ARRIVALS_H
#define RTM_ARRIVALS_H

#include <stdint.h>

#define ARRIVALS 1024u

/*
 * Times of the aperiodic interrupt, from the beginning on: gaps of 10 ms on average. Those beyond 4.29 s are at the
 * end of that time.
 */
void arrivals_draw(uint32_t seed, uint32_t arrivals_ns[ARRIVALS]);

#endif
