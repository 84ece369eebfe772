/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"
#include "takt/board.h"

static void run(void *argument)
{
    (void)argument;
    harness_begin();
    task_rows_measure();
    service_rows_measure();
    time_rows_measure();
    harness_end();
}

int main(void)
{
    takt_board_init();
    thread_create(&runner, run, LEVEL_RUNNER);
    vTaskStartScheduler();
    return 1;
}
