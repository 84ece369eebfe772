/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bare program on hardware/soc that uses the task manager alone, or with MEMORY the memory, and prints lines for
 * tests/ibex/test_manager.py. The unit's interrupt is the first of Ibex's fast ones: bit 16 of mie and mip.
 */
#include <stdint.h>

#include "hardware/driver/rtm_registers.h"

#define WORD(address) (*(volatile uint32_t *)(address))
#define RTM(offset) WORD(0x04000000u + (offset))
#define RECORD(record, word) RTM((record)*RTM_RECORD_BYTES + (word))
#define TIME_LOW WORD(0x0200BFF8u)
#define TIME_HIGH WORD(0x0200BFFCu)
#define CONSOLE WORD(0x10000000u)
#define EXIT WORD(0x10000008u)
#define FAST_INTERRUPT (1u << 16)
#define QUANTUM_NS 64u

static void print(const char *text)
{
    while (*text != '\0') {
        CONSOLE = (uint8_t)*text++;
    }
}

static void print_number(const char *name, uint32_t number)
{
    print(name);
    print(" ");
    for (int shift = 28; shift >= 0; shift -= 4) {
        CONSOLE = (uint8_t) "0123456789abcdef"[number >> shift & 0xf];
    }
    print("\n");
}

static inline uint32_t pending(void)
{
    uint32_t bits;
    __asm volatile("csrr %0, mip" : "=r"(bits));
    return (bits & FAST_INTERRUPT) != 0;
}

/* Cycles from one reading of the unit to the next, and of the timer, which answers at once. */
static uint32_t access_cycles(void)
{
    uint32_t before;
    uint32_t between;
    uint32_t after;
    __asm volatile("csrr %0, mcycle\n\t"
                   "lw   zero, 0(%3)\n\t"
                   "lw   zero, 0(%3)\n\t"
                   "csrr %1, mcycle\n\t"
                   "lw   zero, 0(%4)\n\t"
                   "lw   zero, 0(%4)\n\t"
                   "csrr %2, mcycle"
                   : "=&r"(before), "=&r"(between), "=&r"(after)
                   : "r"(&RTM(RTM_INFO)), "r"(&TIME_LOW));
    return (between - before) - (after - between);
}

#if defined(MEMORY)
#define WORDS "64"

/* Cycles of two loads and two stores of data, less those of the timer, which has no wait states. */
static uint32_t data_cycles(void)
{
    static volatile uint32_t word;
    uint32_t before;
    uint32_t between;
    uint32_t after;
    __asm volatile("csrr %0, mcycle\n\t"
                   "lw   zero, 0(%3)\n\t"
                   "sw   zero, 0(%3)\n\t"
                   "lw   zero, 0(%3)\n\t"
                   "sw   zero, 0(%3)\n\t"
                   "csrr %1, mcycle\n\t"
                   "lw   zero, 0(%4)\n\t"
                   "sw   zero, 4(%4)\n\t"
                   "lw   zero, 0(%4)\n\t"
                   "sw   zero, 4(%4)\n\t"
                   "csrr %2, mcycle"
                   : "=&r"(before), "=&r"(between), "=&r"(after)
                   : "r"(&word), "r"(&WORD(0x02004000u)));
    return (between - before) - (after - between);
}

/* Of instructions that take a cycle and a word each. */
static uint32_t fetch_cycles(void)
{
    uint32_t before;
    uint32_t after;
    __asm volatile(".option push\n\t.option norvc\n\t"
                   "csrr %0, mcycle\n\t"
                   ".rept " WORDS "\n\taddi zero, zero, 0\n\t.endr\n\t"
                   "csrr %1, mcycle\n\t"
                   ".option pop"
                   : "=&r"(before), "=&r"(after));
    return after - before;
}

static void test(void)
{
    print_number("data", data_cycles());
    print_number("fetch", fetch_cycles());
}
#elif defined(CLASSIC)
static void test(void)
{
    RECORD(1, RTM_RECORD_KEY) = 1u << 24;
    RECORD(1, RTM_RECORD_STATUS) = RTM_STATUS_VALID;
    RECORD(1, RTM_RECORD_SLEEP) = 3;
    print_number("asleep", RTM(RTM_NEXT));
    RTM(RTM_TICK) = 2;
    print_number("left", RECORD(1, RTM_RECORD_WAKE));
    print_number("asleep", RTM(RTM_NEXT));
    RTM(RTM_TICK) = 1;
    print_number("awake", RTM(RTM_NEXT));
    print_number("pending", pending());
}
#else
/* A time, in ns below 4.3 s. */
static uint32_t now_ns(void)
{
    return TIME_LOW;
}

/* Sleeps until that time, and prints how much later the processor knows of it. */
static void sleep_until(uint32_t record, uint32_t at_ns)
{
    RECORD(record, RTM_RECORD_SLEEP) = at_ns / QUANTUM_NS;
    (void)RTM(RTM_TAKE);
    print_number("running", RTM(RTM_RUNNING));
    __asm volatile("csrw mie, %0\n\twfi" : : "r"(FAST_INTERRUPT) : "memory");
    print_number("late", now_ns() - at_ns);
    print_number("pending", pending());
    print_number("take", RTM(RTM_TAKE));
    print_number("pending", pending());
}

static void test(void)
{
    for (uint32_t record = 0; record < 3; record++) {
        RECORD(record, RTM_RECORD_KEY) = (10 - record) << 24;
        RECORD(record, RTM_RECORD_STATUS) = RTM_STATUS_VALID;
    }
    print_number("key", RECORD(2, RTM_RECORD_KEY));
    print_number("next", RTM(RTM_NEXT));
    print_number("after", RTM(RTM_AFTER));
    sleep_until(2, 1000064); /* a quantum, and the timer's comparator asks for nothing */
#ifndef SHORT
    sleep_until(2, 900000000);
#endif
    RECORD(2, RTM_RECORD_CLEAR) = RTM_STATUS_VALID;
    print_number("now", RTM(RTM_NOW) * QUANTUM_NS - now_ns() + 2 * QUANTUM_NS < 2 * QUANTUM_NS);
}
#endif

static __attribute__((used)) void begin(void)
{
    print_number("info", RTM(RTM_INFO));
    print_number("cycles", access_cycles());
    test();
    EXIT = 0;
}

static __attribute__((used, aligned(256))) void fault(void)
{
    for (;;) {
        EXIT = 4; /* an access that may not be */
    }
}

__attribute__((naked, section(".reset"))) void start(void)
{
    __asm volatile("la   sp, 0x80100000\n\t"
                   "la   t0, fault\n\t"
                   "csrw mtvec, t0\n\t"
                   "j    begin");
}
