/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BENCHMARK_OPERATIONS_H
#define TAKT_BENCHMARK_OPERATIONS_H

#include "in_process.h"
#include "objects.h"
#include "target.h"

/* False in an edf band, where a task gives way to nobody. */
bool levels_have_equals(void);

/* Fills the declaration, which an application has in flash. system.c: by the kind of band that is measured. */
void thread_prepare(struct thread *thread, void (*entry)(void *argument), enum level level);

/* A periodic task of the rows: `entry` is a job, the first is released `offset_ns` from now. */
void job_prepare(struct thread *thread, void (*entry)(void *argument), enum level level, uint64_t period_ns,
                 uint64_t offset_ns);

/* Starts one whose first job comes a period from now. */
void job_start(struct thread *thread, void (*entry)(void *argument), enum level level, uint64_t period_ns);

#if TAKT_PROCESSES
/* processes.c: what a process cannot ask for. */
void thread_create_prepared(struct thread *thread, void (*entry)(void *argument), enum level level);
void thread_delete(struct thread *thread);
void semaphore_init(struct semaphore *semaphore);
void mutex_init(struct mutex *mutex);
void queue_init(struct queue *queue, unsigned message_size);
void events_init(struct events *events);
void interrupt_attach(void (*handler)(void));

/* In a handler, which is the kernel's. */
#define KERNEL(name) kernel_##name
enum takt_status kernel_takt_semaphore_post(struct takt_semaphore *semaphore) __asm__("takt_semaphore_post");
void kernel_takt_task_resume(struct takt_task *task) __asm__("takt_task_resume");
#else
#define KERNEL(name) name

static inline void thread_create_prepared(struct thread *thread, void (*entry)(void *argument), enum level level)
{
    (void)entry;
    (void)level;
    (void)!takt_task_start(&thread->task, &thread->config);
}

static inline void thread_delete(struct thread *thread)
{
    takt_task_delete(&thread->task);
}

static inline void semaphore_init(struct semaphore *semaphore)
{
    takt_semaphore_init(&semaphore->semaphore, 1, NULL, 0, 8);
}

static inline void mutex_init(struct mutex *mutex)
{
    takt_mutex_init(&mutex->mutex, 2);
}

static inline void queue_init(struct queue *queue, unsigned message_size)
{
    takt_mailbox_init(&queue->mailbox, 3, queue->storage, (uint16_t)message_size, 4, NULL);
}

static inline void events_init(struct events *events)
{
    takt_events_init(&events->events, 4);
}

/* Of TARGET_IRQ. */
static inline void interrupt_attach(void (*handler)(void))
{
    takt_port_irq_attach(TARGET_IRQ, handler, true);
}
#endif

/* Whether threads can hold interrupts back, and have pools: not in a process. */
static inline bool holds_interrupts(void)
{
    return !TAKT_PROCESSES;
}

static inline bool has_pools(void)
{
    return !TAKT_PROCESSES;
}

static inline void thread_create(struct thread *thread, void (*entry)(void *argument), enum level level)
{
    thread_prepare(thread, entry, level);
    thread_create_prepared(thread, entry, level);
}

static inline void thread_yield(void)
{
    takt_task_yield();
}

static inline void thread_resume(struct thread *thread)
{
    takt_task_resume(OBJECT(thread, task));
}

/* In a handler. */
static inline void thread_resume_interrupt(struct thread *thread)
{
    KERNEL(takt_task_resume)(&thread->task);
}

/* The calling thread, which it names, as one that was declared can. */
static inline void thread_suspend_self(struct thread *self)
{
    takt_task_suspend(OBJECT(self, task));
}

static inline void semaphore_give(struct semaphore *semaphore)
{
    (void)takt_semaphore_post(OBJECT(semaphore, semaphore));
}

static inline void semaphore_take(struct semaphore *semaphore)
{
    (void)!takt_semaphore_wait(OBJECT(semaphore, semaphore));
}

static inline bool semaphore_try_take(struct semaphore *semaphore)
{
    return takt_semaphore_try_wait(OBJECT(semaphore, semaphore)) == TAKT_OK;
}

static inline void semaphore_give_interrupt(struct semaphore *semaphore)
{
    (void)KERNEL(takt_semaphore_post)(&semaphore->semaphore);
    TARGET_INTERRUPT_SERVED();
}

