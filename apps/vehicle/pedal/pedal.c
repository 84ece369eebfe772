/* SPDX-License-Identifier: Apache-2.0 */
/* The pedal. Sensors are played: from the first second on the driver steps on it, fully within 200 ms, and stays. The
 * second sensor is a little off, as such are. */
#include "takt_app.h"

enum {
    STEPS_ON_MS = 1000,
    FULL_IN_MS = 200,
    PERMILLE = 1000,
    OFF = 7,       /* permille by which the sensors differ */
    OFF_MAX = 50,  /* more: one of them is wrong, and nobody knows which */
    PROTECTION = 3 /* bytes that the driver fills */
};

static uint32_t travel(void)
{
    uint64_t now_ms = takt_now() / TAKT_MS(1);
    if (now_ms < STEPS_ON_MS) {
        return 0;
    }
    uint64_t moved = (now_ms - STEPS_ON_MS) * PERMILLE / FULL_IN_MS;
    return moved < PERMILLE ? (uint32_t)moved : PERMILLE;
}

void sensor_a(void *argument)
{
    (void)argument;
    uint32_t found = travel();
    takt_state_write(&travel_a, &found, sizeof found);
}

void sensor_b(void *argument)
{
    (void)argument;
    uint32_t found = travel();
    found -= found > OFF ? OFF : found;
    takt_state_write(&travel_b, &found, sizeof found);
}

/* Of two sensors that agree their mean, else the one that brakes more: a car that stops is safe. */
void compare(void *argument)
{
    (void)argument;
    uint32_t a = 0, b = 0;
    if (takt_state_read(&travel_a, &a, sizeof a) != TAKT_OK || takt_state_read(&travel_b, &b, sizeof b) != TAKT_OK) {
        return;
    }
    uint32_t more = a > b ? a : b, less = a > b ? b : a;
    uint32_t agree = more - less <= OFF_MAX;
    uint32_t wanted = agree ? (more + less) / 2 : more;
    uint8_t bytes[PROTECTION + 3] = {0};
    bytes[PROTECTION] = (uint8_t)wanted;
    bytes[PROTECTION + 1] = (uint8_t)(wanted >> 8);
    bytes[PROTECTION + 2] = (uint8_t)agree;
    enum takt_status sent = takt_can_send_demand(bytes);
    (void)sent; /* a node off the bus: the wheels notice that nothing comes */
}

static uint32_t first_of(const struct takt_state *message)
{
    uint8_t bytes[8];
    if (takt_state_read(message, bytes, sizeof bytes) != TAKT_OK) {
        return 0;
    }
    return (uint32_t)bytes[4] | (uint32_t)bytes[5] << 8 | (uint32_t)bytes[6] << 16 | (uint32_t)bytes[7] << 24;
}

/* The speed of the car as the driver sees it, and for diagnosis how far the wheels are apart in what they say of it. */
void show(void *argument)
{
    (void)argument;
    const struct takt_state *const wheels[] = {&wheel_fl_speed_value, &wheel_fr_speed_value, &rear_left_value,
                                               &rear_right_value};
    uint32_t least = UINT32_MAX, most = 0;
    for (unsigned i = 0; i < sizeof wheels / sizeof wheels[0]; i++) {
        uint32_t found = first_of(wheels[i]);
        least = found < least ? found : least;
        most = found > most ? found : most;
    }
    uint8_t bytes[8];
    for (unsigned i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(most >> (8 * i));
        bytes[4 + i] = (uint8_t)((most - least) >> (8 * i));
    }
    enum takt_status sent = takt_can_send_diagnosis(bytes);
    (void)sent;
}
