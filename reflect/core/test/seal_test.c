/* SPDX-License-Identifier: Apache-2.0 */
/* Tags with a stand-in for the hash: what opens, what does not, and that keys of sessions are all different. */
#include "takt/seal.h"

#include "reflect/core/test/stand_in.h"

enum { LENGTH = 100 };
static const struct takt_seal_key key = {"0123456789abcdef0123456789ABCDE"};
static uint8_t bytes[LENGTH + TAKT_WIRE_TAG];

static void test_every_bit_counts(void)
{
    for (unsigned i = 0; i < LENGTH; i++) {
        bytes[i] = (uint8_t)(i * 5);
    }
    takt_seal_close(&key, bytes, LENGTH);
    CHECK(takt_seal_opens(&key, bytes, sizeof bytes));
    for (unsigned bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        CHECK(!takt_seal_opens(&key, bytes, sizeof bytes));
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (unsigned length = 0; length < sizeof bytes; length++) {
        CHECK(!takt_seal_opens(&key, bytes, length));
    }
    struct takt_seal_key other = key;
    other.bytes[TAKT_SEAL_KEY - 1] ^= 1;
    CHECK(!takt_seal_opens(&other, bytes, sizeof bytes));
    CHECK(!takt_seal_opens(NULL, bytes, sizeof bytes));
}

static void test_without_a_key(void)
{
    takt_seal_close(NULL, bytes, LENGTH);
    for (unsigned i = LENGTH; i < sizeof bytes; i++) {
        CHECK_EQUAL(bytes[i], 0);
    }
    CHECK(takt_seal_opens(NULL, bytes, sizeof bytes));
    CHECK(!takt_seal_opens(&key, bytes, sizeof bytes));
    bytes[sizeof bytes - 1] = 1;
    CHECK(!takt_seal_opens(NULL, bytes, sizeof bytes));
}

static void test_keys_of_sessions(void)
{
    static const uint64_t sessions[][2] = {{1, 2}, {2, 1}, {1, 3}, {3, 2}, {1, UINT64_C(2) << 56}, {0, 0}};
    enum { COUNT = sizeof sessions / sizeof *sessions };
    struct takt_seal_key derived[COUNT];
    for (unsigned i = 0; i < COUNT; i++) {
        derived[i] = takt_seal_derive(&key, sessions[i][0], sessions[i][1]);
        CHECK(memcmp(derived[i].bytes, derived[i].bytes + TAKT_WIRE_TAG, TAKT_WIRE_TAG) != 0);
        for (unsigned j = 0; j < i; j++) {
            CHECK(memcmp(&derived[i], &derived[j], sizeof derived[i]) != 0);
        }
    }
    struct takt_seal_key again = takt_seal_derive(&key, 1, 2);
    CHECK(memcmp(&again, &derived[0], sizeof again) == 0);
}

int main(void)
{
    test_every_bit_counts();
    test_without_a_key();
    test_keys_of_sessions();
    return 0;
}
