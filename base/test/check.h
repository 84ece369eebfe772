/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_TEST_CHECK_H
#define TAKT_TEST_CHECK_H

/* What a unit test in C needs: a check that says where it failed, and numbers that follow from TAKT_SEED. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A test may define it: it tells what the test was at when a check failed. */
__attribute__((weak)) void check_context(void);

static inline _Noreturn void check_failed(void)
{
    if (check_context != NULL) {
        check_context();
    }
    fflush(stdout);
    _Exit(1);
}

#define CHECK(condition)                                                                                              \
    do {                                                                                                              \
        if (!(condition)) {                                                                                           \
            printf("%s:%d: %s (TAKT_SEED=%llu)\n", __FILE__, __LINE__, #condition, (unsigned long long)check_seed()); \
            check_failed();                                                                                           \
        }                                                                                                             \
    } while (0)

#define CHECK_EQUAL(found, expected)                                                                          \
    do {                                                                                                      \
        unsigned long long check_found = (found);                                                             \
        unsigned long long check_expected = (expected);                                                       \
        if (check_found != check_expected) {                                                                  \
            printf("%s:%d: %s is %llu, not %llu (TAKT_SEED=%llu)\n", __FILE__, __LINE__, #found, check_found, \
                   check_expected, (unsigned long long)check_seed());                                         \
            check_failed();                                                                                   \
        }                                                                                                     \
    } while (0)

#define CHECK_TEXT(found, expected)                                                                   \
    do {                                                                                              \
        if (strcmp((found), (expected)) != 0) {                                                       \
            printf("%s:%d: found    %s\n    expected %s\n", __FILE__, __LINE__, (found), (expected)); \
            check_failed();                                                                           \
        }                                                                                             \
    } while (0)

static inline uint64_t check_seed(void)
{
    const char *text = getenv("TAKT_SEED");
    return text == NULL ? 1 : strtoull(text, NULL, 0);
}

/* How many random cases: TAKT_CASES, or `fallback`. */
static inline unsigned long check_cases(unsigned long fallback)
{
    const char *text = getenv("TAKT_CASES");
    return text == NULL ? fallback : strtoul(text, NULL, 0);
}

/* splitmix64 (Steele, Lea and Flood 2014); *state starts as check_seed(). */
static inline uint64_t check_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

#endif
