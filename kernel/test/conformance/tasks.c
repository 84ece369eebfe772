/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: the start, the switch, preemption, stacks. */
#include "conformance.h"

static char order[8];
static unsigned ran;

static void note(char letter)
{
    if (ran < sizeof order) {
        order[ran++] = letter;
    }
}

void first_low(void *argument)
{
    (void)argument;
    note('a');
    takt_task_yield();
    note('c');
}

void first_equal(void *argument)
{
    (void)argument;
    note('b');
    takt_task_yield();
    note('d');
}

void first_high(void *argument)
{
    (void)argument;
    note(port_was_open() ? 'h' : '!'); /* a task begins unlocked */
}

/* The best first; equals in declaration order, then in turn; the runner, below them, last. */
void case_start_order(void)
{
    static const char wanted[] = "habcd";
    CHECK_EQUAL(ran, sizeof wanted - 1);
    for (unsigned i = 0; i < sizeof wanted - 1; i++) {
        CHECK_EQUAL(order[i], wanted[i]);
    }
}

uint32_t churn(uint32_t seed, unsigned rounds, void (*between)(void))
{
    uint32_t a = seed, b = seed * 3u + 1u, c = seed ^ 0x9E3779B9u, d = ~seed, e = seed + 17u, f = seed * 5u;
    uint64_t g = (uint64_t)seed << 20, h = seed;
    uint32_t table[8];
    for (unsigned i = 0; i < 8; i++) {
        table[i] = seed * (i + 7u);
    }
    for (unsigned i = 0; i < rounds; i++) {
        a += b ^ table[i & 7u];
        b = (b << 7) | (b >> 25);
        c -= a & d;
        d ^= c + (e > f ? a : 3u); /* flags across an interrupt */
        e = e * 69069u + 1u;
        f += (uint32_t)(g >> 13);
        g = g * 6364136223846793005u + h;
        h += a;
        table[(i + 3u) & 7u] ^= f + b;
        if (between != NULL) {
            between();
        }
    }
    return a ^ b ^ c ^ d ^ e ^ f ^ (uint32_t)g ^ (uint32_t)(h >> 3) ^ table[0] ^ table[5];
}

enum { ROUNDS = 200 };
static uint32_t results[HELPERS];

static void churn_0(void *argument)
{
    (void)argument;
    results[0] = churn(11, ROUNDS, takt_task_yield);
}

static void churn_1(void *argument)
{
    (void)argument;
    results[1] = churn(22, ROUNDS, takt_task_yield);
}

/* Three contexts in turn, each with all its registers and some stack in use. */
void case_switch_preserves(void)
{
    results[0] = 0;
    results[1] = 0;
    helper_start(0, churn_0, LEVEL_RUNNER);
    helper_start(1, churn_1, LEVEL_RUNNER);
    CHECK_EQUAL(churn(33, 2 * ROUNDS, takt_task_yield), churn(33, 2 * ROUNDS, NULL));
    CHECK_EQUAL(results[0], churn(11, ROUNDS, NULL));
    CHECK_EQUAL(results[1], churn(22, ROUNDS, NULL));
    CHECK(helper_stopped(0) && helper_stopped(1));
}

static uint64_t wake_ns;
static volatile unsigned preemptions;

static void preempter(void *argument)
{
    (void)argument;
    for (;;) {
        CHECK_EQUAL(takt_semaphore_wait(&preempt_go), TAKT_OK);
        takt_delay_until(wake_ns);
        (void)churn(wake_ns & 0xFFFFu, 3, NULL); /* other values into every register */
        preemptions++;
    }
}

/* The timer's interrupt falls on each instruction of a computation, and a task runs in between. */
void case_preempt_every_instruction(void)
{
    uint32_t wanted = churn(44, 60, NULL);
    preemptions = 0;
    helper_start(0, preempter, LEVEL_HIGH);
    for (unsigned step = 0; step < 700; step++) {
        wake_ns = takt_now() + (480 + step) * INSTRUCTION_NS;
        (void)takt_semaphore_post(&preempt_go);
        CHECK_EQUAL(churn(44, 60, NULL), wanted);
        takt_work(2 * SLACK_NS);
        CHECK_EQUAL(preemptions, step + 1);
    }
}

static volatile uintptr_t depth_first;
static volatile uintptr_t depth_again;
static unsigned restarts;

static void restarted(void *argument)
{
    volatile uint64_t local[16];
    (void)argument;
    for (unsigned i = 0; i < 16; i++) {
        local[i] = i;
    }
    *(restarts == 0 ? &depth_first : &depth_again) = (uintptr_t)&local[0];
    restarts++;
    takt_delay_until(TAKT_FOREVER);
}

/* A task that is stopped in the middle of a wait begins again at its entry, at the top of its stack. */
void case_restart_fresh(void)
{
    restarts = 0;
    for (unsigned i = 0; i < 20; i++) {
        helper_start(0, restarted, LEVEL_HIGH);
        CHECK_EQUAL(restarts, i + 1);
        helper_stop(0);
        CHECK(helper_stopped(0));
    }
    CHECK_EQUAL(depth_again, depth_first);
}

static volatile bool helper_aligned;

static void align_helper(void *argument)
{
    (void)argument;
    helper_aligned = stack_aligned();
    takt_delay(1000);
    helper_aligned = helper_aligned && stack_aligned();
}

void case_stack_alignment(void)
{
    CHECK(stack_aligned());
    helper_aligned = false;
    helper_start(0, align_helper, LEVEL_HIGH);
    takt_work(SLACK_NS);
    CHECK(helper_stopped(0));
    CHECK(helper_aligned);
}
