/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NOS, as figures 4.4 and 4.5 of seed 001 describe it: functions are called one after the other, none is interrupted by
 * another; a loop asks which task is ready and how many ticks have passed.
 */
#include "nos.h"

#include <stddef.h>

#include "benchmarks/rtm/board/interrupts.h"

struct nos_kernel nos;
static uint32_t tick_ns;
static uint64_t tick_next_ns;

void kernel_create(unsigned number, void (*step)(unsigned argument), unsigned argument, uint32_t period_ticks)
{
    struct nos_task *task = &nos.tasks[number];
    task->number = (uint8_t)number;
    task->step = step;
    task->argument = argument;
    task->period = period_ticks;
    if (period_ticks != 0) {
        nos_schedule(task);
    }
}

void kernel_signal(void)
{
    nos_schedule(&nos.tasks[0]);
}

void kernel_semaphore_wait(unsigned semaphore)
{
    (void)semaphore;
}

void kernel_semaphore_post(unsigned semaphore)
{
    (void)semaphore;
}

/* What an interrupt costs besides its handler is in these: they save what a function may change. */
static __attribute__((interrupt, aligned(4), used)) void nos_timer_entry(void)
{
    tick_next_ns += tick_ns;
    tick_at(tick_next_ns);
    nos.elapsed++;
}

static __attribute__((interrupt, aligned(4), used)) void nos_external_entry(void)
{
    if (IBEX_CLAIM < IBEX_LINES) {
        workload_interrupt();
    }
}

__attribute__((naked, aligned(256))) void rtm_vectors(void)
{
    __asm volatile(".option push\n\t.option norvc\n\t"
                   "j rtm_fault\n\tj rtm_fault\n\tj rtm_fault\n\tj rtm_fault\n\t"
                   "j rtm_fault\n\tj rtm_fault\n\tj rtm_fault\n\tj nos_timer_entry\n\t"
                   "j rtm_fault\n\tj rtm_fault\n\tj rtm_fault\n\tj nos_external_entry\n\t"
                   ".option pop");
}

/* The time of a task that is late is made up for, step by step. */
static void step(struct nos_task *task)
{
    task->step(task->argument);
    if (task->period != 0) {
        task->release += task->period;
        uint32_t left = task->release - nos.time;
        nos_release(task, (int32_t)left > 0 ? left : 0);
    }
}

static __attribute__((noinline, noreturn)) void nos_loop(void)
{
    for (;;) {
        (void)interrupts_off();
        struct nos_task *task = nos_take();
        if (task != NULL) {
            interrupts_restore(MSTATUS_MIE);
            step(task);
            (void)interrupts_off();
        } else if (nos.elapsed == 0) {
            __asm volatile("wfi"); /* wakes though interrupts are masked */
        }
        interrupts_restore(MSTATUS_MIE); /* what is pending is taken here */
        (void)interrupts_off();
        uint32_t ticks = nos.elapsed;
        nos.elapsed = 0;
        interrupts_restore(MSTATUS_MIE);
        if (ticks != 0) {
            nos.time += ticks;
            nos_tick(ticks);
        }
    }
}

_Noreturn void kernel_start(uint32_t period_ns)
{
    tick_ns = period_ns;
    tick_next_ns = time_ns();
    workload_begin(tick_next_ns);
    tick_next_ns += tick_ns;
    tick_at(tick_next_ns);
    __asm volatile("csrw mie, %0" : : "r"(MIE_TIMER | MIE_EXTERNAL));
    nos_loop();
}
