/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HOSTILE_H
#define HOSTILE_H

/*
 * Calls of processes with hostile arguments, drawn at random: hostile_test.c on the host, tests/protection/hostile on
 * boards. A file that includes it defines what is static here and has no body, and before ANY_ENTRY: whether a thread
 * may begin anywhere, as it may where memory is protected; and THREAD_STACK, its least bytes. Processes are 0 and 1.
 */
#include "kernel/process/multiword.h"
#include "takes.h"
#include "takt/create.h"
#include "takt/process.h"
#include "takt/takt.h"

#include <string.h>

enum { ARGUMENTS = 3, PLACE_SIZE = 552, CALLERS = 5 };

static uintptr_t handle_for(char letter, unsigned process);  /* of takes.h */
static uint8_t *place_at(unsigned process, unsigned offset); /* memory of the process, PLACE_SIZE bytes */
static uintptr_t bad_address(unsigned process);              /* of others, or at an edge; or a handle that is stale */
static void thread_entry(void *argument);                    /* the argument: which process */
static unsigned thread_level(void);
static uintptr_t block_of(unsigned process, unsigned index); /* of the pool, in its memory */
static uintptr_t heap_block(unsigned process);               /* of its heap, that it got */
static bool has_succeeded(unsigned number);                  /* a call; or it is not expected to */

enum { SENT = 160, RECEIVED = 200 }; /* offsets of variables of buffers of a slot, one for each caller */

static unsigned maker_drawn; /* of the process, the one whose call is drawn, below CALLERS: each has its own signal */
static uint64_t seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % below);
}

static uint64_t any_time(void)
{
    uint64_t now_ns = takt_now();
    return draw(4) == 0 ? 0 : now_ns + draw(draw(4) == 0 ? 20000000 : 2000000);
}

/* An argument as it should be. */
static uint64_t good_argument(char letter, unsigned process)
{
    uint8_t *place = place_at(process, 8 * draw(8));
    uint64_t until_ns = any_time();
    struct takt_pipe_count *count = (void *)place_at(process, 256);
    switch (letter) {
    case 'B':
        return (uintptr_t)place;
    case 'E':
        *(struct takt_events_wanted *)(void *)place = (struct takt_events_wanted){1 + draw(15), draw(2) * 4 + draw(3)};
        return (uintptr_t)place;
    case 'C':
    case 'Q':
        *count = (struct takt_pipe_count){.size = 1 + draw(24)};
        count->least = draw(count->size + 1);
        if (letter == 'C') {
            return (uintptr_t)count;
        }
        *(struct takti_multiword_pipe *)(void *)place_at(process, 288) =
            (struct takti_multiword_pipe){place, count, until_ns};
        return (uintptr_t)place_at(process, 288);
    case 'L':
        *(struct takti_multiword_priority *)(void *)place_at(process, 320) =
            (struct takti_multiword_priority){place, until_ns, draw(9)};
        return (uintptr_t)place_at(process, 320);
    case 'V':
        *(struct takti_multiword_rendezvous *)(void *)place_at(process, 352) =
            (struct takti_multiword_rendezvous){place, until_ns, draw(99)};
        return (uintptr_t)place_at(process, 352);
    case 'A':
        *(struct takt_thread_attributes *)(void *)place_at(process, 384) =
            (struct takt_thread_attributes){.entry = thread_entry,
                                            .argument = (void *)(uintptr_t)process,
                                            .stack_size = THREAD_STACK + draw(128),
                                            .level = thread_level()};
        if (draw(3) == 0) { /* with a deadline: its calls often use up its budget */
            struct takt_thread_attributes *attributes = (void *)place_at(process, 384);
            attributes->level = draw(thread_level());
            attributes->period_ns = TAKT_MS(5 + draw(100));
            attributes->deadline_ns = attributes->period_ns - draw(1000000);
            attributes->wcet_ns = 1 + draw(draw(2) == 0 ? 1000000 : 5000000);
        }
        return (uintptr_t)place_at(process, 384);
    case 'T':
        *(struct takt_mailbox_attributes *)(void *)place = (struct takt_mailbox_attributes){1 + draw(2), 2 + draw(3)};
        return (uintptr_t)place;
    case 'Z':
        *(struct takt_alarm_attributes *)(void *)place =
            (struct takt_alarm_attributes){(void *)handle_for('g', process), draw(2) * TAKT_MS(8 + draw(9))};
        return (uintptr_t)place;
    case 'R':
        ((struct takt_rendezvous_accepted *)(void *)place_at(process, 448))->data = place; /* if the data is copied */
        return (uintptr_t)place_at(process, 448);
    case 'P':
        return block_of(process, draw(2));
    case 'M':
        return heap_block(process);
    case '3':
        return UINT64_C(1) << draw(7);
    case 'G':
        return (uintptr_t)place_at(process, 512 + 8 * maker_drawn);
    case 'F':
    case 'W': {
        struct takt_signal_filter *filter = (void *)place_at(process, 240);
        struct takti_multiword_signal *wide = (void *)place_at(process, 96);
        *filter = (struct takt_signal_filter){(void *)place, NULL, (uint16_t)draw(4)};
        filter = draw(2) == 0 ? NULL : filter;
        *wide = (struct takti_multiword_signal){filter, (void *)place_at(process, 512 + 8 * maker_drawn), until_ns};
        return letter == 'W' ? (uintptr_t)wide : (uintptr_t)filter;
    }
    case 'D':
        return (uintptr_t)place_at(process, SENT + 8 * maker_drawn);
    case 'I':
        return (uintptr_t)place_at(process, RECEIVED + 8 * maker_drawn);
    case 'J':
        return *(uintptr_t *)(void *)place_at(process, SENT + 8 * maker_drawn);
    case 'K':
        return *(uintptr_t *)(void *)place_at(process, RECEIVED + 8 * maker_drawn);
    case 'O':
        *(struct takti_multiword_slot *)(void *)place_at(process, 416) =
            (struct takti_multiword_slot){(void *)place_at(process, SENT + 8 * maker_drawn), until_ns, draw(4)};
        return (uintptr_t)place_at(process, 416);
    case 'H': {
        struct takt_hint_set *set = (void *)place;
        uintptr_t *handles = (void *)place_at(process, 128);
        *set = (struct takt_hint_set){.mutexes = (void *)handles, .count = (uint8_t)(1 + draw(2))};
        handles[0] = handle_for('m', process);
        handles[1] = handle_for('o', process);
        return (uintptr_t)set;
    }
    case 'S':
        return 16;
    case 'n':
    case 'l':
        return draw(200);
    case 'u':
        return until_ns;
    default:
        return handle_for(letter, process);
    }
}

