/* SPDX-License-Identifier: Apache-2.0 */
/* assert() of either C library in a process: a fault of the process. takt/process_names.h */
#include "takt/fault.h"

_Noreturn void takt_user_assert_func(const char *file, int line, const char *function, const char *expression);
_Noreturn void takt_user_assert_fail(const char *expression, const char *file, unsigned line, const char *function);

_Noreturn void takt_user_assert_func(const char *file, int line, const char *function, const char *expression)
{
    (void)function;
    (void)expression;
    takt_fault_raise(TAKT_FAULT_ASSERTION, file, (unsigned)line, 0);
}

_Noreturn void takt_user_assert_fail(const char *expression, const char *file, unsigned line, const char *function)
{
    (void)function;
    (void)expression;
    takt_fault_raise(TAKT_FAULT_ASSERTION, file, line, 0);
}
