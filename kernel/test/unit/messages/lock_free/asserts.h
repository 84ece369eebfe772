/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSERTS_H
#define ASSERTS_H

/* CHECK_FAULT: that a call fails an assertion of the file ASSERTS. Linked with --wrap=takt_fault_raise. */
#include <setjmp.h>

#include "base/test/check.h"
#include "takt/fault.h"

static jmp_buf fault;

/* In place of takt_fault_raise: an assertion failed. */
_Noreturn void __wrap_takt_fault_raise(enum takt_fault_reason reason, const char *file, unsigned line,
                                       uintptr_t address);
_Noreturn void __wrap_takt_fault_raise(enum takt_fault_reason reason, const char *file, unsigned line,
                                       uintptr_t address)
{
    (void)line, (void)address;
    CHECK(reason == TAKT_FAULT_ASSERTION && strstr(file, ASSERTS) != NULL);
    longjmp(fault, 1);
}

#define CHECK_FAULT(call)         \
    do {                          \
        if (setjmp(fault) == 0) { \
            call;                 \
            CHECK(!"asserts");    \
        }                         \
    } while (0)

#endif
