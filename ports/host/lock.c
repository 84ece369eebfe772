/* SPDX-License-Identifier: Apache-2.0 */
#include "ports/host/lock.h"

#include "kernel/port.h"
#include "ports/host/host.h"
#include "takt/task.h"

struct takt_host_lock takt_host_lock;

uint32_t takt_port_lock(void)
{
    uint32_t state = takt_host_lock.closed ? 1 : 0;
    takt_host_lock.closed = true;
    return state;
}

void takt_host_unlock(uint32_t state)
{
    takt_host_lock.closed = state != 0;
    if (!takt_host_lock.closed && takt_host_lock.deliver) {
        takt_host_lock.deliver = false;
        takt_host_interrupts_take();
    }
}

void takt_port_unlock(uint32_t state)
{
    if (TAKT_COOPERATIVE && takt_task_running() == NULL) {
        /* A job that ended now, ended before what is due now, which is to be there when the next one is chosen. */
        takt_host_lock.deliver = takt_host_lock.deliver || takt_host_interrupts_due();
    }
    takt_host_unlock(state);
}

uint32_t takt_port_enter(void)
{
    takt_host_lock.closed = true;
    return 0;
}

void takt_port_leave(uint32_t entered)
{
    takt_host_unlock(entered);
}
