/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BENCHMARK_IN_PROCESS_H
#define TAKT_BENCHMARK_IN_PROCESS_H

/* For files whose code runs in user mode if the kernel has processes: calls are traps, and others go through
 * processes.c. Before all headers of the kernel. */
#if TAKT_PROCESSES
#define TAKT_IN_PROCESS 1
#include "takt/process_names.h"
#pragma redefine_extname takt_board_option process_board_option
#pragma redefine_extname takt_board_exit process_board_exit
#endif

#endif
