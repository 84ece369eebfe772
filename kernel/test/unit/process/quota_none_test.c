/* SPDX-License-Identifier: Apache-2.0 */
/* Without protection and without processes: what a process takes and creates nobody gets. */
#include "kernel/test/support/scenario.h"
#include "takt/create.h"
#include "takt/process.h"

static uint8_t bytes[32] = {7};
static struct takt_shared shared = {.region = {(uintptr_t)bytes, sizeof bytes, TAKT_ACCESS_READ, 0}};
static unsigned ran;

static void take(void *argument)
{
    (void)argument;
    CHECK(takt_memory_alloc(1) == NULL);
    CHECK(takt_shared_attach(&shared) == NULL && shared.users == 0 && bytes[0] == 7);
    takt_shared_detach(&shared);
    CHECK_EQUAL(shared.users, 0);
#if TAKT_QUOTAS
    struct takt_mutex *mutex = NULL;
    struct takt_task *thread = NULL;
    const struct takt_thread_attributes attributes = {.entry = take, .stack_size = 256, .level = 6};
    CHECK(takt_mutex_create(&mutex) == TAKT_LIMIT && mutex == NULL);
    CHECK(takt_thread_create(&thread, &attributes) == TAKT_LIMIT && thread == NULL);
#endif
    ran++;
}

int main(void)
{
    scenario_new();
    (void)scenario_task("a", 1, take);
    scenario_run(5);
    CHECK_EQUAL(ran, 1);
    return 0;
}
