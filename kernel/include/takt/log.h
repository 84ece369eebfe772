/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_LOG_H
#define TAKT_LOG_H

#include <stdint.h>
#include <string.h>

#include "base/dialect.h"
#include "takt/fault.h"

TAKT_C_BEGIN

/*
 * A log whose messages are formatted on the host: a call writes the number of its message and its arguments into the
 * trace, and `takt run`, `takt trace` and the report print them among the events, at their time. The texts are in a
 * section of the image that is not loaded, and take no memory of the board (docs/log.md).
 *
 * Context of every call: any. Blocks: never. O(arguments): two words are one
 * record of the trace, each two more another. A record that is overwritten before it is read is lost and counted, as
 * all are. In a preset without trace, and above TAKT_LOG_LEVEL, a message is no code. In processes a call is a trap.
 */
enum takt_log_level { TAKT_LOG_NONE, TAKT_LOG_ERROR, TAKT_LOG_WARNING, TAKT_LOG_INFO, TAKT_LOG_DEBUG };

enum { TAKTI_LOG_BEGIN = TAKT_LOG_DEBUG + 1, TAKTI_LOG_END }; /* spans */

/* The least important level that is compiled, and the module that messages name; "": their file. A file may define
 * either before its first include of a header of Takt. */
#ifndef TAKT_LOG_LEVEL
#define TAKT_LOG_LEVEL TAKT_LOG_INFO
#endif
#ifndef TAKT_LOG_MODULE
#define TAKT_LOG_MODULE ""
#endif

/*
 * Messages. The first argument is a string literal as for printf, which the compiler checks; at most 8 follow. `%s`
 * takes strings of the image, literals and constants: of others the host shows the address. An argument is evaluated
 * once, and not at all if the message is left out.
 */
#define takt_log_error(...) TAKTI_LOG(TAKT_LOG_ERROR, TAKT_LOG_LEVEL, __VA_ARGS__)
#define takt_log_warning(...) TAKTI_LOG(TAKT_LOG_WARNING, TAKT_LOG_LEVEL, __VA_ARGS__)
#define takt_log_info(...) TAKTI_LOG(TAKT_LOG_INFO, TAKT_LOG_LEVEL, __VA_ARGS__)
#define takt_log_debug(...) TAKTI_LOG(TAKT_LOG_DEBUG, TAKT_LOG_LEVEL, __VA_ARGS__)

/* A span of the calling task or interrupt, drawn in timelines; `name` is a string literal. Spans nest. */
#define takt_mark_begin(name) TAKTI_LOG(TAKTI_LOG_BEGIN, TAKTI_LOG_END, "" name)
#define takt_mark_end(name) TAKTI_LOG(TAKTI_LOG_END, TAKTI_LOG_END, "" name)

enum { TAKT_LOG_ARGUMENTS = 8, TAKT_LOG_WORDS = 2 * TAKT_LOG_ARGUMENTS };

/* What the macros call. `site`: where a message is in the section of texts, a multiple of 4 below 2^18. `count`: of
 * `words`, 2 to TAKT_LOG_WORDS. */
#if TAKT_TRACE
void takt_log_put(uintptr_t site, uint32_t first, uint32_t second);
void takt_log_put_words(uintptr_t site, const uint32_t *words, uint32_t count);
#else
static inline void takt_log_put(uintptr_t site, uint32_t first, uint32_t second)
{
    (void)site;
    (void)first;
    (void)second;
}

static inline void takt_log_put_words(uintptr_t site, const uint32_t *words, uint32_t count)
{
    (void)site;
    (void)words;
    (void)count;
}
#endif

/* The compiler's check of the format and its arguments. */
static inline __attribute__((format(printf, 1, 2))) void takti_log_check(const char *format, ...)
{
    (void)format;
}

/* An argument as printf would get it, but a float stays one. */
#ifdef __cplusplus
#define TAKTI_LOG_VALUE(x) (+(x))
#else
#define TAKTI_LOG_VALUE(x) (1 ? (x) : (x))
#endif

/* `of` of each argument after the format: SIZE(x), ADD(x), PUT(x). Of too many, up to 16, of none: then the message
 * says so alone. */
#define TAKTI_LOG_PICK(format, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, macro, ...) macro
#define TAKTI_LOG_EACH(of, ...)                                                                                        \
    TAKTI_LOG_PICK(__VA_ARGS__, TAKTI_LOG_MANY, TAKTI_LOG_MANY, TAKTI_LOG_MANY, TAKTI_LOG_MANY, TAKTI_LOG_MANY,        \
                   TAKTI_LOG_MANY, TAKTI_LOG_MANY, TAKTI_LOG_MANY, TAKTI_LOG_8, TAKTI_LOG_7, TAKTI_LOG_6, TAKTI_LOG_5, \
                   TAKTI_LOG_4, TAKTI_LOG_3, TAKTI_LOG_2, TAKTI_LOG_1, TAKTI_LOG_0, 0)                                 \
    (of, __VA_ARGS__)
