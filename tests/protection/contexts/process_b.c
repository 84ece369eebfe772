/* SPDX-License-Identifier: Apache-2.0 */
/* User mode, process B: `other`, which follows commands. */
#include "base/status.h"
#include "contexts.h"
#include "target.h"

static volatile uint32_t depth; /* so that the recursion is one */

static __attribute__((noinline)) uint32_t overflow(uint32_t times)
{
    volatile uint32_t frame[4] = {times, times, times, times};
    depth++;
    return times == 0 ? frame[0] : overflow(times - 1) + frame[times & 3u];
}

/* Whether registers keep their values while first preempts. */
static void pattern(void)
{
    bool right = true;
    user_storm(TARGET_STORM_NS - 3600u);
    for (uint32_t i = 0; i < 100; i++) {
        right = right && target_spin(0xA5A50000u + i, 100 + i);
        right = right && target_call(i << 18, CALL_NULL, i, i);
        for (uint32_t j = 0; j < 100; j++) { /* at each instruction on the way into a call and out of it */
            right = right && user_null(i, j, i, j) == NULL_RESULT(i, j, i, j);
        }
    }
    user_storm(0);
    if (!right) {
        user_exit(1);
    }
}

/* From here to low or first, which take the other stamp. */
static void measure(enum figure figure)
{
    uint32_t begin = target_stamp();
    if (figure == FIGURE_YIELD_ACROSS) {
        user_yield();
    } else if (figure == FIGURE_WAKE_ACROSS) {
        (void)user_post(FIRST);
    } else {
        target_interrupt();
    }
    user_stamp(true, begin);
    user_figure(figure);
}

static void perform(enum command command, uint32_t address)
{
    uint64_t until_ns;
    switch (command) {
    case DO_NOTHING:
        break;
    case DO_POST_FIRST:
        user_log('o');
        (void)user_post(FIRST);
        user_log('p');
        break;
    case DO_YIELD:
        user_log('a');
        user_yield();
        user_log('b');
        user_yield();
        user_log('c');
        break;
    case DO_PATTERN:
        pattern();
        break;
    case DO_READ:
        (void)*(volatile uint32_t *)address;
        break;
    case DO_WRITE:
        *(volatile uint32_t *)address = 0;
        break;
    case DO_EXECUTE:
        ((void (*)(void))TARGET_CODE(address))();
        break;
    case DO_CALL:
        (void)target_call(0, address, 0, 0);
        break;
    case DO_PRIVILEGED:
        target_privileged(address);
        break;
    case DO_UNDEFINED:
        until_ns = user_now() + 200000; /* low waits by then: idle comes next */
        user_sleep_until((uint32_t)until_ns, (uint32_t)(until_ns >> 32));
        target_undefined();
        break;
    case DO_BREAK:
        target_break();
        break;
    case DO_OVERFLOW:
        (void)overflow(100000);
        break;
    case DO_STACK_CALL:
        target_stack(address, 0);
        break;
    case DO_STACK_SPIN:
        target_stack(address, SPIN_LOOPS);
        break;
    case DO_POINTERS:
        if (!target_pointers(address, SPIN_LOOPS)) {
            user_exit(1);
        }
        break;
    case DO_ATTACH:
    case DO_DETACH:
        user_attach(true);
        (void)*(volatile uint32_t *)address;
        user_attach(false);
        if (command == DO_DETACH) {
            (void)*(volatile uint32_t *)address;
        }
        break;
    case DO_MEASURE:
        for (uint32_t i = 0; i < (address == FIGURE_YIELD_ACROSS ? 1u : 3u); i++) { /* a yield has low's answer once */
            measure((enum figure)address);
        }
        break;
    case DO_SPECIAL:
#ifdef TARGET_SPECIALS
        if (!target_special(address)) {
            user_exit(1);
        }
#endif
        break;
    case DO_EXIT:
        user_exit(address);
        break;
    }
}

void other_entry(void *argument)
{
    (void)argument;
    for (;;) {
        (void)user_wait(OTHER);
        uint64_t command = user_command();
        perform((enum command)(uint32_t)command, (uint32_t)(command >> 32));
        (void)user_post(DONE);
    }
}
