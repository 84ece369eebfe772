/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What rows in processes have done in the kernel's mode: in a call that is not measured, or before the start. Not a
 * file of the rows: the names of calls are the kernel's here.
 */
#include "kernel/core/kernel.h"
#include "objects.h"
#include "protected.h"
#include "stamp.h"
#include "takt/board.h"
#include "target.h"

enum level { LEVEL_ANY };

/* operations.h, rows.h and, under other names there, takt/board.h. */
void thread_create_prepared(struct thread *thread, void (*entry)(void *argument), enum level level);
void thread_delete(struct thread *thread);
void semaphore_init(struct semaphore *semaphore);
void mutex_init(struct mutex *mutex);
void queue_init(struct queue *queue, unsigned message_size);
void events_init(struct events *events);
void interrupt_attach(void (*handler)(void));
struct takt_process *process_of(bool runs_rows);
void processes_declare(struct takt_system *system);
void processes_begin(void);
void handler_attach(struct thread *thread);
void handler_served(void);
uint32_t process_bytes(void);
bool process_board_option(const char *name, uint64_t *value);
_Noreturn void process_board_exit(int status);
void takt_user_irq_ack(uintptr_t interrupt);

static bool user; /* mode */

static void kernel_do(void (*function)(void *argument), void *argument)
{
    if (user) {
        in_kernel(function, argument);
    } else {
        function(argument);
    }
}

static void create(void *argument)
{
    struct thread *thread = argument;
    thread->handle = protected_handle(&thread->task, TAKT_OBJECT_TASK);
    (void)!takt_task_start(&thread->task, &thread->config);
}

void thread_create_prepared(struct thread *thread, void (*entry)(void *argument), enum level level)
{
    (void)entry;
    (void)level;
    kernel_do(create, thread);
}

static void drop(void *argument)
{
    struct thread *thread = argument;
    if (!takt_task_stopped(&thread->task)) {
        takt_task_delete(&thread->task);
    }
}

void thread_delete(struct thread *thread)
{
    kernel_do(drop, thread);
}

static void semaphore_make(void *argument)
{
    struct semaphore *semaphore = argument;
    semaphore->handle = protected_handle(&semaphore->semaphore, TAKT_OBJECT_SEMAPHORE);
    takt_semaphore_init(&semaphore->semaphore, 1, NULL, 0, 8);
}

void semaphore_init(struct semaphore *semaphore)
{
    kernel_do(semaphore_make, semaphore);
}

static void mutex_make(void *argument)
{
    struct mutex *mutex = argument;
    mutex->handle = protected_handle(&mutex->mutex, TAKT_OBJECT_MUTEX);
    takt_mutex_init(&mutex->mutex, 2);
}

void mutex_init(struct mutex *mutex)
{
    kernel_do(mutex_make, mutex);
}

struct queue_wanted {
    struct queue *queue;
    unsigned message_size;
};

static void queue_make(void *argument)
{
    const struct queue_wanted *wanted = argument;
    struct queue *queue = wanted->queue;
    queue->handle = protected_handle(&queue->mailbox, TAKT_OBJECT_MAILBOX);
    takt_mailbox_init(&queue->mailbox, 3, queue->storage, (uint16_t)wanted->message_size, 4, NULL);
}

void queue_init(struct queue *queue, unsigned message_size)
{
    struct queue_wanted wanted = {queue, message_size};
    kernel_do(queue_make, &wanted);
}

static void events_make(void *argument)
{
    struct events *events = argument;
    events->handle = protected_handle(&events->events, TAKT_OBJECT_EVENTS);
    takt_events_init(&events->events, 4);
}

void events_init(struct events *events)
{
    kernel_do(events_make, events);
}

struct attached {
    void (*handler)(void);
};

static void attach(void *argument)
{
    const struct attached *attached = argument;
    takt_port_irq_attach(TARGET_IRQ, attached->handler, true);
}

void interrupt_attach(void (*handler)(void))
{
    struct attached attached = {handler};
    kernel_do(attach, &attached);
}

/* An interrupt of a process. */
static struct takt_process_interrupt line;
static uintptr_t line_handle;

static void line_comes(void)
{
    TARGET_INTERRUPT_SERVED(); /* the device's, which a driver would do */
    takti_process_interrupt(&line);
}

static void line_attach(void *argument)
{
    struct thread *thread = argument;
    line = (struct takt_process_interrupt){.handler = line_comes,
                                           .task = &thread->task,
                                           .number = TARGET_IRQ,
                                           .attached = thread->config.process->config->index};
    line_handle = protected_handle(&line, TAKT_OBJECT_INTERRUPT);
    takt_port_irq_attach(TARGET_IRQ, line_comes, true);
}

void handler_attach(struct thread *thread)
{
    kernel_do(line_attach, thread);
}

void handler_served(void)
{
    takt_user_irq_ack(line_handle);
}

uint32_t process_bytes(void)
{
    return sizeof(struct takt_process);
}

static uint64_t within;
static struct takt_system *declared;

struct takt_process *process_of(bool runs_rows)
{
    return &protected_processes[runs_rows || within != 0 ? 0 : 1];
}

void processes_declare(struct takt_system *system)
{
    (void)takt_board_option("within", &within);
    declared = system;
    protected_declare(system);
}

void processes_begin(void)
{
    declared->task_count = UINT16_MAX; /* all are tasks of the declaration: they may lock whatever there is */
    user = true;
}

struct option {
    const char *name;
    uint64_t *value;
    bool given;
};

static void option_find(void *argument)
{
    struct option *option = argument;
    option->given = takt_board_option(option->name, option->value);
}

bool process_board_option(const char *name, uint64_t *value)
{
    struct option option = {name, value, false};
    kernel_do(option_find, &option);
    return option.given;
}

static void leave(void *argument)
{
    takt_board_exit(*(int *)argument);
}

_Noreturn void process_board_exit(int status)
{
    kernel_do(leave, &status);
    for (;;) {
    }
}
