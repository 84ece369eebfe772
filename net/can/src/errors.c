/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/can_errors.h"

enum { RECEIVE_MAX = 255, SEVERE = 8 };

void takt_can_errors_init(struct takt_can_errors *errors)
{
    *errors = (struct takt_can_errors){0};
}

enum takt_can_state takt_can_errors_state(const struct takt_can_errors *errors)
{
    if (errors->transmit >= TAKT_CAN_BUS_OFF_FROM) {
        return TAKT_CAN_BUS_OFF;
    }
    bool passive = errors->transmit >= TAKT_CAN_PASSIVE_FROM || errors->receive >= TAKT_CAN_PASSIVE_FROM;
    return passive ? TAKT_CAN_PASSIVE : TAKT_CAN_ACTIVE;
}

bool takt_can_errors_is_warning(const struct takt_can_errors *errors)
{
    return errors->transmit >= TAKT_CAN_WARNING || errors->receive >= TAKT_CAN_WARNING;
}

static void add_received(struct takt_can_errors *errors, uint16_t more)
{
    errors->receive += more;
    if (errors->receive > RECEIVE_MAX) {
        errors->receive = RECEIVE_MAX;
    }
}

void takt_can_errors_count(struct takt_can_errors *errors, enum takt_can_count count)
{
    switch (count) {
    case TAKT_CAN_COUNT_RECEIVED:
        if (errors->receive >= TAKT_CAN_PASSIVE_FROM) {
            errors->receive = TAKT_CAN_PASSIVE_FROM - 1;
        } else if (errors->receive > 0) {
            errors->receive--;
        }
        break;
    case TAKT_CAN_COUNT_TRANSMITTED:
        errors->transmit -= errors->transmit > 0;
        break;
    case TAKT_CAN_COUNT_RECEIVER_ERROR:
        add_received(errors, 1);
        break;
    case TAKT_CAN_COUNT_RECEIVER_SEVERE:
        add_received(errors, SEVERE);
        break;
    default: /* TRANSMITTER_ERROR */
        errors->transmit += SEVERE;
    }
}

bool takt_can_errors_recover(struct takt_can_errors *errors, bool level)
{
    errors->recessive = level ? errors->recessive + 1 : 0;
    if (errors->recessive < TAKT_CAN_RECOVERY_BITS) {
        return false;
    }
    errors->recessive = 0;
    if (++errors->sequences < TAKT_CAN_RECOVERY_SEQUENCES) {
        return false;
    }
    takt_can_errors_init(errors);
    return true;
}
