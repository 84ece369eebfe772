/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CONSOLE_INPUT_H
#define TAKT_CONSOLE_INPUT_H

/* The console's pipe, for what reads it: generated; a file of a process has its handle. */
#include "takt/console.h"
#include "takt/pipe.h"

#if TAKT_IN_PROCESS
extern struct takt_pipe console_input __asm__("takt_handle_console_input");
#else
extern struct takt_pipe console_input;
#endif

#endif
