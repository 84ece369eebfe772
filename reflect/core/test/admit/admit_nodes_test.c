/* SPDX-License-Identifier: Apache-2.0 */
/* Admission against whole nodes (takt_node), their subscriptions and switches among what they send, on links, in ports
 * and before servers of its own under virtual time: every message of an admitted set is whole in its bound. */
#include "admit_random.h"
#include "reflect/core/test/stand_in.h"
#include "takt/node.h"

#define MS UINT64_C(1000000)

enum { FLYING = 4096, BUFFERED = 64, DEPTH = 2, NUMBERS = 16 };

/* A packet on its way: to a port, and then to whom it is for. */
struct flying {
    uint64_t at_ns;
    uint8_t *bytes;
    size_t length;
    uint16_t from, to;
    bool served;
};

/* A node as its machine has it: when sender's and receiver's threads, its link and its port are free. */
struct machine {
    struct takt_node node;
    struct takt_node_sender senders[MODEL_CHANNELS];
    struct takt_node_receiver receivers[MODEL_CHANNELS];
    uint64_t wake_ns, sent_ns, wire_ns, port_ns, received_ns;
    unsigned coming; /* packets */
};

static struct machine machines[MODEL_NODES];
static struct flying flying[FLYING];
static size_t flying_count;
static struct takt_area written[MODEL_CHANNELS], reflected[MODEL_CHANNELS];
static void *memories[5 * MODEL_CHANNELS];
static size_t memory_count;
static uint64_t write_begin_ns[MODEL_CHANNELS], write_end_ns[MODEL_CHANNELS];
static uint64_t released_ns[MODEL_CHANNELS][NUMBERS]; /* of what was pushed: by the value's number */
static uint64_t wanted_ns[MODEL_CHANNELS];            /* since when it is subscribed to */
static uint64_t messages, reached;
static uint64_t now;

static void *memory(size_t size)
{
    void *found = aligned_alloc(64, (size + 63) / 64 * 64);
    memset(found, 0, size);
    return memories[memory_count++] = found;
}

static uint64_t some(uint64_t most)
{
    return below(3) == 0 ? most : below(most + 1);
}

/* The first channel of its group, which has the area. */
static size_t area_of(size_t i)
{
    size_t first = 0;
    while (first < i && (channels[i].group == 0 || channels[first].group != channels[i].group ||
                         channels[first].reader != channels[i].reader)) {
        first++;
    }
    return first;
}

static void begin_channel(size_t i)
{
    const struct takt_admit_channel *channel = &channels[i];
    struct takt_area_shape shape = {50000, DEPTH};
    struct machine *from = &machines[channel->writer], *to = &machines[channel->reader];
    struct takt_node_sender *sender = &from->senders[from->node.sender_count++];
    struct takt_node_receiver *receiver = &to->receivers[to->node.receiver_count++];
    void *bytes;

    shape.size = channel->size;
    bytes = memory(TAKT_AREA_BYTES(shape.size, DEPTH));
    CHECK_EQUAL(takt_area_init(&written[i], bytes, shape), TAKT_OK);
    *sender = (struct takt_node_sender){.channel = (uint32_t)i + 1,
                                        .kind = model_kind(channel),
                                        .period_ns = channel->period_ns,
                                        .promotion_ns = results[i].promotion_ns,
                                        .level = results[i].level,
                                        .value = memory(shape.size)};
    CHECK_EQUAL(takt_area_attach(&sender->area, bytes, TAKT_AREA_BYTES(shape.size, DEPTH)), TAKT_OK);
    if (area_of(i) == i) {
        shape.size = 1 << 16;
        CHECK_EQUAL(takt_area_init(&reflected[i], memory(TAKT_AREA_BYTES(shape.size, DEPTH)), shape), TAKT_OK);
    }
    *receiver = (struct takt_node_receiver){.channel = (uint32_t)i + 1,
                                            .source = (uint32_t)i + 1,
                                            .pause_ns = results[i].pause_ns,
                                            .writer = {.bytes = {(uint8_t)channel->writer}, .length = 1},
                                            .area = &reflected[area_of(i)],
                                            .assemble = {.bytes = memory(TAKT_ASSEMBLE_BYTES(channel->size)),
                                                         .came = memory(8 * TAKT_ASSEMBLE_WORDS(channel->size)),
                                                         .size = channel->size}};
    write_begin_ns[i] = now + 100 * MS + below(channel->period_ns); /* all have subscribed */
    write_end_ns[i] = write_begin_ns[i] + model_write_ns(channel);
}

/* A writer's turn: a value, and when the next one will be there. What has no deadline is written as soon as it is gone.
 */
