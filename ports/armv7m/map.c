/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/protection.h"

#if TAKT_PROCESSES
#include "kernel/port.h"
#include "takt/process.h"
#include "takt_armv7m.h"

/* Regions of a process as the MPU has them. ARMv7-M ARM, B3.5. */
#define RASR_ENABLE 1u
#define RASR_SIZE(log2) (((log2)-1u) << 1)
#define RASR_NORMAL (UINT32_C(1) << 17) /* C: write-through, not shareable; without it strongly ordered */
#define RASR_READ (UINT32_C(2) << 24)   /* the kernel may write */
#define RASR_WRITE (UINT32_C(3) << 24)  /* and the process */
#define RASR_XN (UINT32_C(1) << 28)

#define NONE(number) (TAKT_ARMV7M_RBAR_VALID | (number)), 0
const struct takt_port_map takt_armv7m_map_of_nothing = {
    {NONE(0), NONE(1), NONE(2), NONE(3), NONE(4), NONE(5), NONE(6)}};

/* Not for execution without reading, nor for writing without it: the MPU cannot say so. */
static bool attributes(const struct takt_region *region, uint32_t *attributes)
{
    uint32_t said = region->device ? 0 : RASR_NORMAL;
    if ((region->access & TAKT_ACCESS_READ) == 0 || (region->device && (region->access & TAKT_ACCESS_EXECUTE) != 0)) {
        return false;
    }
    said |= (region->access & TAKT_ACCESS_WRITE) != 0 ? RASR_WRITE : RASR_READ;
    said |= (region->access & TAKT_ACCESS_EXECUTE) != 0 ? 0 : RASR_XN;
    *attributes = said | RASR_ENABLE;
    return true;
}

/*
 * The smallest block, a power of two and aligned to it, that is the region; or of whose eighths, if they are 32 bytes
 * or more, some are. ARMv7-M ARM, B3.5.
 */
static bool block_find(const struct takt_region *region, uint32_t *base, uint32_t *size_field)
{
    uint64_t end = (uint64_t)region->base + region->size;
    for (unsigned log2 = 5; log2 <= 32; log2++) {
        uint64_t block = UINT64_C(1) << log2;
        uint64_t begin = region->base & ~(block - 1);
        if (end > begin + block || region->size == 0) {
            continue;
        }
        if (begin == region->base && end == begin + block) {
            *base = (uint32_t)begin;
            *size_field = RASR_SIZE(log2);
            return true;
        }
        uint64_t eighth = block / 8;
        if (eighth < 32 || region->base % eighth != 0 || end % eighth != 0) {
            continue;
        }
        uint32_t first = (uint32_t)((region->base - begin) / eighth);
        uint32_t behind = (uint32_t)((end - begin) / eighth);
        uint32_t enabled = ((1u << behind) - 1u) & ~((1u << first) - 1u);
        *base = (uint32_t)begin;
        *size_field = RASR_SIZE(log2) | (~enabled & 0xFFu) << 8;
        return true;
    }
    return false;
}

bool takt_port_map_make(struct takt_port_map *map, const struct takt_region *regions, unsigned count)
{
    struct takt_port_map made = takt_armv7m_map_of_nothing;
    if (count > TAKT_ARMV7M_REGIONS) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        uint32_t base;
        uint32_t size_field;
        uint32_t said;
        if (!block_find(&regions[i], &base, &size_field) || !attributes(&regions[i], &said)) {
            return false;
        }
        made.registers[2 * i] |= base;
        made.registers[2 * i + 1] = said | size_field;
    }
    *map = made;
    return true;
}
#endif
