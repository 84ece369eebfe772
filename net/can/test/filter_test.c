/* SPDX-License-Identifier: Apache-2.0 */
/* Acceptance filters beside what they say, written down for each identifier, and masks for sets beside all sets of
 * masks. */
#include "net/can/test/random_frame.h"
#include "takt/can_filter.h"

enum { IDS = 1 << 11, SAMPLES = 200000, BITS = 4, CUBES = 81, GROUP_MAX = 9, MANY = 60 };

static struct takt_can_frame frame_of(uint32_t id, bool extended)
{
    return (struct takt_can_frame){.shape = {.extended = extended}, .id = id};
}

/* Bit by bit and number by number, not as the code does. */
static bool is_accepted(const struct takt_can_filter *filter, uint32_t id)
{
    if (filter->kind == TAKT_CAN_FILTER_MASK) {
        for (unsigned bit = 0; bit < 29; bit++) {
            if ((filter->second >> bit & 1) != 0 && (filter->first >> bit & 1) != (id >> bit & 1)) {
                return false;
            }
        }
        return true;
    }
    if (filter->kind == TAKT_CAN_FILTER_RANGE) {
        return id - filter->first <= filter->second - filter->first && id >= filter->first;
    }
    return id == filter->first || id == filter->second;
}

static struct takt_can_filter random_filter(uint64_t *random, bool extended)
{
    uint32_t max = extended ? TAKT_CAN_ID_EXTENDED_MAX : TAKT_CAN_ID_MAX;
    struct takt_can_filter filter = {.kind = (enum takt_can_filter_kind)(check_random(random) % 3),
                                     .frames = TAKT_CAN_FILTER_ANY,
                                     .extended = extended,
                                     .first = (uint32_t)check_random(random) & max,
                                     .second = (uint32_t)check_random(random) & max};
    if (filter.kind == TAKT_CAN_FILTER_RANGE && filter.first > filter.second) {
        uint32_t first = filter.first;
        filter.first = filter.second;
        filter.second = first;
    }
    if (filter.kind == TAKT_CAN_FILTER_MASK && check_random(random) % 2 == 0) {
        filter.second &= (uint32_t)check_random(random) & (uint32_t)check_random(random); /* of few bits */
    }
    return filter;
}

static void test_all_standard(void)
{
    uint64_t random = check_seed();
    for (unsigned long i = 0; i < check_cases(200); i++) {
        struct takt_can_filter filter = random_filter(&random, false);
        CHECK(takt_can_filter_is_valid(&filter));
        unsigned accepted = 0;
        for (uint32_t id = 0; id < IDS; id++) {
            struct takt_can_frame frame = frame_of(id, false);
            CHECK_EQUAL(takt_can_filter_accepts(&filter, &frame), is_accepted(&filter, id));
            accepted += is_accepted(&filter, id);
            frame.shape.extended = true;
            CHECK(!takt_can_filter_accepts(&filter, &frame));
        }
        CHECK(accepted > 0);
    }
}

static void test_samples_of_extended(void)
{
    uint64_t random = check_seed();
    for (unsigned long i = 0; i < check_cases(SAMPLES); i++) {
        struct takt_can_filter filter = random_filter(&random, true);
        uint32_t id = (uint32_t)check_random(&random) & TAKT_CAN_ID_EXTENDED_MAX;
        switch (i % 4) { /* near to what it accepts */
        case 0:
            id = filter.first;
            break;
        case 1:
            id = (filter.first & filter.second) | (id & ~filter.second);
            break;
        case 2:
            id = (filter.second + (id & 1)) & TAKT_CAN_ID_EXTENDED_MAX;
            break;
        default:
            break;
        }
        struct takt_can_frame frame = frame_of(id, true);
        CHECK_EQUAL(takt_can_filter_accepts(&filter, &frame), is_accepted(&filter, id));
    }
}

static void test_valid(void)
{
    struct takt_can_filter good = {TAKT_CAN_FILTER_RANGE, TAKT_CAN_FILTER_DATA, false, 5, TAKT_CAN_ID_MAX};
    struct takt_can_filter bad = good;
    CHECK(takt_can_filter_is_valid(&good));
    bad.second = TAKT_CAN_ID_MAX + 1;
    CHECK(!takt_can_filter_is_valid(&bad));
    bad.extended = true;
    CHECK(takt_can_filter_is_valid(&bad));
    bad.first = TAKT_CAN_ID_EXTENDED_MAX + 1;
    CHECK(!takt_can_filter_is_valid(&bad));
    bad = good;
    bad.second = 4;
    CHECK(!takt_can_filter_is_valid(&bad));
    bad.kind = TAKT_CAN_FILTER_DUAL;
    CHECK(takt_can_filter_is_valid(&bad));
    bad.kind = (enum takt_can_filter_kind)3;
    CHECK(!takt_can_filter_is_valid(&bad));
    bad = good;
    bad.frames = 0;
    CHECK(!takt_can_filter_is_valid(&bad));
    bad.frames = 8;
    CHECK(!takt_can_filter_is_valid(&bad));
}

