/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVICES_H
#define SERVICES_H

/* What the processes of this test exchange. */
#include <stdint.h>

struct question {
    uint32_t left, right, unused;
};

struct answer {
    uint32_t sum, difference;
};

/* The data of a call: its question, then the answer. */
union exchanged {
    struct question question;
    struct answer answer;
};

#endif
