/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interrupts wherever the lock is open, in the timer's own as well: linked with --wrap of what locks and unlocks. At
 * each such point everything that the kernel keeps must agree.
 */
#include "kernel/test/support/scenario.h"

#include "kernel/port.h"
#include "kernel/test/model/drive/consistent.h"
#include "ports/host/host.h"

enum { TASKS = 8, MUTEXES = 4, SEMAPHORES = 2, MAILBOXES = 3, CALLS = 6, ROOM = 2, SOURCE = 5, MESSAGES = 1 << 16 };
enum { NESTED_MAX = 2, DEADLINES = 2 };

static struct takt_mutex mutexes[MUTEXES];
static struct takt_semaphore semaphores[SEMAPHORES];
static struct takt_mailbox mailboxes[MAILBOXES];
static uint64_t storage[MAILBOXES][ROOM];
static struct takti_call calls[CALLS];
TAKT_TIMERS_DEFINE(exact, TASKS + DEADLINES + CALLS + 1);
static uint64_t random_state;
static unsigned nested; /* interrupts that an interrupt was interrupted by */
static uint32_t sent;
static bool received[MESSAGES];
static unsigned long interrupts;
static bool calm; /* none comes before the next call: it follows from what the caller looked at */

static unsigned below(unsigned limit)
{
    return (unsigned)(check_random(&random_state) % limit);
}

static void any_status(enum takt_status status)
{
    (void)status;
}

static const struct takt_known given[] = {
    {&mutexes[0], TAKT_KNOWN_MUTEX},     {&mutexes[1], TAKT_KNOWN_MUTEX},        {&mutexes[2], TAKT_KNOWN_MUTEX},
    {&mutexes[3], TAKT_KNOWN_MUTEX},     {&semaphores[0], TAKT_KNOWN_SEMAPHORE}, {&semaphores[1], TAKT_KNOWN_SEMAPHORE},
    {&mailboxes[0], TAKT_KNOWN_MAILBOX}, {&mailboxes[1], TAKT_KNOWN_MAILBOX},    {&mailboxes[2], TAKT_KNOWN_MAILBOX},
    {&calls[0], TAKT_KNOWN_TIMER_CALL},  {&calls[1], TAKT_KNOWN_TIMER_CALL},     {&calls[2], TAKT_KNOWN_TIMER_CALL},
    {&calls[3], TAKT_KNOWN_TIMER_CALL},  {&calls[4], TAKT_KNOWN_TIMER_CALL},     {&calls[5], TAKT_KNOWN_TIMER_CALL}};
static const struct takt_known_objects objects = {given, sizeof given / sizeof given[0], UINT16_MAX};

static void note_message(uint64_t message)
{
    CHECK(message < sent && !received[message % MESSAGES]);
    received[message % MESSAGES] = true;
}

static struct takt_task *any_task(void)
{
    return &scenario.tasks[below(TASKS)];
}

static void call_made(struct takti_call *due);

static void arm_any(void)
{
    uint64_t now_ns = takt_port_now_ns();
    uint64_t at_ns = now_ns / 1000 * 1000 + 1000 * (uint64_t)below(12);
    at_ns = below(8) == 0 ? now_ns : below(8) == 0 ? now_ns - now_ns / 3 : below(40) == 0 ? TAKT_FOREVER : at_ns;
    takti_call_at(&calls[below(CALLS)], at_ns, call_made);
}

static void cancel_any(void)
{
    uint32_t lock = takt_port_lock();
    takti_timer_cancel(&calls[below(CALLS)].timer);
    takt_port_unlock(lock);
}

static uint64_t next_message(void)
{
    CHECK(sent < MESSAGES * 64u);
    received[sent % MESSAGES] = false;
    return sent++;
}

