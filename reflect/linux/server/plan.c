/* SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "reflect/linux/src/folder.h"

enum { WORDS = 14, CHANNELS_MAX = 4096, KEY_DIGITS = 2 * TAKT_SEAL_KEY, LEVEL_MAX = 65535 };

struct line {
    unsigned number;
    unsigned count;
    char *words[WORDS];
};

struct reading {
    struct taktr_plan *plan;
    struct line line;
    bool remote, open; /* an address of another machine; a channel without keys */
};

static bool wrong(const struct reading *reading, const char *what)
{
    taktr_fail(TAKT_LIMIT, "line %u of the plan: %s", reading->line.number, what);
    return false;
}

static bool number_of(const char *word, uint64_t least, uint64_t most, uint64_t *number)
{
    *number = 0;
    size_t length = strnlen(word, 21);
    for (size_t i = 0; i < length; i++) {
        if (word[i] < '0' || word[i] > '9' || *number > (UINT64_MAX - 9) / 10) {
            return false;
        }
        *number = 10 * *number + (uint64_t)(word[i] - '0');
    }
    return length >= 1 && length <= 20 && *number >= least && *number <= most;
}

/* The number that is word `index`, into an integer of any kind. */
#define NUMBER(reading, index, least, most, to)                                         \
    do {                                                                                \
        uint64_t number_found;                                                          \
        if (!number_of((reading)->line.words[index], (least), (most), &number_found)) { \
            return wrong((reading), "not a valid number: " #to);                        \
        }                                                                               \
        (to) = number_found;                                                            \
    } while (0)

static bool name_of(const struct reading *reading, unsigned index, char name[TAKT_REFLECT_NAME])
{
    const char *word = reading->line.words[index];
    if (!taktr_name_is_right(word)) {
        return wrong(reading, "not a valid name");
    }
    memcpy(name, word, strlen(word) + 1);
    return true;
}

static bool choice_of(const struct reading *reading, unsigned index, const char *const *choices, unsigned *chosen)
{
    for (*chosen = 0; choices[*chosen] != NULL; ++*chosen) {
        if (strcmp(reading->line.words[index], choices[*chosen]) == 0) {
            return true;
        }
    }
    return wrong(reading, "not one of the words that are allowed");
}

static bool is_of_this_machine(const struct takt_node_address *address)
{
    struct sockaddr_in6 six;
    struct sockaddr_in four;
    if (address->length == sizeof six) {
        memcpy(&six, address->bytes, sizeof six);
        return IN6_IS_ADDR_LOOPBACK(&six.sin6_addr);
    }
    memcpy(&four, address->bytes, sizeof four);
    return ntohl(four.sin_addr.s_addr) >> 24 == 127;
}

static bool address_of(struct reading *reading, unsigned index, struct takt_node_address *address)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6};
    struct sockaddr_in four = {.sin_family = AF_INET};
    uint64_t port;
    NUMBER(reading, index + 1, 1, 65535, port);
    six.sin6_port = four.sin_port = htons((uint16_t)port);
    *address = (struct takt_node_address){0};
    _Static_assert(sizeof six <= TAKT_NODE_ADDRESS && sizeof four <= TAKT_NODE_ADDRESS, "an address has room");
    if (inet_pton(AF_INET, reading->line.words[index], &four.sin_addr) == 1) {
        memcpy(address->bytes, &four, sizeof four);
        address->length = sizeof four;
    } else if (inet_pton(AF_INET6, reading->line.words[index], &six.sin6_addr) == 1) {
        memcpy(address->bytes, &six, sizeof six);
        address->length = sizeof six;
    } else {
        return wrong(reading, "not an address");
    }
    reading->remote |= !is_of_this_machine(address);
    return true;
}

static bool key_of(const char *digits, struct takt_seal_key *key)
{
    size_t length = 0;
    const char *end = NULL;
    return strlen(digits) == KEY_DIGITS &&
           sodium_hex2bin(key->bytes, sizeof key->bytes, digits, KEY_DIGITS, NULL, &length, &end) == 0 &&
           length == TAKT_SEAL_KEY && *end == '\0';
}

/* The words from `index` on: `-`, or two keys. */
static bool keys_of(struct reading *reading, unsigned index, bool *keyed, struct takt_node_keys *keys)
{
    *keyed = reading->line.count == index + 2;
    if (!*keyed) {
        reading->open = true;
        return strcmp(reading->line.words[index], "-") == 0 || wrong(reading, "neither `-` nor two keys");
    }
    return (key_of(reading->line.words[index], &keys->to_reader) &&
            key_of(reading->line.words[index + 1], &keys->to_writer)) ||
           wrong(reading, "not two keys of 64 hexadecimal digits");
}

