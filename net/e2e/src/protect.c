/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "takt/e2e.h"

enum { COUNTERS_1 = 15, COUNTERS_2 = 16, LOW_BITS = 0x0F };

/* Remainders of four bits, so that a byte takes two steps and a table 16 entries. */
static const uint8_t of_1d[16] = {0x00, 0x1D, 0x3A, 0x27, 0x74, 0x69, 0x4E, 0x53,
                                  0xE8, 0xF5, 0xD2, 0xCF, 0x9C, 0x81, 0xA6, 0xBB};
static const uint8_t of_2f[16] = {0x00, 0x2F, 0x5E, 0x71, 0xBC, 0x93, 0xE2, 0xCD,
                                  0x57, 0x78, 0x09, 0x26, 0xEB, 0xC4, 0xB5, 0x9A};
static const uint16_t of_1021[16] = {0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50A5, 0x60C6, 0x70E7,
                                     0x8108, 0x9129, 0xA14A, 0xB16B, 0xC18C, 0xD1AD, 0xE1CE, 0xF1EF};

static uint8_t add_8(const uint8_t *table, uint8_t crc, uint8_t byte)
{
    crc = (uint8_t)(crc ^ byte);
    crc = (uint8_t)((uint8_t)(crc << 4) ^ table[crc >> 4]);
    return (uint8_t)((uint8_t)(crc << 4) ^ table[crc >> 4]);
}

static uint16_t add_16(uint16_t crc, uint8_t byte)
{
    crc = (uint16_t)(crc ^ (uint16_t)(byte << 8));
    crc = (uint16_t)((uint16_t)(crc << 4) ^ of_1021[crc >> 12]);
    return (uint16_t)((uint16_t)(crc << 4) ^ of_1021[crc >> 12]);
}

/* Bytes of the check, and where the counter is after it. */
static unsigned width(const struct takt_e2e_config *config)
{
    return config->profile == TAKT_E2E_PROFILE_5 ? 2 : 1;
}

static uint8_t crc_1(const struct takt_e2e_config *config, uint8_t counter, const uint8_t *data)
{
    uint8_t low = (uint8_t)config->data_id, high = (uint8_t)(config->data_id >> 8), crc;
    switch (config->mode) {
    case TAKT_E2E_ID_BOTH:
        crc = add_8(of_1d, add_8(of_1d, 0, low), high);
        break;
    case TAKT_E2E_ID_ALTERNATING:
        crc = add_8(of_1d, 0, counter % 2 == 0 ? low : high);
        break;
    case TAKT_E2E_ID_LOW:
        crc = add_8(of_1d, 0, low);
        break;
    default: /* NIBBLE: the high byte is sent, and is 0 in the check */
        crc = add_8(of_1d, add_8(of_1d, 0, low), 0);
    }
    for (unsigned i = 0; i < config->size; i++) {
        crc = i == config->offset ? crc : add_8(of_1d, crc, data[i]);
    }
    return crc;
}

static uint8_t crc_2(const struct takt_e2e_config *config, uint8_t counter, const uint8_t *data)
{
    uint8_t crc = 0xFF;
    for (unsigned i = 1; i < config->size; i++) {
        crc = add_8(of_2f, crc, data[i]);
    }
    return (uint8_t)(add_8(of_2f, crc, config->data_ids[counter]) ^ 0xFF);
}

static uint16_t crc_5(const struct takt_e2e_config *config, const uint8_t *data)
{
    uint16_t crc = 0xFFFF;
    for (unsigned i = 0; i < config->size; i++) {
        crc = i - config->offset < 2 ? crc : add_16(crc, data[i]);
    }
    return add_16(add_16(crc, (uint8_t)config->data_id), (uint8_t)(config->data_id >> 8));
}

static uint16_t crc_of(const struct takt_e2e_config *config, uint8_t counter, const uint8_t *data)
{
    if (config->profile == TAKT_E2E_PROFILE_5) {
        return crc_5(config, data);
    }
    return config->profile == TAKT_E2E_PROFILE_1 ? crc_1(config, counter, data) : crc_2(config, counter, data);
}

uint8_t takt_e2e_next(const struct takt_e2e_config *config, uint8_t counter)
{
    if (config->profile == TAKT_E2E_PROFILE_5) {
        return (uint8_t)(counter + 1);
    }
    unsigned counters = config->profile == TAKT_E2E_PROFILE_1 ? COUNTERS_1 : COUNTERS_2;
    return counter + 1u == counters ? 0 : (uint8_t)(counter + 1);
}

void takt_e2e_protect(const struct takt_e2e_config *config, uint8_t counter, uint8_t *data)
{
    uint8_t *check = data + config->offset, *after = check + width(config);
    if (config->profile == TAKT_E2E_PROFILE_5) {
        *after = counter;
    } else if (config->mode == TAKT_E2E_ID_NIBBLE) {
        *after = (uint8_t)(config->data_id >> 8 << 4 | counter);
    } else {
        *after = (uint8_t)((*after & ~(unsigned)LOW_BITS) | counter);
    }
    uint16_t crc = crc_of(config, counter, data);
    check[0] = (uint8_t)crc;
    if (config->profile == TAKT_E2E_PROFILE_5) {
        check[1] = (uint8_t)(crc >> 8);
    }
}

bool takt_e2e_is_right(const struct takt_e2e_config *config, const uint8_t *data, uint8_t *counter)
{
    const uint8_t *check = data + config->offset, *after = check + width(config);
    bool is_5 = config->profile == TAKT_E2E_PROFILE_5;
    uint8_t received = is_5 ? *after : *after & LOW_BITS;
    if (config->profile == TAKT_E2E_PROFILE_1) {
        bool is_sent = config->mode == TAKT_E2E_ID_NIBBLE;
        if (received >= COUNTERS_1 || (is_sent && *after >> 4 != config->data_id >> 8)) {
            return false;
        }
    }
    *counter = received;
    return crc_of(config, received, data) == (uint16_t)(check[0] | (is_5 ? check[1] << 8 : 0));
}