/* What a task or an interrupt may do. */
static void anything(void)
{
    uint64_t message;
    switch (below(14)) {
    case 0:
    case 1:
        any_status(takt_semaphore_post(&semaphores[below(SEMAPHORES)]));
        break;
    case 2:
        any_status(takt_semaphore_try_wait(&semaphores[below(SEMAPHORES)]));
        break;
    case 3:
        message = next_message();
        any_status(takt_mailbox_try_send(&mailboxes[below(MAILBOXES)], &message));
        break;
    case 4:
        if (takt_mailbox_try_receive(&mailboxes[below(MAILBOXES)], &message) == TAKT_OK) {
            note_message(message);
        }
        break;
    case 5:
        takt_job_release(&scenario.tasks[TASKS - 1]);
        break;
    case 6:
        takt_task_suspend(any_task());
        break;
    case 7:
    case 8:
    case 9:
        takt_task_resume(any_task());
        break;
    case 10:
        if (below(6) == 0) {
            takt_task_stop(&scenario.tasks[below(TASKS - 1)]);
        }
        break;
    case 11:
    case 12:
        arm_any();
        break;
    default:
        cancel_any();
        break;
    }
}

static void call_made(struct takti_call *due)
{
    (void)due;
    if (below(2) == 0) {
        anything();
    }
}

static void missed(struct takt_task *task)
{
    (void)task;
    anything();
}

static void interrupt(void)
{
    interrupts++;
    anything();
    if (below(3) == 0) {
        anything();
    }
}

/*
 * One comes here, perhaps. To look at one point in 31 keeps the test short: it finds what stays broken, and of what is
 * whole again soon only what is broken at such a point.
 */
static void interrupted(void)
{
    static unsigned points;
    if (!takti_kernel.timers.running || takti_kernel.idle.level == NULL) {
        return;
    }
    if (++points % 31 == 0) {
        check_consistent(&objects);
    }
    if (takt_port_caller(0) == 0) {
        if (below(6) == 0) {
            takt_host_interrupt_every(SOURCE, takt_port_now_ns(), 0);
            takt_host_interrupts_take();
        }
    } else if (nested < NESTED_MAX && below(6) == 0) {
        nested++;
        takt_interrupt_enter(SOURCE);
        interrupt();
        takt_interrupt_exit(SOURCE);
        nested--;
    }
}

uint32_t __real_takt_port_enter(void);
uint32_t __wrap_takt_port_enter(void);
void __real_takt_port_leave(uint32_t entered);
void __wrap_takt_port_leave(uint32_t entered);
void __real_takt_port_unlock(uint32_t state);
void __wrap_takt_port_unlock(uint32_t state);

uint32_t __wrap_takt_port_enter(void)
{
    if (!calm) {
        interrupted();
    }
    calm = false;
    return __real_takt_port_enter();
}

void __wrap_takt_port_leave(uint32_t entered)
{
    __real_takt_port_leave(entered);
    interrupted();
}

void __wrap_takt_port_unlock(uint32_t state)
{
    __real_takt_port_unlock(state);
    if (state == 0) {
        interrupted();
    }
}

static unsigned held(const struct takt_task *task)
{
    unsigned highest = 0;
    for (unsigned index = 0; index < MUTEXES; index++) {
        highest = mutexes[index].owner == task ? index + 1 : highest;
    }
    return highest;
}

static void lock_any(const struct takt_task *task)
{
    unsigned index = below(MUTEXES);
    struct takt_mutex *mutex = &mutexes[index];
    if (mutex->owner == task) {
        return;
    }
    if (index < held(task)) {
        any_status(takt_mutex_try_lock(mutex));
    } else if (below(3) == 0) {
        any_status(takt_mutex_lock_until(mutex, takt_port_now_ns() + 1000 * (uint64_t)below(6)));
    } else {
        any_status(takt_mutex_lock(mutex));
    }
}

static void unlock(unsigned index, const struct takt_task *task)
{
    if (mutexes[index].owner == task) {
        calm = true;
        takt_mutex_unlock(&mutexes[index]);
    }
}

static void unlock_any(const struct takt_task *task)
{
    unlock(below(MUTEXES), task);
}

static void unlock_all(const struct takt_task *task)
{
    for (unsigned index = 0; index < MUTEXES; index++) {
        unlock(index, task);
    }
}

static void start_any(void)
{
    unsigned index = below(TASKS);
    if (takt_task_stopped(&scenario.tasks[index])) {
        any_status(takt_task_start(&scenario.tasks[index], &scenario.configs[index]));
    }
}

