/* SPDX-License-Identifier: Apache-2.0 */
/* abort of C, on every board: a fault of the system, of a process that of its own, whose line 0 no assertion has. */
#include <stdint.h>
#include <stdlib.h>

#include "takt/fault.h"

_Noreturn void abort(void)
{
    takt_fault_raise(TAKT_FAULT_ASSERTION, "C: a call of abort", 0, (uintptr_t)__builtin_return_address(0));
}
