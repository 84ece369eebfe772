/* SPDX-License-Identifier: Apache-2.0 */
/* What the nodes have in common. All values that tasks pass on, in a node or in messages, are differences from level
 * flight at 230 m/s and 10 000 m: what was never written is zero, and zero is right. The figures are those of the case
 * study (Pagetti, Saussie, Gratia, Noulard, Siron: The ROSACE Case Study, RTAS 2014) and of its open-source model. */
#pragma once
#include <math.h>
#include <stdint.h>

#include "takt/state.h"

#define AIRSPEED_EQ 230.0   /* m/s */
#define ALTITUDE_EQ 10000.0 /* m */
#define THROTTLE_EQ 1.5868660794926
#define ELEVATOR_EQ 0.012009615652468 /* rad */
#define PITCH_EQ 0.026485847681737    /* rad */

/* How values are in messages: 32 bits each, least significant byte first, two's complement, in units so small that
 * control notices nothing of them. */
#define WIRE_SPEED 1e-6    /* m/s and m/s^2: up to 2147 */
#define WIRE_ALTITUDE 1e-4 /* m: up to 214 km */
#define WIRE_ANGLE 1e-8    /* rad, rad/s, and the throttle, which has no unit: up to 21 */

static inline void wire_put(uint8_t *bytes, double value, double unit)
{
    uint32_t whole = (uint32_t)(int32_t)lround(value / unit);
    for (unsigned i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(whole >> (8 * i));
    }
}

static inline double wire_get(const uint8_t *bytes, double unit)
{
    uint32_t whole = 0;
    for (unsigned i = 0; i < 4; i++) {
        whole |= (uint32_t)bytes[i] << (8 * i);
    }
    return (int32_t)whole * unit;
}

/* The last value of another task of this node. */
static inline double last(const struct takt_state *state)
{
    double value;
    return takt_state_read(state, &value, sizeof value) == TAKT_OK ? value : 0.0;
}

/* A value of the last message of `size` bytes that came, from byte `first`. */
static inline double received(const struct takt_state *message, size_t size, unsigned first, double unit)
{
    uint8_t bytes[8];
    return takt_state_read(message, bytes, size) == TAKT_OK ? wire_get(bytes + first, unit) : 0.0;
}
