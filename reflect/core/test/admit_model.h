/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_ADMIT_MODEL_H
#define TAKT_ADMIT_MODEL_H

/* Nodes, links, ports and servers in virtual time, block by block, as takt/admit.h says that they work. Paced by the
 * real takt_pace; else written on its own: no code, sum or bound of the admission that it is held against. */
#include "base/test/check.h"
#include "takt/admit.h"

enum { MODEL_CHANNELS = 12, MODEL_NODES = 5, MODEL_BLOCKS = 400000, MODEL_TURNS = 64 };

#define MODEL_NEVER (UINT64_MAX / 2)

/* How releases lie to each other. */
enum model_phases {
    MODEL_TOGETHER,  /* the first releases at once, as late after their writes as can be; the next ones follow soon */
    MODEL_PROMOTED,  /* the first promotions at once */
    MODEL_DEADLINES, /* the pushes' own deadlines at once: what comes into a port comes together */
    MODEL_RANDOM,    /* anything, and costs and delays between nothing and the most */
    MODEL_PHASES
};

/* What was seen of a channel: the longest of each. */
struct model_seen {
    uint64_t at_port_ns; /* from the writer's instant until the last block is at the port */
    uint64_t behind_ns;  /* from there to the reader's memory */
    uint64_t whole_ns;   /* from the writer's instant to the end of the read */
    uint64_t messages;
    bool overlaps; /* a push was released before the one before had been sent */
};

/* A time in which a channel of a group is started. */
struct model_turn {
    uint64_t from_ns, to_ns;
    size_t member;
};

struct model {
    const struct takt_admit_set *set;
    const struct takt_admit_result *results; /* promotions, order, pauses; and where to put the pushes' deadlines */
    enum model_phases phases;
    bool sparing; /* what has no deadline is quiet now and then; with deadlines at once, from then on: pushes that
                     follow are as early as can be */
    uint64_t horizon_ns;                                  /* no writer's instant is later */
    uint64_t random;                                      /* state of check_random */
    uint64_t origin_ns;                                   /* when it is that something happens at once */
    struct model_turn turns[MODEL_CHANNELS][MODEL_TURNS]; /* of a group, at its first channel */
};

struct model_block {
    uint64_t port_ns, written_ns; /* when its last bit is at the port; the writer's instant */
    uint32_t bytes, channel, number;
    bool last;
};

/* The message that is being sent, or else the next one. */
struct model_job {
    uint64_t written_ns, released_ns, begun_ns;
    uint32_t sent;
    bool begun;
};

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

static size_t model_group(const struct model *model, size_t i)
{
    const struct takt_admit_channel *channels = model->set->channels;
    size_t first = 0;

    while (channels[first].group != channels[i].group || channels[first].reader != channels[i].reader) {
        first++;
    }
    return first;
}

/* Who of each group is started when: each pause as short as it may be. */
static void model_plan(struct model *model, uint64_t origin_ns)
{
    const struct takt_admit_channel *channels = model->set->channels;

    for (size_t i = 0; i < model->set->channel_count; i++) {
        uint64_t time = origin_ns;
        for (size_t k = 0; k < MODEL_TURNS && channels[i].group != 0 && model_group(model, i) == i; k++) {
            size_t member = (size_t)model_pick(model, model->set->channel_count - 1);
            while (channels[member].group != channels[i].group || channels[member].reader != channels[i].reader) {
                member = (member + 1) % model->set->channel_count;
            }
            uint64_t to = time + 1 + model_pick(model, channels[member].period_ns * 2);
            model->turns[i][k] = (struct model_turn){time, to, member};
            time = to + model->results[i].pause_ns;
        }
    }
}

/* Of a group: moves a message to the next turn of its channel if it would be released outside of one, or if the turn is
 * over before it has been sent. */
static void model_hold(const struct model *model, struct model_job *job, size_t i, uint64_t now)
{
    if (model->set->channels[i].group == 0) {
        return;
    }
    const struct model_turn *turns = model->turns[model_group(model, i)];
    uint64_t released = job->released_ns;
    for (size_t k = 0; k < MODEL_TURNS; k++) {
        if (turns[k].member == i && turns[k].to_ns > released && turns[k].to_ns > now) {
            if (turns[k].from_ns > released) {
                *job = (struct model_job){.written_ns = turns[k].from_ns - (released - job->written_ns),
                                          .released_ns = turns[k].from_ns};
            }
            return;
        }
    }
    *job = (struct model_job){.written_ns = MODEL_NEVER, .released_ns = MODEL_NEVER};
}

static void model_first(struct model *model, struct model_job *job, size_t i, uint64_t origin_ns)
{
    const struct takt_admit_channel *channel = &model->set->channels[i];
    uint64_t late = model_some(model, model_write_ns(channel));
    uint64_t released = origin_ns - model_lead_ns(model, i);

    if (model->phases == MODEL_RANDOM) {
        released += model_pick(model, channel->period_ns);
    } else if (channel->deadline_ns == 0) {
        released = 0; /* there all the time */
    }
    *job = (struct model_job){.written_ns = released < late ? 0 : released - late, .released_ns = released};
}

