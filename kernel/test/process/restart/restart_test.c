/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nothing of a process's first life reaches its second, whatever it called: docs/processes.md, What a restart does. A
 * process makes one call, and faults at FAULT_MS; from LATER_MS on all tasks, alarms and watchdogs do at each time
 * what they do where it made none, and every object is found as there. Once what it uses is its alone, and once others
 * may use it, too: then what it handed over stays, by the calls of `stays`.
 */
#include "kernel/test/support/notes.h"
#include "kernel/test/support/rows.h"
#include "kernel/test/support/world.h"
#include "lives.h"

#include "kernel/core/kernel.h"
#include "takt/invariants.h"

enum { CALL_MS = 1, FAULT_MS = 3, LATER_MS = 33, PROBE_MS = 41, PROBE_B_MS = 71 };
enum { ALARM_FIRST_MS = 7, ALARM_PERIOD_MS = 20, WATCHDOG_MS = 35, ENTRIES = 400 };

/* What is seen from LATER_MS on. */
struct entry {
    uint64_t time_ns;
    uint64_t value;
    uint64_t what;
};
static struct entry entries[ENTRIES], without[ENTRIES];
static unsigned entry_count, without_count;

static const struct life *life;
static const struct row *row;
static bool own; /* all that a may use is its alone */

static void see(uint64_t what, uint64_t value)
{
    uint64_t now_ns = takt_now();
    if (now_ns >= TAKT_MS(LATER_MS)) {
        CHECK(entry_count < ENTRIES);
        entries[entry_count++] = (struct entry){now_ns, value, what};
    }
}

static void alarm_seen(struct takt_alarm *alarm)
{
    (void)alarm;
    see(__LINE__, 0);
}

static void watchdog_seen(struct takt_watchdog *watchdog)
{
    (void)watchdog;
    see(__LINE__, 0);
}

static void declare_all(void)
{
    CHECK_EQUAL(takt_alarm_start(&world.alarm, TAKT_MS(ALARM_FIRST_MS)), TAKT_OK);
    CHECK_EQUAL(takt_watchdog_start(&world.watchdog), TAKT_OK);
}

/* The objects as the calls of a process that may use them find them. */
static void probe(unsigned process)
{
    uint8_t *bytes = world_buffer(process);
    struct takt_pipe_count *count = (void *)(bytes + 64);
    *count = (struct takt_pipe_count){.size = 1, .least = 1};
    memset(bytes, 0, 8);
    see(__LINE__, CALL1(semaphore_count, world_handle(WORLD_SEMAPHORE)));
    see(__LINE__, CALL1(events_get, world_handle(WORLD_EVENTS)));
    see(__LINE__, CALL2(mailbox_try_receive, world_handle(WORLD_MAILBOX), bytes));
    see(__LINE__, CALL2(priority_mailbox_try_receive, world_handle(WORLD_PRIORITY_MAILBOX), bytes));
    see(__LINE__, CALL3(pipe_try_read, world_handle(WORLD_PIPE), bytes, count));
    see(__LINE__, CALL2(rendezvous_try_accept, world_handle(WORLD_RENDEZVOUS), bytes));
    uint64_t locked = CALL1(mutex_try_lock, world_handle(WORLD_MUTEX));
    see(__LINE__, locked);
    if (locked == TAKT_OK) {
        (void)CALL1(condition_signal, world_handle(WORLD_CONDITION));
        (void)CALL1(mutex_unlock, world_handle(WORLD_MUTEX));
    }
    locked = CALL1(ceiling_try_lock, world_handle(WORLD_CEILING));
    see(__LINE__, locked);
    if (locked == TAKT_OK) {
        (void)CALL1(ceiling_unlock, world_handle(WORLD_CEILING));
    }
    uintptr_t *held = (void *)(bytes + 128);
    unsigned signals = 0;
    while (signals <= SIGNALS &&
           (held[signals] = (uintptr_t)CALL2(signal_allocate, world_handle(WORLD_SIGNALS), 1)) != 0) {
        signals++;
    }
    see(__LINE__, signals);
    uintptr_t block[] = {0, 0, 0};
    for (unsigned number = 0; number <= BLOCKS; number++) {
        block[number] = (uintptr_t)CALL1(pool_try_allocate, world_handle(WORLD_POOL));
        see(__LINE__, block[number] != 0);
    }
    for (unsigned number = 0; number <= BLOCKS; number++) {
        if (block[number] != 0) {
            (void)CALL2(pool_free, world_handle(WORLD_POOL), block[number]);
        }
    }
    while (signals > 0) {
        (void)CALL1(signal_free, &held[--signals]);
    }
    uint64_t allocated = CALL1(slot_allocate, world_handle(WORLD_SLOT));
    see(__LINE__, allocated);
    if (allocated == TAKT_OK) {
        see(__LINE__, CALL1(slot_close, world_handle(WORLD_SLOT)));
        (void)CALL1(slot_flush, world_handle(WORLD_SLOT));
        see(__LINE__, CALL1(slot_deallocate, world_handle(WORLD_SLOT)));
    }
    see(__LINE__, CALL1(alarm_remaining_ns, world_handle(WORLD_ALARM)));
    see(__LINE__, CALL1(watchdog_start, world_handle(WORLD_WATCHDOG)));
    for (unsigned task = 0; task < C; task++) {
        see(__LINE__, CALL1(task_stopped, world_handle(task)));
    }
}