/* One that is wrong, or right by chance. */
static uint64_t bad_argument(unsigned process)
{
    if (draw(2) == 0) {
        return bad_address(process);
    }
    const uint64_t choices[] = {
        0,
        UINTPTR_MAX,
        UINTPTR_MAX - 7,
        draw(80) | 1u << 16,
        draw(UINT32_MAX),
        (uint64_t)draw(UINT32_MAX) << 32,
        TAKT_FOREVER - takt_now() - draw(3), /* of times */
        TAKT_FOREVER - draw(3),
        TAKT_FOREVER / 2 + draw(2),
    };
    return choices[draw(sizeof choices / sizeof *choices)];
}

/* What an argument points to. */
struct structure {
    char letter; /* of takes.h */
    uint8_t size;
    uint8_t from; /* the first byte of it that may be wrong */
};

static const struct structure structures[] = {
    {'E', sizeof(struct takt_events_wanted), 0},
    {'C', sizeof(struct takt_pipe_count), 0},
    {'Q', sizeof(struct takti_multiword_pipe), 0},
    {'L', sizeof(struct takti_multiword_priority), 0},
    {'V', sizeof(struct takti_multiword_rendezvous), 0},
    {'A', sizeof(struct takt_thread_attributes), ANY_ENTRY ? 0 : offsetof(struct takt_thread_attributes, stack_size)},
    {'T', sizeof(struct takt_mailbox_attributes), 0},
    {'Z', sizeof(struct takt_alarm_attributes), 0},
    {'R', sizeof(void *), 0},
    {'G', sizeof(void *), 0},
    {'H', sizeof(struct takt_hint_set), 0},
    {'W', sizeof(struct takti_multiword_signal), 0},
    {'O', sizeof(struct takti_multiword_slot), 0},
};

