/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the frames carry: fixed-point payloads, little endian, one structure a type. Fields are in the order of the
 * line. Times are the sender's clock in microseconds, modulo 2^32. Rotors: front right, aft left, front left, aft
 * right.
 */
#ifndef FLIGHT_MESSAGES_H
#define FLIGHT_MESSAGES_H

#include <stdint.h>

#include "frame.h"

enum { ROTORS = 4 };

/* Attitude and heading reference, 100 Hz. */
struct attitude_message {
    uint32_t time_us;
    int16_t angle[3];        /* roll, pitch, yaw; 1e-4 rad */
    int16_t acceleration[3]; /* specific force, body axes (forward, right, down); 1e-3 m/s^2 */
    int16_t rate[3];         /* body axes; 1e-3 rad/s */
};

/* Satellite position, 10 Hz. */
struct position_message {
    uint32_t time_us;
    int32_t latitude;         /* 1e-7 degree */
    int32_t longitude;        /* 1e-7 degree */
    int32_t altitude_mm;      /* above mean sea level */
    int16_t velocity_cm_s[3]; /* north, east, down */
};

/* What the rotors' controllers actually do, 50 Hz. The command to them has the same form. */
struct rotor_message {
    uint32_t time_us;
    uint16_t throttle[ROTORS]; /* 1e-4 of full */
};

enum command_mode { COMMAND_IDLE = 0, COMMAND_FLY = 1 };

/* From the ground station, at any time but at least 500 ms apart; repeated until acknowledged. */
struct command_message {
    uint32_t time_us;
    uint16_t number;
    uint16_t mode;       /* enum command_mode */
    int32_t altitude_mm; /* above mean sea level */
    int16_t heading;     /* 1e-4 rad, -pi to pi */
    int16_t speed_cm_s;  /* over ground, along the heading */
};

struct acknowledge_message {
    uint16_t number;   /* of the command */
    uint16_t accepted; /* 0: refused, its values are out of range */
};

/* Health of the link and of the program, from the monitor. */
struct status_message {
    uint32_t time_us;
    uint32_t frames;
    uint16_t bad_crc;
    uint16_t bad_length;
    uint16_t resync_bytes;
    uint16_t late;
    uint16_t lost;
    uint16_t overflow;     /* frames that did not fit into a queue */
    uint16_t stale;        /* monitor periods without news from a sensor */
    uint16_t refused;      /* commands */
    uint16_t rotor_faults; /* feedback that does not follow the command */
    uint16_t flags;        /* reserved, 0 */
    int32_t altitude_mm;   /* estimated */
};

/* Writers set the frame's type, length and payload; the sequence belongs to the sender. */
void attitude_write(struct frame *frame, const struct attitude_message *message);
void position_write(struct frame *frame, const struct position_message *message);
void rotor_write(struct frame *frame, enum frame_type type, const struct rotor_message *message);
void command_write(struct frame *frame, const struct command_message *message);
void acknowledge_write(struct frame *frame, const struct acknowledge_message *message);
void status_write(struct frame *frame, const struct status_message *message);

/* Readers need a frame of the right type. */
void attitude_read(const struct frame *frame, struct attitude_message *message);
void position_read(const struct frame *frame, struct position_message *message);
void rotor_read(const struct frame *frame, struct rotor_message *message);
void command_read(const struct frame *frame, struct command_message *message);

/* The time stamp of a frame that has one (attitude, position, feedback, command). */
uint32_t frame_time_us(const struct frame *frame);

#endif
