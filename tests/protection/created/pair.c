/* SPDX-License-Identifier: Apache-2.0 */
/* Three that lock one mutex, which high creates at its first release. Without protection nothing ends a section, so
 * none is for ever. */
#include "seed.h"
#include "takt_app.h"

#include "takt/create.h"

#define MS UINT64_C(1000000)

static struct takt_mutex *mutex;

/* From now on, 2 ms of a section in which high is released. */
static void own(uint64_t endless_ns)
{
    if (takt_mutex_lock(mutex) == TAKT_OK) {
        bool endless = STAYS && takt_now() >= endless_ns && takt_now() < endless_ns + 20 * MS;
        for (volatile uint32_t round = 0; endless || round < ROUNDS_OF_100_US * 20; round++) {
        }
        takt_mutex_unlock(mutex);
    }
}

static void thread_main(void *argument)
{
    (void)argument;
    for (uint64_t at_ns = (takt_now() / (80 * MS)) * 80 * MS + 40 * MS;; at_ns += 80 * MS) {
        takt_delay_until(at_ns);
        own(360 * MS);
    }
}

static void begin(void)
{
    struct takt_task *thread;
    const struct takt_thread_attributes attributes = {
        .entry = thread_main, .stack_size = 512, .level = TAKT_LEVELS - 2};
    if (takt_mutex_create(&mutex) != TAKT_OK || takt_thread_create(&thread, &attributes) != TAKT_OK) {
        takt_fault_raise(TAKT_FAULT_ASSERTION, __FILE__, __LINE__, 0);
    }
}

void high_job(void *argument)
{
    (void)argument;
    if (mutex == NULL) {
        begin();
    }
    if (takt_mutex_lock(mutex) == TAKT_OK) {
        takt_mutex_unlock(mutex);
    }
}

void low_job(void *argument)
{
    (void)argument;
    if (mutex != NULL) {
        own(160 * MS);
    }
}
