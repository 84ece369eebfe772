/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_ADMIT_MODEL_H
#define TAKT_ADMIT_MODEL_H

/* Nodes, links, ports and servers in virtual time, block by block, as takt/admit.h says that they work. Paced by the
 * real takt_pace; else written on its own: no code, sum or bound of the admission that it is held against. */
#include "admit_model_types.h"

static struct model_block model_blocks[MODEL_BLOCKS];
static uint32_t model_count;

static uint64_t model_pick(struct model *model, uint64_t most)
{
    return most == 0 ? 0 : check_random(&model->random) % (most + 1);
}

/* A cost or delay of at most so much. */
static uint64_t model_some(struct model *model, uint64_t most)
{
    return model->phases == MODEL_RANDOM && model_pick(model, 3) != 0 ? model_pick(model, most) : most;
}

static uint64_t model_write_ns(const struct takt_admit_channel *channel)
{
    return channel->ends == TAKT_ADMIT_APPLICATIONS ? channel->write_ns : 0;
}

/* A packet as UDP over IPv4 over Ethernet, in frames of the mtu. */
static uint64_t model_wire_ns(const struct takt_admit_node *node, uint32_t bytes)
{
    uint32_t rest = bytes + 64 + 16 + 8, most = node->link.mtu - 20;
    uint64_t octets = 0;

    if (rest > most) {
        most -= most % 8;
    }
    while (rest > 0) {
        uint32_t inside = rest < most ? rest : most;
        rest -= inside;
        octets += (inside + 20 < 46 ? 46 : inside + 20) + 38u;
    }
    return (octets * 8000000000u + node->link.rate_bps - 1) / node->link.rate_bps;
}

static uint64_t model_lead_ns(const struct model *model, size_t i)
{
    return model->phases == MODEL_PROMOTED    ? model->results[i].promotion_ns
           : model->phases == MODEL_DEADLINES ? model->results[i].push_ns
                                              : 0;
}

static bool model_grouped(const struct takt_admit_channel *channel)
{
    return channel->group != 0 || channel->writer_group != 0;
}

/* At most one of the two is active. */
static bool model_same_group(const struct takt_admit_channel *a, const struct takt_admit_channel *b)
{
    if (a->group != 0) {
        return a->group == b->group && a->reader == b->reader;
    }
    return b->group == 0 && a->writer_group == b->writer_group && a->writer == b->writer;
}

static size_t model_group(const struct model *model, size_t i)
{
    const struct takt_admit_channel *channels = model->set->channels;
    size_t first = 0;

    while (!model_same_group(&channels[first], &channels[i])) {
        first++;
    }
    return first;
}

/* When each of a group is started: each pause as short as it may be. */
static void model_plan(struct model *model, uint64_t origin_ns)
{
    const struct takt_admit_channel *channels = model->set->channels;

    for (size_t i = 0; i < model->set->channel_count; i++) {
        uint64_t time = origin_ns;
        for (size_t k = 0; k < MODEL_TURNS && model_grouped(&channels[i]) && model_group(model, i) == i; k++) {
            size_t member = (size_t)model_pick(model, model->set->channel_count - 1);
            while (!model_same_group(&channels[member], &channels[i])) {
                member = (member + 1) % model->set->channel_count;
            }
            uint64_t to = time + 1 + model_pick(model, channels[member].period_ns * 2);
            model->turns[i][k] = (struct model_turn){time, to, member};
            time = to + model->results[i].pause_ns;
        }
    }
}

static enum takt_push_kind model_kind(const struct takt_admit_channel *channel)
{
    return channel->deadline_ns == 0                 ? TAKT_PUSH_BULK
           : channel->push == TAKT_ADMIT_SYNCHRONOUS ? TAKT_PUSH_SYNC
                                                     : TAKT_PUSH_ASYNC;
}

static struct takt_push_rule model_rule(const struct model *model, size_t i)
{
    return (struct takt_push_rule){.kind = model_kind(&model->set->channels[i]),
                                   .period_ns = model->set->channels[i].period_ns,
                                   .promotion_ns = model->results[i].promotion_ns,
                                   .level = model->results[i].level,
                                   .jitter_ns = model->results[i].jitter_ns,
                                   .delay_ns = model_write_ns(&model->set->channels[i])};
}

/* From now on: the first write ends now, as late after its begin as can be. */
static void model_start(struct model *model, struct model_job *job, size_t i, uint64_t now, uint64_t until_ns)
{
    struct takt_push_rule rule = model_rule(model, i);
    uint64_t late = model_some(model, model_write_ns(&model->set->channels[i]));

    *job = (struct model_job){.next_write_ns = now < late ? 0 : now - late,
                              .end_ns = rule.kind == TAKT_PUSH_ASYNC ? MODEL_NEVER : now,
                              .started = true,
                              .until_ns = until_ns};
    takt_push_start(&job->push, &rule, now);
}

