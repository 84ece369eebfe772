/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's side: calls, scenarios, and what comes of them. */
#include "kernel_side.h"
#include "target.h"

static const struct {
    const char *name;
    const char *log;
} checks[CHECKS] = {
    [CHECK_START] = {"argument and result of the first switch", ""},
    [CHECK_NULL] = {"call: four arguments, a result of one word", ""},
    [CHECK_WIDE] = {"call: four arguments, a result of two words", ""},
    [CHECK_REGISTERS_CALL] = {"call: registers", ""},
    [CHECK_REGISTERS_BLOCK] = {"call that blocks: registers", ""},
    [CHECK_TIMEOUT] = {"call that blocks: result by timeout", ""},
    [CHECK_FLUSH] = {"call that blocks: result by a waker", "f"},
    [CHECK_WAKE] = {"call that wakes a better task of the same process", "lfm"},
    [CHECK_INTERRUPT] = {"interrupt that preempts user mode", "sfe"},
    [CHECK_INTERRUPT_CALL] = {"interrupt that preempts a call, at its end", "sefm"},
    [CHECK_INTERRUPT_IDLE] = {"interrupt that ends idle", "fm"},
    [CHECK_REGISTERS_FIRST] = {"registers of the task that preempts", ""},
    [CHECK_REGISTERS_LOW] = {"registers of the preempted task", ""},
    [CHECK_JOBS] = {"jobs", ""},
};

/* What `other` does, and what is to come of it: a fault, or none. */
enum { NO_FAULT = 100 };
struct scenario {
    const char *name;
    enum command command;
    uint32_t address;
    uint8_t fault;   /* enum takt_process_fault, or NO_FAULT */
    bool anywhere;   /* the fault says no address, or one that depends on the processor */
    const char *log; /* NULL: that of a scenario in which `other` does not log: low's */
};

#define ADDRESS(of) ((uint32_t)(uintptr_t)(of))
#define STRAY(name, command, address)                                    \
    {                                                                    \
        name, command, ADDRESS(address), TAKT_PROCESS_STRAY, false, NULL \
    }
#define FINE(name, command, address)                           \
    {                                                          \
        name, command, ADDRESS(address), NO_FAULT, false, NULL \
    }
static volatile uint32_t canary = 0xC0FFEE;

/* Of the other process's memory: nobody uses these words. */
#define A_FREE (user_a_memory_start + A_SIZE / 2)

