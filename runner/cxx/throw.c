/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the headers of the C++ library would throw, and no exceptions are there: `std::array::at` behind the end, a
 * `std::function` without one. It ends as a fault of the processor. A system with exceptions has the library's own.
 */
#define TAKTI_THROW(name, symbol)                                        \
    _Noreturn void name(void) __asm__(symbol) __attribute__((noinline)); \
    _Noreturn void name(void)                                            \
    {                                                                    \
        __builtin_trap();                                                \
    }

TAKTI_THROW(takti_throw_out_of_range, "_ZSt20__throw_out_of_rangePKc")
TAKTI_THROW(takti_throw_out_of_range_text, "_ZSt24__throw_out_of_range_fmtPKcz")
TAKTI_THROW(takti_throw_length, "_ZSt20__throw_length_errorPKc")
TAKTI_THROW(takti_throw_logic, "_ZSt19__throw_logic_errorPKc")
TAKTI_THROW(takti_throw_argument, "_ZSt24__throw_invalid_argumentPKc")
TAKTI_THROW(takti_throw_domain, "_ZSt20__throw_domain_errorPKc")
TAKTI_THROW(takti_throw_runtime, "_ZSt21__throw_runtime_errorPKc")
TAKTI_THROW(takti_throw_range, "_ZSt19__throw_range_errorPKc")
TAKTI_THROW(takti_throw_overflow, "_ZSt22__throw_overflow_errorPKc")
TAKTI_THROW(takti_throw_underflow, "_ZSt23__throw_underflow_errorPKc")
TAKTI_THROW(takti_throw_function, "_ZSt25__throw_bad_function_callv")
TAKTI_THROW(takti_throw_cast, "_ZSt16__throw_bad_castv")
TAKTI_THROW(takti_throw_allocation, "_ZSt17__throw_bad_allocv")
TAKTI_THROW(takti_throw_array_length, "_ZSt28__throw_bad_array_new_lengthv")
