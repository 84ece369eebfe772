/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OWN_HEAP_H
#define OWN_HEAP_H

/* Part of hostile_process.h: the heap of the process. */
#include "kernel/test/support/hostile.h"
#include "takt_app.h"

enum { HEAP = 512 };

/* The last block of its heap that it got in this life; or 0. */
static uintptr_t heap_got;
extern uint32_t OWN(takti_heap)[HEAP / 4]; /* generated */

static uintptr_t heap_block(unsigned process)
{
    (void)process;
    return heap_got;
}

/* What it may do to its heap, which is its own memory. */
static void overwrite_heap(void)
{
    uint32_t *word = &OWN(takti_heap)[draw(HEAP / 4)];
    const uint32_t values[] = {0, 1, *word ^ 1, *word + 8, HEAP, HEAP - 8, draw(UINT32_MAX), tally.aims[PROCESS][0]};
    *word = values[draw(8)];
}

#endif
