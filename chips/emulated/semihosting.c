/* SPDX-License-Identifier: Apache-2.0 */
#include "semihosting.h"

int32_t takt_semihosting_open(const char *path, uint32_t mode)
{
    uint32_t length = 0;
    while (path[length] != '\0') {
        length++;
    }
    const uint32_t parameters[3] = {(uint32_t)(uintptr_t)path, mode, length};
    return semihosting(SEMIHOSTING_OPEN, parameters);
}

/* Both calls answer how many bytes are left to do. No progress is the end of the file: the loop is bounded by that. */
static int transfer(enum takt_semihosting_call call, int32_t handle, uintptr_t data, size_t length)
{
    while (length != 0) {
        const uint32_t parameters[3] = {(uint32_t)handle, (uint32_t)data, (uint32_t)length};
        int32_t left = semihosting(call, parameters);
        if (left < 0 || (size_t)left >= length) {
            return -1;
        }
        data += length - (size_t)left;
        length = (size_t)left;
    }
    return 0;
}

int takt_semihosting_write(int32_t handle, const void *data, size_t length)
{
    return transfer(SEMIHOSTING_WRITE, handle, (uintptr_t)data, length);
}

int takt_semihosting_read(int32_t handle, void *data, size_t length)
{
    return transfer(SEMIHOSTING_READ, handle, (uintptr_t)data, length);
}
