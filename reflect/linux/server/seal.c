/* SPDX-License-Identifier: Apache-2.0 */
/* The hash of takt/seal.h: BLAKE2b of libsodium with a key. */
#include <sodium.h>

#include "takt/seal.h"

void takt_seal_hash(const struct takt_seal_key *key, const uint8_t *bytes, size_t length, uint8_t tag[TAKT_WIRE_TAG])
{
    crypto_generichash(tag, TAKT_WIRE_TAG, bytes, length, key->bytes, TAKT_SEAL_KEY);
}
