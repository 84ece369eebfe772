/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads, created mutexes and shared memory without protection: the owner of the mutex that the best task waits for,
 * and the task that delays whom. Task a is the highest, b of no process, c the lowest; a thread is as low as c.
 */
#include "kernel/test/support/scenario.h"

#include "takt/ceiling.h"
#include "takt/create.h"
#include "takt/invariants.h"
#include "takt/process.h"

#include <string.h>

enum { TASK_A = 1, TASK_B, LOWEST = 4, MEMORY = 1024 };

static uint8_t memory[MEMORY] __attribute__((aligned(TAKT_GRANULE)));
static struct takt_thread threads[1] = {{.index = SCENARIO_TASKS}};
static struct takt_mutex mutexes[1];
static struct takt_object slots[2];
static struct takt_quota quotas[1];
static const uint8_t of_tasks[] = {0, UINT8_MAX, 0};
extern const struct takt_quotas takt_quotas;
const struct takt_quotas takt_quotas = {quotas, of_tasks};

static struct {
    bool thread, created, ceiling, bounded;
} owner;
static struct takt_mutex *created;
static struct takt_mutex declared;
static struct takt_ceiling ceiling;
static char said[8];
static bool held;

static void say(char letter)
{
    size_t length = strlen(said);
    CHECK(length < sizeof said - 1);
    said[length] = letter;
}

static struct takt_mutex *mutex(void)
{
    return owner.created ? created : &declared;
}

static void check_unbroken(void)
{
    const struct takt_known thread = {&threads[0].task, TAKT_KNOWN_TASK};
    const struct takt_known_objects objects = {&thread, 1, 0};
    struct takt_broken broken = takt_kernel_broken(&objects);
    CHECK(broken.what == NULL);
}

static void lock_at_2(void *argument)
{
    (void)argument;
    scenario_sleep_to(2);
    CHECK(held);
    if (owner.ceiling) {
        CHECK_EQUAL(takt_ceiling_lock(&ceiling), TAKT_OK);
        say('a');
        takt_ceiling_unlock(&ceiling);
    } else {
        scenario_lock(mutex());
        say('a');
        takt_mutex_unlock(mutex());
    }
    check_unbroken();
}

static void work_at_3(void *argument)
{
    (void)argument;
    scenario_sleep_to(3);
    check_unbroken();
    scenario_work(20);
    say('b');
}

static void hold(void *argument)
{
    (void)argument;
    if (owner.ceiling) {
        CHECK_EQUAL(takt_ceiling_lock(&ceiling), TAKT_OK);
    } else {
        scenario_lock(mutex());
    }
    held = true;
    check_unbroken();
    scenario_work(5);
    say('c');
    if (owner.ceiling) {
        takt_ceiling_unlock(&ceiling);
    } else {
        takt_mutex_unlock(mutex());
    }
}

static void hold_or_start(void *argument)
{
    struct takt_mutex *second;
    struct takt_task *thread;
    const struct takt_thread_attributes attributes = {.entry = hold, .stack_size = 512, .level = LOWEST};
    CHECK_EQUAL(takt_mutex_create(&created), TAKT_OK);
    CHECK_EQUAL(takt_mutex_create(&second), TAKT_LIMIT);
    if (!owner.thread) {
        hold(argument);
    } else {
        CHECK_EQUAL(takt_thread_create(&thread, &attributes), TAKT_OK);
    }
}

/* The order in which the three are through: a, for which c goes on, before b; or b, for which nobody is in the way. */
static void check(const char *order)
{
    scenario_new();
    memset(&threads[0].task, 0, sizeof threads[0].task);
    memset(said, 0, sizeof said);
    held = false;
    slots[0] = (struct takt_object){&threads[0], 1, TAKT_OBJECT_FREE | TAKT_OBJECT_TASK, 0};
    slots[1] = (struct takt_object){&mutexes[0], 1, TAKT_OBJECT_FREE | TAKT_OBJECT_MUTEX, 0};
    quotas[0] = (struct takt_quota){
        .memory = (uintptr_t)memory, .memory_size = MEMORY, .slots = slots, .slot_count = 2, .thread_level = LOWEST};
    quotas[0].mutexes_inherit = owner.bounded;
    takt_mutex_init(&declared, 1);
    takt_ceiling_init(&ceiling, 2, TASK_A, 0);
    (void)scenario_task("a", TASK_A, lock_at_2);
    (void)scenario_task("b", TASK_B, work_at_3);
    (void)scenario_task("c", LOWEST, hold_or_start);
    scenario_run(60);
    CHECK_TEXT(said, order);
}

enum { SHARED = 600 }; /* several pieces */
static uint8_t bytes[SHARED];
static struct takt_shared shared = {.region = {.base = (uintptr_t)bytes, .size = SHARED}};

static void attach(void *argument)
{
    (void)argument;
    for (unsigned times = 0; times < 2; times++) {
        memset(bytes, 5, SHARED);
        CHECK(takt_shared_attach(&shared) == bytes);
        for (unsigned byte = 0; byte < SHARED; byte++) {
            CHECK_EQUAL(bytes[byte], 0);
        }
        bytes[0] = 5;
        CHECK(takt_shared_attach(&shared) == bytes && bytes[0] == 5);
        CHECK_EQUAL(shared.users, 1);
        takt_shared_detach(&shared);
        CHECK_EQUAL(shared.users, 0);
    }
    say('a');
}

static void attach_of_none(void *argument)
{
    (void)argument;
    CHECK(takt_shared_attach(&shared) == NULL);
    say('b');
}

static void check_shared(void)
{
    scenario_new();
    memset(said, 0, sizeof said);
    (void)scenario_task("a", TASK_A, attach);
    (void)scenario_task("b", TASK_B, attach_of_none);
    scenario_run(5);
    CHECK_TEXT(said, "ab");
}

int main(void)
{
    for (unsigned which = 0; which < 8; which++) {
        owner.thread = (which & 1) != 0;
        owner.created = (which & 2) != 0;
        owner.bounded = (which & 4) != 0;
        check((owner.created ? owner.bounded : !owner.thread) ? "cab" : "bca");
    }
    owner.created = false;
    owner.ceiling = true;
    check("bca");
    owner.thread = false;
    check("cab");
    check_shared();
    return 0;
}
