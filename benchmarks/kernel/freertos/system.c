/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"
#include "takt/board.h"

static void (*job)(void *argument);
static TickType_t period;

static void job_loop(void *argument)
{
    for (TickType_t woken = xTaskGetTickCount();;) {
        vTaskDelayUntil(&woken, period);
        job(argument);
    }
}

void job_start(struct thread *thread, void (*entry)(void *argument), enum level level, uint64_t period_ns)
{
    job = entry;
    period = (TickType_t)(period_ns * configTICK_RATE_HZ / 1000000000u);
    thread_create(thread, job_loop, level);
}

static void run(void *argument)
{
    (void)argument;
    harness_begin();
    if (harness_option("misuse", 0) != 0) {
        semaphore_give(NULL); /* an assertion, where there are some */
    }
    if (!other_set_measure()) {
        task_rows_measure();
        service_rows_measure();
        event_rows_measure();
        time_rows_measure();
    }
    harness_end();
}

int main(void)
{
    takt_board_init();
    thread_create(&runner, run, LEVEL_RUNNER);
    vTaskStartScheduler();
    return 1;
}
