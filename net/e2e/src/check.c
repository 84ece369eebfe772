/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "takt/e2e.h"

enum { MOST_1 = 14, MOST_2 = 15 }; /* counters, and what counts checks */

void takt_e2e_start(struct takt_e2e_receiver *receiver)
{
    *receiver = (struct takt_e2e_receiver)TAKT_E2E_RECEIVER;
}

/* How many counters `counter` is after `before`. */
static unsigned delta_of(const struct takt_e2e_config *config, uint8_t before, uint8_t counter)
{
    if (config->profile == TAKT_E2E_PROFILE_5) {
        return (uint8_t)(counter - before);
    }
    unsigned counters = config->profile == TAKT_E2E_PROFILE_1 ? MOST_1 + 1 : MOST_2 + 1;
    unsigned ahead = counter + counters - before; /* below twice as many */
    return ahead < counters ? ahead : ahead - counters;
}

static enum takt_e2e_status in_order(unsigned delta)
{
    return delta == 1 ? TAKT_E2E_OK : TAKT_E2E_OKSOMELOST;
}

/* Of a counter that may follow: OK only where others in order came before, or nothing was out of order. */
static enum takt_e2e_status synchronized(const struct takt_e2e_config *config, struct takt_e2e_receiver *receiver,
                                         unsigned delta)
{
    bool silent = receiver->no_new > config->no_new_max;
    receiver->no_new = 0;
    if (silent) {
        receiver->sync = config->sync;
        return TAKT_E2E_SYNC;
    }
    if (receiver->sync > 0) {
        receiver->sync--;
        return TAKT_E2E_SYNC;
    }
    return in_order(delta);
}

static void count(uint8_t *what, unsigned most)
{
    *what = (uint8_t)(*what + (*what < most));
}

/* Profiles 1 and 2. The more checks pass without data that counts, the more may be lost. */
static enum takt_e2e_status check_4_bits(const struct takt_e2e_config *config, struct takt_e2e_receiver *receiver,
                                         const uint8_t *data)
{
    unsigned most = config->profile == TAKT_E2E_PROFILE_1 ? MOST_1 : MOST_2;
    uint8_t counter;
    count(&receiver->delta_max, most);
    if (data == NULL) {
        count(&receiver->no_new, most);
        return TAKT_E2E_NONEWDATA;
    }
    if (!takt_e2e_is_right(config, data, &counter)) {
        return TAKT_E2E_ERROR;
    }
    unsigned delta = receiver->started ? delta_of(config, receiver->counter, counter) : 1;
    if (delta == 0) {
        count(&receiver->no_new, most);
        return TAKT_E2E_REPEATED;
    }
    bool follows = delta <= receiver->delta_max;
    if (receiver->started && !follows) {
        receiver->no_new = 0;
        receiver->sync = config->sync;
        if (config->sync == 0) {
            return TAKT_E2E_WRONGSEQUENCE; /* the old counter counts on, until data may follow it */
        }
    }
    receiver->counter = counter;
    receiver->delta_max = config->delta_max;
    if (!receiver->started) {
        receiver->started = true;
        return TAKT_E2E_INITIAL;
    }
    return follows ? synchronized(config, receiver, delta) : TAKT_E2E_WRONGSEQUENCE;
}

/* Profile 5. The last counter is that of the last data whose check was right, whatever it was. */
static enum takt_e2e_status check_8_bits(const struct takt_e2e_config *config, struct takt_e2e_receiver *receiver,
                                         const uint8_t *data)
{
    uint8_t counter;
    if (data == NULL) {
        return TAKT_E2E_NONEWDATA;
    }
    if (!takt_e2e_is_right(config, data, &counter)) {
        return TAKT_E2E_ERROR;
    }
    unsigned delta = delta_of(config, receiver->counter, counter);
    receiver->counter = counter;
    if (delta == 0) {
        return TAKT_E2E_REPEATED;
    }
    return delta <= config->delta_max ? in_order(delta) : TAKT_E2E_WRONGSEQUENCE;
}

enum takt_e2e_status takt_e2e_check(const struct takt_e2e_config *config, struct takt_e2e_receiver *receiver,
                                    const uint8_t *data)
{
    if (config->profile == TAKT_E2E_PROFILE_5) {
        return check_8_bits(config, receiver, data);
    }
    return check_4_bits(config, receiver, data);
}

/* Bits that are set. */
static unsigned ones(uint32_t bits)
{
    bits -= bits >> 1 & 0x55555555u;
    bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
    bits = (bits + (bits >> 4)) & 0x0F0F0F0Fu;
    return bits * 0x01010101u >> 24;
}

static bool is_in_order(enum takt_e2e_status status)
{
    return status == TAKT_E2E_OK || status == TAKT_E2E_OKSOMELOST || status == TAKT_E2E_SYNC;
}

enum takt_e2e_state takt_e2e_note(const struct takt_e2e_config *config, struct takt_e2e_receiver *receiver,
                                  enum takt_e2e_status status)
{
    if (receiver->state == TAKT_E2E_NODATA) {
        bool any = status != TAKT_E2E_ERROR && status != TAKT_E2E_NONEWDATA;
        receiver->state = any ? TAKT_E2E_INIT : TAKT_E2E_NODATA;
        return receiver->state; /* it is not in the window */
    }
    uint32_t window = UINT32_MAX >> (TAKT_E2E_WINDOW_MAX - config->window);
    receiver->right = (receiver->right << 1 | is_in_order(status)) & window;
    receiver->errors = (receiver->errors << 1 | (status == TAKT_E2E_ERROR)) & window;
    const struct takt_e2e_quorum *quorum = receiver->state == TAKT_E2E_INIT    ? &config->init
                                           : receiver->state == TAKT_E2E_VALID ? &config->valid
                                                                               : &config->invalid;
    bool clean = ones(receiver->errors) <= quorum->error_max;
    if (clean && ones(receiver->right) >= quorum->ok_min) {
        receiver->state = TAKT_E2E_VALID;
    } else if (receiver->state == TAKT_E2E_VALID || !clean) {
        receiver->state = TAKT_E2E_INVALID;
    }
    return receiver->state;
}

struct takt_e2e_result takt_e2e_receive(const struct takt_e2e_config *config, struct takt_e2e_receiver *receiver,
                                        const struct takt_e2e_arrival *arrival, uint64_t now_ns)
{
    struct takt_e2e_result result = {.age_ns = UINT64_MAX};
    uint8_t before = receiver->counter;
    result.status = takt_e2e_check(config, receiver, arrival == NULL ? NULL : arrival->data);
    result.state = takt_e2e_note(config, receiver, result.status);
    result.accepted = is_in_order(result.status) || result.status == TAKT_E2E_INITIAL;
    if (is_in_order(result.status)) {
        result.lost = (uint8_t)(delta_of(config, before, receiver->counter) - 1);
    }
    if (result.accepted) {
        receiver->accepted_ns = arrival->time_ns;
    }
    if (receiver->accepted_ns != UINT64_MAX) {
        result.age_ns = now_ns - receiver->accepted_ns;
    }
    if (result.state == TAKT_E2E_VALID && result.age_ns > config->fresh_ns) {
        result.state = TAKT_E2E_STALE;
    }
    return result;
}
