/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/push.h"

#include "base/arith.h"

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The earliest release that period and jitter allow. */
static uint64_t earliest(const struct takt_push *push)
{
    uint64_t jitter_ns = push->rule.kind == TAKT_PUSH_ASYNC ? 0 : push->rule.jitter_ns;
    return takt_subtract(push->next_ns, jitter_ns);
}

static void set_release(struct takt_push *push, uint64_t release_ns)
{
    push->release_ns = release_ns;
    push->nominal_ns = later(release_ns, push->next_ns);
}

static void release(struct takt_push *push, uint64_t when)
{
    push->pending = true;
    push->begun = false;
    push->again = false;
    push->repeat = false;
    push->skipping = false;
    set_release(push, later(when, earliest(push)));
}

/* Releases a value written at that time. If this push and those before it were held back for a period in total, its
 * value is skipped in favour of the next one, after which no push is held back (docs/decisions/0021-admission.md). */
static void release_written(struct takt_push *push, uint64_t when)
{
    release(push, when);
    bool held = push->rule.kind == TAKT_PUSH_SYNC && push->nominal_ns > when &&
                push->held_ns + (push->release_ns - when) >= push->rule.period_ns;
    if (held && !push->rule.every) {
        push->skipping = true;
        set_release(push, later(push->release_ns, takt_add(when, push->rule.period_ns + push->rule.period_ns / 4)));
    }
}

void takt_push_start(struct takt_push *push, const struct takt_push_rule *rule, uint64_t now)
{
    *push = (struct takt_push){.rule = *rule, .next_ns = push->next_ns};
    if (rule->kind == TAKT_PUSH_ASYNC) {
        release(push, now);
    }
}

void takt_push_written(struct takt_push *push, uint64_t now)
{
    if (push->rule.kind == TAKT_PUSH_ASYNC) {
        return;
    }
    push->written_ns = now;
    if (!push->pending || push->repeat) {
        release_written(push, now);
    } else if (push->begun && !push->again) {
        push->again = true;
        push->again_ns = now;
    } else if (push->skipping && now < push->release_ns) {
        push->held_ns = 0;
        release(push, now);
    }
}

void takt_push_repeat(struct takt_push *push, uint64_t now)
{
    if (push->rule.kind != TAKT_PUSH_ASYNC && !push->pending) {
        release(push, now);
        push->repeat = true;
        set_release(push, later(now, push->next_ns));
    }
}

enum takt_push_band takt_push_band(const struct takt_push *push, uint64_t now)
{
    if (push->rule.kind == TAKT_PUSH_BULK) {
        return TAKT_PUSH_MID;
    }
    if (push->repeat || now < takt_add(push->nominal_ns, push->rule.promotion_ns)) {
        return TAKT_PUSH_LOW;
    }
    return push->rule.kind == TAKT_PUSH_SYNC ? TAKT_PUSH_HIGHEST : TAKT_PUSH_HIGH;
}

bool takt_push_before(const struct takt_push *a, const struct takt_push *b, uint64_t now)
{
    enum takt_push_band first = takt_push_band(a, now);
    enum takt_push_band second = takt_push_band(b, now);
    return first != second ? first < second : a->rule.level < b->rule.level;
}

/* Time for which the newest value was held back: from its write to its release and, if it waits for its promotion, from
 * its release to its nominal time. A delay that a writer with the declared period may have is not counted. */
static uint64_t held(const struct takt_push *push, uint64_t now)
{
    if (takt_subtract(push->nominal_ns, push->written_ns) <= push->rule.delay_ns) {
        return 0;
    }
    uint64_t held_ns = takt_subtract(push->release_ns, push->written_ns);
    if (push->rule.kind == TAKT_PUSH_SYNC) {
        uint64_t waited_ns = takt_subtract(now, takt_add(push->release_ns, push->rule.promotion_ns));
        uint64_t lag_ns = push->nominal_ns - push->release_ns;
        held_ns = takt_add(held_ns, waited_ns < lag_ns ? waited_ns : lag_ns);
    }
    return held_ns;
}

void takt_push_begin(struct takt_push *push, uint64_t now)
{
    push->begun = true;
    if (push->repeat) { /* a retransmission changes no nominal time */
        return;
    }
    uint64_t held_ns = held(push, now);
    push->held_ns = held_ns == 0 || push->skipping ? 0 : takt_add(push->held_ns, held_ns);
    push->skipping = false;
    /* With a deadline the distance of nominal times is kept; without one, the distance from the time of service. */
    uint64_t nominal_ns = push->rule.kind == TAKT_PUSH_BULK ? later(now, push->next_ns) : push->nominal_ns;
    push->next_ns = takt_add(nominal_ns, push->rule.period_ns);
}

void takt_push_end(struct takt_push *push, uint64_t now)
{
    push->pending = false;
    push->repeat = false;
    if (push->rule.kind == TAKT_PUSH_ASYNC) {
        uint64_t next = takt_add(push->release_ns, push->rule.period_ns);
        if (next < now) { /* missed periods are skipped */
            next += (now - next) / push->rule.period_ns * push->rule.period_ns;
        }
        release(push, next);
    } else if (push->begun && push->again) {
        release_written(push, push->again_ns);
    }
}