static void model_first(struct model *model, struct model_job *job, size_t i, uint64_t origin_ns)
{
    const struct takt_admit_channel *channel = &model->set->channels[i];
    uint64_t released = origin_ns - model_lead_ns(model, i);

    if (model_grouped(channel)) {
        *job = (struct model_job){.end_ns = MODEL_NEVER};
    } else if (model->phases == MODEL_RANDOM) {
        model_start(model, job, i, released + model_pick(model, channel->period_ns), MODEL_NEVER);
    } else { /* what has no deadline is there from the beginning */
        model_start(model, job, i, channel->deadline_ns == 0 ? 0 : released, MODEL_NEVER);
    }
}

/* After a write that ended: the next one. What has no deadline is written again when it has been sent. */
static void model_write_next(struct model *model, struct model_job *job, size_t i)
{
    const struct takt_admit_channel *channel = &model->set->channels[i];

    if (model->unruly && i % 2 == 0 && model_pick(model, 2) == 0) {
        job->next_write_ns += model_pick(model, channel->period_ns);
    } else {
        job->next_write_ns += channel->period_ns;
    }
    if (model->phases == MODEL_RANDOM && model_pick(model, 2) == 0) {
        job->next_write_ns += model_pick(model, channel->period_ns); /* sporadic */
    }
    job->end_ns = job->next_write_ns;
    if (model->phases == MODEL_RANDOM) {
        job->end_ns += model_pick(model, model_write_ns(channel));
    }
    if (channel->deadline_ns == 0 || job->next_write_ns > model->horizon_ns) {
        job->end_ns = MODEL_NEVER;
    }
}

/* What has no deadline was sent: at once there is more of it, or after a while. */
static void model_write_again(struct model *model, struct model_job *job, size_t i, uint64_t now)
{
    job->end_ns = now;
    if (model->sparing && model->phases == MODEL_DEADLINES) {
        job->end_ns = now < model->origin_ns ? now : MODEL_NEVER;
    } else if (model->sparing && model_pick(model, 2) == 0) {
        job->end_ns += model_pick(model, 4 * model->set->channels[i].period_ns);
    }
    job->next_write_ns = job->end_ns;
    if (job->next_write_ns > model->horizon_ns) {
        job->end_ns = MODEL_NEVER;
    }
}

/* Of a group: its push is stopped, or started at the begin of its next turn. */
static void model_turn_over(struct model *model, struct model_job *job, size_t i, uint64_t now)
{
    const struct model_turn *turns = model->turns[model_group(model, i)];

    if (job->started && job->until_ns <= now) {
        *job = (struct model_job){.end_ns = MODEL_NEVER, .until_ns = job->until_ns};
    }
    for (size_t k = 0; k < MODEL_TURNS && !job->started; k++) {
        if (turns[k].member == i && turns[k].from_ns >= job->until_ns && turns[k].from_ns <= now &&
            turns[k].to_ns > now) {
            model_start(model, job, i, turns[k].from_ns, turns[k].to_ns);
        }
    }
}

/* Lets happen what does until now, all writes of one channel. */
static void model_feed(struct model *model, struct model_job *job, size_t i, uint64_t now)
{
    if (model_grouped(&model->set->channels[i])) {
        model_turn_over(model, job, i, now);
    }
    while (job->end_ns <= now) {
        uint64_t end = job->end_ns;
        if (!job->push.pending) {
            job->written_ns = job->next_write_ns;
        } else if (job->push.begun && !job->push.again) {
            job->written_after = job->next_write_ns;
        }
        takt_push_written(&job->push, end);
        job->left_out = job->left_out || job->push.skipping;
        model_write_next(model, job, i);
    }
}

/* When next something of it happens: a write, a release, a turn that begins or is over. */
static uint64_t model_until(const struct model *model, const struct model_job *job, size_t i, uint64_t now)
{
    uint64_t until = job->end_ns;

    if (job->push.pending && job->push.release_ns <= model->horizon_ns && job->push.release_ns < until) {
        until = job->push.release_ns;
    }
    if (model_grouped(&model->set->channels[i])) {
        const struct model_turn *turns = model->turns[model_group(model, i)];
        until = job->started && job->until_ns < until && job->until_ns <= model->horizon_ns ? job->until_ns : until;
        for (size_t k = 0; k < MODEL_TURNS && !job->started; k++) {
            if (turns[k].member == i && turns[k].from_ns >= job->until_ns && turns[k].from_ns <= model->horizon_ns &&
                turns[k].to_ns > now && turns[k].from_ns < until) {
                until = turns[k].from_ns;
            }
        }
    }
    return until;
}

