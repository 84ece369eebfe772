/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HOSTILE_PROCESS_H
#define HOSTILE_PROCESS_H

/* A process that makes hostile calls. Before: PROCESS, its number, and OWN(name), its object of that name. */
#include "takt_app.h"

/* So large that a thread does not leave its stack: docs/CAVEATS.md, guards on rv32-virt. */
enum { ANY_ENTRY = 1, THREAD_STACK = 640 };
#include "kernel/test/support/hostile.h"
#include "own_heap.h"
#include "takt/process.h"
#include "takt_port_inline.h"
#include "traps.h"

enum { THREAD_PLACES = 2, CREATED = 16 };

/* Written by nobody: the kernel's side looks at what the memory of a process begins with. */
extern uint32_t OWN(untouched)[32];
uint32_t OWN(untouched)[32] = {1, 2, 3, 4, 5, 6, 7, 8};

static _Alignas(8) uint8_t places[PLACE_SIZE];
static uintptr_t threads[THREAD_PLACES]; /* handles */

/* What it has created in this life, by place: handles, and their kinds as in takes.h. */
static uintptr_t created[CREATED];
static char created_kind[CREATED];

/* What a maker has since its job began: the handle, or 0. */
static struct {
    uintptr_t mutex, ceiling, slot; /* the last that it owns */
    bool serves;
} has[MAKERS];

static uintptr_t reserved_from[MAKERS]; /* slots of the buffers that makers reserved last */

static uint8_t *place_at(unsigned process, unsigned offset)
{
    (void)process;
    return places + offset;
}

/* Of the last block that it got; the other may be that of another task. */
static uintptr_t block_got;

static uintptr_t block_of(unsigned process, unsigned index)
{
    (void)process;
    return block_got == 0 || index == 0 ? block_got : block_got ^ 8u;
}

static bool has_succeeded(unsigned number)
{
    return tally.succeeds[number] != 0;
}

static unsigned thread_level(void)
{
    return TAKT_LEVELS - 2;
}

#define ONE_OF(array) (array)[draw(sizeof(array) / sizeof *(array))]

static unsigned slot_of(uintptr_t handle)
{
    return (unsigned)(handle & UINT16_MAX) - tally.slot_first[PROCESS];
}

static uintptr_t created_for(char letter)
{
    unsigned first = draw(CREATED);
    for (unsigned place = 0; place < CREATED; place++) {
        unsigned one = (first + place) % CREATED;
        if (created_kind[one] == letter && created[one] != 0) {
            return created[one];
        }
    }
    return 0;
}

/* Whether a handle was one of that kind, and is no more: deleted, or of a life before. */
static bool is_stale(char letter, unsigned past)
{
    uintptr_t handle = tally.past[PROCESS][past];
    return handle != 0 && tally.past_kind[PROCESS][past] == (uint8_t)letter && created[slot_of(handle)] != handle;
}

static uintptr_t stale_for(char letter)
{
    unsigned first = draw(PAST);
    for (unsigned past = 0; past < PAST; past++) {
        if (is_stale(letter, (first + past) % PAST)) {
            return tally.past[PROCESS][(first + past) % PAST];
        }
    }
    return 0;
}

