/* SPDX-License-Identifier: Apache-2.0 */
/* A common time: the clock itself, and what follow-ups do to it. */
#include "clock.h"

#include "base/arith.h"

enum { PPM = 1000000 };

bool takt_clock_config_is_valid(const struct takt_clock_config *config)
{
    const uint64_t most = UINT64_C(1) << 55;
    bool times = config->interval_ns >= 1 && config->interval_ns <= most && config->follow_up_ns <= most &&
                 config->silence_ns <= config->holdover_ns && config->holdover_ns <= most &&
                 config->stagger_ns <= most && config->settle_ns <= most && config->accept_ns <= most &&
                 config->stamp_ns <= most;
    return times && config->drift_ppm <= 500 && config->slew_ppm >= 1 && config->slew_ppm <= 100000 &&
           config->masters >= 1 && config->masters <= TAKT_CLOCK_MASTERS_MAX;
}

/* `time` in millionths, rounded down; ppm <= 10^6. */
static uint64_t part(uint64_t time, uint32_t ppm)
{
    return time / PPM * ppm + time % PPM * ppm / PPM;
}

/* Common time at a local one, also at one before `base`, which is a time stamp of a tick. */
static uint64_t time_at(const struct takt_clock *clock, uint64_t local_ns)
{
    if (local_ns < clock->base.local_ns) {
        return takt_subtract(clock->base.time_ns, clock->base.local_ns - local_ns);
    }
    uint64_t past = local_ns - clock->base.local_ns, slewed = part(past, clock->config->slew_ppm);
    uint64_t wanted = (uint64_t)(clock->slew_ns < 0 ? -clock->slew_ns : clock->slew_ns);
    slewed = slewed < wanted ? slewed : wanted;
    return clock->base.time_ns + past + (clock->slew_ns < 0 ? -slewed : slewed);
}

static void rebase(struct takt_clock *clock, uint64_t now_ns)
{
    clock->base = (struct takt_clock_point){now_ns, time_at(clock, now_ns)};
    clock->slew_ns = 0;
}

void taktk_clock_listen(struct takt_clock *clock, uint64_t now_ns)
{
    if (clock->timed) {
        rebase(clock, now_ns);
    }
    clock->synchronized = clock->acting = clock->offers_tick = clock->offers_follow_up = false;
    clock->master = TAKT_CLOCK_NO_RANK;
    clock->rejected = 0;
    clock->listens_ns = clock->heard_ns = now_ns;
}

void taktk_clock_act(struct takt_clock *clock, uint64_t now_ns)
{
    rebase(clock, now_ns);
    clock->timed = clock->synchronized = clock->acting = true;
    clock->voted_out = false;
    clock->master = clock->rank;
    clock->last_ns = clock->since_ns = clock->due_ns = now_ns;
}

void takt_clock_start(struct takt_clock *clock, const struct takt_clock_config *config, uint8_t rank,
                      struct takt_clock_point begin)
{
    *clock = (struct takt_clock){.config = config, .rank = rank, .base = begin};
    taktk_clock_listen(clock, begin.local_ns);
}

bool taktk_clock_sends(const struct takt_clock *clock, uint8_t rank, uint64_t now_ns)
{
    const struct takt_clock_heard *heard = &clock->heard[rank];
    return heard->said && takt_subtract(now_ns, heard->said_ns) <= 2 * clock->config->silence_ns;
}

uint8_t taktk_clock_votes(const struct takt_clock *clock, uint8_t against, uint64_t now_ns)
{
    uint8_t votes = 0;
    for (uint8_t rank = 0; rank < clock->config->masters; rank++) {
        votes += rank != against && rank != clock->rank && taktk_clock_sends(clock, rank, now_ns) &&
                 clock->heard[rank].rejects == against + 1;
    }
    return votes;
}