static const struct scenario scenarios[] = {
    {"nothing", DO_NOTHING, 0, NO_FAULT, false, "123"},
    {"call that wakes a better task of another process", DO_POST_FIRST, 0, NO_FAULT, false, "1ofp23"},
    {"yield between processes", DO_YIELD, 0, NO_FAULT, false, "1a2b3c"},
    {"registers of a task preempted by another process", DO_PATTERN, 0, NO_FAULT, true, NULL},
    FINE("read of its own memory, first word", DO_READ, user_b_memory_start),
    FINE("read of its own memory, last word", DO_READ, user_b_memory_start + B_SIZE - 4),
    FINE("write of its own memory, last word", DO_WRITE, user_b_memory_start + B_SIZE - 4),
    FINE("read of its own text, first word", DO_READ, user_b_text_start),
    FINE("read of its own text, last word", DO_READ, user_b_text_start + TEXT_SIZE - 4),
    FINE("read of the shared text", DO_READ, user_shared_start + SHARED_SIZE - 4),
    STRAY("read before its memory", DO_READ, user_b_memory_start - 4),
    STRAY("read after its memory", DO_READ, user_b_memory_start + B_SIZE),
    STRAY("read before its text", DO_READ, user_b_text_start - 4),
    STRAY("read after its text", DO_READ, user_b_text_start + TEXT_SIZE),
    STRAY("read before the shared text", DO_READ, user_shared_start - 4),
    STRAY("write of its own text", DO_WRITE, user_b_text_start + TEXT_SIZE - 4),
    STRAY("write of the shared text", DO_WRITE, user_shared_start + SHARED_SIZE - 4),
    STRAY("execution of its own memory", DO_EXECUTE, user_b_memory_start + B_SIZE - 64),
    STRAY("read of another process's memory", DO_READ, A_FREE),
    STRAY("write of another process's memory", DO_WRITE, A_FREE),
    STRAY("execution of another process's memory", DO_EXECUTE, A_FREE),
    STRAY("read of another process's text", DO_READ, user_a_text_start),
    STRAY("write of another process's text", DO_WRITE, user_a_text_start),
    STRAY("execution of another process's text", DO_EXECUTE, user_a_text_start),
    STRAY("read of the kernel's memory", DO_READ, &canary),
    STRAY("write of the kernel's memory", DO_WRITE, &canary),
    STRAY("execution of the kernel's memory", DO_EXECUTE, &canary),
    STRAY("read of the kernel's text", DO_READ, &scenarios[0]),
    STRAY("write of the kernel's text", DO_WRITE, &scenarios[0]),
    STRAY("execution of the kernel's text", DO_EXECUTE, takt_now),
    STRAY("read of a device", DO_READ, TARGET_DEVICE),
    STRAY("write of a device", DO_WRITE, TARGET_DEVICE),
    STRAY("read at the top of the addresses", DO_READ, 0xFFFFFFFCu),
    STRAY("execution at address 0x10", DO_EXECUTE, 0x10),
    {"read of the guard of its stack", DO_READ, ADDRESS(B_STACK), TAKT_PROCESS_STACK, false, NULL},
    {"write of the end of the guard", DO_WRITE, ADDRESS(B_STACK + 28), TAKT_PROCESS_STACK, false, NULL},
    FINE("read below the guard", DO_READ, B_STACK - 4),
    {"stack overflow", DO_OVERFLOW, 0, TAKT_PROCESS_STACK, true, NULL},
    {"call without an entry", DO_CALL, CALL_MISSING, TAKT_PROCESS_CALL, true, NULL},
    {"call with the first number that there is not", DO_CALL, TAKTI_CALL_COUNT, TAKT_PROCESS_CALL, true, NULL},
    {"call with number 0x40000000", DO_CALL, 0x40000000u, TAKT_PROCESS_CALL, true, NULL},
    {"call with number 0xffffffff", DO_CALL, 0xFFFFFFFFu, TAKT_PROCESS_CALL, true, NULL},
    {"undefined instruction", DO_UNDEFINED, 0, TAKT_PROCESS_ILLEGAL, true, NULL},
    {"breakpoint, or semihosting", DO_BREAK, 0, TAKT_PROCESS_ILLEGAL, true, NULL},
    {"call with the stack pointer in the kernel", DO_STACK_CALL, ADDRESS(&canary), TAKT_PROCESS_STRAY, true, NULL},
    {"call with the stack pointer in another process", DO_STACK_CALL, ADDRESS(A_FREE), TAKT_PROCESS_STRAY, true, NULL},
    {"call with the stack pointer 0", DO_STACK_CALL, 0, TAKT_PROCESS_STRAY, true, NULL},
    {"interrupts with the stack pointer in the kernel", DO_STACK_SPIN, ADDRESS(&canary), TAKT_PROCESS_STRAY, true,
     NULL},
    {"interrupts with the stack pointer in another process", DO_STACK_SPIN, ADDRESS(A_FREE), TAKT_PROCESS_STRAY, true,
     NULL},
    {"interrupts with the stack pointer 0", DO_STACK_SPIN, 0, TAKT_PROCESS_STRAY, true, NULL},
    FINE("pointers of compilers into the kernel", DO_POINTERS, &canary),
    FINE("pointers of compilers 0", DO_POINTERS, 0),
    {"measurement of a yield across processes", DO_MEASURE, FIGURE_YIELD_ACROSS, NO_FAULT, true, NULL},
    {"measurement of a yield across processes", DO_MEASURE, FIGURE_YIELD_ACROSS, NO_FAULT, true, NULL},
    {"measurement of a yield across processes", DO_MEASURE, FIGURE_YIELD_ACROSS, NO_FAULT, true, NULL},
    {"measurement of a wake across processes", DO_MEASURE, FIGURE_WAKE_ACROSS, NO_FAULT, true, NULL},
    {"measurement of a interrupt across processes", DO_MEASURE, FIGURE_INTERRUPT_ACROSS, NO_FAULT, true, NULL},
    FINE("read of attached memory", DO_ATTACH, A_FREE),
    STRAY("read of memory that is detached again", DO_DETACH, A_FREE),
    FINE("end of a task", DO_EXIT, 7),
    FINE("write of memory that is lent, first word", DO_WRITE, contexts_lent),
    FINE("write of memory that is lent, last word", DO_WRITE, contexts_lent + LENT_SIZE - 4),
#ifdef TARGET_SPECIALS
    TARGET_SPECIALS,
#endif
};
#define SCENARIOS (sizeof scenarios / sizeof scenarios[0])
static uint32_t scenario_number;

