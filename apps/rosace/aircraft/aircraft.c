/* SPDX-License-Identifier: Apache-2.0 */
/* Engine, elevator and longitudinal dynamics, by Euler's method every 5 ms as in ROSACE. The figures are the case
 * study's. */
#include "../rosace.h"
#include "takt_app.h"

#define STEP_S 0.005

void engine(void *argument)
{
    (void)argument;
    static double power; /* this and the throttle: differences */
    double throttle = received(&commands_value, 8, 4, WIRE_ANGLE);
    double newton = 26350.0 * power;
    takt_state_write(&thrust, &newton, sizeof newton);
    power += STEP_S * 0.75 * (throttle - power);
}

/* A motor with a natural frequency of 25 rad/s and a damping of 0.85. */
void elevator(void *argument)
{
    (void)argument;
    static double angle, rate;
    double wanted = received(&commands_value, 8, 0, WIRE_ANGLE);
    takt_state_write(&deflection, &angle, sizeof angle);
    double acceleration = 25.0 * 25.0 * (wanted - angle) - 2.0 * 0.85 * 25.0 * rate;
    angle += STEP_S * rate;
    rate += STEP_S * acceleration;
}

static const double gravity = 9.80665;   /* m/s^2 */
static const double mass = 57837.5;      /* kg */
static const double inertia = 3781272.0; /* about the pitch axis, kg m^2 */
static const double wing = 122.6;        /* m^2 */
static const double chord = 4.29;        /* m */

/* kg/m^3 at so many metres in the standard atmosphere. */
static double density(double height)
{
    const double lapse = -0.0065; /* K/m */
    return 1.225 * pow(1.0 + lapse / 288.15 * height, -gravity / (287.05 * lapse) - 1.0);
}

/* The state of flight in the axes of the body: speeds forward and downward, pitch rate and angle; and the altitude. */
static struct {
    double u, w, q, theta, height;
} flight;

/* A send is refused to a task that sends more than declared, and to a node that is off the bus: then the others go on
 * with what they have. */
static void send_measured(double airspeed, double sinking, double acceleration)
{
    uint8_t bytes[8];
    wire_put(bytes, airspeed - AIRSPEED_EQ, WIRE_SPEED);
    wire_put(bytes + 4, sinking, WIRE_SPEED);
    enum takt_status sent = takt_can_send_speeds(bytes);
    wire_put(bytes, flight.q, WIRE_ANGLE);
    wire_put(bytes + 4, acceleration, WIRE_SPEED);
    sent = takt_can_send_rates(bytes);
    wire_put(bytes, flight.height - ALTITUDE_EQ, WIRE_ALTITUDE);
    sent = takt_can_send_altitude(bytes);
    (void)sent;
}

void dynamics(void *argument)
{
    (void)argument;
    double force = 26350.0 * THROTTLE_EQ + last(&thrust);
    double delta = ELEVATOR_EQ + last(&deflection);
    if (flight.height <= 0.0) { /* the first job */
        flight.u = AIRSPEED_EQ * cos(PITCH_EQ);
        flight.w = AIRSPEED_EQ * sin(PITCH_EQ);
        flight.theta = PITCH_EQ;
        flight.height = ALTITUDE_EQ;
    }

    double sine = sin(flight.theta), cosine = cos(flight.theta);
    double alpha = atan(flight.w / flight.u); /* angle of attack */
    double airspeed = sqrt(flight.u * flight.u + flight.w * flight.w);
    double lifted = alpha + 0.05;
    double lift = 0.193 * delta + 5.5 * lifted;
    double drag = 0.016 + 0.05 * delta + 2.5 * lifted * lifted;
    double moment = 0.04 - 1.5 * delta - 0.83 * alpha - 0.5 * 30.0 * flight.q * chord / airspeed;
    double pressure = 0.5 * density(flight.height) * airspeed * airspeed * wing; /* times the wing: N */
    double forward = pressure * (lift * sin(alpha) - drag * cos(alpha));
    double downward = -pressure * (drag * sin(alpha) + lift * cos(alpha));
    send_measured(airspeed, flight.w * cosine - flight.u * sine, gravity * cosine + downward / mass);

    double u = flight.u, w = flight.w, q = flight.q;
    flight.u += STEP_S * (-gravity * sine - q * w + (forward + force) / mass);
    flight.w += STEP_S * (gravity * cosine + q * u + downward / mass);
    flight.q += STEP_S * pressure * chord * moment / inertia;
    flight.theta += STEP_S * q;
    flight.height += STEP_S * (u * sine - w * cosine);
}
