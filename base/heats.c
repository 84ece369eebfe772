/* SPDX-License-Identifier: Apache-2.0 */
#include "base/heats.h"

#include "base/inline.h"

void takt_heats_init(struct takt_heats *heats, uint64_t *keys, struct takt_heat *results, unsigned leaves)
{
    unsigned count = TAKT_HEATS(leaves);
    *heats = (struct takt_heats){TAKT_HEATS_NONE, keys, count > 1 ? results : NULL, results + count, 0};
    for (unsigned leaf = 0; leaf < count * TAKT_HEAT_LEAVES; leaf++) {
        keys[leaf] = TAKT_HEATS_NONE;
    }
    for (unsigned heat = 0; heats->heats != NULL && heat < count; heat++) {
        results[heat] = (struct takt_heat){TAKT_HEATS_NONE, (uint16_t)(heat * TAKT_HEAT_LEAVES)};
    }
}

/*
 * The first of eight keys, and the least one. Both rounds go from the first to the last and change their mind only for
 * less: that decides ties.
 */
static TAKT_INLINE unsigned run_heat(const uint64_t *keys, uint64_t *result)
{
    uint64_t least = keys[0];
    unsigned first = 0;
#ifndef __OPTIMIZE_SIZE__
#pragma GCC unroll 8 /* 4 instructions a key on the M3 in place of 6 */
#endif
    for (unsigned i = 1; i < TAKT_HEAT_LEAVES; i++) {
        if (keys[i] < least) {
            least = keys[i];
            first = i;
        }
    }
    *result = least;
    return first;
}

static inline void run_final(struct takt_heats *heats)
{
    const struct takt_heat *best = heats->heats;
    uint64_t least = best->least;
    for (const struct takt_heat *heat = best + 1; heat < heats->end; heat++) { /* an eighth of the leaves */
        if (heat->least < least) {
            least = heat->least;
            best = heat;
        }
    }
    heats->least = least;
    heats->first = best->first;
}

void takt_heats_remove(struct takt_heats *heats, unsigned leaf)
{
    heats->keys[leaf] = TAKT_HEATS_NONE;
    if (heats->heats == NULL) {
        if (heats->first == leaf) {
            heats->first = (uint16_t)run_heat(heats->keys, &heats->least);
        }
        return;
    }
    struct takt_heat *heat = &heats->heats[leaf / TAKT_HEAT_LEAVES];
    if (heat->first == leaf) {
        unsigned start = leaf / TAKT_HEAT_LEAVES * TAKT_HEAT_LEAVES;
        heat->first = (uint16_t)(start + run_heat(&heats->keys[start], &heat->least));
        if (heats->first == leaf) {
            run_final(heats);
        }
    }
}
