/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLOTS_H
#define SLOTS_H

/* What tests of slots share: one slot, and notes of what each task did, and when. */
#include "kernel/core/kernel.h"
#include "kernel/test/support/scenario.h"

enum { ROOM = 3, NOTES = 32 };

static uint64_t storage[TAKT_SLOT_BYTES(1, ROOM) / 8];
static const uint8_t levels[] = {1, 3, 9}; /* by the priority of messages */
static TAKT_SLOT_INHERITANCE_DEFINE(inheritance, levels, 3);
static struct takt_slot_config config;
static struct takt_slot slot;
static char notes[NOTES];

static inline void note(char letter)
{
    size_t used = strlen(notes);
    CHECK(used + 1 < NOTES);
    notes[used] = letter;
    notes[used + 1] = '\0';
}

static inline void new_scenario(void)
{
    scenario_new();
    memset(&inheritance.link, 0, sizeof inheritance.link);
    memset(&inheritance.stand_in, 0, sizeof inheritance.stand_in);
    config = (struct takt_slot_config){
        .storage = storage, .important = UINT32_MAX, .message_size = 1, .capacity = ROOM, .id = 1, .by_priority = true};
    takt_slot_init(&slot, &config);
    notes[0] = '\0';
}

static inline void add(const char *name, unsigned level, void (*entry)(void *argument))
{
    scenario_task(name, level, entry)->argument = (void *)(uintptr_t)name;
}

static inline void run(const char *expected)
{
    scenario_run(20);
    CHECK_TEXT(notes, expected);
}

static inline char *reserve(uint32_t priority)
{
    void *buffer = NULL;
    CHECK(takt_slot_reserve(&slot, priority, &buffer) == TAKT_OK);
    CHECK(((uintptr_t)buffer & 7u) == 0);
    return buffer;
}

static inline void send(char letter, uint32_t priority)
{
    char *buffer = reserve(priority);
    *buffer = letter;
    takt_slot_commit(&slot, buffer);
}

static inline char *take(char expected)
{
    void *buffer = NULL;
    CHECK(takt_slot_take(&slot, &buffer) == TAKT_OK);
    CHECK_EQUAL(*(char *)buffer, expected);
    return buffer;
}

/* Takes the first and releases it. */
static inline void consume(char expected, unsigned remain)
{
    CHECK_EQUAL(takt_slot_release(&slot, take(expected)), remain);
}

static inline void begin(void)
{
    CHECK(takt_slot_allocate(&slot) == TAKT_OK);
    takt_slot_open(&slot);
}

#endif
