/* SPDX-License-Identifier: Apache-2.0 */
#include "docs/examples/say.h"
#include "takt_app.h"

static _Alignas(8) uint8_t memory[TAKT_SLOT_BYTES(sizeof(int), 2)];
static const struct takt_slot_config config = {
    .storage = memory, .important = UINT32_MAX, .message_size = sizeof(int), .capacity = 2, .id = 6};
static TAKT_SLOT_DEFINE(slot, &config);

/* Messages are written and read in place: no copy. Here the owner sends to itself. */
void slot_example(void *argument)
{
    (void)argument;
    void *buffer;
    if (takt_slot_allocate(&slot) != TAKT_OK) {
        return;
    }
    takt_slot_open(&slot);
    if (takt_slot_try_reserve(&slot, 0, &buffer) == TAKT_OK) {
        *(int *)buffer = 17;
        takt_slot_commit(&slot, buffer);
    }
    if (takt_slot_try_take(&slot, &buffer) == TAKT_OK) {
        say("slot: %d", *(int *)buffer);
        (void)takt_slot_release(&slot, buffer);
    }
}
