/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/push.h"

#include "base/arith.h"

static void release(struct takt_push *push, uint64_t when)
{
    push->pending = true;
    push->begun = false;
    push->again = false;
    push->repeat = false;
    push->release_ns = when > push->next_ns ? when : push->next_ns;
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
    if (!push->pending || push->repeat) {
        release(push, now);
    } else if (push->begun && !push->again) {
        push->again = true;
        push->again_ns = now;
    }
}

void takt_push_repeat(struct takt_push *push, uint64_t now)
{
    if (push->rule.kind != TAKT_PUSH_ASYNC && !push->pending) {
        release(push, now);
        push->repeat = true;
    }
}

enum takt_push_band takt_push_band(const struct takt_push *push, uint64_t now)
{
    if (push->rule.kind == TAKT_PUSH_BULK) {
        return TAKT_PUSH_MID;
    }
    if (push->repeat || now < takt_add(push->release_ns, push->rule.promotion_ns)) {
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

void takt_push_begin(struct takt_push *push, uint64_t now)
{
    push->begun = true;
    if (push->repeat) { /* it moves nobody's time */
        return;
    }
    /* What has a deadline keeps the distance of its releases; what has none, that of when it was served. */
    push->next_ns = takt_add(push->rule.kind == TAKT_PUSH_BULK ? now : push->release_ns, push->rule.period_ns);
}

void takt_push_end(struct takt_push *push, uint64_t now)
{
    push->pending = false;
    push->repeat = false;
    if (push->rule.kind == TAKT_PUSH_ASYNC) {
        uint64_t next = takt_add(push->release_ns, push->rule.period_ns);
        if (next < now) { /* too late for all of them but the last: periods that nobody saw are gone */
            next += (now - next) / push->rule.period_ns * push->rule.period_ns;
        }
        release(push, next);
    } else if (push->begun && push->again) {
        release(push, push->again_ns);
    }
}
