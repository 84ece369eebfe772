/* SPDX-License-Identifier: Apache-2.0 */
/* Which master sends, and what. */
#include "base/arith.h"
#include "clock.h"

enum { VOTERS = 3 }; /* fewer masters do not vote */

/* The lowest master that it rejects and that still sends; TAKT_CLOCK_NO_RANK: none. */
static uint8_t rejected_sender(const struct takt_clock *clock, uint64_t now_ns)
{
    for (uint8_t rank = 0; rank < clock->config->masters; rank++) {
        if ((clock->rejected >> rank & 1) != 0 && taktk_clock_sends(clock, rank, now_ns)) {
            return rank;
        }
    }
    return TAKT_CLOCK_NO_RANK;
}

/* A voice against a master that others may follow rather than its own: it sends what its own time is. */
static bool objects(const struct takt_clock *clock, uint64_t now_ns)
{
    return clock->rank < clock->config->masters && !clock->voted_out && clock->synchronized &&
           clock->config->masters >= VOTERS && rejected_sender(clock, now_ns) <= clock->master;
}

/* The local time at which it becomes the master if nothing happens before. */
static uint64_t acts_at(const struct takt_clock *clock, uint64_t now_ns)
{
    const struct takt_clock_config *config = clock->config;
    uint64_t rank_ns = clock->rank * config->stagger_ns;
    if (clock->rank >= config->masters || clock->acting) {
        return TAKT_SATURATED;
    }
    if (!clock->synchronized) { /* one that was voted out, where there is no other */
        uint64_t last_ns = clock->voted_out ? config->masters * config->stagger_ns : 0;
        return clock->heard_ns + config->holdover_ns + rank_ns + last_ns + 1;
    }
    if (clock->voted_out) {
        return TAKT_SATURATED;
    }
    if (config->masters < VOTERS && rejected_sender(clock, now_ns) != TAKT_CLOCK_NO_RANK) {
        return TAKT_SATURATED;
    }
    uint64_t silent = clock->last_ns + config->silence_ns + rank_ns + 1;
    uint64_t settled = clock->since_ns + config->settle_ns + 1;
    return clock->rank < clock->master && settled < silent ? settled : silent;
}

uint64_t taktk_clock_expires_at(const struct takt_clock *clock)
{
    const struct takt_clock_config *config = clock->config;
    uint64_t after = clock->acting ? config->silence_ns : config->holdover_ns;
    return clock->synchronized ? clock->last_ns + after + 1 : TAKT_SATURATED;
}

/* The local time at which it gives up, since its voice is the only one. */
static uint64_t doubts_at(const struct takt_clock *clock, uint64_t now_ns)
{
    uint8_t other = rejected_sender(clock, now_ns);
    if (!objects(clock, now_ns) || taktk_clock_votes(clock, other, now_ns) > 0) {
        return TAKT_SATURATED;
    }
    return clock->rejected_ns + 2 * clock->config->holdover_ns;
}

void takt_clock_timer(struct takt_clock *clock, uint64_t now_ns)
{
    taktk_clock_forgive(clock, now_ns);
    if (now_ns >= taktk_clock_expires_at(clock)) {
        taktk_clock_listen(clock, now_ns);
    }
    if (now_ns >= doubts_at(clock, now_ns)) {
        taktk_clock_listen(clock, now_ns);
        clock->voted_out = true;
    }
    if (now_ns >= acts_at(clock, now_ns)) {
        taktk_clock_act(clock, now_ns);
    }
    if (!clock->acting && !objects(clock, now_ns)) {
        clock->offers_tick = clock->offers_follow_up = false;
        clock->due_ns = now_ns;
    } else if (now_ns >= clock->due_ns) {
        /* One that still waits was late: it is sent, and the tick of this interval is left out. */
        if (!clock->offers_tick && !clock->offers_follow_up) {
            clock->offers_tick = true;
            clock->sequence = (clock->sequence + 1) & 15;
        }
        (void)takt_pass(&clock->due_ns, now_ns, clock->config->interval_ns);
    }
}

uint64_t takt_clock_due(const struct takt_clock *clock)
{
    uint64_t now_ns = clock->heard_ns, due = acts_at(clock, now_ns);
    uint64_t others[] = {taktk_clock_expires_at(clock), doubts_at(clock, now_ns),
                         clock->acting || objects(clock, now_ns) ? clock->due_ns : TAKT_SATURATED};
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++) {
        due = due < others[i] ? due : others[i];
    }
    return due;
}

void taktk_clock_sent(struct takt_clock *clock, uint64_t stamp_ns)
{
    clock->offers_tick = false;
    if (clock->acting && takt_subtract(stamp_ns, clock->last_ns) > clock->config->silence_ns) {
        taktk_clock_listen(clock, stamp_ns); /* others may have taken over */
        return;
    }
    if (clock->acting) {
        clock->last_ns = stamp_ns;
    }
    uint8_t rejected = rejected_sender(clock, stamp_ns);
    clock->rejects = rejected == TAKT_CLOCK_NO_RANK ? 0 : rejected + 1;
    clock->follow_up_ns = taktk_clock_time(clock, stamp_ns);
    clock->offers_follow_up = true;
}

void takt_clock_follow_up_sent(struct takt_clock *clock)
{
    clock->offers_follow_up = false;
}

struct takt_clock_offers takt_clock_offers(const struct takt_clock *clock)
{
    struct takt_clock_offers offers = {.tick = clock->offers_tick, .follow_up = clock->offers_follow_up};
    offers.tick_bytes[0] = (uint8_t)(clock->sequence | (clock->acting ? 0 : 16));
    offers.follow_up_bytes[0] = (uint8_t)(clock->rejects << 4 | clock->sequence);
    for (unsigned i = 1; i < TAKT_CLOCK_FOLLOW_UP_BYTES; i++) {
        offers.follow_up_bytes[i] = (uint8_t)(clock->follow_up_ns >> 8 * (i - 1));
    }
    return offers;
}