static const char *const privileged_name = "privileged instruction";

static struct scenario scenario_get(uint32_t number)
{
    if (number < SCENARIOS) {
        return scenarios[number];
    }
    return (struct scenario){privileged_name,         DO_PRIVILEGED, number - (uint32_t)SCENARIOS,
                             TARGET_PRIVILEGED_FAULT, true,          NULL};
}

/* What came of it. */
static struct {
    unsigned count;
    enum takt_process_fault cause;
    uintptr_t address;
    uintptr_t pc;
    unsigned exits;
    uint32_t result;
} outcome;

void takti_process_fault(enum takt_process_fault cause, uintptr_t address, uintptr_t pc, const char *names,
                         const uint32_t *registers)
{
    (void)names;
    (void)registers;
    outcome.count++;
    outcome.cause = cause;
    outcome.address = address;
    outcome.pc = pc;
    (void)takt_port_enter();
    takti_task_stop(takti_kernel.ready.running);
    takt_port_map_changed();
    if (scenario_get(scenario_number).command != DO_UNDEFINED) { /* after which idle comes */
        (void)takt_semaphore_post(&contexts_semaphores[DONE]);   /* opens the lock; low is no better than the caller */
        (void)takt_port_enter();
    }
    (void)takti_reschedule(0);
    (void)takt_port_enter();
}

/* In presets with assertions, at a switch. */
struct takt_task *takti_process_stack_left(struct takt_task *task, uintptr_t stack_pointer, struct takt_task *next)
{
    if (task->timer.state == TAKTI_DORMANT) {
        return next;
    }
    outcome.count++;
    outcome.cause = TAKT_PROCESS_STACK;
    outcome.address = stack_pointer;
    takti_task_stop(task);
    (void)takt_semaphore_post(&contexts_semaphores[DONE]);
    (void)takt_port_enter();
    return takti_kernel.ready.next = takti_select();
}

uint64_t takti_call_unknown(uintptr_t number)
{
    takti_process_fault(TAKT_PROCESS_CALL, number, takt_port_call_pc(), NULL, NULL);
    return 0;
}

bool takti_call_begins(void)
{
    return takti_kernel.ready.running->timer.state == TAKTI_READY;
}

bool takti_call_ended(const struct takt_task *task)
{
    return task->timer.state != TAKTI_DORMANT;
}

/* Calls. Their numbers are in contexts.h. */
typedef uintptr_t word;

static uint64_t call_null(word a, word b, word c, word d)
{
    return NULL_RESULT(a, b, c, d);
}

static uint64_t call_wide(word a, word b, word c, word d)
{
    return WIDE_RESULT(a, b, c, d);
}

#define UNUSED(b, c, d) ((void)(b), (void)(c), (void)(d))

static uint64_t call_post(word semaphore, word b, word c, word d)
{
    UNUSED(b, c, d);
    return takt_semaphore_post(&contexts_semaphores[semaphore]);
}

static uint64_t call_wait(word semaphore, word b, word c, word d)
{
    UNUSED(b, c, d);
    return takt_semaphore_wait(&contexts_semaphores[semaphore]);
}

static uint64_t call_wait_until(word semaphore, word low, word high, word d)
{
    (void)d;
    return takt_semaphore_wait_until(&contexts_semaphores[semaphore], (uint64_t)high << 32 | low);
}

static uint64_t call_flush(word semaphore, word b, word c, word d)
{
    UNUSED(b, c, d);
    takt_semaphore_flush(&contexts_semaphores[semaphore]);
    return 0;
}

static uint64_t call_job_wait(word a, word b, word c, word d)
{
    (void)a;
    UNUSED(b, c, d);
    takt_job_wait();
    return 0;
}

