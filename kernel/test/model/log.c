/* SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

void log_add(struct log *log, struct entry entry)
{
    if (log->count == LOG_MAX) {
        log->full = true;
        return;
    }
    log->entries[log->count++] = entry;
}