static void write_value(size_t i, uint32_t index)
{
    static uint8_t value[1 << 16];
    struct takt_area_stamp stamp = {.time_ns = write_begin_ns[i], .length = channels[i].size};
    CHECK_EQUAL(takt_area_write(&written[i], value, &stamp), TAKT_OK);
    takt_node_written(&machines[channels[i].writer].node, index, now);
    write_begin_ns[i] += channels[i].period_ns + (below(4) == 0 ? below(channels[i].period_ns) : 0);
    write_end_ns[i] = write_begin_ns[i] + some(model_write_ns(&channels[i]));
}

static void wake(uint16_t self)
{
    struct machine *machine = &machines[self];
    uint64_t until = takt_node_until(&machine->node), wakes;
    if (until > machine->sent_ns) {
        takt_pace_wait(&machine->node.pace); /* as a server that asks for a packet and gets none */
    }
    if (until != UINT64_MAX) {
        until = until > now ? until : now;
        wakes = until > machine->sent_ns ? until + some(nodes[self].wake_ns) : machine->sent_ns;
        machine->wake_ns = wakes < machine->wake_ns ? wakes : machine->wake_ns;
    }
}

/* Of a node that reads nothing with a deadline: its port may be asked for more than it can do, and loses what is too
 * much. */
static bool may_lose(uint16_t node)
{
    for (size_t i = 0; i < set.channel_count; i++) {
        if (channels[i].reader == node && channels[i].deadline_ns != 0) {
            return false;
        }
    }
    return true;
}

/* The sender's thread runs: one packet. */
static void send(uint16_t self)
{
    static uint8_t bytes[65536];
    struct machine *machine = &machines[self];
    uint64_t releases[MODEL_CHANNELS];
    struct takt_node_address to;
    struct takt_wire_packet packet;

    for (uint32_t i = 0; i < machine->node.sender_count; i++) {
        releases[i] = machine->senders[i].internal.push.release_ns;
    }
    machine->wake_ns = UINT64_MAX;
    size_t length = takt_node_send(&machine->node, bytes, &to, now);
    if (length > 0) {
        CHECK(takt_wire_decode(bytes, length - TAKT_WIRE_TAG, &packet));
        bool data = packet.kind == TAKT_WIRE_DATA, first = data && packet.data.offset == 0;
        for (uint32_t i = 0; first && i < machine->node.sender_count; i++) {
            if (machine->senders[i].channel == packet.channel) {
                released_ns[packet.channel - 1][packet.data.number % NUMBERS] = releases[i];
            }
        }
        machine->sent_ns = now + some(nodes[self].send_ns + (first ? nodes[self].send_message_ns : 0));
        machine->wire_ns = (machine->sent_ns > machine->wire_ns ? machine->sent_ns : machine->wire_ns) +
                           model_wire_ns(&nodes[self], data ? packet.length : 0);
        if (machines[to.bytes[0]].coming >= BUFFERED && may_lose(to.bytes[0])) {
            wake(self);
            return;
        }
        machines[to.bytes[0]].coming++;
        CHECK(flying_count < FLYING);
        flying[flying_count] = (struct flying){.at_ns = machine->wire_ns + nodes[self].propagation_ns,
                                               .bytes = malloc(length),
                                               .length = length,
                                               .from = self,
                                               .to = to.bytes[0]};
        memcpy(flying[flying_count++].bytes, bytes, length);
    }
    wake(self);
}

/* A message is whole: it has been in time. */
static void arrived(const struct takt_wire_packet *packet)
{
    size_t i = packet->channel - 1;
    uint64_t from = channels[i].push == TAKT_ADMIT_SYNCHRONOUS && channels[i].ends == TAKT_ADMIT_APPLICATIONS
                        ? packet->data.time_ns
                        : released_ns[i][packet->data.number % NUMBERS];
    if (channels[i].deadline_ns != 0 && from >= wanted_ns[i] + channels[i].period_ns) {
        /*
         * what was there before is pushed at the start, and a writer that writes within a period of that is held back
         */
        messages++;
        CHECK(now - from + channels[i].read_ns <= results[i].bound_ns);
        model_greatest(&reached, (now - from + channels[i].read_ns) * 100 / results[i].bound_ns);
    }
}