static void step(const struct takt_task *task)
{
    uint64_t now_ns = takt_port_now_ns();
    uint64_t message;
    switch (below(14)) {
    case 0:
    case 1:
    case 2:
        lock_any(task);
        break;
    case 3:
    case 4:
    case 5:
        unlock_any(task);
        break;
    case 6:
        any_status(takt_semaphore_wait(&semaphores[below(SEMAPHORES)]));
        break;
    case 7:
        any_status(takt_semaphore_wait_until(&semaphores[below(SEMAPHORES)], now_ns + 1000 * (uint64_t)below(5)));
        break;
    case 8:
        message = next_message();
        any_status(takt_mailbox_send_until(&mailboxes[below(MAILBOXES)], &message, now_ns + 1000 * (uint64_t)below(9)));
        break;
    case 9:
        if (takt_mailbox_receive_until(&mailboxes[below(MAILBOXES)], &message, now_ns + 1000 * (uint64_t)below(9)) ==
            TAKT_OK) {
            note_message(message);
        }
        break;
    case 10:
        takt_delay(1000 * (uint64_t)below(6));
        break;
    case 11:
        takt_task_yield();
        break;
    case 12:
        start_any();
        if (below(10) == 0) {
            takt_mutex_delete(&mutexes[below(MUTEXES)]);
        }
        break;
    default:
        anything();
        break;
    }
}

static void steps(unsigned count)
{
    const struct takt_task *task = takt_task_running();
    for (; count > 0; count--) {
        step(task);
        takt_work(100 * (1 + below(20)));
        CHECK(takti_timers_first_ns() >= takt_port_now_ns());
    }
}

static void forever_entry(void *argument)
{
    (void)argument;
    for (;;) {
        steps(1);
    }
}

static void job_entry(void *argument)
{
    (void)argument;
    if (takt_task_running() == &scenario.tasks[TASKS - 1]) {
        start_any();
    }
    steps(1 + below(4));
    unlock_all(takt_task_running());
}

static void before(void)
{
    takt_port_irq_attach(SOURCE, interrupt, true);
    takt_port_irq_attach(SOURCE + 1, interrupt, true);
    takt_host_interrupt_every(SOURCE + 1, 1000, 2500);
    memset(calls, 0, sizeof calls);
    memset(mutexes, 0, sizeof mutexes);
    sent = 0;
    for (unsigned index = 0; index < SEMAPHORES; index++) {
        takt_semaphore_init(&semaphores[index], (uint16_t)index, NULL, (uint16_t)index, 2);
    }
    for (unsigned index = 0; index < MAILBOXES; index++) {
        takt_mailbox_init(&mailboxes[index], (uint16_t)index, storage[index], sizeof storage[index][0], ROOM,
                          index == 1 ? &scenario.tasks[TASKS - 1] : NULL);
    }
    mailboxes[2].pairs = 0; /* by bytes */
    mailboxes[2].room = 0;
}

static void one(uint64_t seed)
{
    static const char *const names[TASKS] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    random_state = seed;
    nested = 0;
    scenario_new();
    scenario.system.timers = &exact;
    scenario.before = before;
    for (unsigned index = 0; index < TASKS; index++) {
        unsigned level = 1 + below(5);
        if (index < DEADLINES) {
            struct takt_task_config *config = scenario_periodic(names[index], level, job_entry, 1);
            config->period_ns = 10000 + 1000 * below(20);
            config->deadline_ns = 2000 + 1000 * below(20);
            scenario_on_miss(config, index == 0 ? TAKT_MISS_NOTIFY : TAKT_MISS_STOP);
            config->miss_hook = missed;
        } else if (index == TASKS - 1) {
            struct takt_task_config *config = scenario_sporadic(names[index], level, job_entry, 1);
            config->period_ns = 5000;
        } else {
            (void)scenario_task(names[index], level, forever_entry);
        }
    }
    if (TAKT_SLICES && seed % 3 == 0) {
        scenario.system.level_quanta_ns = scenario.quanta_ns;
        scenario.quanta_ns[2] = 3000;
        scenario.quanta_ns[4] = 2000;
    }
    scenario_run(1);
}

int main(void)
{
    uint64_t state = check_seed();
    for (unsigned long round = 0; round < check_cases(TAKT_TRACE ? 60 : 600); round++) {
        one(check_random(&state));
    }
    CHECK(interrupts > 1000);
    return 0;
}
