/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/protection.h"
#if TAKT_PROCESSES
#include "kernel/process/process.h"
#include "takt_rv32_protected.h"

/*
 * Regions as the PMP has them (privileged spec, 3.7): a power of two, aligned to it, is one entry; of any other one
 * entry says where it ends, and the one before where it begins, which may be the end of another region.
 */

#define PMP_TOR 0x08u
#define PMP_NA4 0x10u
#define PMP_NAPOT 0x18u

_Static_assert((int)TAKT_ACCESS_READ == 1 && (int)TAKT_ACCESS_WRITE == 2 && (int)TAKT_ACCESS_EXECUTE == 4,
               "the bits of pmpcfg");

static bool power_of_two(uint32_t value)
{
    return (value & (value - 1u)) == 0;
}

/* The entries of a region, from `next` on; the next after them, or 0: it cannot be said, or there are too few. */
static unsigned region_make(struct takt_port_map *map, const struct takt_region *region, unsigned next)
{
    uint32_t first = region->base >> 2; /* as the PMP's addresses: 34 bits less two */
    uint32_t words = region->size >> 2;
    bool exact = words != 0 && ((region->base | region->size) & 3u) == 0;
    bool wraps = words > (UINT32_C(1) << 30) - first;
    bool may = (region->access & (TAKT_ACCESS_READ | TAKT_ACCESS_WRITE)) != TAKT_ACCESS_WRITE; /* reserved */
    bool aligned = power_of_two(words) && (first & (words - 1u)) == 0;
    bool behind = next > 1 && map->address[next - 1] == first; /* what the entry before says is where it begins */
    unsigned entry = aligned || behind ? next : next + 1;
    if (!exact || wraps || !may || entry >= TAKT_RV32_PMP_ENTRIES) {
        return 0;
    }
    if (entry != next) {
        map->address[next] = first;
    }
    map->address[entry] = aligned ? first | ((words - 1u) >> 1) : first + words;
    uint32_t mode = !aligned ? PMP_TOR : words == 1 ? PMP_NA4 : PMP_NAPOT;
    map->config[entry / 4u] |= (mode | region->access) << (entry % 4u * 8u);
    return entry + 1;
}

bool takt_port_map_make(struct takt_port_map *map, const struct takt_region *regions, unsigned count)
{
    struct takt_port_map made = {.config = {PMP_NAPOT}}; /* the guard: nobody may anything */
    unsigned next = 1;
    for (unsigned i = 0; i < count && next != 0; i++) {
        next = region_make(&made, &regions[i], next);
    }
    if (next == 0) {
        return false;
    }
    made.load = (uintptr_t)takt_rv32_map_load_end - 8u * (next - 1u);
    *map = made;
    return true;
}
#endif
