/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the headers say of every public call, "Context: task. Blocks: never.", held against the kernel. Each is made by
 * a task, in an interrupt and in init, each time in a process of its own: where it is legal it returns, or blocks if it
 * says so; in an interrupt where it is not, an assertion fails. contracts.h has a line for each, from
 * tools/takt/image/contracts.py: one without a function here does not compile.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/port.h"
#include "kernel/test/support/scenario.h"
#include "ports/host/host.h"

#pragma GCC diagnostic ignored "-Wunused-result"

enum { CONTEXT_TASK = 1, CONTEXT_INTERRUPT = 2, CONTEXT_INIT = 4, CONTEXT_MAIN = 8, CONTEXT_IDLE = 16 };
enum { ENDS_BLOCKED, ENDS_IN_A_FAULT = 4, ENDS_RETURNED = 10 };

struct contract {
    const char *name;
    unsigned contexts;
    bool blocks;
    void (*call)(void);
};

/* What nobody has posted, set or sent, what is full, what another task owns: so that whatever may block does. */
static struct takt_mutex mine, theirs, nobodys;
#if TAKTI_HINTS
static struct takt_mutex *const nobodys_list[] = {&nobodys};
static struct takt_hint_set nobodys_set = {.mutexes = nobodys_list, .count = 1};
#endif
static struct takt_ceiling low_mine, low_theirs, low_nobodys;
static struct takt_condition condition;
static struct takt_events events;
static struct takt_events_wanted wanted = {1, 0};
static struct takt_semaphore semaphore;
static struct takt_rendezvous lonely, served;
static struct takt_rendezvous_accepted accepted, accepting;
static uint64_t memory[2][64];
static struct takt_mailbox empty, full;
static struct takt_priority_mailbox letters, letters_full;
static uint64_t letter_memory[2][8];
static struct takt_pipe dry, brimming;
static struct takt_pipe_count count;
static uint8_t byte;
static uint32_t message, received;
static struct takt_pool blocks;
static uint64_t block_memory[8];
static void *block, *buffer;
static struct takt_signal_pool signals;
static uint64_t signal_memory[TAKT_SIGNAL_BYTES(4) * 4 / 8];
static struct takt_signal_queue queue;
static struct takt_signal *held;
static uint64_t slot_storage[TAKT_SLOT_BYTES(4, 2) / 8];
static const struct takt_slot_config slot_config = {
    .storage = slot_storage, .important = UINT32_MAX, .message_size = 4, .capacity = 2};
static struct takt_slot slot, free_slot;
static void *reserved, *taken;
TAKT_RING_DEFINE(ring, 4, 2);
TAKT_RING_DEFINE(full_ring, 4, 1);
TAKT_RING_DEFINE(reserving, 4, 2);
TAKT_RING_DEFINE(taking, 4, 2);
static struct takt_ring *const rings[] = {&ring};
static TAKT_RING_GROUP_DEFINE(group, rings, 1);
TAKT_STATE_DEFINE(state, 8, 2);
static uint64_t value;
static struct takt_alarm alarm_once, alarm_queued;
static struct takt_alarm_queue alarms;
static struct takt_semaphore alarm_came;
static struct takt_watchdog watchdog;
static struct takt_budget budget = {.full_ns = TAKT_S(1), .policy = TAKT_BUDGET_NOTIFY};
static struct takt_task extra;
static uint64_t extra_stack[SCENARIO_STACK / 8];
static struct takt_trace_record record;
static const uint32_t log_words[4];
static bool started;

static void do_nothing(void *argument)
{
    (void)argument;
}

static const struct takt_task_config extra_config = {
    .name = "x", .entry = do_nothing, .stack = extra_stack, .stack_size = sizeof extra_stack, .index = 9, .level = 1};

static void alarm_comes(struct takt_alarm *alarm)
{
    (void)alarm;
}

static void watchdog_expires(struct takt_watchdog *expired)
{
    (void)expired;
}

static void ignore_record(const struct takt_trace_record *ignored)
{
    (void)ignored;
}

/* A retry that sleeps, where it may. */
static bool sleep_and_retry(enum takt_status why)
{
    (void)why;
    if (started && !takt_port_in_interrupt()) {
        takt_delay(TAKT_S(1));
    }
    return true;
}

static const struct takt_ring_retry retry = {1, sleep_and_retry};

