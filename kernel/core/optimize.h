/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_OPTIMIZE_H
#define TAKTI_OPTIMIZE_H

/* Attributes for the compiler, for speed or for size. TAKTI_OPTIMIZE_SIZE: compiled for size, with one general path in
 * place of fast paths for common cases. TAKT_SINGLE_PATH (takt/engine.h): the same for fast paths that need to know
 * whether a task is alone in its level. */
#include "base/inline.h"

#ifdef __OPTIMIZE_SIZE__
#define TAKTI_OPTIMIZE_SIZE 1
#define TAKTI_NOINLINE_HOT
#define TAKTI_INLINE_ONE_CALLER __attribute__((always_inline)) /* it has one caller after inlining */
#define TAKTI_INLINE_ALWAYS
#define TAKTI_NOINLINE_SIZE __attribute__((noinline)) /* a call is shorter */
#define TAKTI_NOINLINE_SIZE_OR_INLINE TAKTI_NOINLINE_SIZE
#else
#define TAKTI_OPTIMIZE_SIZE 0
#define TAKTI_NOINLINE_HOT __attribute__((noinline)) /* so that its caller saves no registers */
#define TAKTI_INLINE_ONE_CALLER
#define TAKTI_INLINE_ALWAYS __attribute__((always_inline)) /* a copy for each caller */
#define TAKTI_NOINLINE_SIZE
#define TAKTI_NOINLINE_SIZE_OR_INLINE inline TAKTI_INLINE_ALWAYS
#endif

/* Keeps the compiler from early loads, for which it would have to save a register. */
#define TAKTI_COMPILER_BARRIER __asm volatile("" : : : "memory")

/* Makes the compiler compute both values before it stores either, so that it can store them with one instruction. */
#define TAKTI_PAIR_STORES(a, b) __asm("" : "+r"(a), "+r"(b))
/* The same of values that were loaded, or are used further: both are in registers here. */
#define TAKTI_PAIR(a, b) __asm("" : : "r"(a), "r"(b))

/* A branch off the measured paths: placed out of line. */
#define TAKTI_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#endif
