/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_SEAL_H
#define TAKT_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dialect.h"
#include "takt/wire.h"

TAKT_C_BEGIN

/*
 * Authentication tags of packets: without a key of a channel nobody can write or subscribe to it. A reader and a writer
 * share two keys, one for each direction. Data packets are tagged with a key derived for the two sessions, so that
 * packets recorded before a restart of either side are rejected.
 *
 * Context of every call: any. Blocks: never.
 */

enum { TAKT_SEAL_KEY = 32 };

struct takt_seal_key {
    uint8_t bytes[TAKT_SEAL_KEY];
};

/*
 * A keyed hash of 16 bytes, indistinguishable from random without the key. Not defined here: provided by the program
 * that links the core (reflect/linux: BLAKE2b of libsodium). O(length).
 */
void takt_seal_hash(const struct takt_seal_key *key, const uint8_t *bytes, size_t length, uint8_t tag[TAKT_WIRE_TAG]);

/*
 * Appends the tag to `length` bytes. `key` NULL: a tag of zeros, for a network where nobody else can send. O(length).
 */
void takt_seal_close(const struct takt_seal_key *key, uint8_t *bytes, size_t length);

/* Whether `length` bytes end with the tag of the bytes before it, in constant time for a length. O(length). */
bool takt_seal_opens(const struct takt_seal_key *key, const uint8_t *bytes, size_t length);

/* Derives the key of two sessions from that of a direction. O(1). */
struct takt_seal_key takt_seal_derive(const struct takt_seal_key *key, uint64_t reader, uint64_t writer);

TAKT_C_END

#endif
