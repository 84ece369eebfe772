/* SPDX-License-Identifier: Apache-2.0 */
/* Every misuse that an assertion guards against, each in a process of its own: the fault names the file of the check.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/port.h"
#include "kernel/src/kernel.h"
#include "ports/host/host.h"
#include "scenario.h"

static struct takt_mutex mutex;
static struct takt_semaphore semaphore;
static struct takt_mailbox mailbox;
static uint32_t storage[1];
static uint32_t message;
static void (*in_interrupt)(void);
static void (*in_idle)(void);

void takt_hook_idle(void)
{
    if (in_idle != NULL) {
        in_idle();
    }
}

static void wait_for_it(void)
{
    CHECK(takt_semaphore_wait(&semaphore) == TAKT_OK);
}

static void post(void)
{
    CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
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
    takti_timer_arm(&takti_kernel.idle, (enum takti_timer)TAKTI_TIMER_CALL, TAKT_S(1));
    takti_timer_arm(&takti_kernel.idle, (enum takti_timer)TAKTI_TIMER_CALL, TAKT_S(2));
}

static void bad_semaphore(void)
{
    takt_semaphore_init(&semaphore, 1, NULL, 2, 1);
}

static void useless_semaphore(void)
{
    takt_semaphore_init(&semaphore, 1, NULL, 0, 0);
}

static void bad_mailbox(void)
{
    takt_mailbox_init(&mailbox, 1, storage, 4, 0);
}

static void mailbox_of_nothing(void)
{
    takt_mailbox_init(&mailbox, 1, storage, 0, 1);
}

static void mailbox_nowhere(void)
{
    takt_mailbox_init(&mailbox, 1, NULL, 4, 1);
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

static void small_stack(void)
{
    scenario.configs[1].stack_size = 32;
}

static void odd_stack(void)
{
    scenario.configs[1].stack = (char *)scenario.configs[1].stack + 4;
}

static void no_such_level(void)
{
    scenario.configs[1].level = TAKT_LEVELS;
}

static void period_of_background(void)
{
    scenario.configs[1].release = TAKT_BACKGROUND;
}

static void no_deadline(void)
{
    scenario.configs[1].deadline_ns = 0;
}

static void background_in_edf(void)
{
    scenario_edf(scenario.configs[0].level);
}

static void sporadic_without_places(void)
{
    scenario.configs[1].release = TAKT_SPORADIC;
}

static void sporadic_nowhere(void)
{
    scenario.configs[1].release = TAKT_SPORADIC;
    scenario.configs[1].pending_max = 1;
}

static void odd_ring(void)
{
    scenario.system.trace_capacity = 100;
}

static void no_timers(void)
{
    scenario.system.timers = NULL;
}

static void leaves_no_power_of_two(void)
{
    static struct takt_timer_space odd;
    odd = *scenario.system.timers;
    odd.leaves = 48;
    scenario.system.timers = &odd;
}

static void index_twice(void)
{
    scenario.configs[1].index = 0;
}

static void index_beyond(void)
{
    scenario.configs[1].index = 1000;
}

static enum takt_status no_room(const struct takt_task *task, const struct takt_task_config *config, uint32_t lock)
{
    (void)lock;
    (void)task;
    (void)config;
    return TAKT_LIMIT;
}

static void admission_without_room(void)
{
    static const struct takt_admission admission = {.add = no_room};
    scenario.system.admission = &admission;
}

enum where { TASK, INTERRUPT, FREE_INTERRUPT, IDLE, INIT, COOPERATIVE, JOB, CONFIGURED };

static const struct misuse {
    void (*call)(void);
    enum where where;
    const char *file; /* "?": an exhausted stack */
} misuses[] = {
    {wait_for_it, INTERRUPT, "semaphore.c"},
    {wait_for_what_is_there, INTERRUPT, "semaphore.c"},
    {receive, INTERRUPT, "mailbox.c"},
    {send, INTERRUPT, "mailbox.c"}, /* although there is room */
    {delay_until_the_past, INTERRUPT, "wait.c"},
    {delay, INTERRUPT, "wait.c"},
    {wait_for_it, INIT, "wait.c"},
    {wait_for_it, IDLE, "wait.c"},
    {wait_for_it, COOPERATIVE, "wait.c"},
    {delay_for_ever, TASK, "wait.c"},
    {lock, INTERRUPT, "mutex.c"},
    {lock, INIT, "mutex.c"},
    {lock, IDLE, "mutex.c"},
    {lock_twice, TASK, "mutex.c"},
    {try_lock, INTERRUPT, "mutex.c"},
    {try_lock, INIT, "mutex.c"},
    {try_lock, IDLE, "mutex.c"},
    {try_lock_twice, TASK, "mutex.c"},
    {unlock, TASK, "mutex.c"},
    {unlock, INTERRUPT, "mutex.c"},
    {delete_mutex, INTERRUPT, "mutex.c"},
    {delete_semaphore, INTERRUPT, "semaphore.c"},
    {delete_mailbox, INTERRUPT, "mailbox.c"},
    {bad_semaphore, INIT, "semaphore.c"},
    {useless_semaphore, INIT, "semaphore.c"},
    {bad_mailbox, INIT, "mailbox.c"},
    {mailbox_of_nothing, INIT, "mailbox.c"},
    {mailbox_nowhere, INIT, "mailbox.c"},
    {takt_task_yield, INTERRUPT, "dispatch.c"},
    {post, FREE_INTERRUPT, "dispatch.c"},
    {lock, COOPERATIVE, "dispatch.c"}, /* and returns with it */
    {lock, TASK, "task.c"},            /* and returns with it */
    {lock, JOB, "job.c"},              /* and returns with it */
    {takt_job_wait, TASK, "job.c"},    /* a background task has no jobs */
    {takt_job_wait, INTERRUPT, "job.c"},
    {takt_job_wait, COOPERATIVE, "job.c"},
    {release_periodic, TASK, "job.c"},
    {start_task, INTERRUPT, "task.c"},
    {arm_twice, INIT, "timer.c"},
    {spoil_guard, TASK, "?"},
    {spoil_guard_of_idle, TASK, "?"},
    {spoil_guard_of_idle, COOPERATIVE, "?"},
    {small_stack, CONFIGURED, "task.c"},
    {odd_stack, CONFIGURED, "task.c"},
    {no_such_level, CONFIGURED, "task.c"},
    {period_of_background, CONFIGURED, "task.c"},
    {no_deadline, CONFIGURED, "task.c"},
    {background_in_edf, CONFIGURED, "task.c"},
    {sporadic_without_places, CONFIGURED, "task.c"},
    {sporadic_nowhere, CONFIGURED, "task.c"},
    {odd_ring, CONFIGURED, "start.c"},
    {no_timers, CONFIGURED, "timer.c"},
    {leaves_no_power_of_two, CONFIGURED, "timer.c"},
    {index_twice, CONFIGURED, "timer.c"},
    {index_beyond, CONFIGURED, "timer.c"},
    {admission_without_room, CONFIGURED, "start.c"},
};