static struct takt_pipe_count *one_byte(void)
{
    count = (struct takt_pipe_count){.size = 1, .least = 1};
    return &count;
}

static struct takt_signal **a_signal(void)
{
    held = takt_signal_allocate(&signals, 1);
    return &held;
}

#define CALL(name, ...)           \
    static void call_##name(void) \
    {                             \
        (void)name(__VA_ARGS__);  \
    }

CALL(takt_alarm_init, &alarm_once, 1, alarm_comes, 0)
CALL(takt_alarm_attach, &alarm_queued, &alarms)
CALL(takt_alarm_queue_init, &alarms, &alarm_came)
CALL(takt_alarm_start, &alarm_once, TAKT_S(1))
CALL(takt_alarm_restart, &alarm_once, TAKT_S(1))
CALL(takt_alarm_stop, &alarm_once)
CALL(takt_alarm_remaining_ns, &alarm_once)
CALL(takt_alarm_missed, &alarm_once)
CALL(takt_alarm_serve, &alarms)
CALL(takt_task_budget_ns, &scenario.tasks[0])
CALL(takt_task_exhausted, &scenario.tasks[0])
CALL(takt_ceiling_init, &low_nobodys, 1, 1, 0)
CALL(takt_ceiling_lock, &low_theirs)
CALL(takt_ceiling_lock_until, &low_theirs, TAKT_FOREVER)
CALL(takt_ceiling_try_lock, &low_theirs)
CALL(takt_ceiling_unlock, &low_mine)
CALL(takt_ceiling_delete, &low_nobodys)
CALL(takt_condition_init, &condition, 1)
CALL(takt_condition_wait, &condition, &mine)
CALL(takt_condition_wait_until, &condition, &mine, TAKT_FOREVER)
CALL(takt_condition_signal, &condition)
CALL(takt_condition_broadcast, &condition)
CALL(takt_condition_delete, &condition)
CALL(takt_events_init, &events, 1)
CALL(takt_events_set, &events, 2)
CALL(takt_events_clear, &events, 2)
CALL(takt_events_get, &events)
CALL(takt_events_wait, &events, &wanted)
CALL(takt_events_wait_until, &events, &wanted, TAKT_FOREVER)
CALL(takt_events_try_wait, &events, &wanted)
CALL(takt_events_delete, &events)
#if TAKTI_HINTS
CALL(takt_hint_next, &nobodys)
CALL(takt_hint_next_set, &nobodys_set)
#endif
CALL(takt_mailbox_init, &empty, 1, memory[0], 4, 1, NULL)
CALL(takt_mailbox_send, &full, &message)
CALL(takt_mailbox_send_until, &full, &message, TAKT_FOREVER)
CALL(takt_mailbox_try_send, &full, &message)
CALL(takt_mailbox_receive, &empty, &received)
CALL(takt_mailbox_receive_until, &empty, &received, TAKT_FOREVER)
CALL(takt_mailbox_try_receive, &empty, &received)
CALL(takt_mailbox_count, &full)
CALL(takt_mailbox_delete, &empty)
CALL(takt_mutex_init, &nobodys, 1)
CALL(takt_mutex_lock, &theirs)
CALL(takt_mutex_lock_until, &theirs, TAKT_FOREVER)
CALL(takt_mutex_try_lock, &theirs)
CALL(takt_mutex_unlock, &mine)
CALL(takt_mutex_delete, &nobodys)
CALL(takt_pipe_init, &dry, 1, &byte, 1)
CALL(takt_pipe_write, &brimming, "a", one_byte())
CALL(takt_pipe_write_until, &brimming, "a", one_byte(), TAKT_FOREVER)
CALL(takt_pipe_try_write, &brimming, "a", one_byte())
CALL(takt_pipe_read, &dry, &received, one_byte())
CALL(takt_pipe_read_until, &dry, &received, one_byte(), TAKT_FOREVER)
CALL(takt_pipe_try_read, &dry, &received, one_byte())
CALL(takt_pipe_delete, &dry)
CALL(takt_pool_init, &blocks, 1, block_memory, 8, 1)
CALL(takt_pool_allocate, &blocks, &buffer)
CALL(takt_pool_allocate_until, &blocks, &buffer, TAKT_FOREVER)
CALL(takt_pool_try_allocate, &blocks)
CALL(takt_pool_free, &blocks, block)
CALL(takt_pool_delete, &blocks)
CALL(takt_priority_mailbox_init, &letters, 1, letter_memory[0], 4, 1, NULL)
CALL(takt_priority_mailbox_send, &letters_full, &message, 1)
CALL(takt_priority_mailbox_send_until, &letters_full, &message, 1, TAKT_FOREVER)
CALL(takt_priority_mailbox_try_send, &letters_full, &message, 1)
CALL(takt_priority_mailbox_send_urgent, &letters_full, &message)
CALL(takt_priority_mailbox_send_urgent_until, &letters_full, &message, TAKT_FOREVER)
CALL(takt_priority_mailbox_try_send_urgent, &letters_full, &message)
CALL(takt_priority_mailbox_broadcast, &letters, &message)
CALL(takt_priority_mailbox_receive, &letters, &received)
CALL(takt_priority_mailbox_receive_until, &letters, &received, TAKT_FOREVER)
CALL(takt_priority_mailbox_try_receive, &letters, &received)
CALL(takt_priority_mailbox_delete, &letters)
CALL(takt_rendezvous_init, &lonely, 1)
CALL(takt_rendezvous_call, &lonely, &message, 4)
CALL(takt_rendezvous_call_until, &lonely, &message, 4, TAKT_FOREVER)
CALL(takt_rendezvous_accept, &lonely, &accepting)
CALL(takt_rendezvous_accept_until, &lonely, &accepting, TAKT_FOREVER)
CALL(takt_rendezvous_try_accept, &lonely, &accepting)
CALL(takt_rendezvous_complete, &accepted)
CALL(takt_rendezvous_delete, &lonely)
CALL(takt_ring_init, &ring, memory[1], 4, 2)
CALL(takt_ring_reserve, &ring, 4, &buffer)
CALL(takt_ring_commit, &reserving, 4)
CALL(takt_ring_take, &ring, 4, &buffer)
CALL(takt_ring_release, &taking, 4)
CALL(takt_ring_put, &full_ring, &message, 4)
CALL(takt_ring_get, &ring, &received, 4)
CALL(takt_ring_put_many, &full_ring, &message, 4, 1)
CALL(takt_ring_get_many, &ring, &received, 4, 1)
CALL(takt_ring_put_retry, &full_ring, &message, 4, &retry)
CALL(takt_ring_get_retry, &ring, &received, 4, &retry)
CALL(takt_ring_group_get, &group, &received, 4, NULL)
CALL(takt_semaphore_init, &semaphore, 1, NULL, 0, 1)
CALL(takt_semaphore_wait, &semaphore)
CALL(takt_semaphore_wait_until, &semaphore, TAKT_FOREVER)
CALL(takt_semaphore_wait_in_turn, &semaphore, TAKT_FOREVER)
CALL(takt_semaphore_try_wait, &semaphore)
CALL(takt_semaphore_post, &semaphore)
CALL(takt_semaphore_flush, &semaphore)
CALL(takt_semaphore_count, &semaphore)
CALL(takt_semaphore_delete, &semaphore)
CALL(takt_signal_pool_init, &signals, signal_memory, 4, 4)
CALL(takt_signal_queue_init, &queue, 1, &scenario.tasks[0])
CALL(takt_signal_allocate, &signals, 1)
CALL(takt_signal_data, *a_signal())
CALL(takt_signal_send, a_signal(), &queue)
CALL(takt_signal_receive, &queue, NULL, &held)
CALL(takt_signal_receive_until, &queue, NULL, &held, TAKT_FOREVER)
CALL(takt_signal_try_receive, &queue, NULL, &held)
CALL(takt_signal_free, a_signal())
CALL(takt_slot_init, &free_slot, &slot_config)
CALL(takt_slot_allocate, &free_slot)
CALL(takt_slot_open, &slot)
CALL(takt_slot_close, &slot)
CALL(takt_slot_deallocate, &slot)
CALL(takt_slot_reserve, &slot, 1, &buffer)
CALL(takt_slot_reserve_until, &slot, 1, &buffer, TAKT_FOREVER)
CALL(takt_slot_try_reserve, &slot, 1, &buffer)
CALL(takt_slot_commit, &slot, reserved)
CALL(takt_slot_take, &slot, &buffer)
CALL(takt_slot_take_until, &slot, &buffer, TAKT_FOREVER)
CALL(takt_slot_try_take, &slot, &buffer)
CALL(takt_slot_release, &slot, taken)
CALL(takt_slot_flush, &slot)
CALL(takt_slot_info, &slot)
CALL(takt_state_init, &state, memory[1], 8, 2)
CALL(takt_state_write, &state, &value, 8)
CALL(takt_state_read, &state, &value, 8)
CALL(takt_state_read_locked, &state, &value, 8)
CALL(takt_task_start, &extra, &extra_config)
CALL(takt_task_stop, scenario_find("h"))
CALL(takt_task_delete, scenario_find("h"))
CALL(takt_task_stopped, &extra)
CALL(takt_task_suspend, &scenario.tasks[0])
CALL(takt_task_resume, scenario_find("h"))
CALL(takt_task_cancel, scenario_find("h"))
CALL(takt_task_running)
CALL(takt_task_yield)
CALL(takt_task_statistics, &scenario.tasks[0])
CALL(takt_job_wait)
CALL(takt_job_release_ns)
CALL(takt_job_deadline_ns)
CALL(takt_job_release, scenario_find("s"))
CALL(takt_job_release_at, scenario_find("s"), TAKT_S(1))
CALL(takt_now)
CALL(takt_delay_until, TAKT_S(1))
CALL(takt_delay, TAKT_S(1))
CALL(takt_work, 1000)
CALL(takt_log_put, 4, 1, 2)
CALL(takt_log_put_words, 4, log_words, 4)
CALL(takt_trace_read, &record, 1)
CALL(takt_kernel_broken, NULL)
CALL(takt_trace_statistics, 0, ignore_record)
CALL(takt_watchdog_init, &watchdog, 1, &scenario.tasks[0], TAKT_S(1), TAKT_WATCHDOG_NOTIFY, watchdog_expires)
CALL(takt_watchdog_start, &watchdog)
CALL(takt_watchdog_kick, &watchdog)
CALL(takt_watchdog_stop, &watchdog)
CALL(takt_watchdog_expired, &watchdog)

