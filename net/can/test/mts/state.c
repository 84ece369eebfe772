/* SPDX-License-Identifier: Apache-2.0 */
#include "net/can/test/mts/state.h"

#include <stdio.h>

void describe(const struct state *state)
{
    printf("at %llu%s, last %u rank %u data %x\n", (unsigned long long)(state->now - START), state->idle ? " idle" : "",
           state->event, state->rank, state->data);
    for (unsigned i = 0; i < NODES; i++) {
        const struct takt_can_mts *mts = &state->nodes[i].mts;

        printf("  node %u%s%s: state %u counter %u left %u tick %u changes %u shown %+d grid %lld stamp %lld\n", i,
               state->nodes[i].alive ? "" : " dead", state->nodes[i].misled ? " misled" : "", mts->state, mts->counter,
               mts->left, mts->sends_tick, mts->changes, (int)(mts->shown - mts->epoch),
               (long long)(mts->grid_ns - START), (long long)(mts->stamp_ns - START));
    }
}

static uint64_t mix(uint64_t hash, int64_t value)
{
    hash = (hash ^ (uint64_t)value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

unsigned base_counter(const struct state *state)
{
    for (unsigned i = 0; i < NODES; i++) {
        if (state->nodes[i].alive && state->nodes[i].mts.state != TAKT_CAN_MTS_LISTENING) {
            return state->nodes[i].mts.counter;
        }
    }
    return state->nodes[0].mts.counter;
}

bool silent(const struct state *state)
{
    bool silence = true;

    for (unsigned i = 0; i < NODES; i++) {
        silence &= !state->nodes[i].alive || state->nodes[i].mts.state == TAKT_CAN_MTS_LISTENING;
    }
    return silence;
}

uint64_t fingerprint(const struct state *state)
{
    uint64_t hash = state->faults;
    unsigned base = base_counter(state);
    bool waits = false;

    for (unsigned i = 0; i < NODES; i++) {
        const struct node *node = &state->nodes[i];
        const struct takt_can_mts *mts = &node->mts;
        uint64_t now = state->now;

        hash =
            mix(hash, node->alive | node->misled << 1 | (node->misled && node->catches_up) << 10 | node->handled << 2 |
                          mts->changes << 3 | mts->sends_tick << 4 | (int)mts->state << 5 | mts->left << 8);
        if (!node->alive) {
            continue;
        }
        waits |= !node->handled;
        hash = mix(hash, ((mts->counter - base) & 15) | (setting->gains != 0 ? mts->counter % 2 << 4 : 0));
        hash = mix(hash, mts->changes ? (int64_t)(mts->change_ns - now) : 0);
        if (mts->state != TAKT_CAN_MTS_LISTENING) {
            hash = mix(hash, (int64_t)(mts->stamp_ns - now));
        } else if (i < setting->masters) {
            hash = mix(hash, (int64_t)(mts->listen_until - now));
        }
        if (mts->state == TAKT_CAN_MTS_IN_EPOCH) {
            hash = mix(hash, (int64_t)(mts->grid_ns - now));
            hash = mix(hash, (int64_t)(mts->epoch - mts->shown));
        }
    }
    hash = mix(hash, (int)state->event | (int)state->rank << 4 | (int)state->heard << 8 | state->idle << 12 |
                         state->again << 13);
    hash = mix(hash, (state->data >> 4) - base);
    hash = mix(hash, state->data & 15);
    hash = mix(hash, waits ? (int64_t)(state->end - state->now) : state->end == state->now);
    hash = mix(hash, silent(state) ? (int64_t)((state->now - START) % SILENCE) : -1);
    return mix(hash, (int64_t)(state->apart / 64) << 1 | state->settled) | 1;
}
