/* SPDX-License-Identifier: Apache-2.0 */
/* ports/rv32/pmp.c for Python: regions as triples of words, base, size and access. */
#include "kernel/process/process.h"
#include "takt_rv32_protected.h"

enum { REGIONS_MAX = 16 };

const uint8_t takt_rv32_map_load_end[1];

bool shim_map(unsigned count, const uint32_t *words, uint8_t *configs, uint32_t *addresses, unsigned *used);

/* What the map says of each entry, and how many the code that loads it writes, the guard's not counted. */
bool shim_map(unsigned count, const uint32_t *words, uint8_t *configs, uint32_t *addresses, unsigned *used)
{
    struct takt_region regions[REGIONS_MAX];
    struct takt_port_map map = {0};
    for (unsigned i = 0; i < count; i++) {
        regions[i] = (struct takt_region){words[3 * i], words[3 * i + 1], (uint8_t)words[3 * i + 2], false};
    }
    if (!takt_port_map_make(&map, regions, count)) {
        return false;
    }
    for (unsigned i = 0; i < TAKT_RV32_PMP_ENTRIES; i++) {
        configs[i] = (uint8_t)(map.config[i / 4u] >> (i % 4u * 8u));
        addresses[i] = map.address[i];
    }
    *used = (unsigned)(((uintptr_t)takt_rv32_map_load_end - map.load) / 8u);
    return true;
}
