/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INVARIANTS_SYSTEM_H
#define INVARIANTS_SYSTEM_H

/* A system whose tasks are in every state when `p` runs: begin() declares it. The file that includes it checks it. */
#include "kernel/observe/invariants.h"
#include "kernel/port.h"
#include "kernel/test/support/scenario.h"

enum { PROBE = 18, EQUALS = 19, EDF_LEVEL = 22, CEILING = 4, LAST = 23 };

static struct takt_mutex mutex, other, signalled;
static struct takt_ceiling ceiling;
static struct takt_condition condition;
static struct takt_semaphore counts, waited, turns, never, hinted;
static struct takt_mailbox holding, full, empty;
static struct takt_events flags;
static struct takt_pipe dry, wet;
static uint8_t bytes[2][8];
static struct takt_priority_mailbox letters;
static uint64_t letter_storage[3 * TAKT_MESSAGE_BUFFER_BYTES(sizeof(uint64_t)) / sizeof(uint64_t)];
static struct takt_rendezvous meet;
static uint64_t storage[3][2];
static struct takt_rendezvous_accepted accepted;
static struct takt_alarm alarms[2];
static struct takt_alarm_queue alarm_queue;
static struct takt_semaphore alarm_came;
static struct takt_watchdog watchdog;
static struct takti_call calls[2];
TAKT_TIMERS_DEFINE(room, 2 * SCENARIO_TASKS + 8);
static struct takt_task unknown;
#if TAKT_BUDGETS
static struct takt_budget watched = {.full_ns = TAKT_S(1), .policy = TAKT_BUDGET_NOTIFY};
static struct takt_budget enforced = {.full_ns = TAKT_S(1), .hold_ns = TAKT_S(1), .policy = TAKT_BUDGET_STOP};
#endif

static const struct takt_known given[] = {{&mutex, TAKT_KNOWN_MUTEX},
                                          {&other, TAKT_KNOWN_MUTEX},
                                          {&signalled, TAKT_KNOWN_MUTEX},
                                          {&ceiling, TAKT_KNOWN_CEILING},
                                          {&accepted, TAKT_KNOWN_CALL},
                                          {&counts, TAKT_KNOWN_SEMAPHORE},
                                          {&waited, TAKT_KNOWN_SEMAPHORE},
                                          {&turns, TAKT_KNOWN_SEMAPHORE},
                                          {&holding, TAKT_KNOWN_MAILBOX},
                                          {&full, TAKT_KNOWN_MAILBOX},
                                          {&empty, TAKT_KNOWN_MAILBOX},
                                          {&alarms[0], TAKT_KNOWN_ALARM},
                                          {&alarms[1], TAKT_KNOWN_ALARM},
                                          {&watchdog, TAKT_KNOWN_WATCHDOG},
                                          {&calls[0], TAKT_KNOWN_TIMER_CALL},
                                          {&calls[1], TAKT_KNOWN_TIMER_CALL},
                                          {&condition, TAKT_KNOWN_CONDITION},
                                          {&flags, TAKT_KNOWN_EVENTS},
                                          {&dry, TAKT_KNOWN_PIPE},
                                          {&wet, TAKT_KNOWN_PIPE},
                                          {&letters, TAKT_KNOWN_PRIORITY_MAILBOX},
                                          {&meet, TAKT_KNOWN_RENDEZVOUS}};
static const struct takt_known_objects objects = {given, sizeof given / sizeof given[0], UINT16_MAX};

static void probe(void);                         /* in task p */
static void call_comes(struct takti_call *call); /* in the timer's interrupt, with the other call due as well */
static void look(void);                          /* in init */

static void any_status(enum takt_status status)
{
    (void)status;
}

static void wait_for(struct takt_semaphore *semaphore)
{
    any_status(takt_semaphore_wait(semaphore));
}

/* Of three blocks two have a message, and one was given back. */
static void prepare_letters(void)
{
    uint64_t message = 0;
    for (uint32_t priority = 3; priority > 0; priority--) {
        any_status(takt_priority_mailbox_send(&letters, &message, priority));
    }
    any_status(takt_priority_mailbox_receive(&letters, &message));
}

static void prepare(void)
{
    uint64_t message = 0;
    struct takt_pipe_count count = {.size = 5};
    prepare_letters();
    any_status(takt_pipe_write(&wet, &message, &count));
    scenario_sleep_to(3);
    any_status(takt_semaphore_post(&hinted));
    takt_task_suspend(scenario_find("u"));
    takt_task_suspend(scenario_find("h"));
    any_status(takt_mailbox_send(&holding, &message));
    for (unsigned time = 0; time < 3; time++) {
        takt_job_release(scenario_find("a"));
    }
}