/* What is a's alone, and what it may create and attach, is all there. */
static void probe_own(void)
{
    uint8_t *bytes = world_buffer(0);
    see(__LINE__, CALL1(semaphore_count, world_handle(WORLD_OWN_SEMAPHORE)));
    see(__LINE__, CALL1(mutex_try_lock, world_handle(WORLD_OWN_MUTEX)));
    see(__LINE__, CALL1(memory_alloc, 32));
    see(__LINE__, world.processes[0].region_count);
    see(__LINE__, world.shared.users);
    see(__LINE__, world.interrupt.attached);
    for (unsigned thread = 0; thread <= PLACES; thread++) {
        start_thread();
        see(__LINE__, CALL2(thread_create, bytes + 64, bytes));
    }
    for (unsigned mutex = 0; mutex < 3; mutex++) {
        see(__LINE__, CALL1(mutex_create, bytes));
    }
    see(__LINE__, CALL1(condition_create, bytes));
    see(__LINE__, CALL1(events_create, bytes));
    see(__LINE__, CALL2(pipe_create, bytes, BUFFERS));
    two_numbers();
    see(__LINE__, CALL2(semaphore_create, bytes, bytes + 64));
    see(__LINE__, CALL2(mailbox_create, bytes, bytes + 64)); /* the pipe has all of `buffers` */
    alarm_for_sporadic();
    see(__LINE__, CALL2(alarm_create, bytes, bytes + 64));
    see(__LINE__, CALL2(alarm_create, bytes, bytes + 64));
}

/* Each task tells of each job, and those of background of what they find. */
static void live_on(unsigned task)
{
    see(__LINE__, task);
    if (task % PROCESS_TASKS == PERIODIC) {
        see(__LINE__, CALL0(job_release_ns));
        see(__LINE__, CALL0(job_deadline_ns));
    }
    if (task == A + PERIODIC) {
        (void)CALL1(watchdog_kick, world_handle(WORLD_WATCHDOG));
    } else if (task == A + BACKGROUND) {
        sleep_to(PROBE_MS);
        probe(0);
        probe_own();
        sleep_to(END_MS + 1);
    } else if (task % PROCESS_TASKS == BACKGROUND) {
        sleep_to(PROBE_B_MS);
        see(__LINE__, task);
        if (task < C && !own) {
            probe(1);
        }
        sleep_to(END_MS + 1);
    }
}

static void live_first(unsigned task)
{
    if (row != NULL && task == A + PERIODIC) {
        sleep_to(CALL_MS);
        if (row->before != NULL) {
            row->before();
        }
        (void)row_call(row, 0);
        sleep_to(END_MS);
    } else if (life != NULL && task != A + BACKGROUND) {
        sleep_to(CALL_MS);
        life->live(task);
        sleep_to(END_MS);
    }
    if (task == A + BACKGROUND) {
        sleep_to(FAULT_MS);
        fault();
    }
}

static void live(unsigned task)
{
    if (takt_process_faults.count == 0 && task < A + PROCESS_TASKS) {
        live_first(task);
    } else {
        live_on(task);
    }
}

static void give_all_to_a(void)
{
    for (unsigned object = WORLD_MUTEX; object < WORLD_PLACES; object++) {
        world.objects[object].owner = 0;
        world.rights[1][object] = 0;
    }
}

