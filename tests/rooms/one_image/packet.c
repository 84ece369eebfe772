/* SPDX-License-Identifier: Apache-2.0 */
/* The core of reflective memory, the kernel, and the driver of the line to the plant, called by tasks. */
#include <string.h>

#include "print.h"
#include "takt/board.h"
#include "takt/fault.h"
#include "takt/seal.h"
#include "takt/semaphore.h"
#include "takt/wire.h"
#include "takt_app.h"

enum { VALUE = 8, LENGTH = TAKT_WIRE_HEAD + VALUE, SEALED = LENGTH + TAKT_WIRE_TAG, SEND = 4 };

static const struct takt_seal_key key = {.bytes = {1, 2, 3}};
static unsigned passed_count;

/* FNV-1a twice, keyed: stands in for a cryptographic hash, which the core asks of the program. */
void takt_seal_hash(const struct takt_seal_key *with, const uint8_t *bytes, size_t length, uint8_t tag[TAKT_WIRE_TAG])
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < TAKT_SEAL_KEY + length; i++) {
        hash ^= i < TAKT_SEAL_KEY ? with->bytes[i] : bytes[i - TAKT_SEAL_KEY];
        hash *= UINT64_C(0x100000001b3);
    }
    for (unsigned i = 0; i < TAKT_WIRE_TAG; i++) {
        tag[i] = (uint8_t)(hash >> 8 * (i % 8));
        hash *= UINT64_C(0x100000001b3);
    }
}

/* A data packet of 8 bytes, sealed, into `bytes`. */
static void packet_make(uint64_t sequence, uint8_t bytes[SEALED])
{
    static const uint8_t value[VALUE] = "a value";
    const struct takt_wire_packet packet = {.kind = TAKT_WIRE_DATA,
                                            .channel = 7,
                                            .session = 1,
                                            .to_session = 2,
                                            .sequence = sequence,
                                            .data = {.number = sequence, .time_ns = 3, .total = VALUE},
                                            .length = VALUE};
    takt_wire_encode(bytes, &packet);
    memcpy(bytes + TAKT_WIRE_HEAD, value, VALUE);
    takt_seal_close(&key, bytes, LENGTH);
}

/* Whether the bytes are a sealed packet with this sequence number. */
static bool packet_passes(const uint8_t *bytes, size_t length, uint64_t sequence)
{
    struct takt_wire_packet packet;
    return length == SEALED && takt_seal_opens(&key, bytes, length) && takt_wire_decode(bytes, LENGTH, &packet) &&
           packet.kind == TAKT_WIRE_DATA && packet.sequence == sequence &&
           memcmp(packet.payload, "a value", VALUE) == 0;
}

/* The plant sends each packet back, the last one with a bit changed. */
void node_job(void *argument)
{
    (void)argument;
    static uint64_t sequence;
    static uint8_t sent[SEALED];
    static uint8_t received[SEALED];
    if (sequence == SEND) {
        return;
    }
    sequence++;
    packet_make(sequence, sent);
    size_t length = takt_board_link_exchange(sent, sizeof sent, received, sizeof received);
    const uint64_t results[] = {sequence, length, packet_passes(sent, sizeof sent, sequence),
                                packet_passes(received, length, sequence)};
    print_values("packet", results, sizeof results / sizeof results[0]);
    if (results[3] != 0) {
        TAKT_ASSERT(takt_semaphore_post(&passed) == TAKT_OK);
    }
}

void counter_main(void *argument)
{
    (void)argument;
    for (;;) {
        if (takt_semaphore_wait(&passed) == TAKT_OK) {
            const uint64_t count = ++passed_count;
            print_values("passed", &count, 1);
        }
    }
}