static void act(void *argument)
{
    uint64_t message[2] = {0};
    switch (*(const char *)argument) {
    case 'p':
        prepare();
        probe();
        break;
    case 'w':
        any_status(takt_semaphore_wait_until(&waited, TAKT_MS(400)));
        break;
    case 'x':
        wait_for(&waited);
        break;
    case 'l':
    case 'j':
        scenario_sleep_to(1);
        any_status(takt_mutex_lock_until(&mutex, TAKT_MS(400)));
        break;
    case 'o':
        scenario_lock(&mutex);
        scenario_lock(&other);
        wait_for(&never);
        break;
    case 'k':
        any_status(takt_ceiling_lock(&ceiling));
        any_status(takt_events_wait(&flags, &(struct takt_events_wanted){3, TAKT_EVENTS_ALL}));
        break;
    case 'q':
        any_status(takt_semaphore_wait_in_turn(&turns, TAKT_FOREVER));
        break;
    case 's':
    case 't':
        scenario_sleep_to(50);
        break;
    case 'g':
        takt_hint_next(&mutex);
        wait_for(&hinted);
        break;
    case 'c':
        scenario_lock(&signalled);
        any_status(takt_condition_wait(&condition, &signalled));
        break;
    case 'm':
        for (unsigned time = 0; time < 3; time++) {
            any_status(takt_mailbox_send(&full, message));
        }
        break;
    case 'v':
        any_status(takt_mailbox_receive(&empty, message));
        break;
    case 'd':
        any_status(takt_pipe_read(&dry, message, &(struct takt_pipe_count){.size = 8, .least = 1}));
        break;
    case 'u':
        any_status(takt_rendezvous_call(&meet, message, sizeof message));
        break;
    case 'r':
    case 'i':
        for (;;) {
            scenario_work(1);
        }
    default: /* jobs that do nothing, and z, which ends */
        break;
    }
}

static void alarm_comes(struct takt_alarm *alarm)
{
    (void)alarm;
}

static void watchdog_expires(struct takt_watchdog *expired)
{
    (void)expired;
}

static void before(void)
{
    takt_semaphore_init(&counts, 1, NULL, 1, 2);
    takt_semaphore_init(&waited, 2, NULL, 0, 1);
    takt_semaphore_init(&turns, 3, NULL, 0, 1);
    takt_semaphore_init(&never, 4, NULL, 0, 1);
    takt_semaphore_init(&hinted, 5, NULL, 0, 1);
    takt_semaphore_init(&alarm_came, 6, NULL, 0, 1);
    takt_ceiling_init(&ceiling, 7, CEILING, 0);
    takt_condition_init(&condition, 8);
    takt_mailbox_init(&holding, 9, storage[0], sizeof storage[0][0], 2, NULL);
    takt_mailbox_init(&full, 10, storage[1], sizeof storage[1][0], 2, NULL);
    takt_mailbox_init(&empty, 11, storage[2], sizeof storage[2][0], 2, NULL);
    takt_events_init(&flags, 15);
    takt_events_set(&flags, 4 + 1);
    takt_pipe_init(&dry, 16, bytes[0], sizeof bytes[0]);
    takt_pipe_init(&wet, 17, bytes[1], sizeof bytes[1]);
    takt_priority_mailbox_init(&letters, 18, letter_storage, sizeof(uint64_t), 3, NULL);
    takt_rendezvous_init(&meet, 19);
    takt_alarm_queue_init(&alarm_queue, &alarm_came);
    takt_alarm_init(&alarms[0], 12, alarm_comes, 0);
    takt_alarm_init(&alarms[1], 13, alarm_comes, TAKT_MS(20));
    takt_alarm_attach(&alarms[1], &alarm_queue);
    any_status(takt_alarm_start(&alarms[0], TAKT_MS(60)));
    any_status(takt_alarm_start(&alarms[1], TAKT_MS(1)));
    takt_watchdog_init(&watchdog, 14, scenario_find("o"), TAKT_MS(70), TAKT_WATCHDOG_NOTIFY, watchdog_expires);
    any_status(takt_watchdog_start(&watchdog));
    takti_call_at(&calls[0], TAKT_MS(2), call_comes);
    takti_call_at(&calls[1], TAKT_MS(2), call_comes);
    look();
}

static void begin(void)
{
    static const struct {
        const char *name;
        unsigned level;
    } tasks[] = {{"w", 1}, {"x", 2},  {"l", 2},  {"j", 3},  {"q", 5},  {"s", 6},  {"t", 7},  {"u", 7},    {"g", 8},
                 {"c", 9}, {"o", 10}, {"k", 11}, {"m", 12}, {"v", 13}, {"z", 17}, {"h", 20}, {"p", PROBE}};
    scenario_new();
    for (unsigned index = 0; index < sizeof tasks / sizeof tasks[0]; index++) {
        (void)scenario_named(tasks[index].name, tasks[index].level, act);
    }
    scenario_periodic("n", 14, act, 100)->argument = (void *)(uintptr_t) "n";
    struct takt_task_config *job = scenario_periodic("d", 15, act, 100);
    job->argument = (void *)(uintptr_t) "d";
    scenario_on_miss(job, TAKT_MISS_NOTIFY);
    struct takt_task_config *sporadic = scenario_sporadic("a", 16, act, 10);
    sporadic->argument = (void *)(uintptr_t) "a";
    sporadic->arrivals->capacity = 3;
    scenario_periodic("e", EDF_LEVEL, act, 1000)->argument = (void *)(uintptr_t) "e";
    (void)scenario_named("r", EQUALS, act);
    (void)scenario_named("i", EQUALS, act);
    scenario_periodic("f", EDF_LEVEL, act, 2000)->argument = (void *)(uintptr_t) "f";
    scenario.system.timers = &room;
    scenario.before = before;
#if TAKT_EDF
    scenario_edf(EDF_LEVEL);
#endif
#if TAKT_SLICES
    scenario.system.level_quanta_ns = scenario.quanta_ns;
    scenario.quanta_ns[PROBE] = TAKT_MS(5);
#endif
#if TAKT_BUDGETS
    for (unsigned index = 0; index < scenario.system.task_count; index++) {
        const char *name = scenario.configs[index].name;
        scenario.configs[index].budget = *name == 'p' ? &watched : *name == 'o' ? &enforced : NULL;
    }
#endif
}

#endif
