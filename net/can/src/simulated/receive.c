/* SPDX-License-Identifier: Apache-2.0 */
#include "net/can/src/simulated/receive.h"

enum { FIFO_SIZE = 3 };

static uint32_t buffers(const struct takt_can_simulated *simulated)
{
    bool is_toucan = simulated->kind == TAKT_CAN_TOUCAN;
    return is_toucan ? (uint32_t)TAKT_CAN_TOUCAN_BUFFERS - simulated->controller.mailboxes : (uint32_t)FIFO_SIZE;
}

void taktc_simulated_empty(struct takt_can_simulated *simulated)
{
    for (uint32_t i = 0; i < TAKT_CAN_TOUCAN_BUFFERS; i++) {
        simulated->arrivals[i] = 0;
    }
    simulated->overrun = 0;
}

enum takt_status taktc_simulated_filter(struct takt_can_simulated *simulated, const struct takt_can_filter *filters,
                                        uint32_t count)
{
    bool is_toucan = simulated->kind == TAKT_CAN_TOUCAN;
    if (count > (is_toucan ? buffers(simulated) : (uint32_t)TAKT_CAN_SIMULATED_FILTERS)) {
        return TAKT_LIMIT;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (is_toucan && filters[i].kind != TAKT_CAN_FILTER_MASK) {
            return TAKT_LIMIT;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        simulated->filters[i] = filters[i];
    }
    simulated->filter_count = count;
    return TAKT_OK;
}

/* Whether a frame may go into a buffer. */
static bool accepts(const struct takt_can_simulated *simulated, uint32_t buffer, const struct takt_can_frame *frame)
{
    uint32_t count = simulated->filter_count;
    if (count == UINT32_MAX) {
        return true;
    }
    if (simulated->kind == TAKT_CAN_TOUCAN) {
        return buffer < count && takt_can_filter_accepts(&simulated->filters[buffer], frame);
    }
    return takt_can_filters_match(simulated->filters, count, frame) < count;
}

void taktc_simulated_put(struct takt_can_simulated *simulated, const struct takt_can_frame *frame)
{
    uint32_t count = buffers(simulated), first = count;
    for (uint32_t i = 0; i < count; i++) {
        if (!accepts(simulated, i, frame)) {
            continue;
        }
        if (simulated->arrivals[i] == 0) {
            simulated->received[i] = *frame;
            simulated->arrivals[i] = ++simulated->arrived;
            return;
        }
        first = first == count ? i : first;
    }
    if (first == count) {
        return; /* no filter accepts it */
    }
    simulated->overrun++;
    if (simulated->kind == TAKT_CAN_TOUCAN) {
        simulated->received[first] = *frame;
        simulated->arrivals[first] = ++simulated->arrived;
    }
}

bool taktc_simulated_holds(const struct takt_can_simulated *simulated)
{
    for (uint32_t i = 0; i < buffers(simulated); i++) {
        if (simulated->arrivals[i] != 0) {
            return true;
        }
    }
    return false;
}

bool taktc_simulated_take(struct takt_can_simulated *simulated, struct takt_can_frame *frame)
{
    uint32_t count = buffers(simulated), oldest = count;
    for (uint32_t i = 0; i < count; i++) {
        bool is_older = oldest == count || simulated->arrivals[i] < simulated->arrivals[oldest];
        if (simulated->arrivals[i] != 0 && is_older) {
            oldest = i;
        }
    }
    if (oldest == count) {
        return false;
    }
    *frame = simulated->received[oldest];
    simulated->arrivals[oldest] = 0;
    return true;
}
