/* SPDX-License-Identifier: Apache-2.0 */
#include "library/can/log.h"

#include "takt/board.h"
#include "takt/time.h"

enum { WRITTEN_MAX = 100000, LINE_MAX = 192 }; /* letters of a line */

struct text {
    char letters[LINE_MAX];
    unsigned length;
};

static void add(struct text *text, const char *letters)
{
    while (*letters != '\0') {
        text->letters[text->length++] = *letters++;
    }
}

/* At least that many digits. */
static void add_number(struct text *text, uint64_t number, unsigned base, unsigned digits)
{
    char found[24];
    unsigned count = 0;
    while (number != 0 || count < digits) {
        found[count++] = "0123456789ABCDEF"[number % base];
        number /= base;
    }
    while (count > 0) {
        text->letters[text->length++] = found[--count];
    }
}

/* The beginning of a line. */
static void add_head(struct text *text, const struct takt_can_log *log, uint64_t now_ns)
{
    add(text, "(");
    add_number(text, now_ns / TAKT_S(1), 10, 1);
    add(text, ".");
    add_number(text, now_ns % TAKT_S(1) / 1000, 10, 6);
    add(text, log->index == 0 ? ") can0 " : ") can1 ");
}

void takt_can_log_write(struct takt_can_log *log, uint64_t now_ns, const struct takt_can_frame *frame)
{
    struct text text = {.length = 0};
    if (log->written == WRITTEN_MAX) {
        return;
    }
    log->written++;
    add_head(&text, log, now_ns);
    add_number(&text, frame->id, 16, frame->shape.extended ? 8 : 3);
    add(&text, "#");
    if (frame->shape.remote) {
        add(&text, "R");
        add_number(&text, frame->shape.dlc, 10, 1);
    } else {
        if (frame->shape.fd) {
            add(&text, frame->shape.brs ? "#1" : "#0");
        }
        for (unsigned i = 0; i < takt_can_bytes(&frame->shape); i++) {
            add_number(&text, frame->data[i], 16, 2);
        }
    }
    add(&text, "\n");
    takt_board_can_log(log->index, text.letters, text.length);
}

void takt_can_log_error(struct takt_can_log *log, uint64_t now_ns, bool wrong, const struct takt_can_errors *errors,
                        enum takt_can_state others)
{
    enum { ERROR_FRAME = 0x20000000, DATA = 8 };
    struct text text = {.length = 0};
    uint32_t id = ERROR_FRAME | TAKT_CAN_LOG_COUNTERS | (wrong ? TAKT_CAN_LOG_BUS_ERROR : 0);
    uint16_t transmit = errors->transmit, receive = errors->receive;
    uint8_t data[DATA] = {0, 0, 0, 0, 0, (uint8_t)others, (uint8_t)(transmit < 255 ? transmit : 255), (uint8_t)receive};
    if (log->errors == WRITTEN_MAX) {
        return;
    }
    log->errors++;
    if (takt_can_errors_state(errors) == TAKT_CAN_BUS_OFF) {
        id |= TAKT_CAN_LOG_BUS_OFF;
    } else if (takt_can_errors_state(errors) == TAKT_CAN_PASSIVE) {
        id |= TAKT_CAN_LOG_CONTROLLER;
        data[1] = transmit >= TAKT_CAN_PASSIVE_FROM ? TAKT_CAN_LOG_TRANSMITTER_PASSIVE : TAKT_CAN_LOG_RECEIVER_PASSIVE;
    }
    add_head(&text, log, now_ns);
    add_number(&text, id, 16, 8);
    add(&text, "#");
    for (unsigned i = 0; i < DATA; i++) {
        add_number(&text, data[i], 16, 2);
    }
    add(&text, "\n");
    takt_board_can_log(log->index, text.letters, text.length);
}
