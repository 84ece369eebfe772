// SPDX-License-Identifier: Apache-2.0
#include "tables.hpp"

#include "takt/board.h"
#include "takt_app.h"

static volatile int count = 8;
static Squares squares(count);
static int jobs;

// Finds the objects as they were constructed, in each of its lives; the sixth job of a life faults.
void control_job(void *)
{
    jobs++;
    if (jobs == 1) {
        takt_board_console_write(squares.sum() == 140 && order == 12 ? "ready\n" : "wrong\n", 6);
    }
    order = 0;
    count = 3; // of the next life it is 8 again
    if (jobs == 6) {
        takt_fault_raise(TAKT_FAULT_ASSERTION, nullptr, __LINE__, 0);
    }
}
