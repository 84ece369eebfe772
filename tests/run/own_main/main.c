/* SPDX-License-Identifier: Apache-2.0 */
#include "sensor.h"
#include "takt/board.h"

static const char started[] = "sensor calibrated\n";

int main(void)
{
    takt_board_init(); /* so that the console works already */
    if (!sensor_calibrate()) {
        return 1; /* the system does not start */
    }
    takt_board_console_write(started, sizeof started - 1);
    takt_run_start();
}
