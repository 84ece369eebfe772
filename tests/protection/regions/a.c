/* SPDX-License-Identifier: Apache-2.0 */
/* Process a: it makes, and has a thread. */
#include "takt_app.h"

#include "both.h"
#include "takt/process.h"

static uint32_t made[5] = {3, 1, 4};
static uint32_t ran;

static void thread(void *argument)
{
    (void)argument;
    ran++;
}

void maker_job(void *argument)
{
    uint8_t message[SIZE_newest] = {(uint8_t)made[0]};
    (void)argument;
    made[0] = next(made[0]);
    takt_state_write(&newest, message, SIZE_newest);
    (void)!takt_ring_put(&items, made, SIZE_items);
    open[0]++;
    shown[0]++;
}

void helper_job(void *argument)
{
    struct takt_task *started;
    struct takt_thread_attributes attributes = {.entry = thread, .stack_size = 256, .level = TAKT_LEVELS - 2};
    (void)argument;
    if (takt_thread_create(&started, &attributes) == TAKT_OK) {
        takt_thread_detach(started);
    }
}
