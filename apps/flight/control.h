/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guidance and control of a quadrotor: from where it is and what was commanded to four throttles. 50 Hz, pure
 * functions.
 *
 * Cascade: altitude -> climb rate -> thrust; heading -> yaw rate; speed along the heading -> tilt -> body rates ->
 * mixer.
 */
#ifndef FLIGHT_CONTROL_H
#define FLIGHT_CONTROL_H

#include "navigation.h"

#define CONTROL_DT 0.02f

/* What the ground station asked for. */
struct control_target {
    float altitude; /* m above mean sea level */
    float heading;  /* rad */
    float speed;    /* m/s over ground, along the heading */
    bool fly;       /* false: rotors stopped */
};

/* What control remembers from step to step. */
struct control_memory {
    float heading;          /* the heading asked for now, on its way to the target's */
    float speed;            /* likewise */
    float climb_integral;   /* m/s^2 */
    float tilt_integral[2]; /* ahead, right; m/s^2 */
    float rate_integral[3]; /* roll, pitch, yaw; throttle */
    bool flying;
    bool rejoins; /* not flying, but the aircraft may: the next step goes on from what it does */
};

/* Throttles, 0 to 1: front right, aft left, front left, aft right. */
struct control_output {
    float throttle[ROTORS];
};

void control_init(struct control_memory *memory);

/* Whether control could have come to such a memory. False of what is no number. */
bool control_memory_possible(const struct control_memory *memory);

/* Whether a step has to wait, and the rotors keep their last commands: in the air, and nothing is known yet of where.
 * So it is for some milliseconds after a restart only: without a restart a position that is known stays so. */
bool control_waits(const struct control_memory *memory, const struct navigation *navigation,
                   const struct control_target *target);

/* One step of CONTROL_DT. About 150 float operations and one sine/cosine pair. */
void control_step(struct control_memory *memory, const struct navigation *navigation,
                  const struct control_target *target, struct control_output *output);

#endif
