/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CONSOLE_H
#define TAKT_CONSOLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/dialect.h"

TAKT_C_BEGIN

/*
 * Input from the console, in a system with [console] (docs/console.md): bytes as they come over its line, with no
 * meaning and no echo. An interrupt writes each to the pipe `console_input`, which releases the task with the trigger
 * "pipe console_input", and of which the calls of takt/pipe.h may wait for them.
 */

/* Takes at most `size` bytes of what has come and returns their number, 0 if there are none. Readers get each byte
 * once. With protection: of a process that uses "console_input". Context: any. Blocks: never. O(size), locked. */
size_t takt_console_read(void *buffer, size_t size);

/* Number of bytes that came while `console_input` was full, and were lost, modulo 2^32. With protection: of no process.
 * Context: any, main. Blocks: never. */
uint32_t takt_console_lost(void);

/* Called by the generated handler of the console's interrupt. Context: interrupt of the console. Blocks: never. */
void takt_console_receive(void);

TAKT_C_END

#endif
