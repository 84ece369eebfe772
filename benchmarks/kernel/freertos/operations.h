/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BENCHMARK_OPERATIONS_H
#define TAKT_BENCHMARK_OPERATIONS_H

/* FreeRTOS: static objects, whose handles are their addresses. */
#include "FreeRTOS.h"
#include "event_groups.h"
#include "queue.h"
#include "semphr.h"
#include "target.h"
#include "task.h"

#define THREAD_STACK_WORDS 128u

struct thread {
    StaticTask_t task;
    StackType_t stack[THREAD_STACK_WORDS];
};

struct semaphore {
    StaticSemaphore_t semaphore;
};

struct mutex {
    StaticSemaphore_t mutex;
};

struct queue {
    StaticQueue_t queue;
    uint32_t storage[16];
};

/* A queue of one message, which is overwritten and peeked at. */
struct latest {
    StaticQueue_t queue;
    uint32_t storage[2];
};

struct events {
    StaticEventGroup_t events;
};

/* The kernel has no pools: a block is one of its heap, as in the figures that are cited. */
struct pool {
    uint32_t none;
};

static inline bool levels_have_equals(void)
{
    return true;
}

static inline void thread_prepare(struct thread *thread, void (*entry)(void *argument), enum level level)
{
    (void)thread;
    (void)entry;
    (void)level;
}

static inline void thread_create_prepared(struct thread *thread, void (*entry)(void *argument), enum level level)
{
    (void)xTaskCreateStatic(entry, "bench", THREAD_STACK_WORDS, NULL, LEVELS - (UBaseType_t)level, thread->stack,
                            &thread->task);
}

static inline void thread_create(struct thread *thread, void (*entry)(void *argument), enum level level)
{
    thread_create_prepared(thread, entry, level);
}

static inline void thread_delete(struct thread *thread)
{
    vTaskDelete((TaskHandle_t)&thread->task);
}

static inline void thread_yield(void)
{
    taskYIELD();
}

static inline void thread_resume(struct thread *thread)
{
    vTaskResume((TaskHandle_t)&thread->task);
}

/* In a handler. */
static inline void thread_resume_interrupt(struct thread *thread)
{
    traceISR_ENTER();
    portYIELD_FROM_ISR(xTaskResumeFromISR((TaskHandle_t)&thread->task));
}

/* Starts one that calls `entry` every period, first a period from now. */
void job_start(struct thread *thread, void (*entry)(void *argument), enum level level, uint64_t period_ns);

static inline void thread_suspend_self(struct thread *self)
{
    (void)self;
    vTaskSuspend(NULL);
}

static inline void semaphore_init(struct semaphore *semaphore)
{
    (void)xSemaphoreCreateCountingStatic(8, 0, &semaphore->semaphore);
}

static inline void semaphore_give(struct semaphore *semaphore)
{
    (void)xSemaphoreGive((SemaphoreHandle_t)&semaphore->semaphore);
}

static inline void semaphore_take(struct semaphore *semaphore)
{
    (void)xSemaphoreTake((SemaphoreHandle_t)&semaphore->semaphore, portMAX_DELAY);
}

static inline bool semaphore_try_take(struct semaphore *semaphore)
{
    return xSemaphoreTake((SemaphoreHandle_t)&semaphore->semaphore, 0) == pdTRUE;
}

static inline void semaphore_give_interrupt(struct semaphore *semaphore)
{
    traceISR_ENTER();
    BaseType_t woken = pdFALSE;
    (void)xSemaphoreGiveFromISR((SemaphoreHandle_t)&semaphore->semaphore, &woken);
    portYIELD_FROM_ISR(woken);
}

static inline void mutex_init(struct mutex *mutex)
{
    (void)xSemaphoreCreateMutexStatic(&mutex->mutex);
}

static inline void mutex_lock(struct mutex *mutex)
{
    (void)xSemaphoreTake((SemaphoreHandle_t)&mutex->mutex, portMAX_DELAY);
}

static inline bool mutex_try_lock(struct mutex *mutex)
{
    return xSemaphoreTake((SemaphoreHandle_t)&mutex->mutex, 0) == pdTRUE;
}

