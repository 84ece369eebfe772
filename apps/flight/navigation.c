/* SPDX-License-Identifier: Apache-2.0 */
#include "navigation.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265f
#define GRAVITY 9.80665f
#define METRES_PER_LATITUDE 0.0111319f /* per 1e-7 degree */

/*
 * Per frame. The attitude sensor's noise is averaged over about 1 / (100 Hz * gain) = 0.2 s, the position's over
 * 1 / (10 Hz * gain): 1 s, its velocity's over 0.5 s. Between frames gyroscopes and accelerometers carry on.
 */
#define ANGLE_GAIN 0.05f
#define POSITION_GAIN 0.1f
#define VELOCITY_GAIN 0.2f
#define DT_MAX 0.1f

#define RATE_MAX 35.0f      /* rad/s: what a frame can say is 32.8 */
#define FORCE_MAX 80.0f     /* m/s^2: likewise, turned over ground, with gravity */
#define VELOCITY_MAX 400.0f /* m/s */
#define AWAY_MAX 1e6f       /* m */
#define MOVES_CM_S 100      /* faster than the noise of a sensor at rest */

float angle_wrap(float angle)
{
    if (angle > PI) {
        return angle - 2 * PI;
    }
    return angle < -PI ? angle + 2 * PI : angle;
}

/* Body rates to changes of roll, pitch and yaw; sines and cosines are those of the last frame. */
static void integrate_rates(struct attitude *attitude, float dt)
{
    const float *rate = attitude->rate;
    const float *sine = attitude->sine;
    const float *cosine = attitude->cosine;
    /* cos(pitch) stays far from 0: the program never asks for a pitch over 0.4 rad. */
    const float turn = (rate[1] * sine[ROLL] + rate[2] * cosine[ROLL]) / fmaxf(cosine[PITCH], 0.1f);

    attitude->angle[ROLL] += dt * (rate[0] + sine[PITCH] * turn);
    attitude->angle[PITCH] += dt * (rate[1] * cosine[ROLL] - rate[2] * sine[ROLL]);
    attitude->angle[YAW] += dt * turn;
}

static void pull_angles(struct attitude *attitude, const float measured[3])
{
    for (int i = 0; i < 3; i++) {
        const float error = angle_wrap(measured[i] - attitude->angle[i]);
        attitude->angle[i] = angle_wrap(attitude->angle[i] + ANGLE_GAIN * error);
    }
}

static void set_sines(struct attitude *attitude)
{
    for (int i = 0; i < 3; i++) {
        attitude->sine[i] = sinf(attitude->angle[i]);
        attitude->cosine[i] = cosf(attitude->angle[i]);
    }
}

/* Turns the measured specific force (body axes) over ground and takes gravity off. */
static void turn_acceleration(struct attitude *attitude, const float force[3])
{
    const float *sine = attitude->sine;
    const float *cosine = attitude->cosine;
    const float across = cosine[ROLL] * force[1] - sine[ROLL] * force[2];
    const float through = sine[ROLL] * force[1] + cosine[ROLL] * force[2];
    const float ahead = cosine[PITCH] * force[0] + sine[PITCH] * through;

    attitude->acceleration[0] = cosine[YAW] * ahead - sine[YAW] * across;
    attitude->acceleration[1] = sine[YAW] * ahead + cosine[YAW] * across;
    attitude->acceleration[2] = sine[PITCH] * force[0] - cosine[PITCH] * through - GRAVITY;
}

float attitude_update(struct attitude_filter *filter, const struct attitude_message *message)
{
    struct attitude *attitude = &filter->attitude;
    float measured[3];
    float force[3];
    float dt = 1e-6f * (float)(message->time_us - filter->time_us);

    for (int i = 0; i < 3; i++) {
        measured[i] = 1e-4f * (float)message->angle[i];
        force[i] = 1e-3f * (float)message->acceleration[i];
        attitude->rate[i] = 1e-3f * (float)message->rate[i];
    }
    if (!filter->started) {
        filter->started = true;
        memcpy(attitude->angle, measured, sizeof measured);
        set_sines(attitude);
        dt = 0;
    }
    dt = fminf(dt, DT_MAX);
    filter->time_us = message->time_us;

    integrate_rates(attitude, dt);
    pull_angles(attitude, measured);
    set_sines(attitude);
    turn_acceleration(attitude, force);
    return dt;
}