static inline void mutex_lock(struct mutex *mutex)
{
    (void)!takt_mutex_lock(OBJECT(mutex, mutex));
}

static inline bool mutex_try_lock(struct mutex *mutex)
{
    return takt_mutex_try_lock(OBJECT(mutex, mutex)) == TAKT_OK;
}

static inline void mutex_unlock(struct mutex *mutex)
{
    takt_mutex_unlock(OBJECT(mutex, mutex));
}

/* FreeRTOS changes nothing when it deletes what is static, so there is nothing to measure. */
static inline bool deletes_objects(void)
{
    return true;
}

static inline void mutex_delete(struct mutex *mutex)
{
    takt_mutex_delete(OBJECT(mutex, mutex));
}

static inline void queue_send(struct queue *queue, const void *message)
{
    (void)!takt_mailbox_send(OBJECT(queue, mailbox), message);
}

static inline void queue_receive(struct queue *queue, void *message)
{
    (void)!takt_mailbox_receive(OBJECT(queue, mailbox), message);
}

static inline bool queue_try_receive(struct queue *queue, void *message)
{
    return takt_mailbox_try_receive(OBJECT(queue, mailbox), message) == TAKT_OK;
}

static inline void queue_delete(struct queue *queue)
{
    takt_mailbox_delete(OBJECT(queue, mailbox));
}

static inline void latest_init(struct latest *latest)
{
    takt_state_init(&latest->state, latest->storage, LATEST_SIZE, LATEST_COPIES);
}

static inline void latest_write(struct latest *latest, const void *message)
{
    takt_state_write(&latest->state, message, LATEST_SIZE);
}

static inline void latest_read(struct latest *latest, void *message)
{
    (void)!takt_state_read(&latest->state, message, LATEST_SIZE);
}

static inline void events_set(struct events *events, uint32_t flags)
{
    takt_events_set(OBJECT(events, events), flags);
}

/* Waits for any of the flags, which it clears. */
static inline uint32_t events_take(struct events *events, uint32_t flags)
{
    struct takt_events_wanted wanted = {flags, TAKT_EVENTS_CLEAR};
    (void)!takt_events_wait(OBJECT(events, events), &wanted);
    return wanted.flags;
}

static inline void pool_init(struct pool *pool)
{
    takt_pool_init(&pool->pool, 5, pool->storage, 16, 4);
}

static inline void *pool_allocate(struct pool *pool)
{
    return takt_pool_try_allocate(&pool->pool);
}

static inline void pool_free(struct pool *pool, void *block)
{
    takt_pool_free(&pool->pool, block);
}

/* Far enough for so many tasks to go to sleep. */
static inline uint64_t expiry_ahead(unsigned sleepers)
{
    return takt_now() + TAKT_US(60) * (2u + sleepers);
}

static inline uint64_t expiry_far(unsigned later)
{
    return takt_now() + TAKT_S(1000000) + later * TAKT_US(1);
}

/* Before every expiry_far, and not in this run. */
static inline uint64_t expiry_first(void)
{
    return takt_now() + TAKT_S(500000);
}

static inline bool semaphore_take_until(struct semaphore *semaphore, uint64_t until_time)
{
    return takt_semaphore_wait_until(OBJECT(semaphore, semaphore), until_time) == TAKT_OK;
}

static inline void thread_sleep_until(uint64_t until_time)
{
    takt_delay_until(until_time);
}

/* Holds the timer's interrupt back from before `first` until `last` has come. */
static inline void expiry_await(uint64_t first, uint64_t last)
{
    uint64_t left_ns = first - takt_now();
    if (left_ns - TAKT_US(10) > TAKT_S(1)) {
        harness_fail("going to sleep took too long", "due");
    }
    takt_work(left_ns - TAKT_US(10));
    (void)takt_port_lock();
    while (takt_port_now_ns() < last + 100u) {
    }
}

static inline void expiry_pass(void)
{
    takt_port_unlock(0);
}

static inline void interrupts_lock(void)
{
    (void)takt_port_lock();
}

static inline void interrupts_unlock(void)
{
    takt_port_unlock(0);
}

#endif
