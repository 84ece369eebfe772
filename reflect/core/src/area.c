/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/area.h"

#include <stdbool.h>
#include <string.h>

/* "Takt", with the word size and byte order of this machine: machines with others do not attach. */
#define MAGIC ((uintptr_t)0x54616B74u ^ (uintptr_t)TAKT_CACHE_LINE << 8 ^ TAKT_WORD_SIZE)

static bool shape_is_right(uintptr_t size, uintptr_t depth)
{
    return size >= 1 && size <= TAKT_AREA_SIZE_MAX && depth >= 2 && depth <= TAKT_AREA_DEPTH_MAX &&
           (depth & (depth - 1)) == 0;
}

static bool is_aligned(const void *memory)
{
    return (uintptr_t)memory % (TAKT_CACHE_LINE > 0 ? TAKT_CACHE_LINE : TAKT_WORD_SIZE) == 0;
}

/* Offset of the slot of the value of that number. `shape` was checked. */
static size_t slot_at(struct takt_area_shape shape, uintptr_t number)
{
    return sizeof(struct takt_area_memory) + (number & (shape.depth - 1)) * TAKTR_AREA_STRIDE(shape.size);
}

enum takt_status takt_area_init(struct takt_area *area, void *memory, struct takt_area_shape shape)
{
    if (!shape_is_right(shape.size, shape.depth) || !is_aligned(memory)) {
        return TAKT_LIMIT;
    }
    memset(memory, 0, TAKT_AREA_BYTES(shape.size, shape.depth));
    *area = (struct takt_area){.memory = (struct takt_area_memory *)memory, .shape = shape};
    area->memory->version = TAKT_AREA_VERSION;
    area->memory->size = shape.size;
    area->memory->depth = shape.depth;
    takt_word_release(&area->memory->magic, MAGIC); /* acquired by takt_area_attach */
    return TAKT_OK;
}

enum takt_status takt_area_write(struct takt_area *area, const void *value, const struct takt_area_stamp *stamp)
{
    if (stamp->length > area->shape.size) {
        return TAKT_LIMIT;
    }
    area->number++;
    if (area->number == 0) { /* the numbers wrapped, and 0 means none: the next number of the same slot */
        area->number = area->shape.depth;
    }
    void *at = (char *)area->memory + slot_at(area->shape, area->number);
    struct takt_area_slot *slot = (struct takt_area_slot *)at;
    takt_word_store(&slot->number, 0);
    /* With the acquire fence of copy: a reader that sees part of this value sees that the slot has no number. */
    takt_word_fence_release();
    takt_words_write(slot->stamp, stamp, sizeof *stamp);
    takt_words_write((uintptr_t *)(slot + 1), value, stamp->length);
    takt_word_release(&slot->number, area->number);        /* acquired by copy */
    takt_word_release(area->memory->newest, area->number); /* acquired by takt_area_newest */
    return TAKT_OK;
}

enum takt_status takt_area_attach(struct takt_area_reader *reader, const void *memory, size_t bytes)
{
    const struct takt_area_memory *found = (const struct takt_area_memory *)memory;
    if (!is_aligned(memory) || bytes < sizeof *found || takt_word_acquire(&found->magic) != MAGIC ||
        takt_word_load(&found->version) != TAKT_AREA_VERSION) {
        return TAKT_STATE;
    }
    uintptr_t size = takt_word_load(&found->size); /* loaded once: the checked value is the one that is used */
    uintptr_t depth = takt_word_load(&found->depth);
    if (!shape_is_right(size, depth) || (bytes - sizeof *found) / depth < TAKTR_AREA_STRIDE(size)) {
        return TAKT_STATE;
    }
    *reader = (struct takt_area_reader){.memory = found, .shape = {.size = (uint32_t)size, .depth = (uint32_t)depth}};
    reader->taken = takt_area_newest(reader);
    return TAKT_OK;
}

/* Copies the value of that number; false: it is not there, or was overwritten meanwhile. */
static bool copy(const struct takt_area_reader *reader, uintptr_t number, void *to, struct takt_area_value *value)
{
    const void *at = (const char *)reader->memory + slot_at(reader->shape, number);
    const struct takt_area_slot *slot = (const struct takt_area_slot *)at;
    if (number == 0 || takt_word_acquire(&slot->number) != number) {
        return false;
    }
    takt_words_read(&value->stamp, slot->stamp, sizeof value->stamp);
    if (value->stamp.length > reader->shape.size) {
        value->stamp.length = reader->shape.size; /* of a writer that breaks the protocol, or is writing now */
    }
    takt_words_read(to, (const uintptr_t *)(slot + 1), value->stamp.length);
    value->number = number;
    takt_word_fence_acquire(); /* with the release fence of takt_area_write */
    return takt_word_load(&slot->number) == number;
}

enum takt_status takt_area_read(const struct takt_area_reader *reader, void *to, struct takt_area_value *value)
{
    for (unsigned tries = 0; tries < TAKT_AREA_TRIES; tries++) {
        uintptr_t newest = takt_area_newest(reader);
        if (newest == 0) {
            return TAKT_EMPTY;
        }
        if (copy(reader, newest, to, value)) {
            return TAKT_OK;
        }
    }
    return TAKT_OVERTAKEN;
}

enum takt_status takt_area_take(struct takt_area_reader *reader, void *to, struct takt_area_value *value)
{
    for (unsigned tries = 0; tries < TAKT_AREA_TRIES; tries++) {
        uintptr_t behind = takt_area_newest(reader) - reader->taken;
        if (behind == 0) {
            return TAKT_EMPTY;
        }
        if (behind > reader->shape.depth) {
            uintptr_t gone = behind - reader->shape.depth;
            reader->taken += gone;
            reader->lost += gone;
        }
        reader->taken++;
        if (copy(reader, reader->taken, to, value)) {
            return TAKT_OK;
        }
        reader->lost++;
    }
    return TAKT_OVERTAKEN;
}
