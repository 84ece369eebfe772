/* SPDX-License-Identifier: Apache-2.0 */
/* Filters of second order (ROSACE), for 100 Hz: state x, output x[1]. */
#include "../rosace.h"
#include "takt_app.h"

struct filter {
    double a[2], b[2];
    double x[2];
};

#define SPEED_A                               \
    {                                         \
        0.914975803093201, -1.911199519984605 \
    }
#define SPEED_B                              \
    {                                        \
        0.001860178914816, 0.001916104193780 \
    }
#define SLOW_A                                \
    {                                         \
        0.586756156020839, -1.477888930110354 \
    }
#define SLOW_B                               \
    {                                        \
        0.049596808318647, 0.059270417591839 \
    }

static struct filter of_va = {SPEED_A, SPEED_B, {0}};
static struct filter of_vz = {SPEED_A, SPEED_B, {0}};
static struct filter of_q = {SLOW_A, SLOW_B, {0}};
static struct filter of_az = {{0.169118914523145, -0.518588903229759}, {0.229019233988375, 0.421510777305010}, {0}};
static struct filter of_h = {SLOW_A, SLOW_B, {0}};

/* The output for what came before; then it takes the input. */
static double filtered(struct filter *one, double input)
{
    double output = one->x[1];
    one->x[1] = one->x[0] - one->a[1] * output + one->b[1] * input;
    one->x[0] = one->b[0] * input - one->a[0] * output;
    return output;
}

void va_filter(void *argument)
{
    (void)argument;
    double output = filtered(&of_va, received(&speeds_value, 8, 0, WIRE_SPEED));
    takt_state_write(&airspeed, &output, sizeof output);
}

void vz_filter(void *argument)
{
    (void)argument;
    uint8_t bytes[8];
    wire_put(bytes, last(&airspeed), WIRE_SPEED);
    wire_put(bytes + 4, filtered(&of_vz, received(&speeds_value, 8, 4, WIRE_SPEED)), WIRE_SPEED);
    enum takt_status sent = takt_can_send_filtered_speeds(bytes);
    (void)sent; /* a node off the bus: the others go on with what they have */
}

void q_filter(void *argument)
{
    (void)argument;
    double output = filtered(&of_q, received(&rates_value, 8, 0, WIRE_ANGLE));
    takt_state_write(&pitch_rate, &output, sizeof output);
}

void az_filter(void *argument)
{
    (void)argument;
    uint8_t bytes[8];
    wire_put(bytes, last(&pitch_rate), WIRE_ANGLE);
    wire_put(bytes + 4, filtered(&of_az, received(&rates_value, 8, 4, WIRE_SPEED)), WIRE_SPEED);
    enum takt_status sent = takt_can_send_filtered_rates(bytes);
    (void)sent; /* a node off the bus: the others go on with what they have */
}

void h_filter(void *argument)
{
    (void)argument;
    uint8_t bytes[4];
    wire_put(bytes, filtered(&of_h, received(&altitude_value, 4, 0, WIRE_ALTITUDE)), WIRE_ALTITUDE);
    enum takt_status sent = takt_can_send_filtered_altitude(bytes);
    (void)sent; /* a node off the bus: the others go on with what they have */
}
