/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cipher with public keys: Monocypher. Two parties agree on a secret with X25519; a hash of it is the key that
 * messages of 4000 bytes are sealed with. Agreeing takes much longer than a message and happens once, so the
 * key is in here and codec_cipher_agrees makes it anew.
 */
#include <string.h>

#include "codec.h"
#include "monocypher.h"

#define KEY_BYTES 32
#define SEAL_BYTES 16

static const uint8_t secrets[2][KEY_BYTES] = {{1, 2, 3, 4, 5, 6, 7, 8}, {9, 10, 11, 12, 13, 14, 15, 16}};
static const uint8_t key[KEY_BYTES] = {
    0x13, 0x98, 0x42, 0xb9, 0x1e, 0x17, 0x72, 0x64, 0x03, 0x26, 0x8f, 0xc6, 0xf3, 0xc4, 0x1f, 0x14,
    0x56, 0x29, 0xe3, 0x59, 0x05, 0x23, 0x4e, 0x3d, 0x2f, 0x83, 0x63, 0xb6, 0x9b, 0x9a, 0x53, 0x88,
};

bool codec_cipher_agrees(void)
{
    for (unsigned party = 0; party < 2; party++) {
        uint8_t public_key[KEY_BYTES];
        uint8_t shared[KEY_BYTES];
        uint8_t found[KEY_BYTES];
        crypto_x25519_public_key(public_key, secrets[1 - party]);
        crypto_x25519(shared, secrets[party], public_key);
        crypto_blake2b(found, sizeof found, shared, sizeof shared);
        if (memcmp(found, key, sizeof key) != 0) {
            return false;
        }
    }
    return true;
}

static void start(struct codec_state *state)
{
    (void)state;
}

static void seal(struct codec_state *state, uint32_t number, const void *in, void *out)
{
    uint8_t nonce[24] = {0};
    uint8_t *sealed = out;
    (void)state;
    memcpy(nonce, &number, sizeof number);
    crypto_aead_lock(sealed + SEAL_BYTES, sealed, key, nonce, NULL, 0, in, CODEC_TEXT);
}

/* A message that was changed leaves what was there before. */
static void open_sealed(struct codec_state *state, uint32_t number, const void *in, void *out)
{
    uint8_t nonce[24] = {0};
    const uint8_t *sealed = in;
    (void)state;
    memcpy(nonce, &number, sizeof number);
    (void)crypto_aead_unlock(out, sealed, key, nonce, NULL, 0, sealed + SEAL_BYTES, CODEC_TEXT);
}

const struct codec codec_cipher[2] = {
    {"cipher encrypt", CODEC_TEXT, CODEC_TEXT + SEAL_BYTES, start, seal},
    {"cipher decrypt", CODEC_TEXT + SEAL_BYTES, CODEC_TEXT, start, open_sealed},
};
