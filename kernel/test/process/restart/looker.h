/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOOKER_H
#define LOOKER_H

/* A looker: a task of the kernel that checks every 20 us what others see of a process that ends or starts again. */
#include "kernel/test/support/notes.h"
#include "takt/invariants.h"

#define LOOK_NS TAKT_US(20)

static void (*inspect)(void);         /* what the looker checks */
static void (*meddle)(void);          /* what else it does; NULL: nothing */
static void (*work_a)(unsigned task); /* a's background task, before its fault */
static uint64_t faulted_ns;           /* when that came */
static uint64_t returned_ns;          /* when a call of another process returned */

/* `all`: UINT16_MAX, if there are no objects and timers but those of the world; 0, if the test has some of its own. */
static inline void check_kernel(uint16_t all)
{
    const struct takt_known_objects objects = {.all = all};
    struct takt_broken broken = takt_kernel_broken(&objects);
    if (broken.what != NULL) {
        printf("%llu ns: %s (%p)\n", (unsigned long long)takt_now(), broken.what, broken.where);
        check_failed();
    }
}

static inline void look(void *argument)
{
    (void)argument;
    for (;;) {
        inspect();
        if (meddle != NULL) {
            meddle();
        }
        takt_delay(LOOK_NS);
    }
}

/* A fresh world, whose third process's last task is the kernel's: `entry`, as a rule `look`. */
static inline void fresh_with_looker(unsigned restarts_max, void (*entry)(void *argument), void (*checks)(void))
{
    fresh(restarts_max);
    inspect = checks;
    meddle = NULL;
    returned_ns = 0;
    world_kernel_task(C + BACKGROUND, entry);
}

static inline void work_and_fault(unsigned task)
{
    if (takt_process_faults.count == 0) {
        work_a(task);
        faulted_ns = CALL0(now);
        fault();
    }
    sleep_to(1000);
}

/* Lets a's background task do `work`, and fault. */
static inline void let_a_fault(void (*work)(unsigned task))
{
    work_a = work;
    world.work[A + BACKGROUND] = work_and_fault;
}

static inline void sleep_until_3ms(unsigned task)
{
    (void)task;
    sleep_to(3);
}

static inline void wait_for_mutex(unsigned task)
{
    (void)task;
    if (returned_ns == 0) {
        sleep_to(1);
        note(CALL1(mutex_lock, world_handle(WORLD_MUTEX)));
        returned_ns = CALL0(now);
    }
    sleep_to(1000);
}

#endif
