/* SPDX-License-Identifier: Apache-2.0 */
#include "library/can/host/packed.h"

#include <string.h>

/* First bytes of MessagePack; of ints, maps and texts that are short the value is in the byte. */
enum {
    FIXMAP = 0x80,
    FIXSTR = 0xA0,
    NIL = 0xC0,
    FALSE = 0xC2,
    TRUE = 0xC3,
    BIN_8 = 0xC4,
    BIN_32 = 0xC6,
    FLOAT_32 = 0xCA,
    FLOAT_64 = 0xCB,
    UINT_8 = 0xCC,
    UINT_32 = 0xCE,
    UINT_64 = 0xCF,
    INT_8 = 0xD0,
    INT_64 = 0xD3,
    STR_8 = 0xD9,
    STR_32 = 0xDB,
    MAP_16 = 0xDE,
    NEGATIVE = 0xE0
};
enum { PAIRS_MAX = 64 }; /* of a map */

enum field { ID, EXTENDED, REMOTE, ERROR, FD, DLC, DATA, BRS, ESI, FIELDS, OTHER };
enum { NEEDED = (1 << BRS) - 1 };
static const char *const names[FIELDS] = {
    [ID] = "arbitration_id", [EXTENDED] = "is_extended_id", [REMOTE] = "is_remote_frame", [ERROR] = "is_error_frame",
    [FD] = "is_fd",          [DLC] = "dlc",                 [DATA] = "data",              [BRS] = "bitrate_switch",
    [ESI] = "error_state_indicator"};

struct writer {
    uint8_t *bytes;
    size_t count;
};

static void put(struct writer *writer, const void *data, size_t count)
{
    memcpy(writer->bytes + writer->count, data, count);
    writer->count += count;
}

static void put_byte(struct writer *writer, unsigned byte)
{
    writer->bytes[writer->count++] = (uint8_t)byte;
}

/* The lowest `size` bytes, the highest of them first. */
static void put_number(struct writer *writer, uint64_t value, unsigned size)
{
    for (unsigned i = size; i > 0; i--) {
        put_byte(writer, (unsigned)(value >> (8 * (i - 1)) & 0xFF));
    }
}

static void put_text(struct writer *writer, const char *text)
{
    put_byte(writer, FIXSTR | (unsigned)strlen(text));
    put(writer, text, strlen(text));
}

static void put_flag(struct writer *writer, enum field field, bool value)
{
    put_text(writer, names[field]);
    put_byte(writer, value ? TRUE : FALSE);
}

size_t takt_can_pack(const struct takt_can_frame *frame, uint8_t bytes[TAKT_CAN_PACKED_MAX])
{
    struct writer writer = {bytes, 0};
    unsigned size = takt_can_bytes(&frame->shape);
    unsigned dlc = frame->shape.remote ? (frame->shape.dlc < 8 ? frame->shape.dlc : 8u) : size; /* there in bytes */
    put_byte(&writer, FIXMAP | 11);
    put_text(&writer, "timestamp");
    put_byte(&writer, FLOAT_64);
    put_number(&writer, 0, 8); /* receivers have their own */
    put_text(&writer, names[ID]);
    put_byte(&writer, UINT_32);
    put_number(&writer, frame->id, 4);
    put_flag(&writer, EXTENDED, frame->shape.extended);
    put_flag(&writer, REMOTE, frame->shape.remote);
    put_flag(&writer, ERROR, false);
    put_text(&writer, "channel");
    put_byte(&writer, NIL);
    put_text(&writer, names[DLC]);
    put_byte(&writer, dlc);
    put_text(&writer, names[DATA]);
    put_byte(&writer, BIN_8);
    put_byte(&writer, size);
    put(&writer, frame->data, size);
    put_flag(&writer, FD, frame->shape.fd);
    put_flag(&writer, BRS, frame->shape.brs);
    put_flag(&writer, ESI, frame->passive);
    return writer.count;
}

struct reader {
    const uint8_t *bytes;
    size_t left;
};

/* `count` bytes; NULL: there are less. */
static const uint8_t *take(struct reader *reader, uint64_t count)
{
    const uint8_t *found = reader->bytes;
    if (count > reader->left) {
        return NULL;
    }
    reader->bytes += count;
    reader->left -= (size_t)count;
    return found;
}

static bool take_number(struct reader *reader, unsigned size, uint64_t *value)
{
    const uint8_t *found = take(reader, size);
    *value = 0;
    for (unsigned i = 0; found != NULL && i < size; i++) {
        *value = *value << 8 | found[i];
    }
    return found != NULL;
}

/* A value that has no others in it. */
struct value {
    enum { NUMBER, FLAG, BYTES, TEXT, NOTHING } kind; /* NOTHING: none that is asked for */
    uint64_t number;                                  /* of NUMBER, FLAG; bytes of the others */
    const uint8_t *bytes;
};

