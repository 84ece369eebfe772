/* SPDX-License-Identifier: Apache-2.0 */
/* What CoreMark asks of a platform. Its main, which measures time and prints a score, is not compiled. */
#ifndef CORE_PORTME_H
#define CORE_PORTME_H

#include <stddef.h>
#include <stdint.h>

#define HAS_FLOAT 0
#define HAS_STDIO 1
#define HAS_PRINTF 1
#define SEED_METHOD SEED_ARG
#define MEM_METHOD MEM_STATIC
#define MULTITHREAD 1
#define MAIN_HAS_NOARGC 1
#define MAIN_HAS_NORETURN 0
#define CORE_DEBUG 0

typedef int16_t ee_s16;
typedef uint16_t ee_u16;
typedef int32_t ee_s32;
typedef uint8_t ee_u8;
typedef uint32_t ee_u32;
typedef uintptr_t ee_ptr_int;
typedef size_t ee_size_t;
typedef uint32_t CORE_TICKS;

/* The next address that words may have. */
#define align_mem(x) (void *)(((ee_ptr_int)(x) + 3u) & ~(ee_ptr_int)3)

typedef struct CORE_PORTABLE_S {
    ee_u8 portable_id;
} core_portable;

#endif
