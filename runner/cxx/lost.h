/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_CXX_LOST_H
#define TAKTI_CXX_LOST_H

#include <stdint.h>

#include "takt/fault.h"

/* Ends a function that a program should not have called: a fault with the name `what`. With protection processes and
 * the kernel's side share the function, and which of them calls is not known: there it is a fault of the processor,
 * which on host would end the run without a name. */
#if TAKT_PROCESSES && !defined(__linux__)
#define TAKTI_CXX_LOST(what) __builtin_trap()
#else
#define TAKTI_CXX_LOST(what) \
    takt_fault_raise(TAKT_FAULT_ASSERTION, "C++: " what, 1, (uintptr_t)__builtin_return_address(0))
#endif

#endif
