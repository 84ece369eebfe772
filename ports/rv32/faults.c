/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>

#include "kernel/port.h"
#include "takt/fault.h"

_Noreturn void takt_rv32_fault(uintptr_t address, const uint32_t *registers);

/* From trap.c: the processor could not go on at `address`. */
_Noreturn void takt_rv32_fault(uintptr_t address, const uint32_t *registers)
{
    takt_fault_raise_exception(address, "ra sp a0 a1 a2 a3 a4 a5 s0 pc mcause mtval", registers);
}

/* What the C library's assert calls: an application's assertion leaves a fault record as the kernel's do. */
_Noreturn void __assert_func(const char *file, int line, const char *function, const char *expression)
{
    (void)function;
    (void)expression;
    takt_fault_raise(TAKT_FAULT_ASSERTION, file, (unsigned)line, (uintptr_t)__builtin_return_address(0));
}