static bool read_sender(struct reading *reading)
{
    static const char *const kinds[] = {"sync", "async", "bulk", NULL};
    static const char *const values[] = {"last", "every", NULL};
    struct taktr_plan *plan = reading->plan;
    struct taktr_plan_sender *sender = &plan->senders[plan->sender_count];
    unsigned kind;
    unsigned every;
    if (plan->sender_count == plan->room) {
        return wrong(reading, "too many channels");
    }
    *sender = (struct taktr_plan_sender){0};
    NUMBER(reading, 1, 0, UINT32_MAX, sender->channel);
    NUMBER(reading, 4, 1, TAKT_AREA_SIZE_MAX, sender->size);
    NUMBER(reading, 7, 1, INT64_MAX, sender->period_ns);
    NUMBER(reading, 8, 0, INT64_MAX, sender->promotion_ns);
    NUMBER(reading, 9, 0, LEVEL_MAX, sender->level);
    if (plan->sender_count != 0 && sender->channel <= sender[-1].channel) {
        return wrong(reading, "channels are not in ascending order");
    }
    if (!name_of(reading, 2, sender->name) || !name_of(reading, 3, sender->area) ||
        !choice_of(reading, 5, kinds, &kind) || !choice_of(reading, 6, values, &every) ||
        !keys_of(reading, 10, &sender->keyed, &sender->keys)) {
        return false;
    }
    sender->kind = (enum takt_push_kind)kind;
    sender->every = every != 0;
    plan->sender_count++;
    return true;
}

/* The sender before, of which the line says more; NULL: it is another one's. */
static struct taktr_plan_sender *sender_before(const struct reading *reading)
{
    const struct taktr_plan *plan = reading->plan;
    uint64_t channel;
    if (plan->sender_count == 0 || !number_of(reading->line.words[1], 0, UINT32_MAX, &channel) ||
        plan->senders[plan->sender_count - 1].channel != channel) {
        wrong(reading, "it must follow the line of its sender");
        return NULL;
    }
    return &plan->senders[plan->sender_count - 1];
}

static bool read_refused(struct reading *reading)
{
    struct taktr_plan_sender *sender = sender_before(reading);
    if (sender == NULL) {
        return false;
    }
    sender->refusal.answer.verdict = TAKT_WIRE_REFUSED;
    NUMBER(reading, 2, 0, UINT64_MAX - 9, sender->refusal.answer.left);
    NUMBER(reading, 3, 0, UINT64_MAX - 9, sender->refusal.answer.right);
    NUMBER(reading, 4, 1, UINT16_MAX, sender->refusal.answer.inequality);
    return true;
}

static bool read_jitter(struct reading *reading)
{
    struct taktr_plan_sender *sender = sender_before(reading);
    if (sender == NULL) {
        return false;
    }
    NUMBER(reading, 2, 0, sender->period_ns, sender->jitter_ns);
    NUMBER(reading, 3, 0, INT64_MAX, sender->delay_ns);
    return true;
}

static bool read_group(struct reading *reading)
{
    struct taktr_plan_sender *sender = sender_before(reading);
    bool started;
    if (sender == NULL) {
        return false;
    }
    NUMBER(reading, 2, 0, UINT32_MAX, sender->group);
    NUMBER(reading, 3, 0, INT64_MAX, sender->pause_ns);
    NUMBER(reading, 4, 0, 1, started);
    sender->stopped = !started;
    return true;
}

static bool read_receiver(struct reading *reading)
{
    struct taktr_plan *plan = reading->plan;
    struct taktr_plan_receiver *receiver = &plan->receivers[plan->receiver_count];
    if (plan->receiver_count == plan->room) {
        return wrong(reading, "too many channels");
    }
    *receiver = (struct taktr_plan_receiver){0};
    NUMBER(reading, 1, 0, UINT32_MAX, receiver->channel);
    NUMBER(reading, 4, 1, TAKT_AREA_SIZE_MAX, receiver->shape.size);
    NUMBER(reading, 5, 2, TAKT_AREA_DEPTH_MAX, receiver->shape.depth);
    NUMBER(reading, 6, 0, INT64_MAX, receiver->period_ns);
    NUMBER(reading, 7, 0, INT64_MAX, receiver->deadline_ns);
    NUMBER(reading, 8, 0, INT64_MAX, receiver->pause_ns);
    NUMBER(reading, 11, 0, 1, receiver->active);
    if (plan->receiver_count != 0 && receiver->channel <= receiver[-1].channel) {
        return wrong(reading, "channels are not in ascending order");
    }
    if (!name_of(reading, 2, receiver->name) || !name_of(reading, 3, receiver->area) ||
        !address_of(reading, 9, &receiver->writer) || !keys_of(reading, 12, &receiver->keyed, &receiver->keys)) {
        return false;
    }
    plan->receiver_count++;
    return true;
}

static bool read_version(struct reading *reading)
{
    return strcmp(reading->line.words[1], "1") == 0 || wrong(reading, "the plan has another version");
}

static bool read_node(struct reading *reading)
{
    return name_of(reading, 1, reading->plan->node) && address_of(reading, 2, &reading->plan->address);
}

