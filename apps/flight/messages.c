/* SPDX-License-Identifier: Apache-2.0 */
#include "messages.h"

#include <assert.h>

static uint8_t *put16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    return at + 2;
}

static uint8_t *put32(uint8_t *at, uint32_t value)
{
    return put16(put16(at, (uint16_t)value), (uint16_t)(value >> 16));
}

static uint8_t *put_triple(uint8_t *at, const int16_t value[3])
{
    for (int i = 0; i < 3; i++) {
        at = put16(at, (uint16_t)value[i]);
    }
    return at;
}

static uint16_t get16(const uint8_t **at)
{
    const uint8_t *byte = *at;

    *at += 2;
    return (uint16_t)(byte[0] | (byte[1] << 8));
}

static uint32_t get32(const uint8_t **at)
{
    const uint32_t low = get16(at);

    return low | ((uint32_t)get16(at) << 16);
}

static void get_triple(const uint8_t **at, int16_t value[3])
{
    for (int i = 0; i < 3; i++) {
        value[i] = (int16_t)get16(at);
    }
}

static uint8_t *begin(struct frame *frame, enum frame_type type)
{
    frame->type = (uint8_t)type;
    frame->length = frame_payload_length(frame->type);
    return frame->payload;
}

static void end(const struct frame *frame, const uint8_t *at)
{
    assert(at == frame->payload + frame->length);
    (void)frame;
    (void)at;
}

void attitude_write(struct frame *frame, const struct attitude_message *message)
{
    uint8_t *at = begin(frame, FRAME_ATTITUDE);

    at = put32(at, message->time_us);
    at = put_triple(at, message->angle);
    at = put_triple(at, message->acceleration);
    at = put_triple(at, message->rate);
    end(frame, at);
}

void attitude_read(const struct frame *frame, struct attitude_message *message)
{
    const uint8_t *at = frame->payload;

    assert(frame->type == FRAME_ATTITUDE);
    message->time_us = get32(&at);
    get_triple(&at, message->angle);
    get_triple(&at, message->acceleration);
    get_triple(&at, message->rate);
}

void position_write(struct frame *frame, const struct position_message *message)
{
    uint8_t *at = begin(frame, FRAME_POSITION);

    at = put32(at, message->time_us);
    at = put32(at, (uint32_t)message->latitude);
    at = put32(at, (uint32_t)message->longitude);
    at = put32(at, (uint32_t)message->altitude_mm);
    at = put_triple(at, message->velocity_cm_s);
    end(frame, at);
}

void position_read(const struct frame *frame, struct position_message *message)
{
    const uint8_t *at = frame->payload;

    assert(frame->type == FRAME_POSITION);
    message->time_us = get32(&at);
    message->latitude = (int32_t)get32(&at);
    message->longitude = (int32_t)get32(&at);
    message->altitude_mm = (int32_t)get32(&at);
    get_triple(&at, message->velocity_cm_s);
}

void rotor_write(struct frame *frame, enum frame_type type, const struct rotor_message *message)
{
    uint8_t *at = begin(frame, type);

    assert(type == FRAME_ROTORS || type == FRAME_FEEDBACK);
    at = put32(at, message->time_us);
    for (int i = 0; i < ROTORS; i++) {
        at = put16(at, message->throttle[i]);
    }
    end(frame, at);
}

void rotor_read(const struct frame *frame, struct rotor_message *message)
{
    const uint8_t *at = frame->payload;

    assert(frame->type == FRAME_ROTORS || frame->type == FRAME_FEEDBACK);
    message->time_us = get32(&at);
    for (int i = 0; i < ROTORS; i++) {
        message->throttle[i] = get16(&at);
    }
}

void command_write(struct frame *frame, const struct command_message *message)
{
    uint8_t *at = begin(frame, FRAME_COMMAND);

    at = put32(at, message->time_us);
    at = put16(at, message->number);
    at = put16(at, message->mode);
    at = put32(at, (uint32_t)message->altitude_mm);
    at = put16(at, (uint16_t)message->heading);
    at = put16(at, (uint16_t)message->speed_cm_s);
    end(frame, at);
}

void command_read(const struct frame *frame, struct command_message *message)
{
    const uint8_t *at = frame->payload;

    assert(frame->type == FRAME_COMMAND);
    message->time_us = get32(&at);
    message->number = get16(&at);
    message->mode = get16(&at);
    message->altitude_mm = (int32_t)get32(&at);
    message->heading = (int16_t)get16(&at);
    message->speed_cm_s = (int16_t)get16(&at);
}

void acknowledge_write(struct frame *frame, const struct acknowledge_message *message)
{
    uint8_t *at = begin(frame, FRAME_ACKNOWLEDGE);

    at = put16(at, message->number);
    at = put16(at, message->accepted);
    end(frame, at);
}

void status_write(struct frame *frame, const struct status_message *message)
{
    uint8_t *at = begin(frame, FRAME_STATUS);

    at = put32(at, message->time_us);
    at = put32(at, message->frames);
    at = put16(at, message->bad_crc);
    at = put16(at, message->bad_length);
    at = put16(at, message->resync_bytes);
    at = put16(at, message->late);
    at = put16(at, message->lost);
    at = put16(at, message->overflow);
    at = put16(at, message->stale);
    at = put16(at, message->refused);
    at = put16(at, message->rotor_faults);
    at = put16(at, message->flags);
    at = put32(at, (uint32_t)message->altitude_mm);
    end(frame, at);
}

uint32_t frame_time_us(const struct frame *frame)
{
    const uint8_t *at = frame->payload;

    return get32(&at);
}