/* A word of what an argument points to is wrong, or right by chance; nothing, if it points to nothing of the kind. */
static void spoil(char letter, uint64_t argument, unsigned process)
{
    for (unsigned number = 0; number < sizeof structures / sizeof structures[0]; number++) {
        const struct structure *found = &structures[number];
        if (found->letter == letter) {
            uint32_t bad = (uint32_t)bad_argument(process);
            unsigned place = found->from + draw((found->size - found->from) / 4u) * 4u;
            memcpy((uint8_t *)(uintptr_t)argument + place, &bad, sizeof bad);
        }
    }
}

/* One of some calls: half of the times one that has not succeeded so far, if there is any. */
static unsigned draw_call(const unsigned *choices, unsigned count)
{
    unsigned first = draw(count);
    for (unsigned number = 0; draw(2) == 0 && number < count; number++) {
        unsigned one = choices[(first + number) % count];
        if (!has_succeeded(one)) {
            return one;
        }
    }
    return choices[first];
}
#define CALL_OF(array) draw_call((array), sizeof(array) / sizeof *(array))

static inline unsigned taker_call(void)
{
    static const unsigned choices[] = {TAKTI_CALL_slot_take, TAKTI_CALL_slot_take_until, TAKTI_CALL_slot_try_take};
    return CALL_OF(choices);
}

/* What its owner can do with a slot: `taken`, with a buffer that it has, `stored`, with one that was sent. */
static inline unsigned owner_call(bool taken, bool stored)
{
    static const unsigned choices[] = {TAKTI_CALL_slot_open,     TAKTI_CALL_slot_take,      TAKTI_CALL_slot_take_until,
                                       TAKTI_CALL_slot_try_take, TAKTI_CALL_slot_flush,     TAKTI_CALL_slot_close,
                                       TAKTI_CALL_slot_open,     TAKTI_CALL_slot_deallocate};
    if (taken && draw(2) == 0) {
        return TAKTI_CALL_slot_release;
    }
    return stored && draw(2) == 0 ? taker_call() : CALL_OF(choices);
}

/* What others can do with it: `reserved`, with a buffer that they have. */
static inline unsigned sender_call(bool reserved)
{
    static const unsigned choices[] = {TAKTI_CALL_slot_try_reserve, TAKTI_CALL_slot_reserve_until,
                                       TAKTI_CALL_slot_try_reserve, TAKTI_CALL_slot_reserve};
    return reserved ? TAKTI_CALL_slot_commit : CALL_OF(choices);
}

/* What is done with a signal that a task has. */
static inline unsigned signal_call(void)
{
    static const unsigned choices[] = {TAKTI_CALL_signal_send, TAKTI_CALL_signal_send, TAKTI_CALL_signal_free};
    return CALL_OF(choices);
}

/* What the owner of a queue of signals does. */
static inline unsigned receiver_call(void)
{
    static const unsigned choices[] = {TAKTI_CALL_signal_receive, TAKTI_CALL_signal_receive_until,
                                       TAKTI_CALL_signal_try_receive};
    return CALL_OF(choices);
}

/* Before the call: a buffer that is sent or released is not had any more, also if the call is a fault. */
static void forget_buffer(unsigned number, unsigned process)
{
    if (number == TAKTI_CALL_slot_commit || number == TAKTI_CALL_slot_release) {
        unsigned first = number == TAKTI_CALL_slot_commit ? SENT : RECEIVED;
        *(uintptr_t *)(void *)place_at(process, first + 8 * maker_drawn) = 0;
    }
}

/* Whether what a call returned means that it did what it is for. A status is 0 then, and what returns nothing but never
 * waits. */
