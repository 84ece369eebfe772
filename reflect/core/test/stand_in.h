/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REFLECT_STAND_IN_H
#define REFLECT_STAND_IN_H

/* A hash for tests: every bit of key and text counts, and nothing about it is secret. */
#include "base/test/check.h"
#include "takt/seal.h"

void takt_seal_hash(const struct takt_seal_key *key, const uint8_t *bytes, size_t length, uint8_t tag[TAKT_WIRE_TAG])
{
    uint64_t state = length + 1;
    for (size_t i = 0; i < TAKT_SEAL_KEY + length; i++) {
        state ^= i < TAKT_SEAL_KEY ? key->bytes[i] : bytes[i - TAKT_SEAL_KEY];
        state = check_random(&state);
    }
    for (unsigned i = 0; i < TAKT_WIRE_TAG; i++) {
        tag[i] = (uint8_t)check_random(&state);
    }
}

#endif
