/* SPDX-License-Identifier: Apache-2.0 */
#include "devices.h"
#include "registers.h"
#include "takt/board.h"

/* Each source of the controller represents a device. Before the clock is set to 0 they are only recorded. */
static struct source {
    uint64_t first_ns;
    uint64_t period_ns;
    unsigned number;
} sources[IBEX_SOURCES];
static unsigned source_count;
static bool clock_runs;

static void start(unsigned which)
{
    const struct source *source = &sources[which];
    IBEX_SOURCE_LINE(which) = source->number;
    IBEX_SOURCE_PERIOD_LOW(which) = (uint32_t)source->period_ns;
    IBEX_SOURCE_PERIOD_HIGH(which) = (uint32_t)(source->period_ns >> 32);
    IBEX_SOURCE_NEXT_LOW(which) = (uint32_t)source->first_ns;
    IBEX_SOURCE_NEXT_HIGH(which) = (uint32_t)(source->first_ns >> 32); /* starts it */
}

void takt_chip_devices_start(void)
{
    clock_runs = true;
    for (unsigned i = 0; i < source_count; i++) {
        start(i);
    }
}

void takt_board_interrupt_every(unsigned number, uint64_t first_ns, uint64_t period_ns)
{
    if (source_count < IBEX_SOURCES && number < IBEX_LINES && period_ns != 0) {
        sources[source_count++] = (struct source){first_ns, period_ns, number};
        if (clock_runs) {
            start(source_count - 1);
        }
    }
}