static const struct misuse *current;

static void background(void *argument)
{
    (void)argument;
    scenario_work(1);
    if (current->where == TASK || current->where == COOPERATIVE) {
        current->call();
    }
}

static void job(void *argument)
{
    (void)argument;
    if (current->where == JOB) {
        current->call();
    }
}

static void handler(void)
{
    in_interrupt();
}

static void before(void)
{
    takt_mutex_init(&mutex, 1);
    takt_semaphore_init(&semaphore, 2, NULL, 0, 1);
    takt_mailbox_init(&mailbox, 3, storage, sizeof storage, 1);
    if (current->where == INTERRUPT || current->where == FREE_INTERRUPT) {
        in_interrupt = current->call;
        takt_port_irq_attach(1, handler, current->where == INTERRUPT);
        takt_host_interrupt_every(1, 10, 0);
    } else if (current->where == INIT) {
        current->call();
    }
    in_idle = current->where == IDLE ? current->call : NULL;
}

static void misuse(void)
{
    scenario_new();
    (void)scenario_task("a", 1, background);
    (void)scenario_periodic("p", 0, job, 5);
    scenario.before = before;
    scenario.system.cooperative = current->where == COOPERATIVE;
    if (current->where == CONFIGURED) {
        current->call();
    }
    scenario_run(100);
}

/* Runs one in a child. Returns its exit code; what it says on stderr is in `said`. */
static int in_child(char *said, size_t room)
{
    int ends[2];
    CHECK(pipe(ends) == 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], STDERR_FILENO);
        misuse();
        exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    ssize_t got;
    while ((got = read(ends[0], said + length, room - 1 - length)) > 0) {
        length += (size_t)got;
    }
    said[length] = '\0';
    close(ends[0]);
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

int main(void)
{
    for (unsigned place = 0; place < sizeof misuses / sizeof *misuses; place++) {
        char said[1024];
        char expected[64];
        current = &misuses[place];
        int code = in_child(said, sizeof said);
        snprintf(expected, sizeof expected, "%s:", current->file);
        if (code != 4 || strstr(said, "takt: fault") == NULL || strstr(said, expected) == NULL) {
            printf("misuse %u ends with %d, not with a fault in %s: %s\n", place, code, current->file, said);
            return 1;
        }
    }
    return 0;
}
