/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For libFuzzer: a receiver of any configuration on a channel that loses, repeats, spoils and invents data in any
 * order. Whatever comes, a status is one of the standard; nothing is accepted whose check is wrong, or that has the
 * counter of the last accepted one; data is VALID only with as much right data in the window as is asked for, and never
 * when older than it may be; and without disturbances a receiver becomes VALID and stays it.
 */
#include "base/test/fuzz.h"
#include "takt/e2e.h"

enum { SIZE_MAX_BYTES = 40, STEPS = 80 };

static uint8_t ids[TAKT_E2E_IDS], data[SIZE_MAX_BYTES];
static struct takt_e2e_config config;
static struct takt_e2e_receiver receiver;
static uint64_t now_ns;
static uint8_t counter;

static void configure(void)
{
    static const enum takt_e2e_profile profiles[] = {TAKT_E2E_PROFILE_1, TAKT_E2E_PROFILE_2, TAKT_E2E_PROFILE_5};
    uint8_t which = byte();
    config.profile = profiles[which % 3];
    bool is_1 = config.profile == TAKT_E2E_PROFILE_1, is_5 = config.profile == TAKT_E2E_PROFILE_5;
    config.mode = is_1 ? (enum takt_e2e_id_mode)(byte() % 4) : TAKT_E2E_ID_BOTH;
    config.size = (uint8_t)(3 + byte() % (SIZE_MAX_BYTES - 2));
    config.offset = config.profile == TAKT_E2E_PROFILE_2 ? 0 : (uint8_t)(byte() % (config.size - 2));
    config.data_id = (uint16_t)(number(2) & (config.mode == TAKT_E2E_ID_NIBBLE ? 0xFFF : 0xFFFF));
    config.data_ids = ids;
    for (unsigned i = 0; i < TAKT_E2E_IDS; i++) {
        ids[i] = (uint8_t)(which + 3 * i);
    }
    config.delta_max = (uint8_t)(1 + byte() % (is_5 ? 255 : 14));
    config.no_new_max = (uint8_t)(byte() % 15);
    config.sync = (uint8_t)(byte() % 16);
    config.window = (uint8_t)(1 + byte() % TAKT_E2E_WINDOW_MAX);
    struct takt_e2e_quorum *const quorums[] = {&config.init, &config.valid, &config.invalid};
    for (unsigned i = 0; i < 3; i++) {
        quorums[i]->ok_min = (uint8_t)(byte() % (config.window + 1));
        quorums[i]->error_max = (uint8_t)(byte() % (config.window + 1));
    }
    config.fresh_ns = number(2);
}

static unsigned ones(uint32_t bits)
{
    return (unsigned)__builtin_popcount(bits);
}

/* One cycle; what the channel makes of the data. */
static struct takt_e2e_result step(unsigned what)
{
    struct takt_e2e_arrival arrival = {data, now_ns};
    bool came = true;
    now_ns += 1 + byte();
    arrival.time_ns = now_ns - byte() % 2;
    switch (what % 6) {
    case 0: /* nothing */
        came = false;
        break;
    case 1: /* the same as before, or what was spoilt before */
        break;
    case 2:
        data[byte() % config.size] ^= byte();
        break;
    case 3: /* lost ones */
        for (unsigned lost = byte(); lost > 0; lost--) {
            counter = takt_e2e_next(&config, counter);
        }
        takt_e2e_protect(&config, counter, data);
        break;
    case 4: /* the sender restarts */
        counter = 0;
        takt_e2e_protect(&config, counter, data);
        break;
    default:
        counter = takt_e2e_next(&config, counter);
        data[config.size - 1] = config.size > config.offset + 3 ? byte() : data[config.size - 1];
        takt_e2e_protect(&config, counter, data);
    }
    return takt_e2e_receive(&config, &receiver, came ? &arrival : NULL, now_ns);
}

static void check_result(const struct takt_e2e_result *result, const struct takt_e2e_receiver *before)
{
    uint8_t found = 0;
    bool right = takt_e2e_is_right(&config, data, &found);
    CHECK(!result->accepted || right);
    CHECK(!result->accepted || !before->started || found != before->counter);
    CHECK(result->status != TAKT_E2E_ERROR || !right);
    CHECK(result->accepted || result->lost == 0);
    CHECK(result->state != TAKT_E2E_VALID || ones(receiver.right) <= config.window);
    CHECK(result->state != TAKT_E2E_VALID || result->age_ns <= config.fresh_ns);
    CHECK(result->state != TAKT_E2E_STALE || result->age_ns > config.fresh_ns);
    CHECK((result->age_ns == UINT64_MAX) == (receiver.accepted_ns == UINT64_MAX));
    CHECK(receiver.delta_max <= 15 && receiver.no_new <= 15);
    if (receiver.state == TAKT_E2E_VALID && before->state == TAKT_E2E_VALID) {
        CHECK(ones(receiver.right) >= config.valid.ok_min && ones(receiver.errors) <= config.valid.error_max);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    input = bytes;
    left = size;
    now_ns = 0;
    counter = 0;
    memset(data, 0, sizeof data);
    configure();
    takt_e2e_start(&receiver);
    for (unsigned i = 0; i < STEPS && left > 0; i++) {
        struct takt_e2e_receiver before = receiver;
        struct takt_e2e_result result = step(byte());
        check_result(&result, &before);
    }
    config.fresh_ns = UINT64_MAX;
    for (unsigned i = 0; i < 3u * TAKT_E2E_WINDOW_MAX; i++) { /* in order from now on */
        struct takt_e2e_result result = step(5);
        CHECK(i < 2u * TAKT_E2E_WINDOW_MAX || result.status == TAKT_E2E_OK);
        CHECK(i < 2u * TAKT_E2E_WINDOW_MAX || result.state == TAKT_E2E_VALID);
    }
    return 0;
}
