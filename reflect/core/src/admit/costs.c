/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the input, and the time of a message on a link, in a port and in a server. */
#include "internal.h"

static bool taktr_time_valid(uint64_t time_ns)
{
    return time_ns <= TAKT_ADMIT_TIME_MAX_NS;
}

static bool taktr_link_valid(const struct takt_pace_link *link)
{
    return link->rate_bps >= 1000 && link->rate_bps <= UINT64_C(1000000000000) && link->mtu >= 576 &&
           link->mtu <= UINT16_MAX && link->burst_ns <= TAKTR_SECOND_NS;
}

static bool taktr_node_valid(const struct takt_admit_set *set, const struct takt_admit_node *node)
{
    return taktr_link_valid(&node->link) && node->link.mtu == set->nodes->link.mtu &&
           node->link.ipv6 == set->nodes->link.ipv6 && node->block_size >= 1 &&
           node->block_size <= TAKT_ADMIT_BLOCK_MAX && taktr_time_valid(node->propagation_ns) &&
           taktr_time_valid(node->send_ns) && taktr_time_valid(node->send_message_ns) &&
           taktr_time_valid(node->receive_ns) && taktr_time_valid(node->receive_message_ns) &&
           node->wake_ns <= node->link.burst_ns;
}

static bool taktr_channel_valid(const struct takt_admit_set *set, const struct takt_admit_channel *channel)
{
    bool tied = channel->push == TAKT_ADMIT_SYNCHRONOUS && channel->read == TAKT_ADMIT_BLOCKING;

    return channel->writer < set->node_count && channel->reader < set->node_count &&
           channel->writer != channel->reader && channel->push <= TAKT_ADMIT_ASYNCHRONOUS &&
           channel->read <= TAKT_ADMIT_POLLING && (tied || channel->ends == TAKT_ADMIT_MEMORIES) &&
           channel->ends <= TAKT_ADMIT_MEMORIES && channel->size >= 1 && channel->size <= UINT32_C(1) << 26 &&
           channel->period_ns > 0 && taktr_time_valid(channel->period_ns) && taktr_time_valid(channel->deadline_ns) &&
           taktr_time_valid(channel->write_ns) && taktr_time_valid(channel->read_ns);
}

bool taktr_admit_valid(const struct takt_admit_set *set)
{
    if (set->node_count > UINT16_MAX || set->channel_count > TAKT_ADMIT_CHANNELS_MAX) {
        return false;
    }
    for (size_t i = 0; i < set->node_count; i++) {
        if (!taktr_node_valid(set, &set->nodes[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < set->channel_count; i++) {
        if (!taktr_channel_valid(set, &set->channels[i])) {
            return false;
        }
    }
    return taktr_time_valid(set->control_ns) && set->jitter_shares <= TAKT_ADMIT_SHARES;
}

/* Time on a link of a packet with that many bytes of a value. */
static uint64_t taktr_packet_ns(const struct takt_pace_link *link, uint64_t bytes)
{
    return takt_pace_wire_ns(link, (uint32_t)bytes + TAKT_WIRE_HEAD + TAKT_WIRE_TAG);
}

/* Time from one block on a link to the next: the time on the wire, or the server's time for a block if that is longer.
 */
static uint64_t taktr_block_push_ns(const struct takt_admit_node *node, uint64_t bytes)
{
    return taktr_greater(taktr_packet_ns(&node->link, bytes), node->send_ns);
}

/* Longest delay by a block of the blocks behind it in a port and in the server after it, which both serve frames in
 * order of arrival: the server processes a frame while the next one arrives, except the last of several frames. */
static uint64_t taktr_block_receive_ns(const struct takt_admit_node *node, uint64_t bytes)
{
    uint64_t packet_ns = taktr_packet_ns(&node->link, bytes);
    uint32_t head = node->link.ipv6 ? 48 : 28; /* of IP and UDP */
    bool whole = bytes + TAKT_WIRE_HEAD + TAKT_WIRE_TAG + head <= node->link.mtu;

    return whole ? taktr_greater(packet_ns, node->receive_ns) : packet_ns + node->receive_ns;
}

uint64_t taktr_control_ns(const struct takt_admit_set *set, size_t node, bool received)
{
    const struct takt_admit_node *self = &set->nodes[node];
    uint64_t packet_ns = received ? taktr_block_receive_ns(self, 0) : taktr_block_push_ns(self, 0);
    uint64_t packets = 0;

    for (size_t i = 0; i < set->channel_count && set->control_ns != 0; i++) {
        packets += set->channels[i].writer == node || set->channels[i].reader == node ? TAKT_ADMIT_CONTROL : 0;
    }
    return taktr_less(takt_multiply(packets, packet_ns), TAKT_ADMIT_TIME_MAX_NS);
}

/* Time of a block in its reader's port and server minus its time on its writer's link. */
static uint64_t taktr_block_excess_ns(const struct takt_admit_node *from, const struct takt_admit_node *to,
                                      uint64_t bytes)
{
    return takt_subtract(taktr_block_receive_ns(to, bytes), taktr_packet_ns(&from->link, bytes));
}

static struct takt_admit_work taktr_costs(const struct takt_admit_set *set, const struct takt_admit_channel *channel)
{
    const struct takt_admit_node *from = &set->nodes[channel->writer], *to = &set->nodes[channel->reader];
    uint64_t whole = channel->size / from->block_size, rest = channel->size % from->block_size;
    uint64_t largest = taktr_less(channel->size, from->block_size);
    uint64_t push_ns = takt_multiply(whole, taktr_block_push_ns(from, from->block_size));
    uint64_t receive_ns = takt_multiply(whole, taktr_block_receive_ns(to, from->block_size));
    uint64_t excess_ns = takt_multiply(whole, taktr_block_excess_ns(from, to, from->block_size));

    if (rest > 0) {
        excess_ns = takt_add(excess_ns, taktr_block_excess_ns(from, to, rest));
        push_ns = takt_add(push_ns, taktr_block_push_ns(from, rest));
        receive_ns = takt_add(receive_ns, taktr_block_receive_ns(to, rest));
    }
    return (struct takt_admit_work){
        .push_ns = takt_add(push_ns, from->send_message_ns),
        .piece_ns = taktr_block_push_ns(from, largest) + from->send_message_ns,
        .receive_ns = takt_add(receive_ns, to->receive_message_ns),
        .excess_ns = takt_add(excess_ns, to->receive_message_ns),
        .packet_ns = taktr_packet_ns(&from->link, largest),
        .tail_ns = taktr_less(taktr_packet_ns(&to->link, largest), to->receive_ns + to->receive_message_ns),
        .network_ns = taktr_network_ns(from),
    };
}

/* False: a message takes longer than TAKT_ADMIT_TIME_MAX_NS. */
bool taktr_costs_all(const struct takt_admit_set *set, const struct takt_admit_space *space)
{
    for (size_t i = 0; i < set->channel_count; i++) {
        space->works[i] = taktr_costs(set, &set->channels[i]);
        if (!taktr_time_valid(space->works[i].push_ns) || !taktr_time_valid(space->works[i].receive_ns)) {
            return false;
        }
    }
    return true;
}