/* The channel whose block goes first of those that are ready; channel_count: none is. */
static size_t model_best(const struct model *model, const struct model_job *jobs, uint16_t self, uint64_t now)
{
    size_t best = model->set->channel_count;

    for (size_t i = 0; i < model->set->channel_count; i++) {
        if (model->set->channels[i].writer == self && jobs[i].started && takt_push_is_ready(&jobs[i].push, now) &&
            jobs[i].push.release_ns <= model->horizon_ns &&
            (best == model->set->channel_count || takt_push_before(&jobs[i].push, &jobs[best].push, now))) {
            best = i;
        }
    }
    return best;
}

/* The server's thread goes on: it slept, or it is busy until then. */
static uint64_t model_wake(struct model *model, const struct takt_admit_node *node, struct takt_pace *pace,
                           uint64_t now, uint64_t server)
{
    pace->busy = now <= server;
    return now <= server ? server : now + model_some(model, node->wake_ns);
}

/* From when on something was there that a node had to send; `now`: nothing is. */
static uint64_t model_since(const struct model *model, const struct model_job *jobs, uint16_t self, uint64_t now)
{
    uint64_t since = now;

    for (size_t i = 0; i < model->set->channel_count; i++) {
        if (model->set->channels[i].writer == self && jobs[i].started && takt_push_is_ready(&jobs[i].push, now) &&
            jobs[i].push.release_ns < since) {
            since = jobs[i].push.release_ns;
        }
    }
    return since;
}

/* Lets happen what does until now on a node, and returns when something does next. */
static uint64_t model_feed_all(struct model *model, struct model_job *jobs, uint16_t self, uint64_t now)
{
    uint64_t first = MODEL_NEVER;

    for (size_t i = 0; i < model->set->channel_count; i++) {
        if (model->set->channels[i].writer == self) {
            model_feed(model, &jobs[i], i, now);
            uint64_t until = model_until(model, &jobs[i], i, now);
            first = until < first ? until : first;
        }
    }
    return first;
}

/* A packet without a value, of one channel after the other, in twice as many calls as ends are here. */
static bool model_control(const struct model *model, uint16_t self, uint32_t call)
{
    uint32_t ends = 0;

    for (size_t i = 0; i < model->set->channel_count; i++) {
        const struct takt_admit_channel *channel = &model->set->channels[i];
        if (channel->writer == self || channel->reader == self) {
            if (ends == call / 2) {
                CHECK(model_count < MODEL_BLOCKS);
                model_blocks[model_count] =
                    (struct model_block){.channel = (uint32_t)i,
                                         .number = model_count,
                                         .to = channel->writer == self ? channel->reader : channel->writer};
                model_count++;
                return true;
            }
            ends++;
        }
    }
    return false;
}

/* A block of a push is handed to the link. Returns how long the server takes. */
static uint64_t model_block(struct model *model, struct model_job *job, size_t i, uint64_t now, struct model_seen *seen)
{
    const struct takt_admit_channel *channel = &model->set->channels[i];
    const struct takt_admit_node *node = &model->set->nodes[channel->writer];
    uint32_t rest = channel->size - job->sent, bytes = rest < node->block_size ? rest : node->block_size;
    uint64_t send = model_some(model, node->send_ns + (job->begun ? 0 : node->send_message_ns));

    if (!job->begun) {
        job->begun = true;
        if (job->push.rule.kind == TAKT_PUSH_ASYNC) {
            job->written_ns = job->push.release_ns;
        }
        takt_push_begin(&job->push, now);
    }
    job->sent += bytes;
    CHECK(model_count < MODEL_BLOCKS);
    model_blocks[model_count] = (struct model_block){.written_ns = job->written_ns,
                                                     .bytes = bytes,
                                                     .channel = (uint32_t)i,
                                                     .number = model_count,
                                                     .to = channel->reader,
                                                     .last = job->sent == channel->size};
    model_count++;
    if (job->sent == channel->size) {
        seen[i].overlaps = seen[i].overlaps || (channel->deadline_ns != 0 && job->push.again) ||
                           (channel->deadline_ns != 0 && now > job->push.nominal_ns + channel->period_ns);
        takt_push_end(&job->push, now);
        seen[i].left_out = seen[i].left_out || job->left_out || job->push.skipping;
        job->written_ns = job->written_after;
        job->begun = false;
        job->sent = 0;
        if (channel->deadline_ns == 0) {
            model_write_again(model, job, i, now);
        }
    }
    return send;
}

