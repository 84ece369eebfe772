/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUITE_H
#define SUITE_H

/* What both sides of the protected suite know. Sizes are those of processes.ld, which the test writes. */
#include "conformance.h"

enum {
    FIRST_LOW,
    FIRST_EQUAL,
    FIRST_HIGH,
    HELPER_0_HIGH,
    HELPER_0_EQUAL,
    HELPER_1_TOP,
    HELPER_1_EQUAL, /* before the runner, of whose level it is: it has ended once when that begins */
    RUNNER,
    SUITE_TASKS
};
enum { SUITE_STACK = 1024, SUITE_OBJECTS = SUITE_TASKS + 3 };
enum { SUITE_SHARED = 0x4000, SUITE_TEXT = 0x8000, SUITE_MEMORY = 0x4000 };

/* In the process's memory. */
extern uint8_t suite_stacks[SUITE_TASKS][SUITE_STACK];
struct suite_printed {
    bool ended;
    unsigned failures;
    unsigned length;
    char text[4000];
};
extern struct suite_printed suite_printed;

void helper_0_high(void *argument);
void helper_0_equal(void *argument);
void helper_1_top(void *argument);
void helper_1_equal(void *argument);

#endif