#define TAKTI_LOG_FITS(...) TAKTI_LOG_PICK(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0)
#define TAKTI_LOG_MANY(of, ...)
#define TAKTI_LOG_0(of, format)
#define TAKTI_LOG_1(of, format, a) of(a)
#define TAKTI_LOG_2(of, format, a, ...) of(a) TAKTI_LOG_1(of, format, __VA_ARGS__)
#define TAKTI_LOG_3(of, format, a, ...) of(a) TAKTI_LOG_2(of, format, __VA_ARGS__)
#define TAKTI_LOG_4(of, format, a, ...) of(a) TAKTI_LOG_3(of, format, __VA_ARGS__)
#define TAKTI_LOG_5(of, format, a, ...) of(a) TAKTI_LOG_4(of, format, __VA_ARGS__)
#define TAKTI_LOG_6(of, format, a, ...) of(a) TAKTI_LOG_5(of, format, __VA_ARGS__)
#define TAKTI_LOG_7(of, format, a, ...) of(a) TAKTI_LOG_6(of, format, __VA_ARGS__)
#define TAKTI_LOG_8(of, format, a, ...) of(a) TAKTI_LOG_7(of, format, __VA_ARGS__)

#define TAKTI_LOG_SIZE(x) (uint8_t)sizeof(TAKTI_LOG_VALUE(x)),
#define TAKTI_LOG_ADD(x) +(unsigned)((sizeof(TAKTI_LOG_VALUE(x)) + 3u) / 4u)
#define TAKTI_LOG_PUT(x)                                                                     \
    {                                                                                        \
        const __typeof__(TAKTI_LOG_VALUE(x)) takti_log_value = (x);                          \
        memcpy(&takti_log_words[takti_log_count], &takti_log_value, sizeof takti_log_value); \
        takti_log_count += (unsigned)((sizeof takti_log_value + 3u) / 4u);                   \
    }

#define TAKTI_LOG_TEXT_2(number) #number
#define TAKTI_LOG_TEXT(number) TAKTI_LOG_TEXT_2(number)
#define TAKTI_LOG_FORMAT(format, ...) format
#define TAKTI_LOG_STRING(...) TAKT_LOG_MODULE "\0" __FILE_NAME__ "\0" TAKTI_LOG_FORMAT(__VA_ARGS__, 0)
/* The bytes of these strings, each with its 0; of fewer than the array has, if one has a 0 inside. */
#define TAKTI_LOG_LENGTH(...)                                              \
    (__builtin_strlen(TAKT_LOG_MODULE) + __builtin_strlen(__FILE_NAME__) + \
     __builtin_strlen(TAKTI_LOG_FORMAT(__VA_ARGS__, 0)) + 3)

/* A message: a section of its own for each, so that it stays or goes with its caller, in C++ templates too. */
#define TAKTI_LOG(message_level, least, ...)                                                                    \
    do {                                                                                                        \
        TAKT_STATIC_ASSERT(TAKTI_LOG_FITS(__VA_ARGS__), "a message of the log has at most 8 arguments");        \
        TAKT_STATIC_ASSERT(sizeof(TAKTI_LOG_STRING(__VA_ARGS__)) == TAKTI_LOG_LENGTH(__VA_ARGS__),              \
                           "the format of a message of the log has a zero inside");                             \
        if (0) {                                                                                                \
            takti_log_check(__VA_ARGS__);                                                                       \
        }                                                                                                       \
        if (TAKT_TRACE && (int)(message_level) <= (int)(least)) {                                               \
            static const struct {                                                                               \
                uint16_t line;                                                                                  \
                uint8_t level;                                                                                  \
                uint8_t sizes[TAKT_LOG_ARGUMENTS + 1]; /* of the arguments in bytes, then 0 */                  \
                char text[sizeof(TAKTI_LOG_STRING(__VA_ARGS__))];                                               \
            } takti_log_site __attribute__((aligned(4), section(".takt_log." TAKTI_LOG_TEXT(__COUNTER__)))) = { \
                (uint16_t)__LINE__,                                                                             \
                (uint8_t)(message_level),                                                                       \
                {TAKTI_LOG_EACH(TAKTI_LOG_SIZE, __VA_ARGS__) 0},                                                \
                TAKTI_LOG_STRING(__VA_ARGS__)};                                                                 \
            enum { takti_log_total = 0u TAKTI_LOG_EACH(TAKTI_LOG_ADD, __VA_ARGS__) };                           \
            uint32_t takti_log_words[takti_log_total < 2 ? 2 : takti_log_total] = {0};                          \
            unsigned takti_log_count = 0;                                                                       \
            TAKTI_LOG_EACH(TAKTI_LOG_PUT, __VA_ARGS__)                                                          \
            (void)takti_log_count;                                                                              \
            if (takti_log_total <= 2) {                                                                         \
                takt_log_put((uintptr_t)&takti_log_site, takti_log_words[0], takti_log_words[1]);               \
            } else {                                                                                            \
                takt_log_put_words((uintptr_t)&takti_log_site, takti_log_words, takti_log_total);               \
            }                                                                                                   \
        }                                                                                                       \
    } while (0)

TAKT_C_END

#endif