static uintptr_t handle_for(char letter, unsigned process)
{
    uintptr_t own = draw(12) == 0 ? stale_for(letter) : draw(3) == 0 ? created_for(letter) : 0;
    if (own != 0) {
        return own;
    }
    const void *const tasks[] = {TASK_periodic_a, TASK_sporadic_a, TASK_background_a,
                                 TASK_periodic_b, TASK_sporadic_b, TASK_background_b};
    (void)process;
    switch (letter) {
    case 't':
        return (uintptr_t)ONE_OF(tasks);
    case 'g':
        return draw(2) == 0 ? (uintptr_t)TASK_sporadic_a : (uintptr_t)TASK_sporadic_b;
    case 'x':
        return threads[0] == 0 ? threads[1] : threads[1] == 0 ? threads[0] : ONE_OF(threads);
    case 'm':
        return draw(3) == 0 ? (uintptr_t)&OWN(own) : (uintptr_t)&lock;
    case 'o':
        return (uintptr_t)&lock;
    case 's':
        return draw(4) == 0 ? (uintptr_t)&OWN(trigger) : (uintptr_t)&semaphore;
    case 'f':
        return (uintptr_t)&signals;
    case 'v':
        return (uintptr_t)&blocks;
    case '2':
        return draw(2) == 0 ? (uintptr_t)&slot_a : (uintptr_t)&slot_b;
    case 'q':
        return draw(2) == 0 ? (uintptr_t)&queue_a : (uintptr_t)&queue_b;
    case 'j':
        return (uintptr_t)&OWN(queue);
    case '1':
        return draw(2) == 0 ? (uintptr_t)PROCESS_a : (uintptr_t)PROCESS_b;
    case 'z':
        return draw(2) == 0 ? (uintptr_t)&OWN(meet) : (uintptr_t)&exchange;
    default:
        break;
    }
    static const char kinds[] = "ckebrpawyhdi";
    const uintptr_t objects[] = {(uintptr_t)&ceiling, (uintptr_t)&condition, (uintptr_t)&events,
                                 (uintptr_t)&mailbox, (uintptr_t)&urgent,    (uintptr_t)&pipe,
                                 (uintptr_t)&waker,   (uintptr_t)&OWN(dog),  (uintptr_t)TAKTI_STATE(news),
                                 (uintptr_t)&lent,    (uintptr_t)&device,    (uintptr_t)&OWN_LINE};
    for (unsigned place = 0; kinds[place] != '\0'; place++) {
        if (kinds[place] == letter) {
            return objects[place];
        }
    }
    return 0;
}

static uintptr_t bad_address(unsigned process)
{
    const uintptr_t choices[] = {
        (uintptr_t)places + 1,
        (uintptr_t)thread_entry,
        handle_for("tmsckebrpzawyhdifqjv2"[draw(21)], process) + 0x10000, /* of one that is to come, or never will */
        draw(53) | 1u << 16,
    };
    return draw(3) != 0 ? tally.aims[process][draw(tally.aims_count)] : ONE_OF(choices);
}

/* What the maker can do that most cannot: it owns something, or serves. */
static unsigned special_call(enum maker maker)
{
    static const unsigned waits[] = {TAKTI_CALL_mutex_unlock, TAKTI_CALL_condition_wait,
                                     TAKTI_CALL_condition_wait_until};
    static const unsigned ends[] = {TAKTI_CALL_task_stop, TAKTI_CALL_task_delete, TAKTI_CALL_thread_join,
                                    TAKTI_CALL_thread_join_until, TAKTI_CALL_thread_detach};
    if (has[maker].serves && draw(3) == 0) {
        return TAKTI_CALL_rendezvous_complete;
    }
    if (has[maker].ceiling != 0 && draw(3) == 0) {
        return TAKTI_CALL_ceiling_unlock;
    }
    if (has[maker].mutex != 0 && draw(3) == 0) {
        return CALL_OF(waits);
    }
    if (*(uintptr_t *)(void *)(places + 512 + 8 * (maker % CALLERS)) != 0 && draw(4) == 0) {
        return signal_call();
    }
    if (maker == PERIODIC && draw(4) == 0) {
        return receiver_call();
    }
    if (block_got != 0 && draw(8) == 0) {
        return TAKTI_CALL_pool_free;
    }
    if (heap_got != 0 && draw(16) == 0) {
        return draw(2) == 0 ? TAKTI_CALL_heap_free : TAKTI_CALL_heap_resize;
    }
    if (has[maker].slot != 0 && draw(2) == 0) {
        return owner_call(*(uintptr_t *)(void *)(places + RECEIVED + 8 * (maker % CALLERS)) != 0, draw(2) == 0);
    }
    bool reserved = *(uintptr_t *)(void *)(places + SENT + 8 * (maker % CALLERS)) != 0;
    if (draw(reserved ? 2 : 8) == 0) {
        return sender_call(reserved);
    }
    if ((threads[0] != 0 || threads[1] != 0) && draw(4) == 0) {
        return CALL_OF(ends);
    }
    if (draw(8) == 0) {
        return meeting_call();
    }
    unsigned lacking = draw(3) == 0 ? call_lacking() : TAKTI_CALL_COUNT;
    if (lacking < TAKTI_CALL_COUNT) {
        return lacking;
    }
    return draw(100) == 0 ? TAKTI_CALL_COUNT + draw(UNKNOWN) : draw(TAKTI_CALL_COUNT);
}