static void test_kinds_of_frames(void)
{
    const struct takt_can_filter filters[] = {{TAKT_CAN_FILTER_DUAL, TAKT_CAN_FILTER_REMOTE, false, 1, 2},
                                              {TAKT_CAN_FILTER_DUAL, TAKT_CAN_FILTER_FD, false, 1, 2},
                                              {TAKT_CAN_FILTER_DUAL, TAKT_CAN_FILTER_DATA, true, 1, 2},
                                              {TAKT_CAN_FILTER_DUAL, TAKT_CAN_FILTER_ANY, false, 2, 3}};
    struct takt_can_frame frame = frame_of(2, false);
    CHECK_EQUAL(takt_can_filters_match(filters, 4, &frame), 3);
    CHECK_EQUAL(takt_can_filters_match(filters, 3, &frame), 3); /* none */
    frame.shape.remote = true;
    CHECK_EQUAL(takt_can_filters_match(filters, 4, &frame), 0);
    frame.shape.remote = false;
    frame.shape.fd = true;
    CHECK_EQUAL(takt_can_filters_match(filters, 4, &frame), 1);
    frame = frame_of(2, true);
    CHECK_EQUAL(takt_can_filters_match(filters, 4, &frame), 2);
    CHECK_EQUAL(takt_can_filters_match(filters, 0, &frame), 0);
}

static void test_lists(void)
{
    uint64_t random = check_seed();
    uint32_t list[MANY];
    for (unsigned long i = 0; i < check_cases(2000); i++) {
        uint32_t count = (uint32_t)(check_random(&random) % (MANY + 1)), bound = i % 2 == 0 ? 40 : IDS;
        bool is_there[2][IDS] = {{false}};
        unsigned different = 0;
        for (uint32_t n = 0; n < count; n++) {
            uint32_t id = (uint32_t)(check_random(&random) % bound), extended = check_random(&random) % 2;
            list[n] = id | (extended != 0 ? TAKT_CAN_LIST_EXTENDED : 0);
            different += !is_there[extended][id];
            is_there[extended][id] = true;
        }
        uint32_t kept = takt_can_list_sort(list, count);
        CHECK_EQUAL(kept, different);
        for (uint32_t id = 0; id < bound; id++) {
            for (unsigned extended = 0; extended < 2; extended++) {
                struct takt_can_frame frame = frame_of(id, extended != 0);
                uint32_t found = takt_can_list_find(list, kept, &frame);
                CHECK_EQUAL(found < kept, is_there[extended][id]);
                CHECK(found == kept || list[found] == (id | (extended != 0 ? TAKT_CAN_LIST_EXTENDED : 0)));
            }
        }
    }
}

/* The sets of BITS-bit identifiers that the masks of that many bits accept, as a set of bits each. */
static uint16_t cubes[CUBES];

static void list_cubes(void)
{
    for (unsigned number = 0; number < CUBES; number++) {
        for (unsigned id = 0; id < 1 << BITS; id++) {
            bool in = true;
            for (unsigned bit = 0, digits = number; bit < BITS; bit++, digits /= 3) {
                in = in && (digits % 3 == 2 || digits % 3 == (id >> bit & 1));
            }
            cubes[number] |= (uint16_t)(in << id);
        }
    }
}

/* The least number of identifiers that at most 3 masks accept which accept all of `wanted`. */
static unsigned least(uint16_t wanted, unsigned filters)
{
    unsigned found = 1 << BITS;
    for (unsigned a = 0; a < CUBES; a++) {
        for (unsigned b = 0; b < (filters > 1 ? CUBES : 1); b++) {
            for (unsigned c = 0; c < (filters > 2 ? CUBES : 1); c++) {
                unsigned all = cubes[a] | (filters > 1 ? cubes[b] : 0) | (filters > 2 ? cubes[c] : 0);
                unsigned count = (unsigned)__builtin_popcount(all);
                found = (wanted & ~all) == 0 && count < found ? count : found;
            }
        }
    }
    return found;
}