/* In pairs. */
static void call_takt_interrupt_enter(void)
{
    takt_interrupt_enter(1);
    takt_interrupt_exit(1);
}

#define call_takt_interrupt_exit call_takt_interrupt_enter

/* Every run calls these, and every fault those: no more is to be said of them. */
#define call_takt_start NULL
#define call_takt_hook_idle NULL
#define call_takt_hook_fault NULL
#define call_takt_fault_raise NULL
#define call_takt_fault_raise_exception NULL
#if !TAKTI_HINTS
#define call_takt_hint_next NULL /* nothing, with a value that nobody reads */
#define call_takt_hint_next_set NULL
#endif

#define CONTRACT(call, contexts, blocks) {#call, contexts, blocks, call_##call},
static const struct contract contracts[] = {
#include "contracts.h"
};

static const struct contract *current;
static unsigned current_context;
static bool returned;

static void make_call(void)
{
    current->call();
    returned = true;
}

/* Owns what others lock, and waits for none of them: that would be a deadlock. */
static void o(void *argument)
{
    (void)argument;
    scenario_lock(&theirs);
    CHECK(takt_ceiling_lock(&low_theirs) == TAKT_OK);
    takt_task_suspend(scenario_find("o"));
}

static void h(void *argument)
{
    (void)argument;
    CHECK(takt_rendezvous_call(&served, &message, sizeof message) == TAKT_OK);
    takt_task_suspend(scenario_find("h"));
}

