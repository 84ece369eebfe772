/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BASE_DIALECT_H
#define TAKT_BASE_DIALECT_H

/*
 * What C++17 writes otherwise than C11, for headers that both include. Between TAKT_C_BEGIN and TAKT_C_END are
 * functions and variables of C; arrays of no element (takt/task.h) and names of members in values are no warning
 * there.
 */
#ifdef __cplusplus
#define TAKT_C_BEGIN                                                                      \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wpedantic\"")       \
        _Pragma("GCC diagnostic ignored \"-Wc++20-extensions\"")                          \
            _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"") extern "C" \
    {
#define TAKT_C_END \
    }              \
    _Pragma("GCC diagnostic pop")
#define TAKT_NORETURN [[noreturn]]
#define TAKT_ALIGNAS(bytes) __attribute__((aligned(bytes)))
#define TAKT_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define TAKT_C_BEGIN
#define TAKT_C_END
#define TAKT_NORETURN _Noreturn
#define TAKT_ALIGNAS(bytes) _Alignas(bytes)
#define TAKT_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

#endif