static void test_cover_beside_all_sets(void)
{
    uint64_t random = check_seed();
    struct takt_can_cover_work work[GROUP_MAX];
    list_cubes();
    for (unsigned long i = 0; i < check_cases(150); i++) {
        bool extended = i % 2 != 0;
        uint32_t base = extended ? UINT32_C(0x15A5A5A0) : 0x5A0;
        uint32_t ids[GROUP_MAX], count = 0, filters = 1 + i % 3;
        uint16_t wanted = 0;
        for (unsigned n = 1 + check_random(&random) % GROUP_MAX; n > 0; n--) {
            unsigned id = check_random(&random) % (1 << BITS);
            if ((wanted >> id & 1) == 0) {
                ids[count++] = base | id;
                wanted |= (uint16_t)(1u << id);
            }
        }
        struct takt_can_cover cover = {ids, count, extended, TAKT_CAN_FILTER_ANY, filters, 10000000, work};
        struct takt_can_filter found[3];
        struct takt_can_covered covered = takt_can_filters_cover(&cover, found);
        CHECK(covered.exact && covered.filters >= 1 && covered.filters <= filters);
        CHECK_EQUAL(covered.wrong + count, least(wanted, filters));
        unsigned accepted = 0;
        for (unsigned id = 0; id < 1 << BITS; id++) {
            struct takt_can_frame frame = frame_of(base | id, extended);
            bool taken = takt_can_filters_match(found, covered.filters, &frame) < covered.filters;
            CHECK(taken || (wanted >> id & 1) == 0);
            accepted += taken;
        }
        CHECK_EQUAL(accepted, covered.wrong + count);
    }
}

/* The greedy part alone joins what is near. */
static void test_cover_of_pairs(void)
{
    const uint32_t ids[] = {0x100, 0x7FE, 0x101, 0x7FF, 0x2A4, 0x2A6};
    struct takt_can_cover_work work[6];
    struct takt_can_filter found[3];
    struct takt_can_cover cover = {ids, 6, false, TAKT_CAN_FILTER_ANY, 3, 0, work};
    struct takt_can_covered covered = takt_can_filters_cover(&cover, found);
    CHECK(covered.exact && covered.filters == 3 && covered.wrong == 0);
}

/* Large sets: all is accepted, `wrong` is right or a bound, and the search does not make the result worse. */
static void test_cover_of_many(void)
{
    uint64_t random = check_seed();
    struct takt_can_cover_work work[MANY];
    for (unsigned long i = 0; i < check_cases(60); i++) {
        uint32_t ids[MANY], count = 0, filters = 1 + (uint32_t)(check_random(&random) % TAKT_CAN_COVER_FILTERS_MAX);
        bool wanted[IDS] = {false};
        for (unsigned n = 1 + check_random(&random) % MANY; n > 0; n--) {
            uint32_t id = (uint32_t)check_random(&random) % (i % 2 == 0 ? IDS : 200);
            if (!wanted[id]) {
                wanted[id] = true;
                ids[count++] = id;
            }
        }
        struct takt_can_filter found[TAKT_CAN_COVER_FILTERS_MAX];
        struct takt_can_cover cover = {ids, count, false, TAKT_CAN_FILTER_FD, filters, 0, work};
        struct takt_can_covered first = takt_can_filters_cover(&cover, found);
        cover.steps_max = 100000;
        struct takt_can_covered covered = takt_can_filters_cover(&cover, found);
        CHECK(covered.wrong <= first.wrong && covered.filters <= filters);
        CHECK(filters < count || (covered.exact && covered.wrong == 0));
        unsigned accepted = 0;
        for (uint32_t id = 0; id < IDS; id++) {
            struct takt_can_frame frame = {.shape = {.fd = true}, .id = id};
            bool taken = takt_can_filters_match(found, covered.filters, &frame) < covered.filters;
            CHECK(taken || !wanted[id]);
            accepted += taken;
        }
        CHECK_EQUAL(accepted, covered.wrong + count);
    }
}

/* Masks that overlap in so many ways that their identifiers are not counted: the sum of each is a bound. */
static void test_cover_of_too_many_pieces(void)
{
    enum { FILTERS = 14 };
    struct takt_can_cover_work work[2 * FILTERS];
    struct takt_can_filter found[FILTERS];
    uint32_t ids[2 * FILTERS];
    for (unsigned i = 0; i < FILTERS; i++) { /* pairs that agree in two bits alone */
        ids[2 * i] = UINT32_C(3) << 2 * i;
        ids[2 * i + 1] = TAKT_CAN_ID_EXTENDED_MAX;
    }
    uint64_t random = check_seed();
    for (unsigned i = 0; i < FILTERS; i++) {
        ids[2 * i] |= (uint32_t)check_random(&random) & 0x0FFFFFFF;
        ids[2 * i + 1] = (~ids[2 * i] & 0x0FFFFFFF) | UINT32_C(3) << 2 * i;
    }
    struct takt_can_cover cover = {ids, 2 * FILTERS, true, TAKT_CAN_FILTER_ANY, FILTERS, 0, work};
    struct takt_can_covered covered = takt_can_filters_cover(&cover, found);
    CHECK(!covered.exact);
    for (unsigned i = 0; i < 2 * FILTERS; i++) {
        struct takt_can_frame frame = frame_of(ids[i], true);
        CHECK(takt_can_filters_match(found, covered.filters, &frame) < covered.filters);
    }
}

int main(void)
{
    test_valid();
    test_all_standard();
    test_samples_of_extended();
    test_kinds_of_frames();
    test_lists();
    test_cover_beside_all_sets();
    test_cover_of_pairs();
    test_cover_of_many();
    test_cover_of_too_many_pieces();
    return 0;
}
