/* SPDX-License-Identifier: Apache-2.0 */
/* A wheel: a quarter of the car with its tyre on a dry road, and the control of its slip. */
#include <math.h>

#include "takt_app.h"

#ifdef WHEEL_REAR /* the message has another name behind the gateway */
#define RECEIVE_DEMAND takt_can_receive_demand_rear
#else
#define RECEIVE_DEMAND takt_can_receive_demand
#endif

#define STEP_S 0.001
#define MASS 400.0    /* kg: a quarter of the car */
#define RADIUS 0.3    /* m */
#define INERTIA 1.2   /* of the wheel, kg m^2 */
#define GRAVITY 9.81  /* m/s^2 */
#define START 27.8    /* m/s: 100 km/h */
#define STANDS 0.5    /* m/s: slower it stands */
#define TORQUE 2000.0 /* Nm with the pedal fully down: more than the tyre holds */
#define SLIP 0.15     /* that is wanted at most */

struct speeds {
    uint32_t wheel, car; /* mm/s */
};

/* Friction over slip of a dry road (Burckhardt's formula). */
static double friction(double slip)
{
    return 1.28 * (1.0 - exp(-23.99 * slip)) - 0.52 * slip;
}

void world(void *argument)
{
    (void)argument;
    static double car = START, spin = START / RADIUS; /* m/s, rad/s */
    double braking = 0.0;
    if (takt_state_read(&torque, &braking, sizeof braking) != TAKT_OK) {
        braking = 0.0;
    }
    if (car > STANDS) {
        double slip = 1.0 - spin * RADIUS / car;
        double force = friction(slip > 0.0 ? slip : 0.0) * MASS * GRAVITY;
        car -= STEP_S * force / MASS;
        spin += STEP_S * (force * RADIUS - braking) / INERTIA;
        spin = spin > 0.0 ? spin : 0.0;
        spin = spin * RADIUS > car ? car / RADIUS : spin;
    } else {
        car = spin = 0.0;
    }
    struct speeds now = {(uint32_t)(spin * RADIUS * 1000.0), (uint32_t)(car * 1000.0)};
    takt_state_write(&speeds, &now, sizeof now);
}

/* Torque as far as the pedal demands it and the tyre holds it: the limit falls by a tenth where the slip is too large,
 * and rises where it is not. Without a valid demand the wheel goes on to brake with half of what it had last, since
 * neither a car that does not brake nor one that locks is safe. */
void slip(void *argument)
{
    (void)argument;
    static double limit = TORQUE;
    static double wanted;
    uint8_t bytes[6];
    struct takt_e2e_result heard = RECEIVE_DEMAND(bytes);
    if (heard.accepted) {
        wanted = (bytes[3] | bytes[4] << 8) * TORQUE / 1000.0;
    }
    bool valid = heard.state == TAKT_E2E_VALID;
    struct speeds now = {0, 0};
    if (takt_state_read(&speeds, &now, sizeof now) != TAKT_OK) {
        return;
    }
    double locked = now.car > 0 ? 1.0 - (double)now.wheel / now.car : 0.0;
    limit = locked > SLIP ? 0.9 * limit : fmin(limit + 40.0, TORQUE);
    double braking = fmin(valid ? wanted : wanted / 2, limit);
    takt_state_write(&torque, &braking, sizeof braking);
}

void report(void *argument)
{
    (void)argument;
    struct speeds now = {0, 0};
    if (takt_state_read(&speeds, &now, sizeof now) != TAKT_OK) {
        return;
    }
    uint8_t bytes[8];
    for (unsigned i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(now.wheel >> (8 * i));
        bytes[4 + i] = (uint8_t)(now.car >> (8 * i));
    }
    enum takt_status sent = takt_can_send_speed(bytes);
    (void)sent; /* a node off the bus brakes on */
}
