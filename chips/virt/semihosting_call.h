/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_VIRT_SEMIHOSTING_CALL_H
#define TAKT_VIRT_SEMIHOSTING_CALL_H

#include <stdint.h>

/* semihosting_call.c: three instructions, the call to them and the return. */
int32_t takt_chip_semihosting(uint32_t call, const void *parameters);

#endif