/* A handle that a call wrote; 0: something else has written there meanwhile. */
static uintptr_t handle_at(uintptr_t place)
{
    uintptr_t handle = place - (uintptr_t)places < PLACE_SIZE ? *(const uintptr_t *)place : 0;
    return slot_of(handle) < tally.slot_count[PROCESS] && slot_of(handle) < CREATED ? handle : 0;
}

static void note_created(char letter, uint32_t result, uintptr_t place)
{
    uintptr_t handle = result == TAKT_OK ? handle_at(place) : 0;
    if (handle != 0) {
        created_kind[slot_of(handle)] = letter;
        created[slot_of(handle)] = handle;
        unsigned past = tally.past_count[PROCESS]++ % PAST;
        tally.past_kind[PROCESS][past] = (uint8_t)letter;
        tally.past[PROCESS][past] = handle; /* from here on it is stale unless it is in `created` */
    }
}

static void note_deleted(uintptr_t handle)
{
    if (slot_of(handle) < CREATED && created[slot_of(handle)] == handle) {
        created[slot_of(handle)] = 0;
    }
}

/* What the process has after a call. */
static void note_objects(unsigned number, const uint64_t words[ARGUMENTS], uint32_t result)
{
    switch (number) {
    case TAKTI_CALL_mutex_create:
        note_created('m', result, (uintptr_t)words[0]);
        break;
    case TAKTI_CALL_condition_create:
        note_created('k', result, (uintptr_t)words[0]);
        break;
    case TAKTI_CALL_events_create:
        note_created('e', result, (uintptr_t)words[0]);
        break;
    case TAKTI_CALL_semaphore_create:
        note_created('s', result, (uintptr_t)words[0]);
        break;
    case TAKTI_CALL_mailbox_create:
        note_created('b', result, (uintptr_t)words[0]);
        break;
    case TAKTI_CALL_priority_mailbox_create:
        note_created('r', result, (uintptr_t)words[0]);
        break;
    case TAKTI_CALL_pipe_create:
        note_created('p', result, (uintptr_t)words[0]);
        break;
    case TAKTI_CALL_alarm_create:
        note_created('a', result, (uintptr_t)words[0]);
        break;
    case TAKTI_CALL_thread_create:
        note_created('x', result, (uintptr_t)words[0]);
        break;
    case TAKTI_CALL_thread_join:
    case TAKTI_CALL_thread_join_until:
        note_deleted(result == TAKT_OK ? (uintptr_t)words[0] : 0);
        break;
    case TAKTI_CALL_mutex_delete:
    case TAKTI_CALL_condition_delete:
    case TAKTI_CALL_events_delete:
    case TAKTI_CALL_semaphore_delete:
    case TAKTI_CALL_mailbox_delete:
    case TAKTI_CALL_pipe_delete:
    case TAKTI_CALL_priority_mailbox_delete:
    case TAKTI_CALL_alarm_delete:
        note_deleted((uintptr_t)words[0]);
        break;
    default:
        break;
    }
}

/* Whether the call names an object that is there no more. */
static bool names_a_stale(unsigned number, const uint64_t words[ARGUMENTS])
{
    const char *letters = number < TAKTI_CALL_COUNT && takes[number] != NULL ? takes[number] : "";
    bool found = false;
    for (unsigned past = 0; past < PAST; past++) {
        found = found || (is_stale(letters[0], past) && (uint32_t)words[0] == tally.past[PROCESS][past]);
    }
    return found;
}

