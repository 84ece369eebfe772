/* SPDX-License-Identifier: Apache-2.0 */
/* Starts and stops the guest, and looks at what it did meanwhile. The console has the lines that were wrong. */
#include "takt_app.h"

#include "takt/board.h"
#include "takt/process.h"

static unsigned wrong;

static void print_line(unsigned line)
{
    char text[] = "start: line 0000 is wrong\n";
    for (unsigned index = 15; index > 11; index--, line /= 10) {
        text[index] = (char)('0' + line % 10);
    }
    takt_board_console_write(text, sizeof text - 1);
}

static void check_line(unsigned line, bool right)
{
    if (!right) {
        wrong++;
        print_line(line);
    }
}
#define HOLDS(condition) check_line(__LINE__, (condition))

static void order(void)
{
    const uint32_t number = 1;
    HOLDS(takt_mailbox_try_send(&orders, &number) == TAKT_OK);
}

void manage_job(void *argument)
{
    static const char right[] = "start: all are right\n";
    static unsigned job;
    (void)argument;
    switch (job++) {
    case 0: /* it does not run yet */
        HOLDS(takt_process_stopped(PROCESS_guest));
        HOLDS(takt_process_stop(PROCESS_guest) == TAKT_STATE);
        HOLDS(takt_process_start(PROCESS_guest) == TAKT_OK);
        HOLDS(takt_process_start(PROCESS_guest) == TAKT_STATE);
        break;
    case 1:
        HOLDS(seen.lives == 1 && seen.allocated == 1 && seen.samples >= 6 && seen.samples <= 10);
        order();
        HOLDS(takt_semaphore_post(&farewell) == TAKT_OK); /* it stops itself */
        break;
    case 2:
        HOLDS(takt_process_stopped(PROCESS_guest));
        HOLDS(seen.orders == 1 && seen.samples <= 11);
        HOLDS(takt_process_start(PROCESS_guest) == TAKT_OK);
        break;
    default:
        HOLDS(seen.lives >= 1 && seen.allocated == 2 && seen.samples >= 12 && seen.out_of_phase == 0);
        HOLDS(takt_process_stop(PROCESS_guest) == TAKT_OK);
        HOLDS(takt_process_stop(PROCESS_guest) == TAKT_STATE);
        if (wrong == 0) {
            takt_board_console_write(right, sizeof right - 1);
        }
        break;
    }
}