void taktk_clock_forgive(struct takt_clock *clock, uint64_t now_ns)
{
    for (uint8_t rank = 0; rank < clock->config->masters; rank++) {
        if (!taktk_clock_sends(clock, rank, now_ns)) {
            clock->rejected &= (uint8_t) ~(1u << rank);
        }
    }
}

/* Whether two ticks of one master lie as far apart by this node's counter as the master says. */
static bool fits(const struct takt_clock *clock, struct takt_clock_point from, struct takt_clock_point to)
{
    uint64_t local = to.local_ns - from.local_ns, common = to.time_ns - from.time_ns;
    if (to.time_ns < from.time_ns) {
        return false;
    }
    uint64_t off = local < common ? common - local : local - common;
    return off <= part(local, 2 * clock->config->drift_ppm + 1) + 2 * clock->config->stamp_ns + 2;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a < b ? b - a : a - b;
}

/* What the node's time should be now. */
static uint64_t wanted_at(struct takt_clock_point tick, uint64_t now_ns)
{
    return tick.time_ns + (now_ns - tick.local_ns);
}

static bool is_plausible(const struct takt_clock *clock, uint8_t rank, struct takt_clock_point tick, uint64_t now_ns)
{
    if (rank == clock->master) {
        return fits(clock, clock->previous, tick) && fits(clock, clock->anchor, tick);
    }
    return distance(wanted_at(tick, now_ns), time_at(clock, now_ns)) <= clock->config->accept_ns;
}

static void reject(struct takt_clock *clock, uint8_t rank, uint64_t now_ns)
{
    if (clock->rejected == 0) {
        clock->rejected_ns = now_ns;
    }
    clock->rejected |= (uint8_t)(1u << rank);
}

/* Goes by this tick. */
static void follow(struct takt_clock *clock, uint8_t rank, struct takt_clock_point tick, uint64_t now_ns)
{
    uint64_t wanted = wanted_at(tick, now_ns);
    bool was_synchronized = clock->synchronized;
    if (clock->timed) {
        rebase(clock, now_ns);
    }
    if (!was_synchronized && (!clock->timed || wanted >= clock->base.time_ns)) {
        clock->base = (struct takt_clock_point){now_ns, wanted};
        clock->timed = clock->synchronized = true;
    } else {
        clock->slew_ns = (int64_t)(wanted - clock->base.time_ns);
    }
    if (clock->master != rank || !was_synchronized) {
        clock->master = rank;
        clock->since_ns = now_ns;
        clock->anchor = tick;
    }
    clock->previous = tick;
    if (tick.local_ns - clock->anchor.local_ns >= TAKT_CLOCK_WINDOW * clock->config->interval_ns) {
        clock->anchor = tick;
    }
    clock->last_ns = tick.local_ns;
    clock->acting = clock->offers_tick = clock->offers_follow_up = false;
}

/* Whether a node without a time may follow `rank`: it has listened for long enough to have heard voices against it, and
 * no lower rank sends. */
static bool may_join(const struct takt_clock *clock, uint8_t rank, uint64_t now_ns)
{
    bool lower = false;
    for (uint8_t i = 0; i < rank; i++) {
        lower |= (clock->rejected >> i & 1) == 0 && !clock->heard[i].is_voice && taktk_clock_sends(clock, i, now_ns);
    }
    return !lower && now_ns - clock->listens_ns > clock->config->silence_ns;
}

/* Whether the tick of a rank counts, for a node that has a time. */
static bool counts(const struct takt_clock *clock, uint8_t rank, uint64_t now_ns)
{
    uint8_t above = clock->acting ? clock->rank : clock->master;
    bool is_silent = !clock->acting && takt_subtract(now_ns, clock->last_ns) > clock->config->silence_ns;
    return rank <= above || is_silent;
}

