/* SPDX-License-Identifier: Apache-2.0 */
/* Alarms whose handlers a task calls. A system without them is linked without semaphores. */
#include "kernel/core/kernel.h"
#include "takt/alarm.h"

void takt_alarm_queue_init(struct takt_alarm_queue *queue, struct takt_semaphore *semaphore)
{
    TAKT_ASSERT(semaphore != NULL);
    *queue = (struct takt_alarm_queue){.end = &queue->first, .semaphore = semaphore};
}

void takt_alarm_attach(struct takt_alarm *alarm, struct takt_alarm_queue *queue)
{
    TAKT_ASSERT(!alarm->started && !alarm->queued);
    alarm->call.function = takti_alarm_due_queued;
    alarm->queue = queue;
}

void takti_alarm_due_queued(struct takti_call *call)
{
    struct takt_alarm *alarm = (struct takt_alarm *)call;
    struct takt_alarm_queue *queue = alarm->queue;
    uint32_t lock = takt_port_enter();
    bool came = takti_alarm_came(alarm);
    bool waits = alarm->queued;
    if (came && waits) {
        alarm->missed++;
    } else if (came) {
        alarm->queued = true;
        alarm->next = NULL;
        *queue->end = alarm;
        queue->end = &alarm->next;
        queue->count++;
    }
    takt_port_leave(lock);
    if (came && !waits) {
        (void)takt_semaphore_post(queue->semaphore);
    }
}

/* Removes the first alarm of the queue; NULL: the queue is empty. */
static struct takt_alarm *alarm_take(struct takt_alarm_queue *queue)
{
    uint32_t lock = takt_port_enter();
    struct takt_alarm *alarm = queue->first;
    if (alarm != NULL) {
        queue->first = alarm->next;
        if (queue->first == NULL) {
            queue->end = &queue->first;
        }
        queue->count--;
        alarm->queued = false;
        takti_trace(TAKT_EVENT_ALARM, takti_kernel.ready.running, alarm->id, TAKT_ALARM_SERVED);
    }
    takt_port_leave(lock);
    return alarm;
}

unsigned takt_alarm_serve(struct takt_alarm_queue *queue)
{
    uint32_t lock = takt_port_enter();
    unsigned waiting = queue->count;
    unsigned served = 0;
    struct takt_alarm *alarm;
    TAKT_ASSERT(takt_port_caller(lock) == 0);
    takt_port_leave(lock);
    while (served < waiting && (alarm = alarm_take(queue)) != NULL) {
        alarm->handler(alarm);
        served++;
    }
    return served;
}
