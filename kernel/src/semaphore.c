/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/src/kernel.h"

void takt_semaphore_init(struct takt_semaphore *semaphore, uint16_t trace_id, struct takt_task *trigger,
                         uint16_t initial, uint16_t maximum)
{
    TAKT_ASSERT(initial <= maximum && maximum > 0);
    *semaphore = (struct takt_semaphore){.trigger = trigger, .count = initial, .maximum = maximum, .id = trace_id};
}

enum takt_status takt_semaphore_wait_until(struct takt_semaphore *semaphore, uint64_t until_ns)
{
    enum takt_status status = TAKT_OK;
    uint32_t state = takt_port_lock();
    TAKT_ASSERT(!takt_port_in_interrupt());
    if (semaphore->count > 0) {
        semaphore->count--;
        takti_trace(TAKT_EVENT_TAKE, takti_kernel.running, semaphore->id, 0);
    } else {
        struct takti_wait wait = {.queue = &semaphore->waiters, .until_ns = until_ns, .object = semaphore->id};
        status = takti_wait(&wait);
    }
    takt_port_unlock(state);
    return status;
}

enum takt_status takt_semaphore_wait(struct takt_semaphore *semaphore)
{
    return takt_semaphore_wait_until(semaphore, TAKT_FOREVER);
}

enum takt_status takt_semaphore_try_wait(struct takt_semaphore *semaphore)
{
    enum takt_status status = TAKT_BUSY;
    uint32_t state = takt_port_lock();
    if (semaphore->count > 0) {
        semaphore->count--;
        takti_trace(TAKT_EVENT_TAKE, takt_port_in_interrupt() ? NULL : takti_kernel.running, semaphore->id, 0);
        status = TAKT_OK;
    }
    takt_port_unlock(state);
    return status;
}

enum takt_status takt_semaphore_post(struct takt_semaphore *semaphore)
{
    enum takt_status status = TAKT_OK;
    uint32_t state = takt_port_lock();
    struct takt_task *waiter = takti_wait_best(semaphore->waiters);
    takti_trace(TAKT_EVENT_POST, takt_port_in_interrupt() ? NULL : takti_kernel.running, semaphore->id, 0);
    if (semaphore->trigger != NULL) {
        takti_job_arrive(semaphore->trigger);
    } else if (waiter != NULL) {
        takti_wake(waiter, TAKT_OK);
        takti_trace(TAKT_EVENT_TAKE, waiter, semaphore->id, 0);
    } else if (semaphore->count < semaphore->maximum) {
        semaphore->count++;
    } else {
        status = TAKT_LIMIT;
    }
    takti_reschedule();
    takt_port_unlock(state);
    return status;
}

void takt_semaphore_delete(struct takt_semaphore *semaphore)
{
    uint32_t state = takt_port_lock();
    TAKT_ASSERT(!takt_port_in_interrupt());
    takti_wake_all(&semaphore->waiters, TAKT_DELETED);
    takti_reschedule();
    takt_port_unlock(state);
}
