/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_EMULATED_SEMIHOSTING_H
#define TAKT_EMULATED_SEMIHOSTING_H

#include <stddef.h>
#include <stdint.h>

/*
 * Semihosting (Arm's Semihosting for AArch32 and AArch64, 2.0; RISC-V has the same calls): the debugger or emulator
 * works on files of its host while the processor, and with QEMU's -icount its virtual time, stop. A call costs
 * the guest the instructions that make it.
 */
enum takt_semihosting_call {
    SEMIHOSTING_OPEN = 0x01,
    SEMIHOSTING_WRITE = 0x05,
    SEMIHOSTING_READ = 0x06,
    SEMIHOSTING_GET_CMDLINE = 0x15,
    SEMIHOSTING_EXIT_EXTENDED = 0x20
};

#define SEMIHOSTING_MODE_READ 1u  /* "rb" */
#define SEMIHOSTING_MODE_WRITE 5u /* "wb" */
#define SEMIHOSTING_APPLICATION_EXIT 0x20026u

/* How this processor makes a call: in the folder of its family (chips/). */
#include "semihosting_call.h"

static inline int32_t semihosting(enum takt_semihosting_call call, const void *parameters)
{
    return takt_chip_semihosting((uint32_t)call, parameters);
}

/* A handle, or -1. Blocks, time standing still, while a FIFO has nobody at its other end. */
int32_t takt_semihosting_open(const char *path, uint32_t mode);

/* Ends the emulation with `status`. */
static inline _Noreturn void takt_semihosting_exit(int status)
{
    const uint32_t parameters[2] = {SEMIHOSTING_APPLICATION_EXIT, (uint32_t)status};
    for (;;) {
        (void)semihosting(SEMIHOSTING_EXIT_EXTENDED, parameters);
    }
}

/* Exactly `length` bytes; 0, or -1 when the file ended or failed before that. */
int takt_semihosting_write(int32_t handle, const void *data, size_t length);
int takt_semihosting_read(int32_t handle, void *data, size_t length);

#endif