/* What the maker has after a call. */
static void note(enum maker maker, unsigned number, const uint64_t words[ARGUMENTS], uint32_t result)
{
    switch (number) {
    case TAKTI_CALL_mutex_lock:
    case TAKTI_CALL_mutex_lock_until:
    case TAKTI_CALL_mutex_try_lock:
        has[maker].mutex = result == TAKT_OK ? (uintptr_t)words[0] : has[maker].mutex;
        break;
    case TAKTI_CALL_mutex_unlock:
        has[maker].mutex = 0;
        break;
    case TAKTI_CALL_ceiling_lock:
    case TAKTI_CALL_ceiling_lock_until:
    case TAKTI_CALL_ceiling_try_lock:
        has[maker].ceiling = result == TAKT_OK ? (uintptr_t)words[0] : has[maker].ceiling;
        break;
    case TAKTI_CALL_ceiling_unlock:
        has[maker].ceiling = 0;
        break;
    case TAKTI_CALL_slot_allocate:
        has[maker].slot = result == TAKT_OK ? (uintptr_t)words[0] : has[maker].slot;
        break;
    case TAKTI_CALL_slot_deallocate:
        has[maker].slot = result == TAKT_OK && has[maker].slot == words[0] ? 0 : has[maker].slot;
        break;
    case TAKTI_CALL_slot_open:
        tally.slot_opened = (uint32_t)words[0];
        break;
    case TAKTI_CALL_slot_reserve:
    case TAKTI_CALL_slot_reserve_until:
    case TAKTI_CALL_slot_try_reserve:
        reserved_from[maker] = result == TAKT_OK ? (uintptr_t)words[0] : reserved_from[maker];
        break;
    case TAKTI_CALL_rendezvous_accept:
    case TAKTI_CALL_rendezvous_accept_until:
    case TAKTI_CALL_rendezvous_try_accept:
        has[maker].serves = result == TAKT_OK;
        break;
    case TAKTI_CALL_rendezvous_complete:
        has[maker].serves = false;
        break;
    case TAKTI_CALL_thread_create:
        if (result == TAKT_OK) {
            threads[threads[0] == 0 ? 0 : 1] = handle_at((uintptr_t)words[0]);
        }
        break;
    case TAKTI_CALL_thread_join:
    case TAKTI_CALL_thread_join_until:
    case TAKTI_CALL_thread_detach:
        for (unsigned thread = 0; thread < THREAD_PLACES && result == TAKT_OK; thread++) {
            threads[thread] = threads[thread] == words[0] ? 0 : threads[thread]; /* stale */
        }
        break;
    default:
        break;
    }
}

/* Whether the call names, as memory, what is not the process's. */
static bool names_an_aim(unsigned number, const uint64_t words[ARGUMENTS])
{
    const char *letters = number < TAKTI_CALL_COUNT && takes[number] != NULL ? takes[number] : "";
    bool found = false;
    bool copies = (uint32_t)words[0] == (uintptr_t)&exchange;
    if (number == TAKTI_CALL_rendezvous_complete || (number == TAKTI_CALL_rendezvous_call && !copies)) {
        return false; /* it looks at neither */
    }
    for (unsigned word = 0; word < ARGUMENTS && letters[word] != '\0'; word++) {
        if (letters[word] == 'S') { /* of no bytes: any memory will do */
            return false;
        }
        for (unsigned aim = 0; aim < tally.aims_count - 1 && letters[word] >= 'A' && letters[word] <= 'Z'; aim++) {
            found = found || (uint32_t)words[word] == tally.aims[PROCESS][aim];
        }
    }
    return found;
}

