/* SPDX-License-Identifier: Apache-2.0 */
/* Alarms and a watchdog. Alarms: started and stopped while the others sleep, and from the expiry until the handler, or
 * the task that serves.
 */
#include "takt/alarm.h"
#include "takt/watchdog.h"

#include "harness.h"
#include "rows.h"

static struct takt_alarm alarm;
static struct takt_alarm_queue queue;
static struct takt_semaphore semaphore;
static uint64_t far_ns;

static void came(struct takt_alarm *which)
{
    stamp_end(1);
    effects += which == &alarm;
}

static void sleep_until_far(void *argument)
{
    (void)argument;
    thread_sleep_until(far_ns);
}

/* Its expiry is in the middle of theirs. */
static void far_setup(void)
{
    uint64_t first_ns = expiry_far(0);
    takt_alarm_init(&alarm, 11, came, 0);
    for (unsigned i = 0; i < others; i++) {
        far_ns = first_ns + 2u * i;
        thread_take(sleep_until_far, LEVEL_ABOVE);
    }
    far_ns = first_ns + others - 1u;
}

static void far_once(void)
{
    stamp_begin(0);
    enum takt_status started = takt_alarm_start(&alarm, far_ns);
    stamp_end(1);
    stamp_begin(2);
    enum takt_status stopped = takt_alarm_stop(&alarm);
    stamp_end(3);
    effects += started == TAKT_OK && stopped == TAKT_OK;
}

static void soon_setup(void)
{
    takt_alarm_init(&alarm, 11, came, 0);
}

static void soon_once(void)
{
    uint64_t soon_ns = expiry_ahead(0);
    takt_alarm_restart(&alarm, soon_ns);
    expiry_await(soon_ns, soon_ns);
    stamp_begin(0);
    expiry_pass();
}

static void server(void *argument)
{
    (void)argument;
    for (;;) {
        (void)!takt_semaphore_wait(&semaphore);
        (void)takt_alarm_serve(&queue);
    }
}

static void served_setup(void)
{
    takt_alarm_init(&alarm, 11, came, 0);
    takt_semaphore_init(&semaphore, 12, NULL, 0, 1);
    takt_alarm_queue_init(&queue, &semaphore);
    takt_alarm_attach(&alarm, &queue);
    thread_take(server, LEVEL_ABOVE);
}

static struct takt_watchdog watchdog;

static void watchdog_setup(void)
{
    takt_watchdog_init(&watchdog, 13, &runner.task, TAKT_S(1000), TAKT_WATCHDOG_STOP, NULL);
    effects += takt_watchdog_start(&watchdog) != TAKT_OK;
}

static void watchdog_once(void)
{
    stamp_begin(0);
    takt_watchdog_kick(&watchdog);
    stamp_end(1);
    effects += watchdog.until_ns > TAKT_S(1000);
}

static const struct row rows[] = {
    {"alarm_start", far_setup, far_once, 1, 0, 1, false, OTHERS_MORE},
    {"alarm_stop", far_setup, far_once, 1, 2, 3, false, OTHERS_MORE},
    {"alarm_to_handler", soon_setup, soon_once, 1, 0, 1, false, 0},
    {"alarm_to_server", served_setup, soon_once, 1, 0, 1, false, 0},
    {"watchdog_kick", watchdog_setup, watchdog_once, 1, 0, 1, false, 0},
};

void alarm_rows_measure(void)
{
    harness_measure(rows, sizeof rows / sizeof rows[0]);
    (void)takt_watchdog_stop(&watchdog);
}
