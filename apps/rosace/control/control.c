/* SPDX-License-Identifier: Apache-2.0 */
/* The controllers of ROSACE, with its gains, for 50 Hz. */
#include "../rosace.h"
#include "takt_app.h"

#define STEP_S 0.02
#define CLIMB_FROM TAKT_MS(1000)
#define HIGHER 100.0 /* m, which is wanted from then on */

/* Far from the altitude that is wanted 2.5 m/s towards it, near it a proportional and integral controller. */
void altitude_hold(void *argument)
{
    (void)argument;
    static double integral = 532.2730285; /* goes on from 2.5 m/s without a jump */
    double higher = received(&filtered_altitude_value, 4, 0, WIRE_ALTITUDE), sinking = 0.0;
    if (takt_now() >= CLIMB_FROM) {
        double above = higher - HIGHER;
        if (above < -50.0) {
            sinking = -2.5;
        } else if (above > 50.0) {
            sinking = 2.5;
        } else {
            sinking = 0.1014048 * above + 0.0048288 * integral;
            integral += STEP_S * above;
        }
    }
    takt_state_write(&climb, &sinking, sizeof sinking);
}

void vz_control(void *argument)
{
    (void)argument;
    static double integral;
    double wanted = last(&climb);
    double sinking = received(&filtered_speeds_value, 8, 4, WIRE_SPEED);
    double pitch_rate = received(&filtered_rates_value, 8, 0, WIRE_ANGLE);
    double acceleration = received(&filtered_rates_value, 8, 4, WIRE_SPEED);
    double output = 0.000627342822264 * integral - 0.003252836726554 * sinking + 0.376071446897134 * pitch_rate -
                    0.001566907423747 * acceleration;
    integral += STEP_S * (wanted - sinking);
    takt_state_write(&elevator_command, &output, sizeof output);
}

void va_control(void *argument)
{
    (void)argument;
    static double integral;
    double faster = received(&filtered_speeds_value, 8, 0, WIRE_SPEED);
    double sinking = received(&filtered_speeds_value, 8, 4, WIRE_SPEED);
    double pitch_rate = received(&filtered_rates_value, 8, 0, WIRE_ANGLE);
    double throttle = 0.049802610664357 * integral - 0.486813084356079 * faster - 0.077603095495388 * sinking +
                      21.692383376322041 * pitch_rate;
    integral -= STEP_S * faster;
    uint8_t bytes[8];
    wire_put(bytes, last(&elevator_command), WIRE_ANGLE);
    wire_put(bytes + 4, throttle, WIRE_ANGLE);
    enum takt_status sent = takt_can_send_commands(bytes);
    (void)sent; /* a node off the bus: the others go on with what they have */
}
