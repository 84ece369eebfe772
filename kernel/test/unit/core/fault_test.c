/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that an assertion guards against, by context. Run with each scheduler, for what can go wrong with it. */
#include "kernel/core/kernel.h"
#include "kernel/test/support/misuse.h"

static struct takt_mutex mutex;
static struct takt_semaphore semaphore;
static struct takt_mailbox mailbox;
static uint32_t storage[1];
static uint32_t message;

static void wait_for_it(void)
{
    CHECK(takt_semaphore_wait(&semaphore) == TAKT_OK);
}

static void wait_until_now(void)
{
    CHECK(takt_semaphore_wait_until(&semaphore, 0) == TAKT_TIMEOUT);
}

static void post(void)
{
    CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
}

static void try_wait(void)
{
    CHECK(takt_semaphore_try_wait(&semaphore) == TAKT_BUSY);
}

static void try_send(void)
{
    CHECK(takt_mailbox_try_send(&mailbox, &message) == TAKT_OK);
}

static void try_receive(void)
{
    CHECK(takt_mailbox_try_receive(&mailbox, &message) == TAKT_BUSY);
}

static void wait_for_what_is_there(void)
{
    post();
    wait_for_it();
}

static void send(void)
{
    CHECK(takt_mailbox_send(&mailbox, &message) == TAKT_OK);
}

static void delay_until_the_past(void)
{
    takt_delay_until(0);
}

static void delay(void)
{
    takt_delay(1);
}

static void receive(void)
{
    CHECK(takt_mailbox_receive(&mailbox, &message) == TAKT_OK);
}

static void lock(void)
{
    scenario_lock(&mutex);
}

static void try_lock(void)
{
    CHECK(takt_mutex_try_lock(&mutex) == TAKT_OK);
}

static void unlock(void)
{
    takt_mutex_unlock(&mutex);
}

static void lock_twice(void)
{
    lock();
    lock();
}

static void try_lock_twice(void)
{
    try_lock();
    try_lock();
}

static void lock_too_many(void)
{
    static struct takt_mutex many[256];
    for (unsigned i = 0; i < sizeof many / sizeof many[0]; i++) {
        takt_mutex_init(&many[i], 1);
        scenario_lock(&many[i]);
    }
}

static void delay_for_ever(void)
{
    takt_delay(TAKT_FOREVER);
}

static void delete_mutex(void)
{
    takt_mutex_delete(&mutex);
}

static void delete_semaphore(void)
{
    takt_semaphore_delete(&semaphore);
}

static void delete_mailbox(void)
{
    takt_mailbox_delete(&mailbox);
}

static void release_periodic(void)
{
    takt_job_release(&scenario.tasks[1]);
}

static void start_task(void)
{
    CHECK(takt_task_start(&scenario.tasks[0], &scenario.configs[0]) == TAKT_OK);
}

static void arm_twice(void)
{
    static struct takt_timer timer;
    timer.state = TAKTI_TIMER_CALL;
    takti_timer_arm(&timer, TAKT_S(1));
    takti_timer_arm(&timer, TAKT_S(2));
}

static void bad_semaphore(void)
{
    takt_semaphore_init(&semaphore, 1, NULL, 2, 1);
}

static void useless_semaphore(void)
{
    takt_semaphore_init(&semaphore, 1, NULL, 0, 0);
}

static void trigger_with_count(void)
{
    takt_semaphore_init(&semaphore, 1, &scenario.tasks[1], 1, 1);
}

static void wait_for_a_trigger(void)
{
    takt_semaphore_init(&semaphore, 1, &scenario.tasks[1], 0, 1);
    wait_for_it();
}

static void wait_until_a_trigger(void)
{
    takt_semaphore_init(&semaphore, 1, &scenario.tasks[1], 0, 1);
    wait_until_now();
}

static void bad_mailbox(void)
{
    takt_mailbox_init(&mailbox, 1, storage, 4, 0, NULL);
}

static void mailbox_of_nothing(void)
{
    takt_mailbox_init(&mailbox, 1, storage, 0, 1, NULL);
}

static void mailbox_nowhere(void)
{
    takt_mailbox_init(&mailbox, 1, NULL, 4, 1, NULL);
}

static void spoil_guard(void)
{
    *(uint32_t *)scenario.configs[0].stack = 0;
    takt_delay(1);
}

static void spoil_guard_of_idle(void)
{
    *(uint32_t *)scenario.system.idle_stack = 0; /* of every job in a cooperative system */
}

/* A task above the others, which suspends itself. */
static struct takt_task h;

static void suspend_h(void *argument)
{
    (void)argument;
    takt_task_suspend(&h);
}

static void resume_h(void)
{
    takt_task_resume(&h);
}

/* A fault on the way out of another one: linked with --wrap of where that way ends. */
_Noreturn void __real_takt_port_halt(void);
_Noreturn void __wrap_takt_port_halt(void);
static bool fault_again;

static void check_exception(const struct takt_fault *fault)
{
    CHECK(fault->magic == TAKT_FAULT_MAGIC && fault->version == TAKT_FAULT_VERSION && fault->address == 0x1234);
    CHECK(fault->file == NULL && fault->line == 0 && fault->task == 0);
    CHECK_TEXT(fault->register_names, "pc sp");
    CHECK(fault->registers[0] == 11 && fault->registers[1] == 12);
    for (unsigned position = 2; position < TAKT_FAULT_REGISTERS; position++) {
        CHECK(fault->registers[position] == 0); /* there are no more */
    }
}

