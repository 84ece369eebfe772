/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HOSTILE_PROCESS_H
#define HOSTILE_PROCESS_H

/* A process that makes hostile calls. Before: PROCESS, its number, and OWN(name), its object of that name. */
#include "takt_app.h"

enum { ANY_ENTRY = 1 };
#include "kernel/test/process/hostile.h"
#include "takt/process.h"
#include "takt_port_inline.h"

enum { THREAD_PLACES = 2, UNKNOWN = 2 };

/* Written by nobody: the kernel's side looks at what the memory of a process begins with. */
extern uint32_t OWN(untouched)[32];
uint32_t OWN(untouched)[32] = {1, 2, 3, 4, 5, 6, 7, 8};

static _Alignas(8) uint8_t places[PLACE_SIZE];
static uintptr_t threads[THREAD_PLACES]; /* handles */

/* What a maker has since its job began: the handle, or 0. */
static struct {
    uintptr_t mutex, ceiling;
    bool serves;
} has[MAKERS];

/* The trap of each call, by its number; and of numbers that none has. */
#define EXPANDED_STUB(symbol, number) TAKT_PORT_STUB(symbol, number)
#define DECLARE_DIRECT(number, name) void takt_user_##name(void);
#define DECLARE_WIDE(number, name) void takt_trap_##name(void);
TAKTI_CALLS(DECLARE_DIRECT, DECLARE_WIDE)
void OWN(unknown_near)(void);
void OWN(unknown_far)(void);
EXPANDED_STUB(OWN(unknown_near), 250);
EXPANDED_STUB(OWN(unknown_far), 2000);
#define DIRECT_TRAP(number, name) takt_user_##name,
#define WIDE_TRAP(number, name) takt_trap_##name,
static void (*const traps[TAKTI_CALL_COUNT + UNKNOWN])(void) = {TAKTI_CALLS(DIRECT_TRAP, WIDE_TRAP) OWN(unknown_near),
                                                                OWN(unknown_far)};

/* A number of 64 bits takes two words where the compiler puts them: the shape of the call decides. */
static uint32_t trap(unsigned number, const uint64_t words[ARGUMENTS])
{
    const char *letters = number < TAKTI_CALL_COUNT && takes[number] != NULL ? takes[number] : "";
    unsigned wide = 0;
    while (letters[wide] != '\0' && letters[wide] != 'u' && letters[wide] != 'l') {
        wide++;
    }
    uintptr_t first = (uintptr_t)words[0];
    uintptr_t second = (uintptr_t)words[1];
    void (*target)(void) = traps[number];
    if (letters[wide] == '\0') {
        return ((uint32_t(*)(uintptr_t, uintptr_t, uintptr_t, uintptr_t))target)(first, second, (uintptr_t)words[2], 0);
    }
    return wide == 0   ? ((uint32_t(*)(uint64_t))target)(words[0])
           : wide == 1 ? ((uint32_t(*)(uintptr_t, uint64_t))target)(first, words[1])
                       : ((uint32_t(*)(uintptr_t, uintptr_t, uint64_t))target)(first, second, words[2]);
}

static uint8_t *place_at(unsigned process, unsigned offset)
{
    (void)process;
    return places + offset;
}

static unsigned thread_level(void)
{
    return TAKT_LEVELS - 2;
}

#define ONE_OF(array) (array)[draw(sizeof(array) / sizeof *(array))]

static uintptr_t handle_for(char letter, unsigned process)
{
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
    default:
        break;
    }
    static const char kinds[] = "ckebrpzawyhdi";
    const uintptr_t objects[] = {(uintptr_t)&ceiling,          (uintptr_t)&condition, (uintptr_t)&events,
                                 (uintptr_t)&mailbox,          (uintptr_t)&urgent,    (uintptr_t)&pipe,
                                 (uintptr_t)&OWN(meet),        (uintptr_t)&waker,     (uintptr_t)&OWN(dog),
                                 (uintptr_t)TAKTI_STATE(news), (uintptr_t)&lent,      (uintptr_t)&device,
                                 (uintptr_t)&OWN_LINE};
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
        handle_for("tmsckebrpzawyhdi"[draw(16)], process) + 0x10000, /* stale */
        draw(48) | 1u << 16,
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
        return ONE_OF(waits);
    }
    if ((threads[0] != 0 || threads[1] != 0) && draw(4) == 0) {
        return ONE_OF(ends);
    }
    return draw(100) == 0 ? TAKTI_CALL_COUNT + draw(UNKNOWN) : draw(TAKTI_CALL_COUNT);
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
    case TAKTI_CALL_rendezvous_accept:
    case TAKTI_CALL_rendezvous_accept_until:
    case TAKTI_CALL_rendezvous_try_accept:
        has[maker].serves = result == TAKT_OK;
        break;
    case TAKTI_CALL_rendezvous_complete:
        has[maker].serves = false;
        break;
    case TAKTI_CALL_thread_create:
        if (result == TAKT_OK && words[0] - (uintptr_t)places < PLACE_SIZE) {
            threads[threads[0] == 0 ? 0 : 1] = *(const uintptr_t *)(uintptr_t)words[0];
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
    if (number == TAKTI_CALL_rendezvous_call || number == TAKTI_CALL_rendezvous_complete) { /* it looks at neither */
        return false;
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
    draw_arguments(number, PROCESS, hostile, words);
    if (!hostile && number == TAKTI_CALL_mutex_unlock) {
        words[0] = has[maker].mutex;
    }
    if (!hostile && (number == TAKTI_CALL_condition_wait || number == TAKTI_CALL_condition_wait_until)) {
        words[1] = has[maker].mutex;
    }
    tally.made[PROCESS][maker]++;
    uint32_t result = trap(number, words);
    if (number < TAKTI_CALL_COUNT) {
        tally.returned[PROCESS][maker][number]++;
        if (names_an_aim(number, words)) {
            tally.believed[PROCESS][maker]++;
            tally.believed_last[0] = number;
            tally.believed_last[1] = (uint32_t)words[0];
            tally.believed_last[2] = (uint32_t)words[1];
        }
        note(maker, number, words, result);
    }
}

static void make_calls(enum maker maker)
{
    seed ^= takt_now() * 16 + maker; /* another one after each restart */
    has[maker].mutex = 0;
    has[maker].ceiling = 0;
    has[maker].serves = false;
    for (unsigned call = 0; tally_made(&tally) < tally.calls_max && (call < 4 || draw(4) != 0); call++) {
        unsigned number = special_call(maker);
        bool ends = number == TAKTI_CALL_fault_raise || number == TAKTI_CALL_thread_exit;
        if (!ends || draw(8) == 0) {
            one_call(maker, number, draw(3) == 0);
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
