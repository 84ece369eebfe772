/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>

#include "kernel/port.h"
#include "takt/fault.h"
#include "takt_rv32.h"

_Noreturn void takt_rv32_fault(uintptr_t address, const uint32_t *registers)
{
    takt_fault_raise_exception(address, TAKT_RV32_FAULT_NAMES, registers);
}

/* What the C library's assert calls: an application's assertion leaves a fault record as the kernel's do. */
_Noreturn void __assert_func(const char *file, int line, const char *function, const char *expression)
{
    (void)function;
    (void)expression;
    takt_fault_raise(TAKT_FAULT_ASSERTION, file, (unsigned)line, (uintptr_t)__builtin_return_address(0));
}
