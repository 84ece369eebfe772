/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/seal.h"

#include <string.h>

static void tag_of(const struct takt_seal_key *key, const uint8_t *bytes, size_t length, uint8_t tag[TAKT_WIRE_TAG])
{
    if (key == NULL) {
        memset(tag, 0, TAKT_WIRE_TAG);
    } else {
        takt_seal_hash(key, bytes, length, tag);
    }
}

void takt_seal_close(const struct takt_seal_key *key, uint8_t *bytes, size_t length)
{
    tag_of(key, bytes, length, bytes + length);
}

bool takt_seal_opens(const struct takt_seal_key *key, const uint8_t *bytes, size_t length)
{
    if (length < TAKT_WIRE_TAG) {
        return false;
    }
    uint8_t tag[TAKT_WIRE_TAG];
    tag_of(key, bytes, length - TAKT_WIRE_TAG, tag);
    unsigned differ = 0;
    for (unsigned i = 0; i < TAKT_WIRE_TAG; i++) { /* all bytes, in constant time */
        differ |= (unsigned)tag[i] ^ bytes[length - TAKT_WIRE_TAG + i];
    }
    return differ == 0;
}

struct takt_seal_key takt_seal_derive(const struct takt_seal_key *key, uint64_t reader, uint64_t writer)
{
    uint8_t text[] = "takt reflect key................."; /* purpose, sessions of reader and writer, half of the key */
    struct takt_seal_key derived;
    for (unsigned i = 0; i < 8; i++) {
        text[16 + i] = (uint8_t)(reader >> 8 * i);
        text[24 + i] = (uint8_t)(writer >> 8 * i);
    }
    for (unsigned half = 0; half < TAKT_SEAL_KEY / TAKT_WIRE_TAG; half++) {
        text[32] = (uint8_t)half;
        takt_seal_hash(key, text, 33, derived.bytes + (size_t)half * TAKT_WIRE_TAG);
    }
    return derived;
}