static uint64_t call_yield(word a, word b, word c, word d)
{
    (void)a;
    UNUSED(b, c, d);
    takt_task_yield();
    return 0;
}

static uint64_t call_sleep_until(word low, word high, word c, word d)
{
    (void)c;
    (void)d;
    takt_delay_until((uint64_t)high << 32 | low);
    return 0;
}

static uint64_t call_exit(word result, word b, word c, word d)
{
    UNUSED(b, c, d);
    outcome.exits++;
    outcome.result = result;
    takt_task_stop(takt_task_running());
    return 0;
}

static uint64_t call_now(word a, word b, word c, word d)
{
    (void)a;
    UNUSED(b, c, d);
    return takt_now();
}

static uint64_t call_log(word letter, word b, word c, word d)
{
    UNUSED(b, c, d);
    contexts_log((char)letter);
    return 0;
}

static uint64_t call_check(word check, word right, word c, word d)
{
    (void)c;
    (void)d;
    contexts_report(checks[check].name, right ? NULL : "wrong");
    return 0;
}

static uint64_t call_check_log(word check, word b, word c, word d)
{
    UNUSED(b, c, d);
    contexts_report(checks[check].name, contexts_log_check(checks[check].log));
    return 0;
}

/* Posts from the timer's interrupt, once or every so often. */
static struct takti_call post_timer;
static unsigned post_semaphore;
static uint32_t storm_period_ns;
volatile uint32_t contexts_posts;

static void post_due(struct takti_call *due)
{
    if (post_semaphore == SEMAPHORES) { /* a storm is over */
        return;
    }
    contexts_posts++;
    (void)takt_semaphore_post(&contexts_semaphores[post_semaphore]);
    if (storm_period_ns != 0) {
        takti_call_at(due, takt_now() + storm_period_ns, post_due);
    }
}

static uint64_t call_post_at(word semaphore, word after_ns, word c, word d)
{
    (void)c;
    (void)d;
    post_semaphore = semaphore;
    takti_call_at(&post_timer, takt_now() + after_ns, post_due);
    return 0;
}

bool contexts_storming(void)
{
    return storm_period_ns != 0;
}

static uint64_t call_storm(word period_ns, word b, word c, word d)
{
    UNUSED(b, c, d);
    storm_period_ns = period_ns;
    post_semaphore = SEMAPHORES;
    if (period_ns != 0) {
        (void)call_post_at(FIRST, period_ns, 0, 0);
    }
    return 0;
}

static uint64_t call_spin(word a, word b, word c, word d)
{
    (void)a;
    UNUSED(b, c, d);
    uint32_t before = contexts_posts;
    contexts_log('s');
    takt_port_leave(takt_port_enter());
    while (contexts_posts == before) { /* until the timer's interrupt */
        takt_port_unlock(0);
    }
    contexts_log('e');
    return 0;
}

static uint64_t call_scenario(word number, word b, word c, word d)
{
    UNUSED(b, c, d);
    scenario_number = number;
    outcome.count = 0;
    outcome.exits = 0;
    (void)contexts_log_check("");
    contexts_fault(FAULT_CALL);
    return number < SCENARIOS + TARGET_PRIVILEGED;
}

static uint64_t call_command(word a, word b, word c, word d)
{
    (void)a;
    UNUSED(b, c, d);
    struct scenario scenario = scenario_get(scenario_number);
    return (uint64_t)scenario.address << 32 | scenario.command;
}

/* What is wrong with what came of the scenario, or NULL. */
static const char *judge(const struct scenario *scenario)
{
    const char *log_wrong = contexts_log_check(scenario->log == NULL ? "123" : scenario->log);
    uint32_t address = scenario->address;
    if (canary != 0xC0FFEE || *(volatile uint32_t *)A_FREE != 0) {
        return "memory changed";
    }
    if (outcome.count != (scenario->fault == NO_FAULT ? 0u : 1u)) {
        return outcome.count == 0 ? "no fault" : "a fault";
    }
    if (outcome.exits != (scenario->command == DO_EXIT ? 1u : 0u) || (outcome.exits && outcome.result != address)) {
        return "other ended itself";
    }
    if (outcome.count != 0 && outcome.cause != scenario->fault) {
        return "another cause";
    }
    if (outcome.count != 0 && !scenario->anywhere && outcome.address != address && outcome.pc != (address & ~1u)) {
        return "another address";
    }
    return scenario->command == DO_PATTERN || scenario->command == DO_MEASURE ? NULL : log_wrong;
}