/* What its calls need. A job that waits holds nothing. */
static void own(void)
{
    if (current->call == call_takt_job_wait) {
        return;
    }
    scenario_lock(&mine);
    CHECK(takt_ceiling_lock(&low_mine) == TAKT_OK);
    CHECK(takt_slot_allocate(&slot) == TAKT_OK);
    takt_slot_open(&slot);
    CHECK(takt_slot_reserve(&slot, 1, &taken) == TAKT_OK);
    takt_slot_commit(&slot, taken);
    CHECK(takt_slot_take(&slot, &taken) == TAKT_OK);
    CHECK(takt_slot_reserve(&slot, 1, &reserved) == TAKT_OK);
    CHECK(takt_rendezvous_accept(&served, &accepted) == TAKT_OK);
}

static void a(void *argument)
{
    (void)argument;
    started = true;
    own();
    if (current_context == CONTEXT_TASK) {
        make_call();
    } else {
        scenario_work(20);
    }
    takt_task_suspend(&scenario.tasks[0]);
}

static void job(void *argument)
{
    (void)argument;
}

static void before(void)
{
    takt_mutex_init(&mine, 1);
    takt_mutex_init(&theirs, 2);
    takt_ceiling_init(&low_mine, 12, 1, 0);
    takt_ceiling_init(&low_theirs, 13, 1, 0);
    takt_alarm_init(&alarm_once, 14, alarm_comes, 0);
    takt_alarm_init(&alarm_queued, 15, alarm_comes, 0);
    takt_alarm_queue_init(&alarms, &alarm_came);
    takt_watchdog_init(&watchdog, 16, &scenario.tasks[0], TAKT_S(1), TAKT_WATCHDOG_NOTIFY, watchdog_expires);
    takt_semaphore_init(&semaphore, 3, NULL, 0, 1);
    takt_mailbox_init(&empty, 4, memory[0], 4, 1, NULL);
    takt_mailbox_init(&full, 5, memory[1], 4, 1, NULL);
    takt_priority_mailbox_init(&letters, 6, letter_memory[0], 4, 1, NULL);
    takt_priority_mailbox_init(&letters_full, 7, letter_memory[1], 4, 1, NULL);
    takt_pipe_init(&dry, 8, &byte, 1);
    takt_pipe_init(&brimming, 9, &byte, 1);
    takt_pool_init(&blocks, 10, block_memory, 8, 1);
    takt_signal_pool_init(&signals, signal_memory, 4, 4);
    takt_signal_queue_init(&queue, 11, &scenario.tasks[0]);
    takt_slot_init(&slot, &slot_config);
    takt_slot_init(&free_slot, &slot_config);
    CHECK(takt_mailbox_try_send(&full, &message) == TAKT_OK);
    CHECK(takt_priority_mailbox_try_send(&letters_full, &message, 1) == TAKT_OK);
    CHECK(takt_pipe_try_write(&brimming, "a", one_byte()) == TAKT_OK);
    block = takt_pool_try_allocate(&blocks);
    CHECK(takt_ring_put(&full_ring, &message, 4) == TAKT_OK);
    CHECK(takt_ring_reserve(&reserving, 4, &buffer) == TAKT_OK);
    CHECK(takt_ring_put(&taking, &message, 4) == TAKT_OK);
    CHECK(takt_ring_take(&taking, 4, &buffer) == TAKT_OK);
    if (current_context == CONTEXT_INTERRUPT) {
        takt_port_irq_attach(1, make_call, true);
        takt_host_interrupt_every(1, TAKT_MS(10), 0);
    } else if (current_context == CONTEXT_INIT) {
        make_call();
    }
}

