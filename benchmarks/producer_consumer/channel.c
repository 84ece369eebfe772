/* SPDX-License-Identifier: Apache-2.0 */
#include "channel.h"

#include "takt/mailbox.h"
#include "takt/ring.h"

static enum channel kind;
static uint8_t mailbox_storage[sizeof(struct item) * CAPACITY] __attribute__((aligned(8)));
static struct takt_mailbox mailbox;
static uint8_t ring_storage[PARTIES_MAX][TAKT_RING_BYTES(sizeof(struct item), CAPACITY)]
    __attribute__((aligned(TAKT_CACHE_LINE)));
static struct takt_ring rings[PARTIES_MAX];
static struct takt_ring *shares[PARTIES_MAX]; /* the rings in the order of their consumers */
static struct takt_ring_group groups[PARTIES_MAX];

/* Producer p's items go to consumer p modulo consumers. */
static void share_out(uint32_t producers, uint32_t consumers)
{
    unsigned index = 0;
    for (unsigned consumer = 0; consumer < consumers; consumer++) {
        groups[consumer].rings = &shares[index];
        for (unsigned producer = consumer; producer < producers; producer += consumers) {
            shares[index++] = &rings[producer];
            groups[consumer].count++;
        }
    }
}

bool channel_init(enum channel channel, uint32_t producers, uint32_t consumers, struct takt_task *consumer)
{
    kind = channel;
    for (unsigned i = 0; i < producers; i++) {
        takt_ring_init(&rings[i], ring_storage[i], sizeof(struct item), CAPACITY);
    }
    share_out(producers, consumers);
    takt_mailbox_init(&mailbox, 0, mailbox_storage, sizeof(struct item), CAPACITY,
                      kind == CHANNEL_WOKEN ? consumer : NULL);
    return kind == CHANNEL_WOKEN ? consumers == 1 : kind <= CHANNEL_RING;
}

bool channel_woken(void)
{
    return kind == CHANNEL_WOKEN;
}

bool channel_put(uint32_t producer, const struct item *item)
{
    return kind == CHANNEL_RING ? takt_ring_put(&rings[producer], item, sizeof *item) == TAKT_OK
                                : takt_mailbox_try_send(&mailbox, item) == TAKT_OK;
}

bool channel_get(uint32_t consumer, struct item *item)
{
    struct takt_ring_group *group = &groups[consumer];
    if (kind != CHANNEL_RING) {
        return takt_mailbox_try_receive(&mailbox, item) == TAKT_OK;
    }
    return group->count == 1 ? takt_ring_get(group->rings[0], item, sizeof *item) == TAKT_OK
                             : takt_ring_group_get(group, item, sizeof *item, NULL) == TAKT_OK;
}
