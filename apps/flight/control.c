/* SPDX-License-Identifier: Apache-2.0 */
#include "control.h"

#include <math.h>

/* The airframe near hover: throttle that carries it, and throttle per m/s^2 of thrust around it. */
#define HOVER_THROTTLE 0.415f
#define THROTTLE_PER_ACCELERATION 0.0246f
#define GRAVITY 9.80665f

#define CLIMB_MAX 4.0f /* m/s */
#define SINK_MAX 2.0f
#define THRUST_MIN 0.15f /* throttle that still leaves the rotors room to turn the aircraft */
#define THRUST_MAX 0.80f
#define TILT_MAX 0.35f   /* rad */
#define TURN_RATE 0.35f  /* rad/s */
#define SPEED_RATE 1.0f  /* m/s^2 */
#define RATE_MAX 2.0f    /* rad/s */
#define TORQUE_MAX 0.12f /* throttle */
#define SPEED_MAX 10.0f  /* m/s: what can be commanded */

#define CLIMB_INTEGRAL_MAX 4.0f
#define TILT_INTEGRAL_MAX 2.0f
#define RATE_INTEGRAL_MAX 0.05f

#define ALTITUDE_GAIN 0.8f /* 1/s */
#define CLIMB_GAIN 2.0f
#define CLIMB_INTEGRAL 0.6f
#define SPEED_GAIN 1.2f
#define SPEED_INTEGRAL 0.3f
#define HEADING_GAIN 1.5f
#define TILT_GAIN 4.0f

/* Body rates: the airframe answers 1 of throttle difference with some 500 rad/s^2 in roll and pitch, 45 in yaw. */
static const float rate_gain[3] = {0.016f, 0.016f, 0.08f};
static const float rate_integral_gain[3] = {0.012f, 0.012f, 0.03f};

/* Which way each rotor turns the aircraft when it speeds up: roll right, pitch up, yaw right. */
static const float mixer[ROTORS][3] = {
    {-1, +1, +1}, /* front right */
    {+1, -1, +1}, /* aft left */
    {+1, +1, -1}, /* front left */
    {-1, -1, -1}, /* aft right */
};

static float clamp(float value, float low, float high)
{
    return fminf(fmaxf(value, low), high);
}

void control_init(struct control_memory *memory)
{
    *memory = (struct control_memory){0};
}

bool control_memory_possible(const struct control_memory *memory)
{
    return values_within(&memory->heading, 1, ANGLE_MAX) && values_within(&memory->speed, 1, SPEED_MAX) &&
           values_within(&memory->climb_integral, 1, CLIMB_INTEGRAL_MAX) &&
           values_within(memory->tilt_integral, 2, TILT_INTEGRAL_MAX) &&
           values_within(memory->rate_integral, 3, RATE_INTEGRAL_MAX);
}

bool control_waits(const struct control_memory *memory, const struct navigation *navigation,
                   const struct control_target *target)
{
    return target->fly && (memory->flying || memory->rejoins) && !navigation->fixed;
}

static void begin_flight(struct control_memory *memory, const struct navigation *navigation)
{
    const bool rejoins = memory->rejoins;
    const struct attitude *attitude = &navigation->attitude;

    control_init(memory);
    memory->flying = true;
    memory->heading = attitude->angle[YAW];
    if (rejoins) { /* as fast as it is, and leaning as it does: that is what the wind takes */
        const float ahead =
            attitude->cosine[YAW] * navigation->velocity[0] + attitude->sine[YAW] * navigation->velocity[1];
        const float lean[2] = {-attitude->angle[PITCH], attitude->angle[ROLL]};
        memory->speed = clamp(ahead, 0, SPEED_MAX);
        for (int i = 0; i < 2; i++) {
            memory->tilt_integral[i] = clamp(GRAVITY * lean[i], -TILT_INTEGRAL_MAX, TILT_INTEGRAL_MAX);
        }
    }
}

/* Heading and speed walk to their targets so that a large command does not ask for a large tilt. */
static void walk(struct control_memory *memory, const struct control_target *target)
{
    const float turn = angle_wrap(target->heading - memory->heading);
    const float step = target->speed - memory->speed;

    memory->heading = angle_wrap(memory->heading + clamp(turn, -TURN_RATE * CONTROL_DT, TURN_RATE * CONTROL_DT));
    memory->speed += clamp(step, -SPEED_RATE * CONTROL_DT, SPEED_RATE * CONTROL_DT);
}