static void one_call(enum maker maker, unsigned number, bool hostile)
{
    uint64_t words[ARGUMENTS];
    maker_drawn = maker % CALLERS;
    draw_arguments(number, PROCESS, hostile, words);
    if (!hostile && number == TAKTI_CALL_mutex_unlock) {
        words[0] = has[maker].mutex;
    }
    if (!hostile && (number == TAKTI_CALL_condition_wait || number == TAKTI_CALL_condition_wait_until)) {
        words[1] = has[maker].mutex;
        words[2] = takt_now() + draw(40000000); /* a signal takes a while */
    }
    if (!hostile && number == TAKTI_CALL_slot_commit) {
        words[0] = reserved_from[maker];
    }
    if (!hostile && tally.slot_opened != 0 && number >= TAKTI_CALL_slot_reserve &&
        number <= TAKTI_CALL_slot_try_reserve) {
        words[0] = tally.slot_opened;
    }
    if (!hostile && has[maker].slot != 0 &&
        (number == TAKTI_CALL_slot_open || number == TAKTI_CALL_slot_close || number == TAKTI_CALL_slot_deallocate ||
         (number >= TAKTI_CALL_slot_take && number <= TAKTI_CALL_slot_flush))) {
        words[0] = has[maker].slot;
    }
    forget_buffer(number, PROCESS);
    block_got = number == TAKTI_CALL_pool_free ? 0 : block_got;
    heap_got = number == TAKTI_CALL_heap_free ? 0 : heap_got;
    if (draw(256) == 0) {
        overwrite_heap();
    }
    bool gone = names_a_stale(number, words);
    tally.made[PROCESS][maker]++;
    tally.stale[PROCESS][maker] += gone ? 1 : 0;
    tally.leaves[PROCESS][maker] = number == TAKTI_CALL_thread_exit;
    uint32_t result = trap(number, words);
    if (number < TAKTI_CALL_COUNT) {
        tally.passed[PROCESS][maker] += result != TAKT_STATE ? 1 : 0;
        if (means_success(number, result)) {
            tally.succeeded[PROCESS][maker][number]++;
            tally.succeeds[number] = 1;
        }
        if (gone || names_an_aim(number, words)) {
            tally.believed[PROCESS][maker]++;
            tally.believed_last[0] = number;
            tally.believed_last[1] = (uint32_t)words[0];
            tally.believed_last[2] = (uint32_t)words[1];
        }
        if (number == TAKTI_CALL_signal_allocate && result != 0) {
            *(uintptr_t *)(void *)(places + 512 + 8 * (maker % CALLERS)) = result;
        }
        if (number == TAKTI_CALL_pool_try_allocate && result != 0) {
            block_got = result;
        }
        if (number == TAKTI_CALL_heap_allocate && result != 0) {
            heap_got = result;
        }
        note(maker, number, words, result);
        note_objects(number, words, result);
    }
}

/* A message through a slot takes so many calls that random ones hardly ever make them before their process faults. */
static void send_to_itself(enum maker maker)
{
    one_call(maker, TAKTI_CALL_slot_allocate, false);
    if (has[maker].slot != 0) {
        one_call(maker, TAKTI_CALL_slot_open, false);
        one_call(maker, sender_call(false), false);
        one_call(maker, TAKTI_CALL_slot_commit, false);
        one_call(maker, taker_call(), false);
        one_call(maker, TAKTI_CALL_slot_release, false);
    }
}

static void make_calls(enum maker maker)
{
    seed ^= takt_now() * 16 + maker; /* another one after each restart */
    has[maker].mutex = 0;
    has[maker].ceiling = 0;
    has[maker].serves = false;
    tally.leaves[PROCESS][maker] = 0;
    if (draw(24) == 0 && tally_made(&tally) < tally.calls_max) {
        send_to_itself(maker);
    }
    for (unsigned call = 0; tally_made(&tally) < tally.calls_max && (call < 4 || draw(4) != 0); call++) {
        unsigned number = special_call(maker);
        bool ends = number == TAKTI_CALL_fault_raise || number == TAKTI_CALL_thread_exit;
        if (!ends || draw(8) == 0) {
            one_call(maker, number, draw_hostile());
        }
    }
    while (tally_made(&tally) >= tally.calls_max) {
        takt_delay_until(TAKT_FOREVER);
    }
    if (has[maker].ceiling != 0) { /* else the end of the job would be a fault */
        one_call(maker, TAKTI_CALL_ceiling_unlock, false);
    }
    if (has[maker].mutex != 0) {
        one_call(maker, TAKTI_CALL_mutex_unlock, false);
    }
}

static void thread_entry(void *argument)
{
    (void)argument;
    make_calls(THREADS);
}

#define MAKER(name, maker)    \
    void name(void *argument) \
    {                         \
        (void)argument;       \
        make_calls(maker);    \
    }
MAKER(OWN(periodic_job), PERIODIC)
MAKER(OWN(sporadic_job), SPORADIC)
MAKER(OWN(background_job), BACKGROUND)

void OWN(handler)(void)
{
    make_calls(LINE);
}

#endif