/* How a call ends from a context. */
static int ends(const struct contract *contract, unsigned context)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        CHECK(freopen("/dev/null", "w", stderr) != NULL);
        current = contract;
        current_context = context;
        scenario_new();
        struct takt_task_config *config = scenario_periodic("a", 2, a, 50);
        config->style = TAKT_STYLE_LOOP;
        config->budget = &budget;
        (void)scenario_task("o", 1, o);
        (void)scenario_task("h", 1, h);
        (void)scenario_sporadic("s", 1, job, 5);
        scenario.before = before;
        scenario_run(15);
        _exit(returned ? ENDS_RETURNED : ENDS_BLOCKED);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Whether it ends as the contract says. */
static bool kept(const struct contract *contract, unsigned context, const char *where)
{
    bool legal = (contract->contexts & context) != 0;
    bool waits = context == CONTEXT_TASK && contract->blocks;
    int expected = !legal ? ENDS_IN_A_FAULT : waits ? ENDS_BLOCKED : ENDS_RETURNED;
    int end = ends(contract, context);
    if (end != expected) {
        printf("%s %s ends with %d, not %d\n", contract->name, where, end, expected);
    }
    return end == expected;
}

int main(void)
{
    unsigned broken = 0;
    for (const struct contract *contract = contracts; contract < contracts + sizeof contracts / sizeof *contracts;
         contract++) {
        if (contract->call == NULL) {
            continue;
        }
        broken += !kept(contract, CONTEXT_INTERRUPT, "in an interrupt");
        if ((contract->contexts & CONTEXT_TASK) != 0) {
            broken += !kept(contract, CONTEXT_TASK, "by a task");
        }
        if ((contract->contexts & CONTEXT_INIT) != 0) {
            broken += !kept(contract, CONTEXT_INIT, "in init");
        }
    }
    return broken == 0 ? 0 : 1;
}