/* A message has been sent: the next one. */
static void model_next(struct model *model, struct model_job *job, size_t i, uint64_t now)
{
    const struct takt_admit_channel *channel = &model->set->channels[i];
    uint64_t begun = job->begun_ns;

    job->written_ns += channel->period_ns;
    if (model->phases == MODEL_RANDOM && channel->push == TAKT_ADMIT_SYNCHRONOUS && model_pick(model, 2) == 0) {
        job->written_ns += model_pick(model, channel->period_ns); /* sporadic */
    }
    job->released_ns = job->written_ns;
    if (model->phases == MODEL_RANDOM) {
        job->released_ns += model_pick(model, model_write_ns(channel));
    }
    if (channel->deadline_ns == 0) {
        job->released_ns = begun + channel->period_ns > now ? begun + channel->period_ns : now;
        if (model->sparing && model->phases == MODEL_DEADLINES) {
            job->released_ns = job->released_ns < model->origin_ns ? job->released_ns : MODEL_NEVER;
        } else if (model->sparing && model_pick(model, 2) == 0) {
            job->released_ns += model_pick(model, 4 * channel->period_ns);
        }
        job->written_ns = job->released_ns;
    }
    job->begun = false;
    job->sent = 0;
}

static unsigned model_band(const struct model *model, size_t i, uint64_t released_ns, uint64_t now)
{
    const struct takt_admit_channel *channel = &model->set->channels[i];

    if (channel->deadline_ns == 0) {
        return 2;
    }
    if (now < released_ns + model->results[i].promotion_ns) {
        return 3;
    }
    return channel->push == TAKT_ADMIT_SYNCHRONOUS ? 0 : 1;
}

/* The channel whose block goes first of those that wait; channel_count: none does. */
static size_t model_best(const struct model *model, const struct model_job *jobs, uint16_t self, uint64_t now)
{
    size_t best = model->set->channel_count;
    unsigned best_band = 4;

    for (size_t i = 0; i < model->set->channel_count; i++) {
        unsigned band = model_band(model, i, jobs[i].released_ns, now);
        if (model->set->channels[i].writer == self && jobs[i].released_ns <= now &&
            jobs[i].written_ns <= model->horizon_ns &&
            (band < best_band || (band == best_band && model->results[i].level < model->results[best].level))) {
            best = i;
            best_band = band;
        }
    }
    return best;
}

/* Moves those of groups on, and returns the first release that is below the horizon, or MODEL_NEVER. */
static uint64_t model_earliest(const struct model *model, struct model_job *jobs, uint16_t self, uint64_t now)
{
    uint64_t first = MODEL_NEVER;

    for (size_t i = 0; i < model->set->channel_count; i++) {
        if (model->set->channels[i].writer == self && jobs[i].written_ns <= model->horizon_ns) {
            model_hold(model, &jobs[i], i, now);
            if (jobs[i].written_ns <= model->horizon_ns && jobs[i].released_ns < first) {
                first = jobs[i].released_ns;
            }
        }
    }
    return first;
}

/* All pushes of one node, until no writer's instant is left. */
static void model_link(struct model *model, uint16_t self, uint64_t origin_ns, struct model_seen *seen)
{
    const struct takt_admit_node *node = &model->set->nodes[self];
    struct model_job jobs[MODEL_CHANNELS];
    struct takt_pace pace;
    uint64_t server = 0, wire = 0, now = 0; /* when they are free */
    uint64_t propagation = model_some(model, node->propagation_ns);

    takt_pace_init(&pace, &node->link);
    for (size_t i = 0; i < model->set->channel_count; i++) {
        model_first(model, &jobs[i], i, origin_ns);
    }
    for (uint64_t first; (first = model_earliest(model, jobs, self, now)) != MODEL_NEVER;) {
        now = first > takt_pace_until(&pace) ? first : takt_pace_until(&pace);
        now = now > server ? now + model_some(model, node->wake_ns) : server; /* it slept, or not */
        (void)model_earliest(model, jobs, self, now);
        size_t best = model_best(model, jobs, self, now);
        if (best == model->set->channel_count) {
            continue; /* stopped meanwhile */
        }

        const struct takt_admit_channel *channel = &model->set->channels[best];
        struct model_job *job = &jobs[best];
        uint32_t rest = channel->size - job->sent, bytes = rest < node->block_size ? rest : node->block_size;
        uint64_t send = model_some(model, node->send_ns + (job->begun ? 0 : node->send_message_ns));
        if (!job->begun) {
            job->begun = true;
            job->begun_ns = now;
        }
        takt_pace_sent(&pace, bytes + 64 + 16, now);
        server = now + send;
        wire = (server > wire ? server : wire) + model_wire_ns(node, bytes);
        job->sent += bytes;
        CHECK(model_count < MODEL_BLOCKS);
        model_blocks[model_count] = (struct model_block){.port_ns = wire + propagation,
                                                         .written_ns = job->written_ns,
                                                         .bytes = bytes,
                                                         .channel = (uint32_t)best,
                                                         .number = model_count,
                                                         .last = job->sent == channel->size};
        model_count++;
        if (job->sent == channel->size) {
            model_next(model, job, best, now);
            seen[best].overlaps = seen[best].overlaps || (channel->deadline_ns != 0 && job->released_ns < now);
        }
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
        if (channel->reader != self) {
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
static void model_run(struct model *model, struct model_seen *seen)
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