static bool take_sized(struct reader *reader, unsigned width, struct value *value)
{
    if (!take_number(reader, width, &value->number)) {
        return false;
    }
    value->bytes = take(reader, value->number);
    return value->bytes != NULL;
}

static bool take_value(struct reader *reader, struct value *value)
{
    const uint8_t *first = take(reader, 1);
    if (first == NULL) {
        return false;
    }
    unsigned kind = *first;
    *value = (struct value){.kind = NOTHING};
    if (kind < FIXMAP) {
        *value = (struct value){.kind = NUMBER, .number = kind};
    } else if (kind >= FIXSTR && kind < NIL) {
        value->kind = TEXT;
        value->number = kind - FIXSTR;
        value->bytes = take(reader, value->number);
        return value->bytes != NULL;
    } else if (kind == FALSE || kind == TRUE) {
        *value = (struct value){.kind = FLAG, .number = kind == TRUE};
    } else if (kind >= BIN_8 && kind <= BIN_32) {
        value->kind = BYTES;
        return take_sized(reader, 1u << (kind - BIN_8), value);
    } else if (kind >= STR_8 && kind <= STR_32) {
        value->kind = TEXT;
        return take_sized(reader, 1u << (kind - STR_8), value);
    } else if (kind >= UINT_8 && kind <= UINT_64) {
        value->kind = NUMBER;
        return take_number(reader, 1u << (kind - UINT_8), &value->number);
    } else if (kind >= INT_8 && kind <= INT_64) { /* below zero, as msgpack packs: none of ours */
        return take_number(reader, 1u << (kind - INT_8), &value->number);
    } else if (kind == FLOAT_32 || kind == FLOAT_64) {
        return take_number(reader, kind == FLOAT_32 ? 4 : 8, &value->number);
    } else {
        return kind == NIL || kind >= NEGATIVE;
    }
    return true;
}

static enum field field_of(const struct value *name)
{
    for (unsigned field = 0; field < FIELDS; field++) {
        if (name->number == strlen(names[field]) && memcmp(name->bytes, names[field], (size_t)name->number) == 0) {
            return (enum field)field;
        }
    }
    return OTHER;
}

/* The fields of a map, and nothing behind it. */
static bool take_fields(struct reader *reader, struct value values[FIELDS])
{
    const uint8_t *first = take(reader, 1);
    uint64_t pairs = first != NULL && *first >= FIXMAP && *first < FIXMAP + 16 ? (unsigned)(*first - FIXMAP) : 0u;
    unsigned found = 0;
    if (first == NULL || (*first == MAP_16 && !take_number(reader, 2, &pairs)) || pairs > PAIRS_MAX) {
        return false;
    }
    for (uint64_t i = 0; i < pairs; i++) {
        struct value name, value;
        if (!take_value(reader, &name) || name.kind != TEXT || !take_value(reader, &value)) {
            return false;
        }
        enum field field = field_of(&name);
        if (field != OTHER) {
            values[field] = value;
            found |= 1u << field;
        }
    }
    return reader->left == 0 && (found & NEEDED) == NEEDED;
}

static bool are_of_their_kind(const struct value values[FIELDS])
{
    for (unsigned field = 0; field < FIELDS; field++) {
        if (values[field].kind != (field == ID || field == DLC ? NUMBER : field == DATA ? BYTES : FLAG)) {
            return false;
        }
    }
    return true;
}

bool takt_can_unpack(const uint8_t *bytes, size_t count, struct takt_can_frame *frame)
{
    struct reader reader = {bytes, count};
    struct value values[FIELDS] = {[BRS] = {.kind = FLAG}, [ESI] = {.kind = FLAG}};
    if (!take_fields(&reader, values) || !are_of_their_kind(values) || values[ERROR].number != 0) {
        return false;
    }
    bool fd = values[FD].number != 0, remote = values[REMOTE].number != 0;
    uint64_t dlc = values[DLC].number, size = values[DATA].number;
    if (dlc > (fd ? TAKT_CAN_DATA_MAX : 8u) || size != (remote ? 0 : dlc) ||
        values[ID].number > TAKT_CAN_ID_EXTENDED_MAX) {
        return false;
    }
    *frame = (struct takt_can_frame){.id = (uint32_t)values[ID].number, .passive = values[ESI].number != 0};
    frame->shape = (struct takt_can_shape){.extended = values[EXTENDED].number != 0,
                                           .remote = remote,
                                           .fd = fd,
                                           .brs = values[BRS].number != 0,
                                           .dlc = takt_can_dlc((unsigned)dlc, fd)};
    memcpy(frame->data, values[DATA].bytes, (size_t)size);
    return takt_can_frame_is_valid(frame);
}
