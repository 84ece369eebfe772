/* SPDX-License-Identifier: Apache-2.0 */
/* The host port: exact preemption, order of interrupts, virtual time, and how a process ends. */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/port.h"
#include "kernel/test/support/scenario.h"
#include "ports/host/host.h"

static char order[64];

static void note(char what)
{
    size_t length = strlen(order);
    CHECK(length + 1 < sizeof order);
    order[length] = what;
    order[length + 1] = '\0';
}

static void note_1(void)
{
    note('1');
}

static void note_2(void)
{
    note('2');
}

static void work_in_handler(void)
{
    CHECK(takt_port_in_interrupt());
    takt_work(TAKT_MS(2));
    note('3');
}

static void work_5(void *argument)
{
    (void)argument;
    CHECK(!takt_port_in_interrupt());
    scenario_work(5);
    note('t');
}

static uint64_t once_more(unsigned number)
{
    CHECK_EQUAL(number, 3);
    return strchr(order, '3') == NULL ? TAKT_MS(2) : UINT64_MAX;
}

static void attach(void)
{
    takt_port_irq_attach(1, note_1, true);
    takt_port_irq_attach(2, note_2, false);
    takt_port_irq_attach(3, work_in_handler, true);
    takt_host_interrupt_every(2, TAKT_MS(1), TAKT_MS(3)); /* 1 4 7 ... */
    takt_host_interrupt_every(1, TAKT_MS(1), 0);
    takt_host_interrupt_gaps(3, TAKT_MS(2), once_more);   /* 2 4, each 2 ms long */
    takt_host_interrupt_every(4, TAKT_MS(1), TAKT_MS(1)); /* nobody attached */
}

/* Equal times by number; execution in a handler is not the task's. */
static void interrupts(void)
{
    scenario_new();
    order[0] = '\0';
    (void)scenario_periodic("a", 1, work_5, 20);
    scenario.before = attach;
    scenario_run(11);
    CHECK_TEXT(order, "12323"
                      "2t2");
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_EXECUTION_MAX), TAKT_MS(5));
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_RESPONSE_MAX), TAKT_MS(9));
}

static void work_3(void *argument)
{
    (void)argument;
    scenario_work(3);
}

/* Preemption lies on the ns. */
static void exact(void)
{
    scenario_new();
    struct takt_task_config *config = scenario_periodic("a", 0, work_3, 10);
    config->offset_ns = 1234567;
    (void)scenario_periodic("b", 1, work_5, 30);
    scenario_run(20);
    CHECK_EQUAL(scenario_figure("b", TAKT_EVENT_STAT_RESPONSE_MAX), TAKT_MS(8));
    CHECK_EQUAL(scenario_figure("b", TAKT_EVENT_STAT_EXECUTION_MAX), TAKT_MS(5));
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_RESPONSE_MAX), TAKT_MS(3));
}

/* A task started at run time gets a context that an earlier system has left. */
static struct takt_task late_task;

static void start_late(void *argument)
{
    (void)argument;
    static struct takt_task_config config;
    static uint64_t stack[32];
    config = (struct takt_task_config){
        .name = "l", .entry = work_3, .stack = stack, .stack_size = sizeof stack, .index = 9, .level = 1};
    memset(&late_task, 0, sizeof late_task);
    CHECK(takt_task_start(&late_task, &config) == TAKT_OK);
    scenario_sleep_to(4);
    CHECK(takt_task_stopped(&late_task));
}

static void many_systems(void)
{
    for (unsigned round = 0; round < 200; round++) {
        scenario_new();
        (void)scenario_task("a", 0, start_late);
        scenario_run(5);
        CHECK_EQUAL(takt_task_stopped(&scenario.tasks[0]), 1);
    }
}

/* An interrupt that has come is taken when the outer lock opens. */
static void lock_twice(void *argument)
{
    (void)argument;
    uint32_t outer = takt_port_lock();
    uint32_t inner = takt_port_lock();
    takt_port_idle(UINT64_MAX);
    takt_port_unlock(inner);
    CHECK_TEXT(order, "");
    takt_port_unlock(outer);
    CHECK_TEXT(order, "12");
}

static void nested_locks(void)
{
    scenario_new();
    order[0] = '\0';
    (void)scenario_task("a", 0, lock_twice);
    scenario.before = attach;
    scenario_run(2);
}

