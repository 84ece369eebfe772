/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the console's input: also compiled as a file of a process, in which the pipe is a handle. */
#include "input.h"

size_t takt_console_read(void *buffer, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct takt_pipe_count count = {.size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX};
    return takt_pipe_try_read(&console_input, buffer, &count) == TAKT_OK ? count.done : 0;
}