static bool read_link(struct reading *reading)
{
    struct taktr_plan *plan = reading->plan;
    NUMBER(reading, 1, 1000, UINT64_C(1000000000000), plan->link.rate_bps);
    NUMBER(reading, 2, 576, 65535, plan->link.mtu);
    NUMBER(reading, 3, 0, 1000000000, plan->link.burst_ns);
    NUMBER(reading, 4, 0, 1, plan->link.ipv6);
    NUMBER(reading, 5, TAKT_ASSEMBLE_BLOCK_MIN, TAKT_WIRE_PAYLOAD_MAX, plan->block);
    return true;
}

static bool read_priority(struct reading *reading)
{
    NUMBER(reading, 1, 0, TAKTR_PLAN_PRIORITY_MAX, reading->plan->priority);
    return true;
}

static bool read_end(struct reading *reading)
{
    if (reading->remote && reading->open) {
        return wrong(reading, "channels to another machine without keys");
    }
    return true;
}

/* Lines come in this order; those that may come more than once have `many`. */
static const struct kind {
    const char *word;
    unsigned least, most; /* words */
    bool many;
    bool (*read)(struct reading *reading);
} line_kinds[] = {
    {"takt-reflectd", 2, 2, false, read_version},
    {"node", 4, 4, false, read_node},
    {"link", 6, 6, false, read_link},
    {"priority", 2, 2, false, read_priority},
    {"sender", 11, 12, true, read_sender},
    {"refused", 5, 5, true, read_refused},
    {"jitter", 4, 4, true, read_jitter},
    {"group", 5, 5, true, read_group},
    {"receiver", 13, 14, true, read_receiver},
    {"end", 1, 1, false, read_end},
};

enum { FIRST_MANY = 4, KINDS = sizeof line_kinds / sizeof *line_kinds, LAST = KINDS - 1 };

static void split(struct line *line, char *text)
{
    char *rest = NULL;
    line->count = 0;
    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        if (line->count < WORDS) {
            line->words[line->count] = word;
        }
        line->count++;
    }
}

/* One line, of which `next` is the first kind that may come. False: it is wrong. */
static bool read_line(struct reading *reading, char *text, unsigned *next)
{
    split(&reading->line, text);
    for (unsigned i = 0; i < KINDS && reading->line.count != 0; i++) {
        if (strcmp(reading->line.words[0], line_kinds[i].word) != 0) {
            continue;
        }
        bool in_turn = line_kinds[i].many || i == LAST ? *next >= FIRST_MANY && *next <= LAST : i == *next;
        if (!in_turn) {
            return wrong(reading, "this line is not allowed at this point");
        }
        if (reading->line.count < line_kinds[i].least || reading->line.count > line_kinds[i].most) {
            return wrong(reading, "wrong number of words");
        }
        *next = i == LAST ? KINDS : line_kinds[i].many ? FIRST_MANY : i + 1;
        return line_kinds[i].read(reading);
    }
    return wrong(reading, "not a line of a plan");
}

/* Channels that there can be: a line each, and one more, so that there is something to ask for. */
static uint32_t room_for(const char *text, size_t length)
{
    uint32_t room = 1;
    for (size_t i = 0; i < length && room < CHANNELS_MAX; i++) {
        room += text[i] == '\n';
    }
    return room;
}

bool taktr_plan_read(struct taktr_plan *plan, char *text, size_t length)
{
    struct reading reading = {.plan = plan};
    unsigned next = 0;
    *plan = (struct taktr_plan){0};
    plan->room = room_for(text, length);
    plan->senders = calloc(plan->room, sizeof *plan->senders);
    plan->receivers = calloc(plan->room, sizeof *plan->receivers);
    if (plan->senders == NULL || plan->receivers == NULL) {
        taktr_plan_free(plan);
        taktr_fail(TAKT_STATE, "no memory");
        return false;
    }
    for (size_t from = 0; from < length && next != KINDS;) {
        char *end = memchr(text + from, '\n', length - from);
        reading.line.number++;
        if (end == NULL || memchr(text + from, '\0', (size_t)(end - text) - from) != NULL) {
            break;
        }
        *end = '\0';
        if (!read_line(&reading, text + from, &next)) {
            taktr_plan_free(plan);
            return false;
        }
        from = (size_t)(end - text) + 1;
    }
    if (next != KINDS) {
        taktr_plan_free(plan);
        return wrong(&reading, "the plan is incomplete");
    }
    return true;
}

void taktr_plan_free(struct taktr_plan *plan)
{
    if (plan->senders != NULL) {
        sodium_memzero(plan->senders, plan->room * sizeof *plan->senders);
    }
    if (plan->receivers != NULL) {
        sodium_memzero(plan->receivers, plan->room * sizeof *plan->receivers);
    }
    free(plan->senders);
    free(plan->receivers);
    *plan = (struct taktr_plan){0};
}