static uint64_t call_verdict(word right, word b, word c, word d)
{
    UNUSED(b, c, d);
    struct scenario scenario = scenario_get(scenario_number);
    const char *wrong = judge(&scenario);
    static uintptr_t stack; /* of every trap: nothing may stay on it */
    if (stack == 0) {
        stack = (uintptr_t)__builtin_frame_address(0);
    } else if (stack != (uintptr_t)__builtin_frame_address(0)) {
        wrong = "the kernel's stack is not empty";
        stack = (uintptr_t)__builtin_frame_address(0);
    }
    contexts_report(scenario.name, right ? wrong : "wrong");
    if (wrong != NULL) {
        contexts_print_hex("  cause ", outcome.cause);
        contexts_print_hex(" address ", (uint32_t)outcome.address);
        contexts_print_hex(" pc ", (uint32_t)outcome.pc);
        contexts_print("\n");
    }
    if (takt_task_stopped(&contexts_tasks[TASK_OTHER])) {
        if (takt_task_start(&contexts_tasks[TASK_OTHER], &contexts_configs[TASK_OTHER]) !=
            TAKT_OK) { /* no better than low */
            contexts_report("start of a task", "refused");
        }
    }
    return 0;
}

static uint32_t stamps[2];

static uint64_t call_stamp(word begins, word stamp, word c, word d)
{
    (void)c;
    (void)d;
    stamps[begins ? 0 : 1] = stamp;
    return 0;
}

static uint64_t call_figure(word figure, word b, word c, word d)
{
    UNUSED(b, c, d);
    contexts_figure((enum figure)figure, (stamps[1] - stamps[0]) / TARGET_STAMP_UNITS);
    return 0;
}

/* As an attachment does: another region in place of the last, in effect at the end of the call. */
static uint64_t call_attach(word attached, word b, word c, word d)
{
    UNUSED(b, c, d);
    struct takt_process *process = contexts_configs[TASK_OTHER].process;
    unsigned last = process->config->region_count - 1u;
    process->regions[last] = process->config->regions[last];
    if (attached) {
        process->regions[last] = (struct takt_region){(uintptr_t)A_FREE, 32, TAKT_ACCESS_READ, false};
    }
    if (!takt_port_map_make(&process->map, process->regions, process->region_count)) {
        contexts_report("attached region", "does not fit");
    }
    takt_port_map_changed();
    return 0;
}

static uint64_t call_poke(word address, word value, word c, word d)
{
    (void)c;
    (void)d;
    *(volatile uint32_t *)address = (uint32_t)value;
    return 0;
}

static uint64_t call_finish(word a, word b, word c, word d)
{
    (void)a;
    UNUSED(b, c, d);
    takt_board_exit(contexts_end());
}

const takti_call_entry takti_call_table[TAKTI_CALL_COUNT] = {
    [CALL_NULL] = call_null,
    [CALL_WIDE] = call_wide,
    [CALL_POST] = call_post,
    [CALL_WAIT] = call_wait,
    [CALL_WAIT_UNTIL] = call_wait_until,
    [CALL_FLUSH] = call_flush,
    [CALL_JOB_WAIT] = call_job_wait,
    [CALL_YIELD] = call_yield,
    [CALL_SLEEP_UNTIL] = call_sleep_until,
    [CALL_EXIT] = call_exit,
    [CALL_NOW] = call_now,
    [CALL_LOG] = call_log,
    [CALL_CHECK] = call_check,
    [CALL_CHECK_LOG] = call_check_log,
    [CALL_POST_AT] = call_post_at,
    [CALL_STORM] = call_storm,
    [CALL_SPIN] = call_spin,
    [CALL_SCENARIO] = call_scenario,
    [CALL_COMMAND] = call_command,
    [CALL_VERDICT] = call_verdict,
    [CALL_FINISH] = call_finish,
    [CALL_STAMP] = call_stamp,
    [CALL_FIGURE] = call_figure,
    [CALL_ATTACH] = call_attach,
    [CALL_POKE] = call_poke,
    [CALL_RESTART] = contexts_restart,
};
