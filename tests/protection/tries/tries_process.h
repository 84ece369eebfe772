/* SPDX-License-Identifier: Apache-2.0 */
/* The task that tries. Before: NAME(what), what.._PROCESS; attach(number), which attaches or maps what it may. */
#include "takt_app.h"

#include "takt/process.h"
#include "tries.h"

static void perform(const struct tries_order *order)
{
    volatile uint32_t *word = (volatile uint32_t *)(uintptr_t)order->address;
    attach(order->attach);
    if (order->access == TRY_READ) {
        (void)*word;
    } else if (order->access == TRY_WRITE) {
        *word = 0;
    } else if (order->access == TRY_REWRITE) {
        *word = *word;
    } else {
#ifdef __arm__
        ((void (*)(void))((uintptr_t)word | 1u))();
#else
        ((void (*)(void))(uintptr_t)word)();
#endif
    }
}

void NAME(tries_job)(void *argument)
{
    struct tries_order order;
    (void)argument;
    while (takt_mailbox_receive(&NAME(tries_orders), &order) == TAKT_OK) {
        perform(&order);
        (void)!takt_semaphore_post(&NAME(tries_done));
    }
}