static void heard(struct takt_clock *clock, uint8_t rank, struct takt_clock_point tick, uint64_t now_ns)
{
    bool is_rejected = (clock->rejected >> rank & 1) != 0;
    if (!is_rejected && taktk_clock_votes(clock, rank, now_ns) >= 2) {
        if (rank == clock->master) {
            taktk_clock_listen(clock, now_ns); /* what it followed may be wrong */
        }
        reject(clock, rank, now_ns);
        return;
    }
    if (is_rejected || clock->heard[rank].is_voice) {
        return;
    }
    if (!clock->synchronized) {
        if (may_join(clock, rank, now_ns)) {
            follow(clock, rank, tick, now_ns);
        }
    } else if (counts(clock, rank, now_ns)) {
        if (is_plausible(clock, rank, tick, now_ns)) {
            follow(clock, rank, tick, now_ns);
        } else {
            reject(clock, rank, now_ns);
        }
    }
}

void takt_clock_follow_up(struct takt_clock *clock, uint8_t rank, const uint8_t *bytes, uint32_t length,
                          uint64_t now_ns)
{
    if (rank >= clock->config->masters || rank == clock->rank || length != TAKT_CLOCK_FOLLOW_UP_BYTES) {
        return;
    }
    struct takt_clock_heard *from = &clock->heard[rank];
    uint64_t time_ns = 0;
    for (unsigned i = TAKT_CLOCK_FOLLOW_UP_BYTES - 1; i > 0; i--) {
        time_ns = time_ns << 8 | bytes[i];
    }
    bool matches = from->waits && from->sequence == (bytes[0] & 15);
    if (!matches || now_ns < from->stamp_ns || now_ns - from->stamp_ns > clock->config->follow_up_ns) {
        return;
    }
    if (now_ns >= taktk_clock_expires_at(clock)) {
        taktk_clock_listen(clock, now_ns);
    }
    taktk_clock_forgive(clock, now_ns);
    from->waits = false;
    from->said = true;
    from->said_ns = from->stamp_ns;
    from->rejects = bytes[0] >> 4;
    if (clock->acting && taktk_clock_votes(clock, clock->rank, now_ns) >= 2) {
        taktk_clock_listen(clock, now_ns);
        clock->voted_out = true;
        return;
    }
    heard(clock, rank, (struct takt_clock_point){from->stamp_ns, time_ns}, now_ns);
}

void takt_clock_tick(struct takt_clock *clock, uint8_t rank, const uint8_t *bytes, uint32_t length, uint64_t stamp_ns)
{
    if (rank < clock->config->masters && rank != clock->rank && length == TAKT_CLOCK_TICK_BYTES && bytes[0] < 32) {
        clock->heard[rank].stamp_ns = clock->heard_ns = stamp_ns;
        clock->heard[rank].sequence = bytes[0] & 15;
        clock->heard[rank].is_voice = bytes[0] >= 16;
        clock->heard[rank].waits = true;
    } else if (rank == clock->rank && clock->offers_tick) {
        taktk_clock_sent(clock, stamp_ns);
    }
}

struct takt_clock_reading takt_clock_read(const struct takt_clock *clock, uint64_t now_ns)
{
    struct takt_clock_reading reading = {TAKT_CLOCK_UNSYNCHRONIZED, clock->timed ? time_at(clock, now_ns) : 0};
    uint64_t age = takt_subtract(now_ns, clock->last_ns);
    if (clock->synchronized && age <= clock->config->silence_ns) {
        reading.state = TAKT_CLOCK_SYNCHRONIZED;
    } else if (clock->synchronized && !clock->acting && age <= clock->config->holdover_ns) {
        reading.state = TAKT_CLOCK_HOLDOVER;
    }
    return reading;
}

uint64_t taktk_clock_time(const struct takt_clock *clock, uint64_t local_ns)
{
    return time_at(clock, local_ns);
}

uint8_t takt_clock_master(const struct takt_clock *clock)
{
    return clock->master;
}

bool takt_clock_is_voted_out(const struct takt_clock *clock)
{
    return clock->voted_out;
}
