/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INTERLEAVE_H
#define INTERLEAVE_H

/*
 * All interleavings of two short programs, which change hands before each access to a word that they share
 * (base/word.h). Include it before what it steps through. The programs run on stacks of their own, in one thread: each
 * access is seen at once, so what a processor may reorder is not tried here.
 */
#include <stdbool.h>
#include <ucontext.h>

enum { INTERLEAVE_STACK = 64 * 1024, INTERLEAVE_POINTS = 64 };

static struct {
    ucontext_t explorer;
    ucontext_t sides[2];
    void (*programs[2])(void);
    bool done[2];
    int running;                        /* side, or -1: steps do nothing */
    uint8_t choices[INTERLEAVE_POINTS]; /* of the side, where both could go on */
    char stacks[2][INTERLEAVE_STACK];
} interleave = {.running = -1};

static inline void interleave_step(void)
{
    int side = interleave.running;
    if (side >= 0) {
        swapcontext(&interleave.sides[side], &interleave.explorer);
    }
}

#define TAKTB_WORD_STEP() interleave_step()

static void interleave_main(void)
{
    int side = interleave.running;
    interleave.programs[side]();
    interleave.done[side] = true;
    swapcontext(&interleave.sides[side], &interleave.explorer);
}

static __attribute__((noinline)) void interleave_start(int side)
{
    ucontext_t *context = &interleave.sides[side];
    getcontext(context);
    context->uc_stack.ss_sp = interleave.stacks[side];
    context->uc_stack.ss_size = INTERLEAVE_STACK;
    makecontext(context, interleave_main, 0);
    interleave.done[side] = false;
}

/* Runs both programs as the first `decided` choices say, then the first one until its end. Returns all choices. */
static unsigned interleave_run(unsigned decided)
{
    unsigned points = 0;
    interleave_start(0);
    interleave_start(1);
    while (!interleave.done[0] || !interleave.done[1]) {
        int side = interleave.done[0] ? 1 : 0;
        if (!interleave.done[0] && !interleave.done[1]) {
            CHECK(points < INTERLEAVE_POINTS);
            side = points < decided ? interleave.choices[points] : 0;
            interleave.choices[points++] = (uint8_t)side;
        }
        interleave.running = side;
        swapcontext(&interleave.explorer, &interleave.sides[side]);
        interleave.running = -1;
    }
    return points;
}

/* Every interleaving of `first` and `second`, each between `begin` and `end`. Returns how many there were. */
static unsigned long interleave_all(void (*begin)(void), void (*first)(void), void (*second)(void), void (*end)(void))
{
    unsigned long runs = 0;
    unsigned decided = 0;
    interleave.programs[0] = first;
    interleave.programs[1] = second;
    do {
        begin();
        unsigned points = interleave_run(decided);
        end();
        runs++;
        while (points > 0 && interleave.choices[points - 1] == 1) {
            points--;
        }
        decided = points;
        if (decided > 0) {
            interleave.choices[decided - 1] = 1;
        }
    } while (decided > 0);
    return runs;
}

#endif
