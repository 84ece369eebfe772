/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_SEAL_H
#define TAKT_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "takt/wire.h"

/*
 * Tags of packets: who has no key of a channel neither writes nor subscribes. A reader and a writer share two keys, one
 * for each direction, and what carries values is tagged with a key of the two sessions, so that what was recorded
 * before a start of either is worthless afterwards.
 *
 * Context: any. Blocks: never.
 */

enum { TAKT_SEAL_KEY = 32 };

struct takt_seal_key {
    uint8_t bytes[TAKT_SEAL_KEY];
};

/*
 * A keyed hash of 16 bytes that nobody tells from random without the key. Not ours: whoever links the core brings it
 * (reflect/linux: BLAKE2b of libsodium). O(length).
 */
void takt_seal_hash(const struct takt_seal_key *key, const uint8_t *bytes, size_t length, uint8_t tag[TAKT_WIRE_TAG]);

/* Puts the tag behind `length` bytes. `key` NULL: where nobody else can send, a tag of zeros. O(length). */
void takt_seal_close(const struct takt_seal_key *key, uint8_t *bytes, size_t length);

/*
 * Whether `length` bytes end with the tag that belongs to those before it; it takes as long whether it does or not.
 * O(length).
 */
bool takt_seal_opens(const struct takt_seal_key *key, const uint8_t *bytes, size_t length);

/* The key between two sessions, from that of a direction. O(1). */
struct takt_seal_key takt_seal_derive(const struct takt_seal_key *key, uint64_t reader, uint64_t writer);

#endif