/* At its port, or at last with its node. */
static void arrive(struct flying *one)
{
    struct machine *machine = &machines[one->to];
    const struct takt_admit_node *node = &nodes[one->to];
    struct takt_node_address from = {.bytes = {(uint8_t)one->from}, .length = 1};
    struct takt_wire_packet packet;

    CHECK(takt_wire_decode(one->bytes, one->length - TAKT_WIRE_TAG, &packet));
    bool data = packet.kind == TAKT_WIRE_DATA;
    bool last = data && packet.data.offset + packet.length == packet.data.total;
    if (!one->served) {
        one->served = true;
        machine->port_ns =
            (machine->port_ns > now ? machine->port_ns : now) + model_wire_ns(node, data ? packet.length : 0);
        machine->received_ns =
            machine->received_ns > machine->port_ns ? machine->received_ns : machine->port_ns + some(node->wake_ns);
        machine->received_ns += some(node->receive_ns + (last ? node->receive_message_ns : 0));
        one->at_ns = machine->received_ns;
        return;
    }
    uint64_t before = machine->node.counters.values_received;
    bool wanted[MODEL_CHANNELS];
    for (uint32_t i = 0; i < machine->node.sender_count; i++) {
        wanted[i] = machine->senders[i].internal.wanted;
    }
    takt_node_receive(&machine->node, one->bytes, one->length, &from, now);
    for (uint32_t i = 0; i < machine->node.sender_count; i++) {
        if (machine->senders[i].internal.wanted && !wanted[i]) {
            wanted_ns[machine->senders[i].channel - 1] = now;
        }
    }
    if (machine->node.counters.values_received > before) {
        arrived(&packet);
    }
    uint16_t to = one->to;
    machine->coming--;
    free(one->bytes);
    *one = flying[--flying_count];
    wake(to);
}

/* Writes, of each node whatever is due; returns when the next one is. */
static uint64_t write_all(void)
{
    uint64_t next = UINT64_MAX;
    for (uint16_t node = 0; node < set.node_count; node++) {
        struct machine *machine = &machines[node];
        for (uint32_t index = 0; index < machine->node.sender_count; index++) {
            size_t i = machine->senders[index].channel - 1;
            if (machine->senders[index].kind == TAKT_PUSH_BULK) {
                if (machine->senders[index].internal.wanted && !machine->senders[index].internal.push.pending) {
                    write_begin_ns[i] = now;
                    write_value(i, index);
                    wake(node);
                }
            } else {
                while (write_end_ns[i] <= now) {
                    write_value(i, index);
                    wake(node);
                }
                next = write_end_ns[i] < next ? write_end_ns[i] : next;
            }
        }
    }
    return next;
}

static void play(uint64_t end)
{
    uint64_t switch_ns = now;
    while (now < end) {
        uint64_t next = write_all();
        size_t first = flying_count;
        uint16_t other_node = 0;
        if (switch_ns <= now) { /* of each group one */
            switch_ns = UINT64_MAX;
            for (uint16_t node = 0; node < set.node_count; node++) {
                for (uint32_t i = 0; i < machines[node].node.receiver_count; i++) {
                    size_t channel = machines[node].receivers[i].channel - 1;
                    if (channels[channel].group == 0 || area_of(channel) == channel || below(2) == 0) {
                        takt_node_start(&machines[node].node, i, now);
                    }
                }
                wake(node);
            }
            continue;
        }
        next = next < switch_ns ? next : switch_ns;
        for (size_t i = 0; i < flying_count; i++) {
            if (flying[i].at_ns <= next && (first == flying_count || flying[i].at_ns < flying[first].at_ns)) {
                first = i;
                next = flying[i].at_ns;
            }
        }
        for (uint16_t node = 0; node < set.node_count; node++) {
            if (machines[node].wake_ns < next) {
                next = machines[node].wake_ns;
                first = flying_count;
                other_node = node + 1;
            }
        }
        now = next > now ? next : now;
        if (other_node > 0) {
            send(other_node - 1);
        } else if (first < flying_count) {
            arrive(&flying[first]);
        }
    }
}

int main(void)
{
    const char *full = getenv("TAKT_TEST_FULL");
    unsigned long wanted = check_cases(full != NULL && *full != '\0' ? 500 : 100), admitted = 0;
    random_state = check_seed();
    while (admitted < wanted) {
        case_number++;
        random_set();
        set.control_ns = TAKT_NODE_RETRY_NS;
        if (takt_admit(&set, &space, results) != TAKT_ADMIT_OK) {
            continue;
        }
        admitted++;
        now = 1000 * MS;
        flying_count = 0;
        for (size_t node = 0; node < set.node_count; node++) {
            struct machine *machine = &machines[node];
            *machine = (struct machine){.wake_ns = UINT64_MAX};
            machine->node = (struct takt_node){
                .senders = machine->senders, .receivers = machine->receivers, .block = nodes[node].block_size};
        }
        for (size_t i = 0; i < set.channel_count; i++) {
            begin_channel(i);
        }
        for (size_t node = 0; node < set.node_count; node++) {
            takt_node_init(&machines[node].node, &nodes[node].link, check_random(&random_state));
        }
        play(now + 400 * MS);
        while (flying_count > 0) {
            free(flying[--flying_count].bytes);
        }
        while (memory_count > 0) {
            free(memories[--memory_count]);
        }
    }
    printf("%llu messages of %lu admitted sets in time; a bound was reached to %llu %%\n", (unsigned long long)messages,
           admitted, (unsigned long long)reached);
    CHECK(messages > 10 * admitted);
    return 0;
}
