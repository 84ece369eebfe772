/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_MTS_SEARCH_H
#define TAKT_CAN_MTS_SEARCH_H

/*
 * All that can happen to three nodes with the epoch protocol, in small units of time: the real code, and a bus that
 * chooses. Nodes react at once or REACT units late; a clock gains a unit with every other tick. What the bus chooses:
 * whether and for how long others send, whether a tick fails, arrives twice at some nodes or not at all at some, whose
 * sender then dies; which nodes die and restart, and with which counter. `faults` bounds disturbed ticks and deaths.
 * With fewer than two, the first master starts up to two staggers late.
 */
#include <stdint.h>

enum { NODES = 3 };

struct setting {
    const char *name;
    unsigned masters;
    unsigned frames;
    unsigned slow;  /* nodes that react late: a set */
    unsigned gains; /* nodes whose clock gains: a set */
    unsigned faults;
};

/* States that were visited; aborts with the steps that led there if a property does not hold. */
uint64_t search(const struct setting *setting);

#endif