/* All pushes of one node, until nothing is left below the horizon. */
static void model_link(struct model *model, uint16_t self, uint64_t origin_ns, struct model_seen *seen)
{
    const struct takt_admit_node *node = &model->set->nodes[self];
    struct model_job jobs[MODEL_CHANNELS];
    struct takt_pace pace;
    uint64_t server = 0, wire = 0; /* when they are free */
    uint64_t control_ns = model->set->control_ns == 0 ? MODEL_NEVER : origin_ns % model->set->control_ns;
    uint32_t calls = 0;
    uint64_t propagation = model_some(model, node->propagation_ns);

    takt_pace_init(&pace, &node->link);
    for (size_t i = 0; i < model->set->channel_count; i++) {
        model_first(model, &jobs[i], i, origin_ns);
    }
    for (uint64_t now = 0, next; (next = model_feed_all(model, jobs, self, now)) != MODEL_NEVER;) {
        next = next > now ? next : now;
        if (control_ns <= next) { /* before all blocks, and without regard to pacing */
            now = control_ns > now ? control_ns : now;
            now = model_wake(model, node, &pace, now, server);
            if (!model_control(model, self, calls++)) {
                calls = 0;
                control_ns += model->set->control_ns;
                continue;
            }
            server = now + model_some(model, node->send_ns);
            uint64_t since = model_since(model, jobs, self, now);
            takt_pace_sent(&pace, TAKT_WIRE_HEAD + TAKT_WIRE_TAG, since < control_ns ? since : control_ns, now);
            wire = (server > wire ? server : wire) + model_wire_ns(node, 0);
            model_blocks[model_count - 1].port_ns = wire + propagation;
            continue;
        }
        now = next;
        (void)model_feed_all(model, jobs, self, now);
        if (model_best(model, jobs, self, now) == model->set->channel_count) {
            continue;
        }
        now = now > takt_pace_until(&pace) ? now : takt_pace_until(&pace);
        now = model_wake(model, node, &pace, now, server);
        (void)model_feed_all(model, jobs, self, now);
        size_t best = model_best(model, jobs, self, now);
        if (best == model->set->channel_count) {
            continue; /* stopped meanwhile */
        }
        uint64_t since = model_since(model, jobs, self, now);
        server = now + model_block(model, &jobs[best], best, now, seen);
        struct model_block *block = &model_blocks[model_count - 1];
        takt_pace_sent(&pace, block->bytes + TAKT_WIRE_HEAD + TAKT_WIRE_TAG, since, now);
        wire = (server > wire ? server : wire) + model_wire_ns(node, block->bytes);
        block->port_ns = wire + propagation;
    }
}

static int model_earlier(const void *a, const void *b)
{
    const struct model_block *first = a, *second = b;

    if (first->port_ns != second->port_ns) {
        return first->port_ns < second->port_ns ? -1 : 1;
    }
    return first->number < second->number ? -1 : 1;
}

static void model_greatest(uint64_t *most, uint64_t value)
{
    *most = value > *most ? value : *most;
}

/* Port and server of one node, in the order of arrival. */
static void model_port(struct model *model, uint16_t self, struct model_seen *seen)
{
    const struct takt_admit_node *node = &model->set->nodes[self];
    uint64_t port = 0, server = 0;

    for (size_t k = 0; k < model_count; k++) {
        const struct model_block *block = &model_blocks[k];
        const struct takt_admit_channel *channel = &model->set->channels[block->channel];
        struct model_seen *mine = &seen[block->channel];
        if (block->to != self) {
            continue;
        }
        port = (port > block->port_ns ? port : block->port_ns) + model_wire_ns(node, block->bytes);
        server = server >= port ? server : port + model_some(model, node->wake_ns);
        server += model_some(model, node->receive_ns + (block->last ? node->receive_message_ns : 0));
        if (block->last) {
            model_greatest(&mine->at_port_ns, block->port_ns - block->written_ns);
            model_greatest(&mine->behind_ns, server - block->port_ns);
            model_greatest(&mine->whole_ns, server + model_some(model, channel->read_ns) - block->written_ns);
            mine->messages++;
        }
    }
}

/* Plays the set; `seen` has an entry for each channel. */
static inline void model_run(struct model *model, struct model_seen *seen)
{
    uint64_t origin = 0;

    for (size_t i = 0; i < model->set->channel_count; i++) {
        seen[i] = (struct model_seen){0};
        model_greatest(&origin, model_lead_ns(model, i) + model_write_ns(&model->set->channels[i]));
        model_greatest(&origin, 2 * model->set->channels[i].period_ns); /* what has no deadline is under way then */
    }
    model_count = 0;
    model->horizon_ns += origin;
    model->origin_ns = origin;
    model_plan(model, origin);
    for (uint16_t node = 0; node < model->set->node_count; node++) {
        model_link(model, node, origin, seen);
    }
    qsort(model_blocks, model_count, sizeof *model_blocks, model_earlier);
    for (uint16_t node = 0; node < model->set->node_count; node++) {
        model_port(model, node, seen);
    }
}

#endif
