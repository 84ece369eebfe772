/* SPDX-License-Identifier: Apache-2.0 */
/* What semaphores have besides waiting by key: waiting in turn, flush, the count. */
#include "kernel/test/support/misuse.h"

static struct takt_semaphore semaphore;
static struct takt_mutex mutex;
static char order[16]; /* in which waits ended */

static void end(const void *name)
{
    strcat(order, name);
}

static void new_scenario(uint16_t initial, uint16_t maximum)
{
    scenario_new();
    takt_semaphore_init(&semaphore, 1, NULL, initial, maximum);
    takt_mutex_init(&mutex, 2);
    order[0] = '\0';
}

static void wait_in_turn(void *argument)
{
    CHECK(takt_semaphore_wait_in_turn(&semaphore, TAKT_FOREVER) == TAKT_OK);
    end(argument);
}

static void wait_in_turn_at_1(void *argument)
{
    scenario_sleep_to(1);
    wait_in_turn(argument);
}

static void wait_in_turn_with_mutex(void *argument)
{
    scenario_lock(&mutex);
    scenario_sleep_to(2);
    CHECK(takt_semaphore_wait_in_turn(&semaphore, TAKT_MS(20)) == TAKT_OK);
    end(argument);
    takt_mutex_unlock(&mutex);
}

static void give_up_at_5(void *argument)
{
    scenario_sleep_to(3);
    CHECK(takt_semaphore_wait_in_turn(&semaphore, TAKT_MS(5)) == TAKT_TIMEOUT);
    end(argument);
}

static void inherit_at_4(void *argument)
{
    scenario_sleep_to(4);
    scenario_lock(&mutex); /* the owner stays where it is in the queue */
    end(argument);
    takt_mutex_unlock(&mutex);
}

static void post_at_6(void *argument)
{
    (void)argument;
    scenario_sleep_to(6);
    for (unsigned post = 0; post < 4; post++) {
        CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
    }
    CHECK(takt_semaphore_count(&semaphore) == 1);
    CHECK(takt_semaphore_wait_in_turn(&semaphore, 0) == TAKT_OK);
    CHECK(takt_semaphore_count(&semaphore) == 0);
}

/* The first that came first, whatever its key is, or becomes. */
static void turns(void)
{
    new_scenario(0, 3);
    (void)scenario_named("p", 7, post_at_6);
    (void)scenario_named("c", 5, wait_in_turn);
    (void)scenario_named("b", 4, wait_in_turn_at_1);
    (void)scenario_named("a", 3, wait_in_turn_with_mutex);
    (void)scenario_named("d", 2, give_up_at_5);
    (void)scenario_named("e", 1, inherit_at_4);
    scenario_run(10);
    CHECK_TEXT(order, "dcbae");
}

static void wait_for_flush(void *argument)
{
    CHECK(takt_semaphore_wait(&semaphore) == TAKT_FLUSHED);
    end(argument);
}

static void wait_in_turn_for_flush(void *argument)
{
    CHECK(takt_semaphore_wait_in_turn(&semaphore, TAKT_MS(20)) == TAKT_FLUSHED);
    end(argument);
}

static void flush(void *argument)
{
    (void)argument;
    takt_semaphore_flush(&semaphore);
    CHECK_TEXT(order, "ba");
    CHECK(takt_semaphore_count(&semaphore) == 0);
    for (unsigned post = 0; post < 2; post++) {
        CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
    }
    CHECK(takt_semaphore_post(&semaphore) == TAKT_LIMIT);
    takt_semaphore_flush(&semaphore); /* nobody waits, nothing changes */
    CHECK(takt_semaphore_count(&semaphore) == 2);
    end("f");
}

static void flushes(void)
{
    new_scenario(0, 2);
    (void)scenario_named("f", 5, flush);
    (void)scenario_named("a", 4, wait_in_turn_for_flush);
    (void)scenario_named("b", 3, wait_for_flush);
    scenario_run(10);
    CHECK_TEXT(order, "baf");
}

static void call_wait_in_turn(void)
{
    CHECK(takt_semaphore_wait_in_turn(&semaphore, 0) == TAKT_TIMEOUT);
}

static void call_flush(void)
{
    takt_semaphore_flush(&semaphore);
}

static const struct misuse misuses[] = {
    {call_wait_in_turn, INTERRUPT, "kernel/sync/semaphore.c", BANDS},
    {call_wait_in_turn, IDLE, "kernel/core/kernel.h", BANDS},
    {call_wait_in_turn, INIT, "kernel/core/kernel.h", BANDS},
    {call_flush, FREE_INTERRUPT, "kernel/sync/semaphore.c", BANDS},
};

static void prepare(const struct misuse *next)
{
    (void)next;
    takt_semaphore_init(&semaphore, 1, NULL, 0, 1);
}

int main(void)
{
    turns();
    flushes();
    return TAKT_ASSERTIONS ? misuse_run(misuses, sizeof misuses / sizeof *misuses, prepare) : 0;
}
