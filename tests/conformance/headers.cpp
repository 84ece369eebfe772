// SPDX-License-Identifier: Apache-2.0
// Every public header and every definition of an object, in C++: tests/conformance/test_cxx_headers.py compiles it.
#include "takt/admission.h"
#include "takt/board.h"
#include "takt/create.h"
#include "takt/invariants.h"
#include "takt/server.h"
#include "takt/takt.h"
#include "takt/takt.hpp"

static uint64_t words[64];
static uint8_t bytes[512];
static struct takt_task task;

extern "C" void expired(struct takt_alarm *alarm);
extern "C" void arrived(const void *message);

TAKT_MUTEX_DEFINE(mutex, 1);
TAKT_CEILING_DEFINE(ceiling, 1, 0, 0);
TAKT_CONDITION_DEFINE(condition, 1);
TAKT_SEMAPHORE_DEFINE(semaphore, 1, 0, 1);
TAKT_SEMAPHORE_TRIGGER_DEFINE(semaphore_of_task, 1, &task);
TAKT_EVENTS_DEFINE(events, 1);
TAKT_EVENTS_TRIGGER_DEFINE(events_of_task, 1, 3, TAKT_EVENTS_ALL, &task);
TAKT_ALARM_DEFINE(alarm_1, 1, expired, 1000);
TAKT_ALARM_QUEUE_DEFINE(queue, &semaphore);
TAKT_ALARM_QUEUED_DEFINE(alarm_2, 1, expired, 1000, &queue);
TAKT_WATCHDOG_DEFINE(watchdog, 1, &task, 1000, TAKT_WATCHDOG_NOTIFY, 0);
TAKT_RENDEZVOUS_DEFINE(rendezvous, 1);
TAKT_RENDEZVOUS_COPIED_DEFINE(rendezvous_copied, 1, 4, 4);
TAKT_RENDEZVOUS_TRIGGER_DEFINE(rendezvous_of_task, 1, 4, 4, &task);
TAKT_MAILBOX_DEFINE(mailbox, 1, bytes, 8, 4);
TAKT_MAILBOX_TRIGGER_DEFINE(mailbox_of_task, 1, bytes, 8, 4, &task);
TAKT_PRIORITY_MAILBOX_DEFINE(letters, 1, bytes, 8, 4, arrived);
TAKT_PRIORITY_MAILBOX_TRIGGER_DEFINE(letters_of_task, 1, bytes, 8, 4, &task);
TAKT_PIPE_DEFINE(pipe_1, 1, bytes, 64);
TAKT_PIPE_TRIGGER_DEFINE(pipe_of_task, 1, bytes, 64, 1, &task);
TAKT_POOL_DEFINE(pool, 1, bytes, 8, 4);
TAKT_SIGNAL_POOL_DEFINE(signals, bytes, 8, 2);
TAKT_SIGNAL_QUEUE_DEFINE(signal_queue, 1, &task);
TAKT_SIGNAL_QUEUE_TRIGGER_DEFINE(signal_queue_of_task, 1, &task);
TAKT_STATE_DEFINE(state, 16, 3);
TAKT_STATE_DEFINE(state_of_a_word, 4, 3);
TAKT_RING_DEFINE(ring, 8, 4);
static struct takt_ring *const rings[] = {&ring};
TAKT_RING_GROUP_DEFINE(ring_group, rings, 1);
static const uint8_t levels[] = {1};
TAKT_SLOT_INHERITANCE_DEFINE(inheritance, levels, 1);
TAKT_SLOT_TRIGGER_DEFINE(inheritance_of_task, levels, 1, &task);
static const struct takt_slot_config configuration = {bytes, &inheritance, 0, 8, 4, 1, false, {}};
TAKT_SLOT_DEFINE(slot, &configuration);
TAKT_SLOT_OPEN_DEFINE(slot_open, &configuration, bytes, 8, 4, &task);
TAKT_EDF_DEFINE(edf, 1, 4);
TAKT_TIMERS_DEFINE(timers, 4);

struct Account {
    unsigned total;
};
static takt::Monitor<Account, mutex> account(1u);
static takt::Monitor<Account, ceiling> account_under_ceiling;

// Functions that are inline, and what macros make of arguments.
extern "C" enum takt_status used(void);

extern "C" enum takt_status used(void)
{
    struct takt_events_wanted wanted = {1, TAKT_EVENTS_CLEAR};
    uint64_t message[2] = {1, 2};
    TAKT_ASSERT(words[0] == 0);
    takt_state_init(&state, words, 16, 3);
    takt_ring_init(&ring, words, 8, 4);
    takt_state_write(&state, message, 16);
    if (takt_state_read(&state, message, 16) != TAKT_OK || takt_ring_put(&ring, message, 8) != TAKT_OK) {
        return TAKT_BUSY;
    }
    takt::Section section(mutex, takt_now());
    if (!section || section.wait_until(condition, takt_now()) != TAKT_OK) {
        return section.status();
    }
    if (auto entry = account_under_ceiling.enter_until(takt_now())) {
        entry->total = (*entry).total + 1;
    }
    if (account.call([](Account &mine) { mine.total++; }) != TAKT_OK) {
        return section.wait(condition);
    }
    return takt_events_wait_until(&events, &wanted, takt_now() + TAKT_MS(1));
}