static bool means_success(unsigned number, uint32_t result)
{
    switch (number) {
    case TAKTI_CALL_task_stopped:
    case TAKTI_CALL_process_stopped:
    case TAKTI_CALL_job_release_ns:
    case TAKTI_CALL_job_deadline_ns:
    case TAKTI_CALL_now:
    case TAKTI_CALL_semaphore_count:
    case TAKTI_CALL_events_get:
    case TAKTI_CALL_alarm_remaining_ns:
    case TAKTI_CALL_alarm_missed:
    case TAKTI_CALL_watchdog_expired:
    case TAKTI_CALL_task_budget_ns:
    case TAKTI_CALL_task_exhausted:
    case TAKTI_CALL_task_suspend:
    case TAKTI_CALL_task_yield:
    case TAKTI_CALL_job_wait:
    case TAKTI_CALL_delay:
    case TAKTI_CALL_delay_until:
    case TAKTI_CALL_board_link_exchange: /* how much it got: nobody sends */
        return true;
    case TAKTI_CALL_task_running:
    case TAKTI_CALL_memory_alloc:
    case TAKTI_CALL_shared_attach:
    case TAKTI_CALL_device_map:
    case TAKTI_CALL_signal_allocate:
    case TAKTI_CALL_pool_try_allocate:
    case TAKTI_CALL_heap_allocate:
    case TAKTI_CALL_heap_resize:
    case TAKTI_CALL_priority_mailbox_broadcast: /* to how many */
        return result != 0;
    case TAKTI_CALL_slot_close: /* how many messages remain */
    case TAKTI_CALL_slot_release:
    case TAKTI_CALL_slot_flush:
        return true;
    case TAKTI_CALL_irq_attach:
        return result == TAKT_OK || result == TAKT_STATE; /* what is declared is attached from the start */
    default:
        return result == TAKT_OK;
    }
}

/* Whether a call is a fault unless its task owns something, or serves: such are drawn where it does. */
static inline bool takes_owner(unsigned number)
{
    switch (number) {
    case TAKTI_CALL_mutex_unlock:
    case TAKTI_CALL_ceiling_unlock:
    case TAKTI_CALL_condition_wait:
    case TAKTI_CALL_condition_wait_until:
    case TAKTI_CALL_rendezvous_complete:
    case TAKTI_CALL_signal_send:
    case TAKTI_CALL_signal_receive:
    case TAKTI_CALL_signal_receive_until:
    case TAKTI_CALL_signal_try_receive:
    case TAKTI_CALL_signal_free:
    case TAKTI_CALL_pool_free:
    case TAKTI_CALL_thread_join:
    case TAKTI_CALL_thread_join_until:
    case TAKTI_CALL_thread_detach:
        return true;
    default:
        return number >= TAKTI_CALL_slot_open && number <= TAKTI_CALL_slot_flush &&
               !(number >= TAKTI_CALL_slot_reserve && number <= TAKTI_CALL_slot_try_reserve);
    }
}

/* A call that has not succeeded so far; TAKTI_CALL_COUNT: there is none. */
static inline unsigned call_lacking(void)
{
    unsigned first = draw(TAKTI_CALL_COUNT);
    for (unsigned number = 0; number < TAKTI_CALL_COUNT; number++) {
        unsigned one = (first + number) % TAKTI_CALL_COUNT;
        if (!has_succeeded(one) && !takes_owner(one)) {
            return one;
        }
    }
    return TAKTI_CALL_COUNT;
}

/* What takes two tasks. */
static inline unsigned meeting_call(void)
{
    static const unsigned choices[] = {TAKTI_CALL_condition_signal,  TAKTI_CALL_condition_broadcast,
                                       TAKTI_CALL_rendezvous_call,   TAKTI_CALL_rendezvous_call_until,
                                       TAKTI_CALL_rendezvous_accept, TAKTI_CALL_priority_mailbox_broadcast,
                                       TAKTI_CALL_thread_create};
    return CALL_OF(choices);
}

/* Whether some arguments of a call are to be wrong: half of them in one second, few in the next, so that processes live
 * for the many calls that a message through a slot takes. */
static inline bool draw_hostile(void)
{
    return draw((takt_now() >> 30) % 2 == 0 ? 2 : 12) == 0;
}

/* Arguments of call `number`: as they should be, or some of them, or of what they point to, not. */
static void draw_arguments(unsigned number, unsigned process, bool hostile, uint64_t words[ARGUMENTS])
{
    const char *letters = number < TAKTI_CALL_COUNT && takes[number] != NULL ? takes[number] : "";
    for (unsigned word = 0; word < ARGUMENTS; word++) {
        words[word] = 0;
        if (hostile && draw(2) == 0) {
            words[word] = bad_argument(process);
        } else if (letters[0] != '\0') {
            words[word] = good_argument(letters[0], process);
            if (hostile && draw(2) == 0) {
                spoil(letters[0], words[word], process);
            }
        }
        letters += letters[0] != '\0' ? 1 : 0;
    }
}

#endif
