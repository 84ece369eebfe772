/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the headers of the C++ library would throw, and no exceptions are there: `std::array::at` behind the end, a
 * `std::function` without one. It ends as a fault. A system with exceptions has the library's own.
 */
#include "runner/cxx/lost.h"

#define TAKTI_THROW(name, symbol, what)                                  \
    _Noreturn void name(void) __asm__(symbol) __attribute__((noinline)); \
    _Noreturn void name(void)                                            \
    {                                                                    \
        TAKTI_CXX_LOST("std::" what ", and there are no exceptions");    \
    }

TAKTI_THROW(takti_throw_out_of_range, "_ZSt20__throw_out_of_rangePKc", "out_of_range")
TAKTI_THROW(takti_throw_out_of_range_text, "_ZSt24__throw_out_of_range_fmtPKcz", "out_of_range")
TAKTI_THROW(takti_throw_length, "_ZSt20__throw_length_errorPKc", "length_error")
TAKTI_THROW(takti_throw_logic, "_ZSt19__throw_logic_errorPKc", "logic_error")
TAKTI_THROW(takti_throw_argument, "_ZSt24__throw_invalid_argumentPKc", "invalid_argument")
TAKTI_THROW(takti_throw_domain, "_ZSt20__throw_domain_errorPKc", "domain_error")
TAKTI_THROW(takti_throw_runtime, "_ZSt21__throw_runtime_errorPKc", "runtime_error")
TAKTI_THROW(takti_throw_range, "_ZSt19__throw_range_errorPKc", "range_error")
TAKTI_THROW(takti_throw_overflow, "_ZSt22__throw_overflow_errorPKc", "overflow_error")
TAKTI_THROW(takti_throw_underflow, "_ZSt23__throw_underflow_errorPKc", "underflow_error")
TAKTI_THROW(takti_throw_function, "_ZSt25__throw_bad_function_callv", "bad_function_call")
TAKTI_THROW(takti_throw_cast, "_ZSt16__throw_bad_castv", "bad_cast")
TAKTI_THROW(takti_throw_allocation, "_ZSt17__throw_bad_allocv", "bad_alloc")
TAKTI_THROW(takti_throw_array_length, "_ZSt28__throw_bad_array_new_lengthv", "bad_array_new_length")
