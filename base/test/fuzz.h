/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_TEST_FUZZ_H
#define TAKT_TEST_FUZZ_H

/* What a harness of libFuzzer needs: the input byte by byte. A failed check keeps the input. */
#include "base/test/check.h"

static const uint8_t *input;
static size_t left; /* bytes of it */

void check_context(void)
{
    fflush(stdout);
    abort(); /* so libFuzzer keeps the input */
}

/* The next byte; 0 at the end. */
static inline uint8_t byte(void)
{
    return left > 0 ? (left--, *input++) : 0;
}

/* The next `count` bytes as a number, the first one highest. */
static inline uint64_t number(unsigned count)
{
    uint64_t result = 0;
    for (unsigned i = 0; i < count; i++) {
        result = result << 8 | byte();
    }
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