static void wait_for_ever(void *argument)
{
    (void)argument;
    takt_task_suspend(takt_task_running());
}

static void no_end(void)
{
    takt_host_reset(); /* not even the end of the scenario will come */
}

static void on_deadlock(void)
{
    takt_host_exit(7);
}

static void deadlock(void)
{
    scenario_new();
    (void)scenario_task("a", 0, wait_for_ever);
    scenario.before = no_end;
    scenario_run(1);
}

static void handled_deadlock(void)
{
    takt_host_on_deadlock(on_deadlock);
    deadlock();
}

static void attach_beyond(void)
{
    takt_port_irq_attach(TAKT_HOST_INTERRUPTS, note_1, true);
}

static void raise_beyond(void)
{
    takt_host_interrupt_every(TAKT_HOST_INTERRUPTS, 1, 0);
}

static void exit_outside(void)
{
    takt_host_exit(8);
}

static void exit_in_task(void *argument)
{
    (void)argument;
    takt_host_exit(9);
}

static void exit_inside(void)
{
    scenario_new();
    (void)scenario_task("a", 0, exit_in_task);
    scenario_run(1);
}

static void exit_after_a_run(void)
{
    scenario_new();
    (void)scenario_task("a", 0, work_3);
    scenario_run(1);
    takt_host_exit(10);
}

static struct takt_task many[1100];

static void too_many_tasks(void)
{
    static uint64_t stack[32];
    static const struct takt_task_config config = {.stack = stack, .stack_size = sizeof stack};
    for (unsigned index = 0; index < sizeof many / sizeof *many; index++) {
        many[index].config = &config;
        takt_port_context_init(&many[index]);
    }
}

/* Which of the calls for memory fails: linked with --wrap of them. */
static enum { NONE, CALLOC, MMAP, MPROTECT } failing;

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_mmap(void *address, size_t length, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *address, size_t length, int protection, int flags, int file, off_t offset);
int __real_mprotect(void *address, size_t length, int protection);
int __wrap_mprotect(void *address, size_t length, int protection);

void *__wrap_calloc(size_t count, size_t size)
{
    return failing == CALLOC ? NULL : __real_calloc(count, size);
}

void *__wrap_mmap(void *address, size_t length, int protection, int flags, int file, off_t offset)
{
    return failing == MMAP ? MAP_FAILED : __real_mmap(address, length, protection, flags, file, offset);
}

int __wrap_mprotect(void *address, size_t length, int protection)
{
    return failing == MPROTECT ? -1 : __real_mprotect(address, length, protection);
}

static void one_more_context(void)
{
    (void)takt_host_context_new();
}

/* The exit code of `end` in a child. */
static int code_of(void (*end)(void))
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        CHECK(freopen("/dev/null", "w", stderr) != NULL);
        end();
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void work_before(void)
{
    takt_work(TAKT_MS(2));
    CHECK_EQUAL(takt_port_now_ns(), 0);
}

/* What init does, or an alarm at 0, takes no time: as on boards, the clock does not run. */
static void before_the_start(void)
{
    scenario_new();
    (void)scenario_periodic("a", 0, work_3, 10);
    scenario.before = work_before;
    scenario_run(5);
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_RESPONSE_MAX), TAKT_MS(3));
}

int main(void)
{
    CHECK_EQUAL(code_of(exit_outside), 8); /* before any system has run */
    interrupts();
    exact();
    many_systems();
    nested_locks();
    before_the_start();
    CHECK_EQUAL(code_of(deadlock), 3);
    CHECK_EQUAL(code_of(handled_deadlock), 7);
    CHECK_EQUAL(code_of(attach_beyond), 2);
    CHECK_EQUAL(code_of(raise_beyond), 2);
    CHECK_EQUAL(code_of(exit_inside), 9);
    CHECK_EQUAL(code_of(exit_after_a_run), 10);
    CHECK_EQUAL(code_of(too_many_tasks), 3);
    CHECK_EQUAL(code_of(one_more_context), 0);
    for (failing = CALLOC; failing <= MPROTECT; failing++) {
        CHECK_EQUAL(code_of(one_more_context), 3);
    }
    return 0;
}
