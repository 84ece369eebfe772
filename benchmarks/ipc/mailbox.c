/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/mailbox.h"

#include "queues.h"

/*
 * A message into the kernel's mailbox and out, in one thread, beside the state message. The host port's lock is two
 * calls that write a word each, so this is what a mailbox takes besides masking interrupts.
 */
#define MESSAGE(bytes)                                                               \
    static uint8_t storage_##bytes[(bytes)*QUEUE_ITEMS] __attribute__((aligned(8))); \
    TAKT_MAILBOX_DEFINE(mailbox_##bytes, 0, storage_##bytes, bytes, QUEUE_ITEMS);    \
    static uint64_t pairs_##bytes(uint64_t count)                                    \
    {                                                                                \
        uint64_t wrong = 0;                                                          \
        for (uint64_t number = 0; number < count; number++) {                        \
            uint64_t in[(bytes) / 8], out[(bytes) / 8];                              \
            for (unsigned i = 0; i < (bytes) / 8; i++) {                             \
                in[i] = number;                                                      \
            }                                                                        \
            if (takt_mailbox_try_send(&mailbox_##bytes, in) != TAKT_OK ||            \
                takt_mailbox_try_receive(&mailbox_##bytes, out) != TAKT_OK) {        \
                return count;                                                        \
            }                                                                        \
            wrong += out[0] != number || out[(bytes) / 8 - 1] != number;             \
        }                                                                            \
        return wrong;                                                                \
    }

MESSAGE(8)
MESSAGE(56)
MESSAGE(64)

const struct queue mailbox_queues[] = {
    {"mailbox", 8, pairs_8, 0, 0}, {"mailbox", 56, pairs_56, 0, 0}, {"mailbox", 64, pairs_64, 0, 0}, {0}};