static void live_twice(void)
{
    const struct takt_known_objects objects = {.all = 0};
    fresh(UINT8_MAX);
    entry_count = 0;
    takt_alarm_init(&world.alarm, world.alarm.id, alarm_seen, TAKT_MS(ALARM_PERIOD_MS));
    takt_watchdog_init(&world.watchdog, world.watchdog.id, &world.tasks[A + PERIODIC], TAKT_MS(WATCHDOG_MS),
                       TAKT_WATCHDOG_NOTIFY, watchdog_seen);
    world.declare = declare_all;
    for (unsigned task = 0; task < TASKS; task++) {
        world.work[task] = live;
    }
    if (own) {
        give_all_to_a();
    }
    world_run(END_MS);
    CHECK(takt_kernel_broken(&objects).what == NULL);
    const struct takt_process_fault_record *record = &takt_process_faults.records[0];
    bool raised = life != NULL && life->number == TAKTI_CALL_fault_raise;
    bool as_meant = takt_process_faults.count == 1 && record->process == 0 && record->restarted &&
                    record->time_ns == TAKT_MS(raised ? CALL_MS : FAULT_MS);
    if (!as_meant) {
        printf("%s: %u faults, the first at %llu\n",
               row != NULL    ? row->name
               : life != NULL ? life->name
                              : "no call",
               takt_process_faults.count, (unsigned long long)record->time_ns);
        check_failed();
    }
}

static bool as_without(void)
{
    return entry_count == without_count && memcmp(entries, without, entry_count * sizeof *entries) == 0;
}

static void tell_first_difference(const char *name)
{
    unsigned at = 0;
    while (at < entry_count && at < without_count && memcmp(&entries[at], &without[at], sizeof *entries) == 0) {
        at++;
    }
    printf(
        "%s, %s: %u entries, without it %u; number %u: line %llu at %llu: %llu, without it line %llu at %llu: %llu\n",
        name, own ? "its own" : "of several", entry_count, without_count, at, (unsigned long long)entries[at].what,
        (unsigned long long)entries[at].time_ns, (unsigned long long)entries[at].value,
        (unsigned long long)without[at].what, (unsigned long long)without[at].time_ns,
        (unsigned long long)without[at].value);
}

/* Rows that change what others find in what they may use, too, and so its second life: it was handed over, or taken. */
static const bool stays[TAKTI_CALL_COUNT] = {
    [TAKTI_CALL_semaphore_wait] = true,
    [TAKTI_CALL_semaphore_wait_until] = true,
    [TAKTI_CALL_semaphore_wait_in_turn] = true,
    [TAKTI_CALL_semaphore_try_wait] = true,
    [TAKTI_CALL_semaphore_post] = true,
    [TAKTI_CALL_events_set] = true,
    [TAKTI_CALL_events_get] = true, /* its row sets some */
    [TAKTI_CALL_mailbox_send] = true,
    [TAKTI_CALL_mailbox_send_until] = true,
    [TAKTI_CALL_mailbox_try_send] = true,
    [TAKTI_CALL_mailbox_count] = true, /* its row sends one */
    [TAKTI_CALL_priority_mailbox_send] = true,
    [TAKTI_CALL_priority_mailbox_send_until] = true,
    [TAKTI_CALL_priority_mailbox_try_send] = true,
    [TAKTI_CALL_priority_mailbox_send_urgent] = true,
    [TAKTI_CALL_priority_mailbox_send_urgent_until] = true,
    [TAKTI_CALL_priority_mailbox_try_send_urgent] = true,
    [TAKTI_CALL_signal_send] = true,
    [TAKTI_CALL_slot_commit] = true,
    [TAKTI_CALL_slot_close] = true, /* its row commits one */
    [TAKTI_CALL_pipe_write] = true,
    [TAKTI_CALL_pipe_write_until] = true,
    [TAKTI_CALL_pipe_try_write] = true,
    [TAKTI_CALL_process_stop] = true,
};

static void check(const char *name, bool stay)
{
    live_twice();
    if (as_without() == stay) {
        tell_first_difference(name);
        check_failed();
    }
}

int main(void)
{
    bool seen[TAKTI_CALL_COUNT] = {false};
    for (unsigned whose = 0; whose < 2; whose++) {
        own = whose == 0;
        row = NULL;
        life = NULL;
        live_twice();
        memcpy(without, entries, sizeof without);
        without_count = entry_count;
        CHECK(without_count > 60);
        for (row = rows; row < rows + sizeof rows / sizeof *rows; row++) {
            if (row->before != serve_interrupt) { /* that is another world */
                check(row->name, (!own || row->number == TAKTI_CALL_process_stop) && stays[row->number]);
                seen[row->number] = true;
            }
        }
        row = NULL;
        for (life = lives; life < lives + sizeof lives / sizeof *lives; life++) {
            check(life->name,
                  !own && life->live == wait_for_bytes); /* what it has read in part, and wrote, goes back */
            seen[life->number] = true;
        }
    }
    for (unsigned number = 0; number < TAKTI_CALL_COUNT; number++) {
        CHECK(seen[number] || takti_call_table[number] == NULL);
    }
    return 0;
}
