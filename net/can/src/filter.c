/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/can_filter.h"

static uint32_t id_max(bool extended)
{
    return extended ? TAKT_CAN_ID_EXTENDED_MAX : TAKT_CAN_ID_MAX;
}

bool takt_can_filter_is_valid(const struct takt_can_filter *filter)
{
    uint32_t max = id_max(filter->extended);
    bool ordered = filter->kind != TAKT_CAN_FILTER_RANGE || filter->first <= filter->second;
    bool known = filter->kind <= TAKT_CAN_FILTER_DUAL && filter->frames <= TAKT_CAN_FILTER_ANY;
    return known && ordered && filter->frames != 0 && filter->first <= max && filter->second <= max;
}

static unsigned form(const struct takt_can_frame *frame)
{
    if (frame->shape.fd) {
        return TAKT_CAN_FILTER_FD;
    }
    return frame->shape.remote ? TAKT_CAN_FILTER_REMOTE : TAKT_CAN_FILTER_DATA;
}

bool takt_can_filter_accepts(const struct takt_can_filter *filter, const struct takt_can_frame *frame)
{
    if (frame->shape.extended != filter->extended || (form(frame) & filter->frames) == 0) {
        return false;
    }
    switch (filter->kind) {
    case TAKT_CAN_FILTER_MASK:
        return ((frame->id ^ filter->first) & filter->second) == 0;
    case TAKT_CAN_FILTER_RANGE:
        return filter->first <= frame->id && frame->id <= filter->second;
    default: /* DUAL */
        return frame->id == filter->first || frame->id == filter->second;
    }
}

uint32_t takt_can_filters_match(const struct takt_can_filter *filters, uint32_t count,
                                const struct takt_can_frame *frame)
{
    uint32_t i = 0;
    while (i < count && !takt_can_filter_accepts(&filters[i], frame)) {
        i++;
    }
    return i;
}

/* Lets the entry at `root` of a heap with the greatest first sink to where it belongs. */
static void sink(uint32_t *list, uint32_t root, uint32_t count)
{
    uint32_t entry = list[root];
    for (uint32_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && list[child + 1] > list[child]) {
            child++;
        }
        if (list[child] <= entry) {
            break;
        }
        list[root] = list[child];
        root = child;
    }
    list[root] = entry;
}

uint32_t takt_can_list_sort(uint32_t *list, uint32_t count)
{
    for (uint32_t root = count / 2; root > 0; root--) {
        sink(list, root - 1, count);
    }
    for (uint32_t end = count; end > 1; end--) {
        uint32_t greatest = list[0];
        list[0] = list[end - 1];
        list[end - 1] = greatest;
        sink(list, 0, end - 1);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (kept == 0 || list[i] != list[kept - 1]) {
            list[kept++] = list[i];
        }
    }
    return kept;
}

uint32_t takt_can_list_find(const uint32_t *list, uint32_t count, const struct takt_can_frame *frame)
{
    uint32_t wanted = frame->id | (frame->shape.extended ? TAKT_CAN_LIST_EXTENDED : 0);
    uint32_t from = 0, to = count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (list[middle] < wanted) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from < count && list[from] == wanted ? from : count;
}