static inline void mutex_unlock(struct mutex *mutex)
{
    (void)xSemaphoreGive((SemaphoreHandle_t)&mutex->mutex);
}

/* What is static stays as it is. */
static inline bool deletes_objects(void)
{
    return false;
}

static inline void mutex_delete(struct mutex *mutex)
{
    vSemaphoreDelete((SemaphoreHandle_t)&mutex->mutex);
}

static inline void queue_init(struct queue *queue, unsigned message_size)
{
    (void)xQueueCreateStatic(4, message_size, (uint8_t *)queue->storage, &queue->queue);
}

static inline void queue_send(struct queue *queue, const void *message)
{
    (void)xQueueSend((QueueHandle_t)&queue->queue, message, portMAX_DELAY);
}

static inline void queue_receive(struct queue *queue, void *message)
{
    (void)xQueueReceive((QueueHandle_t)&queue->queue, message, portMAX_DELAY);
}

static inline bool queue_try_receive(struct queue *queue, void *message)
{
    return xQueueReceive((QueueHandle_t)&queue->queue, message, 0) == pdTRUE;
}

static inline void queue_delete(struct queue *queue)
{
    vQueueDelete((QueueHandle_t)&queue->queue);
}

static inline void latest_init(struct latest *latest)
{
    (void)xQueueCreateStatic(1, sizeof latest->storage, (uint8_t *)latest->storage, &latest->queue);
}

static inline void latest_write(struct latest *latest, const void *message)
{
    (void)xQueueOverwrite((QueueHandle_t)&latest->queue, message);
}

static inline void latest_read(struct latest *latest, void *message)
{
    (void)xQueuePeek((QueueHandle_t)&latest->queue, message, 0);
}

static inline void events_init(struct events *events)
{
    (void)xEventGroupCreateStatic(&events->events);
}

static inline void events_set(struct events *events, uint32_t flags)
{
    (void)xEventGroupSetBits((EventGroupHandle_t)&events->events, flags);
}

static inline uint32_t events_take(struct events *events, uint32_t flags)
{
    return xEventGroupWaitBits((EventGroupHandle_t)&events->events, flags, pdTRUE, pdFALSE, portMAX_DELAY);
}

static inline void pool_init(struct pool *pool)
{
    (void)pool;
}

static inline void *pool_allocate(struct pool *pool)
{
    (void)pool;
    return pvPortMalloc(16);
}

static inline void pool_free(struct pool *pool, void *block)
{
    (void)pool;
    vPortFree(block);
}

/* Expiries are in ticks. The next tick comes when it is requested. */
static inline uint64_t expiry_ahead(unsigned sleepers)
{
    (void)sleepers;
    return (uint64_t)xTaskGetTickCount() + 1u;
}

static inline uint64_t expiry_far(unsigned later)
{
    return (uint64_t)xTaskGetTickCount() + 1000000u + later;
}

/* Before every expiry_far, and not in this run. */
static inline uint64_t expiry_first(void)
{
    return (uint64_t)xTaskGetTickCount() + 500000u;
}

static inline bool semaphore_take_until(struct semaphore *semaphore, uint64_t until_time)
{
    return xSemaphoreTake((SemaphoreHandle_t)&semaphore->semaphore, (TickType_t)until_time) == pdTRUE;
}

static inline void thread_sleep_until(uint64_t until_time)
{
    vTaskDelay((TickType_t)until_time - xTaskGetTickCount());
}

/* Whether threads can hold interrupts back, and have pools. */
static inline bool holds_interrupts(void)
{
    return true;
}

static inline bool has_pools(void)
{
    return true;
}

static inline void expiry_await(uint64_t first, uint64_t last)
{
    (void)first;
    (void)last;
    target_tick_prepare();
}

static inline void expiry_pass(void)
{
    target_tick_pend();
}

/* Of TARGET_IRQ. */
void interrupt_attach(void (*handler)(void));

static inline void interrupts_lock(void)
{
    taskENTER_CRITICAL();
}

static inline void interrupts_unlock(void)
{
    taskEXIT_CRITICAL();
}

#endif
