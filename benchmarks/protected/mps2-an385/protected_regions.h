/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PROTECTED_REGIONS_H
#define TAKT_PROTECTED_REGIONS_H

/* All seven: code twice, RAM, the serial ports and FPGAIO, and two for their own sake. */
#define PROTECTED_CODE                                                      \
    {                                                                       \
        0, UINT32_C(1) << 22, TAKT_ACCESS_READ | TAKT_ACCESS_EXECUTE, false \
    }
#define PROTECTED_READ_WRITE(base, size, device)                       \
    {                                                                  \
        (base), (size), TAKT_ACCESS_READ | TAKT_ACCESS_WRITE, (device) \
    }
#define PROTECTED_REGIONS                                                                                 \
    PROTECTED_CODE, PROTECTED_CODE, PROTECTED_READ_WRITE(0x20000000u, UINT32_C(1) << 22, false),          \
        PROTECTED_READ_WRITE(0x40020000u, 0x10000u, true), PROTECTED_READ_WRITE(0x20000000u, 256, false), \
        PROTECTED_READ_WRITE(0x20000100u, 256, false), PROTECTED_READ_WRITE(0x20000200u, 256, false)

static inline void protected_user_mode(void)
{
}

#endif