/* Mean throttle that holds the altitude. */
static float climb_throttle(struct control_memory *memory, const struct navigation *navigation, float altitude)
{
    const float climb = clamp(ALTITUDE_GAIN * (altitude - navigation->altitude), -SINK_MAX, CLIMB_MAX);
    const float error = climb - navigation->velocity[2];

    memory->climb_integral =
        clamp(memory->climb_integral + CLIMB_INTEGRAL * CONTROL_DT * error, -CLIMB_INTEGRAL_MAX, CLIMB_INTEGRAL_MAX);

    const float lift = GRAVITY + clamp(CLIMB_GAIN * error + memory->climb_integral, -5, 6);
    const float tilted = navigation->attitude.cosine[ROLL] * navigation->attitude.cosine[PITCH];
    const float thrust = lift / fmaxf(tilted, 0.7f);
    return clamp(HOVER_THROTTLE + THROTTLE_PER_ACCELERATION * (thrust - GRAVITY), THRUST_MIN, THRUST_MAX);
}

/* Roll and pitch that hold the speed along the heading, and none across it. */
static void tilt_for_speed(struct control_memory *memory, const struct navigation *navigation, float tilt[2])
{
    const float sin_yaw = navigation->attitude.sine[YAW];
    const float cos_yaw = navigation->attitude.cosine[YAW];
    const float north = memory->speed * cosf(memory->heading) - navigation->velocity[0];
    const float east = memory->speed * sinf(memory->heading) - navigation->velocity[1];
    const float error[2] = {cos_yaw * north + sin_yaw * east, cos_yaw * east - sin_yaw * north};
    float wanted[2];

    for (int i = 0; i < 2; i++) {
        memory->tilt_integral[i] = clamp(memory->tilt_integral[i] + SPEED_INTEGRAL * CONTROL_DT * error[i],
                                         -TILT_INTEGRAL_MAX, TILT_INTEGRAL_MAX);
        wanted[i] = (SPEED_GAIN * error[i] + memory->tilt_integral[i]) / GRAVITY;
    }
    tilt[0] = clamp(wanted[1], -TILT_MAX, TILT_MAX);  /* roll right to go right */
    tilt[1] = clamp(-wanted[0], -TILT_MAX, TILT_MAX); /* nose down to go ahead */
}

/* Throttle differences that bring the body rates to `wanted`. */
static void rate_torque(struct control_memory *memory, const float rate[3], const float wanted[3], float torque[3])
{
    for (int i = 0; i < 3; i++) {
        const float error = clamp(wanted[i], -RATE_MAX, RATE_MAX) - rate[i];

        memory->rate_integral[i] = clamp(memory->rate_integral[i] + rate_integral_gain[i] * CONTROL_DT * error,
                                         -RATE_INTEGRAL_MAX, RATE_INTEGRAL_MAX);
        torque[i] = clamp(rate_gain[i] * error + memory->rate_integral[i], -TORQUE_MAX, TORQUE_MAX);
    }
}

void control_step(struct control_memory *memory, const struct navigation *navigation,
                  const struct control_target *target, struct control_output *output)
{
    const struct attitude *attitude = &navigation->attitude;
    float tilt[2];
    float torque[3];

    if (!target->fly || !navigation->fixed) {
        memory->flying = false;
        memory->rejoins = false;
        *output = (struct control_output){{0}};
        return;
    }
    if (!memory->flying) {
        begin_flight(memory, navigation);
    }

    walk(memory, target);
    const float thrust = climb_throttle(memory, navigation, target->altitude);
    tilt_for_speed(memory, navigation, tilt);
    const float rates[3] = {
        TILT_GAIN * (tilt[0] - attitude->angle[ROLL]),
        TILT_GAIN * (tilt[1] - attitude->angle[PITCH]),
        HEADING_GAIN * angle_wrap(memory->heading - attitude->angle[YAW]),
    };
    rate_torque(memory, attitude->rate, rates, torque);

    for (int i = 0; i < ROTORS; i++) {
        const float turn = mixer[i][0] * torque[0] + mixer[i][1] * torque[1] + mixer[i][2] * torque[2];
        output->throttle[i] = clamp(thrust + turn, 0, 1);
    }
}
