/* SPDX-License-Identifier: Apache-2.0 */
#include "docs/examples/say.h"
#include "takt_app.h"

/* The oldest records that were not read yet. The harness of a run reads them too, in idle. */
void trace_example(void *argument)
{
    (void)argument;
    struct takt_trace_record records[4];
    unsigned count = takt_trace_read(records, 4);
    say("trace: %u records, the last one says that a task runs: %s", count,
        records[count - 1].event == TAKT_EVENT_RUN ? "yes" : "no");
}
