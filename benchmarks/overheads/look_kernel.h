/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_OVERHEADS_LOOK_H
#define TAKT_OVERHEADS_LOOK_H

/* A look of a task that may close the kernel's lock. Part of system.c. */

static uint32_t looked; /* the last look of any task. Owner: the kernel lock */

/* Locked: what comes meanwhile comes at the unlock, after `looked` has moved on, and belongs to the next gap. */
static void look(unsigned looker)
{
    uint32_t state = takt_port_lock();
    if (begun == 0) {
        begin();
        looked = begun;
    }
    uint32_t now = COUNTER;
    uint32_t gap = now - looked;
    if (gap > LOOK_TICKS) {
        sort_gap(gap, now, looker);
        sorted = COUNTER;
    }
    looks_ended = looker;
    looked = COUNTER;
    takt_port_unlock(state);
}

static void task_place(struct takt_task_config *config)
{
    (void)config;
}

static void system_complete(struct takt_system *system)
{
    (void)system;
}

static void lines_start(void)
{
}

static bool faulted(void)
{
    return false; /* a fault ends the run */
}

static void lines_print(void)
{
}

#endif
