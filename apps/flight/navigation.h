/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the aircraft is and how it moves: two small complementary filters, single precision, pure functions.
 *
 * Angles: rad, yaw from north over east. Position: m, north and east of the first fix, altitude above mean sea level.
 */
#ifndef FLIGHT_NAVIGATION_H
#define FLIGHT_NAVIGATION_H

#include <stdbool.h>
#include <stdint.h>

#include "messages.h"

enum { ROLL, PITCH, YAW };

/* Attitude after filtering, and the acceleration that it gives over ground. */
struct attitude {
    float angle[3]; /* roll, pitch, yaw */
    float sine[3];  /* of the angles: computed once, used by everyone */
    float cosine[3];
    float rate[3];         /* body axes, rad/s */
    float acceleration[3]; /* north, east, up; m/s^2, gravity taken off */
};

/* Attitude filter: rates integrated, pulled towards the measured angles. Owned by the reader of attitude frames. */
struct attitude_filter {
    struct attitude attitude;
    uint32_t time_us; /* of the last frame */
    bool started;
};

/* Position filter. Shared: attitude frames drive it, position frames correct it, control reads it. */
struct navigation {
    struct attitude attitude;
    float north;
    float east;
    float altitude;
    float velocity[3];       /* north, east, up; m/s */
    int32_t origin_latitude; /* 1e-7 degree: the first fix */
    int32_t origin_longitude;
    float metres_per_longitude; /* per 1e-7 degree at the origin */
    bool fixed;                 /* a position has been received */
};

#define ANGLE_MAX 3.142f /* rad: no angle is larger, rounding included */

/* Whether each of `count` values is from -limit to limit: a NaN is not. Integer instructions only, 5 a value. */
bool values_within(const float *values, int count, float limit);

/* An angle brought into -pi .. pi; |angle| <= 3 pi. */
float angle_wrap(float angle);

/* Takes one attitude frame into the filter. Returns the seconds since the one before: 0 for the first, at most 0.1. */
float attitude_update(struct attitude_filter *filter, const struct attitude_message *message);

/* Moves position and velocity on by `dt` seconds with the acceleration in `attitude`. About 20 float operations. */
void navigation_predict(struct navigation *navigation, const struct attitude *attitude, float dt);

/* Pulls position and velocity towards a measured position. The first one sets the origin; if it moves (a restart in
 * flight), the velocity as well. */
void navigation_correct(struct navigation *navigation, const struct position_message *message);

/* Whether an aircraft of this kind can be there and move so. False of what is no number. */
bool navigation_possible(const struct navigation *navigation);

/* Takes what is newer into `last`: all of it; of one that has no position, where `last` does (its process starts
 * again), the attitude. */
void navigation_follow(struct navigation *last, const struct navigation *newest);

#endif
