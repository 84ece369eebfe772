/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HOSTILE_H
#define HOSTILE_H

/*
 * Calls of processes with hostile arguments, drawn at random: hostile_test.c on the host, tests/protection/hostile on
 * boards. Whoever includes it defines what is static here and has no body. Processes are 0 and 1.
 */
#include "kernel/process/wide.h"
#include "takes.h"
#include "takt/create.h"
#include "takt/process.h"
#include "takt/takt.h"

enum { ARGUMENTS = 3, PLACE_SIZE = 512 };

static uintptr_t handle_for(char letter, unsigned process);  /* of takes.h */
static uint8_t *place_at(unsigned process, unsigned offset); /* memory of the process, PLACE_SIZE bytes */
static uintptr_t bad_address(unsigned process);              /* of others, or at an edge; or a handle that is stale */
static void thread_entry(void *argument);                    /* the argument: which process */
static unsigned thread_level(void);

static uint64_t seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % below);
}

static uint64_t instant(void)
{
    uint64_t now_ns = takt_now();
    return draw(4) == 0 ? 0 : now_ns + draw(2000000);
}

/* An argument as it should be. */
static uint64_t good_argument(char letter, unsigned process)
{
    uint8_t *place = place_at(process, 8 * draw(8));
    uint64_t until_ns = instant();
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
        *(struct takti_wide_pipe *)(void *)place_at(process, 288) = (struct takti_wide_pipe){place, count, until_ns};
        return (uintptr_t)place_at(process, 288);
    case 'L':
        *(struct takti_wide_priority *)(void *)place_at(process, 320) =
            (struct takti_wide_priority){place, until_ns, draw(9)};
        return (uintptr_t)place_at(process, 320);
    case 'V':
        *(struct takti_wide_rendezvous *)(void *)place_at(process, 352) =
            (struct takti_wide_rendezvous){place, until_ns, draw(99)};
        return (uintptr_t)place_at(process, 352);
    case 'A':
        *(struct takt_thread_attributes *)(void *)place_at(process, 384) =
            (struct takt_thread_attributes){thread_entry, (void *)(uintptr_t)process, 256 + draw(128), thread_level()};
        return (uintptr_t)place_at(process, 384);
    case 'T':
        *(struct takt_mailbox_attributes *)(void *)place = (struct takt_mailbox_attributes){1 + draw(2), 2 + draw(3)};
        return (uintptr_t)place;
    case 'R':
        return (uintptr_t)place_at(process, 448);
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

/* Arguments of call `number`: as they should be, or some of them not. */
static void draw_arguments(unsigned number, unsigned process, bool hostile, uint64_t words[ARGUMENTS])
{
    const char *letters = number < TAKTI_CALL_COUNT && takes[number] != NULL ? takes[number] : "";
    for (unsigned word = 0; word < ARGUMENTS; word++) {
        words[word] = 0;
        if (hostile && draw(2) == 0) {
            words[word] = bad_argument(process);
        } else if (letters[0] != '\0') {
            words[word] = good_argument(letters[0], process);
        }
        letters += letters[0] != '\0' ? 1 : 0;
    }
}

#endif