_Noreturn void __wrap_takt_port_halt(void)
{
    if (takt_fault_record.reason == TAKT_FAULT_EXCEPTION) {
        check_exception(&takt_fault_record);
    }
    if (fault_again) {
        fault_again = false;
        takt_fault_raise(TAKT_FAULT_STACK, "second.c", 1, 0);
    }
    __real_takt_port_halt();
}

static void fault_twice(void)
{
    fault_again = true;
    unlock();
}

static void exception(void)
{
    static const uint32_t registers[TAKT_FAULT_REGISTERS] = {11, 12, 13, 14};
    memset(takt_fault_record.registers, 0xFF, sizeof takt_fault_record.registers); /* of another fault */
    takt_fault_raise_exception(0x1234, "pc sp", registers);
}

static const struct misuse misuses[] = {
    {wait_for_it, INTERRUPT, "semaphore.c", 0},
    {wait_for_what_is_there, INTERRUPT, "semaphore.c", 0},
    {wait_until_now, INTERRUPT, "semaphore.c", 0},
    {receive, INTERRUPT, "mailbox.c", 0},
    {send, INTERRUPT, "mailbox.c", 0}, /* although there is room */
    {delay_until_the_past, INTERRUPT, "timer.c", 0},
    {delay, INTERRUPT, "timer.c", 0},
    {wait_for_it, INIT, "kernel.h", 0},
    {wait_for_it, IDLE, "kernel.h", 0},
    {wait_for_it, TASK, "kernel.h", COOPERATIVE},
    {delay, TASK, "kernel.h", COOPERATIVE},
    {delay_for_ever, TASK, "timer.c", 0},
    {lock, INTERRUPT, "mutex.c", 0},
    {lock, INIT, "mutex.c", 0},
    {lock, IDLE, "mutex.c", 0},
    {lock_twice, TASK, "mutex.c", 0},
    {try_lock, INTERRUPT, "mutex.c", 0},
    {try_lock, INIT, "mutex.c", 0},
    {try_lock, IDLE, "mutex.c", 0},
    {try_lock_twice, TASK, "mutex.c", 0},
    {lock_too_many, TASK, "mutex.h", 0},
    {unlock, TASK, "mutex.c", 0},
    {fault_twice, TASK, "mutex.c", 0}, /* the first fault is the one that is reported */
    {unlock, INTERRUPT, "mutex.c", 0},
    {delete_mutex, INTERRUPT, "mutex.c", 0},
    {delete_semaphore, INTERRUPT, "semaphore.c", 0},
    {delete_mailbox, INTERRUPT, "mailbox.c", 0},
    {bad_semaphore, INIT, "semaphore.c", 0},
    {bad_semaphore, CONFIGURED, "nobody: kernel/sync/semaphore.c", 0}, /* nobody runs before the start */
    {useless_semaphore, INIT, "semaphore.c", 0},
    {trigger_with_count, INIT, "semaphore.c", 0},
    {wait_for_a_trigger, TASK, "semaphore.c", 0},
    {wait_until_a_trigger, TASK, "semaphore.c", 0},
    {bad_mailbox, INIT, "mailbox.c", 0},
    {mailbox_of_nothing, INIT, "mailbox.c", 0},
    {mailbox_nowhere, INIT, "mailbox.c", 0},
    {takt_task_yield, INTERRUPT, "dispatch.c", BANDS | COOPERATIVE},
    {resume_h, FREE_INTERRUPT, "dispatch.c", 0},
    {post, FREE_INTERRUPT, "semaphore.c", 0},
    {try_wait, FREE_INTERRUPT, "semaphore.c", 0},
    {try_send, FREE_INTERRUPT, "mailbox.c", 0},
    {try_receive, FREE_INTERRUPT, "mailbox.c", 0},
    {lock, TASK, "dispatch.c", COOPERATIVE}, /* and returns with it */
    {lock, TASK, "task.c", 0},               /* and returns with it */
    {lock, JOB, "job.c", 0},                 /* and returns with it */
    {takt_job_wait, TASK, "job.c", 0},       /* a background task has no jobs */
    {takt_job_wait, INTERRUPT, "job.c", 0},
    {takt_job_wait, JOB, "job.c", COOPERATIVE},
    {release_periodic, TASK, "job.c", 0},
    {start_task, INTERRUPT, "task.c", 0},
    {arm_twice, INIT, "operations.h", 0},
    {exception, TASK, "?exception", 0},
    {spoil_guard, TASK, "?stack", 0},
    {spoil_guard_of_idle, TASK, "?stack", BANDS | COOPERATIVE},
};

static void prepare(const struct misuse *next)
{
    takt_mutex_init(&mutex, 1);
    takt_semaphore_init(&semaphore, 2, NULL, 0, 1);
    takt_mailbox_init(&mailbox, 3, storage, sizeof storage, 1, NULL);
    if (next->call == resume_h) {
        static uint64_t stack[SCENARIO_STACK / 8];
        static const struct takt_task_config config = {
            .name = "h", .entry = suspend_h, .stack = stack, .stack_size = sizeof stack, .index = 2};
        CHECK(takt_task_start(&h, &config) == TAKT_OK);
    }
}

int main(void)
{
    return misuse_run(misuses, sizeof misuses / sizeof *misuses, prepare);
}
