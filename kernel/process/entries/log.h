/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of entries.c: messages of the log. */
#include "kernel/process/check.h"

#include "takt/log.h"

TAKTI_ENTRY(log_put, uintptr_t site, uint32_t first, uint32_t second)
{
    takt_log_put(site, first, second);
    return 0;
}

TAKTI_ENTRY(log_put_words, uintptr_t site, const uint32_t *words, uint32_t count)
{
    if (takti_required(count >= 2 && count <= TAKT_LOG_WORDS, count) &&
        takti_readable(words, count * sizeof *words, _Alignof(uint32_t))) {
        takt_log_put_words(site, words, count);
    }
    return 0;
}
