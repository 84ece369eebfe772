/* SPDX-License-Identifier: Apache-2.0 */
/* Figures 4.2 and 4.3 of seed 001. */
#include "classic.h"

#include <stddef.h>

/* The lowest bit that is set in a byte; made when the first task is. */
static uint8_t lowest[256];

static void table_make(void)
{
    for (unsigned byte = 1; byte < 256; byte++) {
        lowest[byte] = (uint8_t)__builtin_ctz(byte);
    }
}

static void add(uint8_t *groups, uint8_t *bits, unsigned number)
{
    *groups |= (uint8_t)(1u << (number >> 3));
    bits[number >> 3] |= (uint8_t)(1u << (number & 7u));
}

static void take(uint8_t *groups, uint8_t *bits, unsigned number)
{
    bits[number >> 3] &= (uint8_t) ~(1u << (number & 7u));
    if (bits[number >> 3] == 0) {
        *groups &= (uint8_t) ~(1u << (number >> 3));
    }
}

static unsigned first_of(uint8_t groups, const uint8_t *bits)
{
    unsigned group = lowest[groups];
    return group << 3 | lowest[bits[group]];
}

void classic_ready(struct classic_task *task)
{
    if (lowest[2] == 0) {
        table_make();
    }
    add(&classic.groups, classic.ready, task->number);
}

__attribute__((noinline)) unsigned classic_first(void)
{
    return first_of(classic.groups, classic.ready);
}

__attribute__((noinline)) void classic_tick(void)
{
    for (struct classic_task *task = classic.list; task != NULL; task = task->next) {
        if (task->delayed && --task->delay == 0) {
            task->delayed = false;
            add(&classic.groups, classic.ready, task->number);
        }
    }
}

__attribute__((noinline)) void classic_sleep(uint32_t ticks)
{
    classic.current->delay = ticks;
    classic.current->delayed = true;
    take(&classic.groups, classic.ready, classic.current->number);
}

__attribute__((noinline)) void classic_wait(unsigned semaphore)
{
    struct classic_semaphore *waited = &classic.semaphores[semaphore];
    add(&waited->groups, waited->waits, classic.current->number);
    take(&classic.groups, classic.ready, classic.current->number);
}

__attribute__((noinline)) bool classic_release(unsigned semaphore)
{
    struct classic_semaphore *waited = &classic.semaphores[semaphore];
    if (waited->groups == 0) {
        return false;
    }
    unsigned number = first_of(waited->groups, waited->waits);
    take(&waited->groups, waited->waits, number);
    add(&classic.groups, classic.ready, number);
    return true;
}
