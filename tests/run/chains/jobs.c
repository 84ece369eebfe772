/* SPDX-License-Identifier: Apache-2.0 */
#include "takt_app.h"

/* Executes for one to `most` ms, differently in each job. */
static void work(unsigned most)
{
    static uint32_t number = 1;
    number = number * 1103515245u + 12345u;
    (void)takt_work((uint64_t)(1 + (number >> 16) % most) * 900000);
}

void sense(void *argument)
{
    (void)argument;
    work(2);
}

void steer(void *argument)
{
    (void)argument;
    work(3);
}

void act_step(void *argument)
{
    (void)argument;
    work(2);
    const uint32_t line = 1;
    TAKT_ASSERT(takt_mailbox_try_send(&lines, &line) == TAKT_OK);
}

void keep(void *argument)
{
    (void)argument;
    uint32_t line;
    TAKT_ASSERT(takt_mailbox_try_receive(&lines, &line) == TAKT_OK);
    work(1);
}
