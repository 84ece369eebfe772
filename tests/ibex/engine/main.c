/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bare program on hardware/soc: kernel/test/engine/suite.c with the task manager, of the kernel only the engine. No
 * interrupt is enabled. Prints a line for each seed, for tests/ibex/test_engine.py.
 */
#include "kernel/test/engine/suite.h"

#define WORD(address) (*(volatile uint32_t *)(address))
#define TIME_LOW WORD(0x0200BFF8u)
#define TIME_HIGH WORD(0x0200BFFCu)
#define CONSOLE WORD(0x10000000u)
#define EXIT WORD(0x10000008u)

enum { SEEDS = 2, STEPS = 250, LATE_NS = 4000 };

struct takti_kernel takti_kernel;

/* What the compiler calls, without a library. */
void *memset(void *to, int value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        ((volatile uint8_t *)to)[i] = (uint8_t)value;
    }
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        ((volatile uint8_t *)to)[i] = ((const uint8_t *)from)[i];
    }
    return to;
}

void takti_reset(void)
{
    memset(&takti_kernel, 0, sizeof takti_kernel);
}

struct takt_task *takti_came(struct takt_task *task) /* no task waits quietly */
{
    return task;
}

uint64_t takt_port_now_ns(void)
{
    uint32_t high;
    uint32_t low;
    do { /* twice at most */
        high = TIME_HIGH;
        low = TIME_LOW;
    } while (high != TIME_HIGH);
    return (uint64_t)high << 32 | low;
}

void engine_suite_pass(uint64_t until_ns)
{
    while (takt_port_now_ns() < until_ns + LATE_NS) {
    }
}

static void print_number(uint32_t number, char after)
{
    for (int shift = 28; shift >= 0; shift -= 4) {
        CONSOLE = (uint8_t) "0123456789abcdef"[number >> shift & 0xf];
    }
    CONSOLE = (uint8_t)after;
}

static __attribute__((used)) void begin(void)
{
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        unsigned line = engine_suite(seed, STEPS);
        print_number(seed, ' ');
        print_number(engine_suite_step, ' ');
        print_number(line, '\n');
    }
    EXIT = 0;
}

static __attribute__((used, aligned(256))) void fault(void)
{
    for (;;) {
        EXIT = 4; /* an access that is not allowed */
    }
}

__attribute__((naked, section(".reset"))) void start(void)
{
    __asm volatile("la   sp, 0x80100000\n\t"
                   "la   t0, fault\n\t"
                   "csrw mtvec, t0\n\t"
                   "j    begin");
}