void navigation_predict(struct navigation *navigation, const struct attitude *attitude, float dt)
{
    navigation->attitude = *attitude;
    if (!navigation->fixed) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        navigation->velocity[i] += dt * attitude->acceleration[i];
    }
    navigation->north += dt * navigation->velocity[0];
    navigation->east += dt * navigation->velocity[1];
    navigation->altitude += dt * navigation->velocity[2];
}

static void pull_velocity(struct navigation *navigation, const struct position_message *message, float gain)
{
    for (int i = 0; i < 3; i++) {
        const float measured = (i == 2 ? -0.01f : 0.01f) * (float)message->velocity_cm_s[i];
        navigation->velocity[i] += gain * (measured - navigation->velocity[i]);
    }
}

static bool moves(const struct position_message *message)
{
    bool found = false;

    for (int i = 0; i < 3; i++) {
        found = found || message->velocity_cm_s[i] > MOVES_CM_S || message->velocity_cm_s[i] < -MOVES_CM_S;
    }
    return found;
}

static void fix_origin(struct navigation *navigation, const struct position_message *message)
{
    navigation->fixed = true;
    navigation->origin_latitude = message->latitude;
    navigation->origin_longitude = message->longitude;
    navigation->metres_per_longitude = METRES_PER_LATITUDE * cosf(1e-7f * (float)message->latitude * (PI / 180));
    navigation->altitude = 1e-3f * (float)message->altitude_mm;
    if (moves(message)) {
        pull_velocity(navigation, message, 1);
    }
}

void navigation_correct(struct navigation *navigation, const struct position_message *message)
{
    if (!navigation->fixed) {
        fix_origin(navigation, message);
    }

    /* Differences in integers: a float does not hold 1e-7 degree of a whole latitude. */
    const float north = METRES_PER_LATITUDE * (float)(message->latitude - navigation->origin_latitude);
    const float east = navigation->metres_per_longitude * (float)(message->longitude - navigation->origin_longitude);
    const float altitude = 1e-3f * (float)message->altitude_mm;

    navigation->north += POSITION_GAIN * (north - navigation->north);
    navigation->east += POSITION_GAIN * (east - navigation->east);
    navigation->altitude += POSITION_GAIN * (altitude - navigation->altitude);
    pull_velocity(navigation, message, VELOCITY_GAIN);
}

/* The bits of a float without its sign: in the order of its magnitude, with infinity and what is no number last. */
static uint32_t magnitude(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits & INT32_MAX;
}

bool values_within(const float *values, int count, float limit)
{
    const uint32_t most = magnitude(limit);
    bool inside = true;

    for (int i = 0; i < count; i++) {
        inside = inside && magnitude(values[i]) <= most;
    }
    return inside;
}

bool navigation_possible(const struct navigation *navigation)
{
    const struct attitude *attitude = &navigation->attitude;
    const float away[3] = {navigation->north, navigation->east, navigation->altitude};

    return values_within(attitude->angle, 3, ANGLE_MAX) && values_within(attitude->sine, 3, 1) &&
           values_within(attitude->cosine, 3, 1) && values_within(attitude->rate, 3, RATE_MAX) &&
           values_within(attitude->acceleration, 3, FORCE_MAX) &&
           values_within(navigation->velocity, 3, VELOCITY_MAX) && values_within(away, 3, AWAY_MAX) &&
           values_within(&navigation->metres_per_longitude, 1, 1);
}

void navigation_follow(struct navigation *last, const struct navigation *newest)
{
    if (newest->fixed || !last->fixed) {
        *last = *newest;
    } else {
        last->attitude = newest->attitude;
    }
}
