/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PROTECTED_REGIONS_H
#define TAKT_PROTECTED_REGIONS_H

/*
 * Eight regions in all fifteen entries: one that is a power of two, RAM, and seven that take two each: code twice, the
 * CLINT, and four for their own sake.
 */
#define PROTECTED_CODE                                                                       \
    {                                                                                        \
        0x80000000u, (UINT32_C(1) << 22) - 16, TAKT_ACCESS_READ | TAKT_ACCESS_EXECUTE, false \
    }
#define PROTECTED_READ_WRITE(base, size, device)                       \
    {                                                                  \
        (base), (size), TAKT_ACCESS_READ | TAKT_ACCESS_WRITE, (device) \
    }
#define PROTECTED_REGIONS                                                                               \
    PROTECTED_CODE, PROTECTED_CODE, PROTECTED_READ_WRITE(0x80400000u, UINT32_C(1) << 22, false),        \
        PROTECTED_READ_WRITE(0x02000000u, 0xFFF0u, true), PROTECTED_READ_WRITE(0x80400000u, 48, false), \
        PROTECTED_READ_WRITE(0x80400100u, 48, false), PROTECTED_READ_WRITE(0x80400200u, 48, false),     \
        PROTECTED_READ_WRITE(0x80400300u, 48, false)

/* User mode reads the counters of instructions and time. */
static inline void protected_user_mode(void)
{
    __asm volatile("csrwi mcounteren, 7\n\tcsrwi scounteren, 7");
}

#endif
