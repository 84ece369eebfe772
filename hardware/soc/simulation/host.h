/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_SIMULATION_HOST_H
#define TAKT_SIMULATION_HOST_H

#include <cstdint>
#include <string>

#include "memory.h"

/*
 * Semihosting: a call of the program, which waits meanwhile, on files of this machine. At `address` are three
 * words: the call, the address of its parameters, and what comes of it, which is written. The calls that
 * chips/emulated makes; any other, and one whose parameters are not in the memory, answers -1. `command_line`: what
 * GET_CMDLINE hands over.
 */
void host_call(uint32_t address, const Memory &memory, const std::string &command_line);

#endif
