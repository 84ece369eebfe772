/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BASE_WORD_H
#define TAKT_BASE_WORD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/dialect.h"

TAKT_C_BEGIN

/*
 * Words shared by two contexts without a lock: tasks, a task and an interrupt, or threads on several cores. Plain loads
 * and stores of one machine word, and fences; no library and no atomic read-modify-write.
 */

/* Bytes of a cache line; 0: one core, nothing is aligned to lines. A build for several cores defines it. */
#ifndef TAKT_CACHE_LINE
#if UINTPTR_MAX > UINT32_MAX
#define TAKT_CACHE_LINE 64
#else
#define TAKT_CACHE_LINE 0
#endif
#endif

#if TAKT_CACHE_LINE > 0
#define TAKT_OWN_LINE TAKT_ALIGNAS(TAKT_CACHE_LINE) /* aligned to a cache line */
#define TAKT_LINES(bytes)                                                                      \
    (((bytes) + TAKT_CACHE_LINE - 1) / TAKT_CACHE_LINE * TAKT_CACHE_LINE) /* up to whole lines \
                                                                           */
#else
#define TAKT_OWN_LINE
#define TAKT_LINES(bytes) (bytes)
#endif

#define TAKT_WORD_SIZE sizeof(uintptr_t)

/* Length of an array of which only the first word is used, so that the next variable is in another line. */
#define TAKTB_WORDS_APART (TAKT_LINES(TAKT_WORD_SIZE) / TAKT_WORD_SIZE)

/* Hook before each access, for a test of all interleavings. */
#ifndef TAKTB_WORD_STEP
#define TAKTB_WORD_STEP() ((void)0)
#endif

static inline uintptr_t takt_word_load(const uintptr_t *word)
{
    TAKTB_WORD_STEP();
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* Load with acquire. Partner: takt_word_release, whose earlier writes are visible after it. */
static inline uintptr_t takt_word_acquire(const uintptr_t *word)
{
    TAKTB_WORD_STEP();
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Release fence: writes before it are visible to a context that loads a word stored after it and then fences. Partner:
 * takt_word_fence_acquire. */
static inline void takt_word_fence_release(void)
{
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

/* Acquire fence: loads before it complete before loads after it. Partner: takt_word_fence_release. */
static inline void takt_word_fence_acquire(void)
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

static inline void takt_word_store(uintptr_t *word, uintptr_t value)
{
    TAKTB_WORD_STEP();
#if defined(__riscv) /* its compiler stores atomically with amoswap, of the A extension */
    *(volatile uintptr_t *)word = value;
#else
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
#endif
}

/* Store with release. Partner: takt_word_acquire of this value, after which earlier writes are visible. */
static inline void takt_word_release(uintptr_t *word, uintptr_t value)
{
#if defined(__riscv)
    takt_word_fence_release();
    takt_word_store(word, value);
#else
    TAKTB_WORD_STEP();
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
#endif
}

/* Copies `size` bytes, by words if that is a multiple of 4; the addresses are then aligned to 4. */
static inline void takt_copy(void *to, const void *from, size_t size)
{
    TAKTB_WORD_STEP();
    if (size % 4 == 0) {
        memcpy(__builtin_assume_aligned(to, 4), __builtin_assume_aligned(from, 4), size);
    } else {
        memcpy(to, from, size);
    }
}

/* Copies many words, where the processor has an instruction for it that is faster than a loop and no tool has to see
 * each access. It is opaque to the compiler, so it is no data race either. */
enum { TAKTB_WORDS_MANY = 512 }; /* bytes: below it a loop is faster */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TAKTB_WORDS_MOVE 1
static inline void taktb_words_move(void *to, const void *from, size_t whole)
{
    size_t count = whole / TAKT_WORD_SIZE;
    __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
}
#else
#define TAKTB_WORDS_MOVE 0
static inline void taktb_words_move(void *to, const void *from, size_t whole)
{
    (void)to, (void)from, (void)whole;
}
#endif

/*
 * Copies that another context may overwrite, between fences of the caller, which detects it afterwards. `shared`: whole
 * words that hold `size` bytes. With several cores each word is a relaxed access, so that there is no data race, or
 * taktb_words_move copies them; with one core an ordinary copy. O(size).
 */
static inline void takt_words_write(uintptr_t *shared, const void *from, size_t size)
{
    if (TAKT_CACHE_LINE == 0) {
        takt_copy(shared, from, size);
        return;
    }
    size_t whole = size - size % TAKT_WORD_SIZE;
    size_t done = 0;
    uintptr_t word = 0;
    if (TAKTB_WORDS_MOVE && whole >= TAKTB_WORDS_MANY) {
        taktb_words_move(shared, from, whole);
        shared += whole / TAKT_WORD_SIZE;
        done = whole;
    }
#pragma GCC unroll 8
    for (; done < whole; done += TAKT_WORD_SIZE) {
        memcpy(&word, (const char *)from + done, TAKT_WORD_SIZE);
        takt_word_store(shared++, word);
    }
    if (whole != size) {
        word = 0;
        memcpy(&word, (const char *)from + whole, size - whole);
        takt_word_store(shared, word);
    }
}

static inline void takt_words_read(void *to, const uintptr_t *shared, size_t size)
{
    if (TAKT_CACHE_LINE == 0) {
        takt_copy(to, shared, size);
        return;
    }
    size_t whole = size - size % TAKT_WORD_SIZE;
    size_t done = 0;
    uintptr_t word;
    if (TAKTB_WORDS_MOVE && whole >= TAKTB_WORDS_MANY) {
        taktb_words_move(to, shared, whole);
        shared += whole / TAKT_WORD_SIZE;
        done = whole;
    }
#pragma GCC unroll 8
    for (; done < whole; done += TAKT_WORD_SIZE) {
        word = takt_word_load(shared++);
        memcpy((char *)to + done, &word, TAKT_WORD_SIZE);
    }
    if (whole != size) {
        word = takt_word_load(shared);
        memcpy((char *)to + whole, &word, size - whole);
    }
}

TAKT_C_END

#endif
