/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A classical kernel with a clock tick, as figures 4.2 and 4.3 of seed 001 describe uC/OS-II: each tick goes through
 * all control blocks and counts delays down; the ready tasks, and the waiters of a semaphore, are two levels of bits
 * with a table that finds the first. With RTM_MANAGER the task manager does these three.
 */
#include <stddef.h>
#include <string.h>

#include "benchmarks/rtm/board/interrupts.h"
#include "classic.h"

#define STACK_WORDS 1536u
#define IDLE KERNEL_TASKS

struct classic_kernel classic;
/* Not cleared, which would take longer than some runs. */
static uint32_t stacks[KERNEL_TASKS + 1][STACK_WORDS] __attribute__((aligned(16), section(".noinit")));
static uint32_t tick_ns;
static uint64_t tick_next_ns;

/* A task's life. A late one goes on at once, from where it should be. */
static void task_main(struct classic_task *task)
{
    uint32_t release = 0;
    for (;;) {
        if (task->period == 0) {
            kernel_semaphore_wait(CLASSIC_SIGNAL);
            task->step(task->argument);
        } else {
            task->step(task->argument);
            release += task->period;
            uint32_t left = release - classic.time;
            if ((int32_t)left > 0) {
                classic_delay(left);
            }
        }
    }
}

static void idle_main(struct classic_task *task)
{
    (void)task;
    for (;;) {
        __asm volatile("wfi");
    }
}

static void make(unsigned number, void (*life)(struct classic_task *))
{
    struct classic_task *task = &classic.tasks[number];
    uint32_t *frame = (uint32_t *)(void *)((uint8_t *)&stacks[number][STACK_WORDS] - FRAME_BYTES);
    frame[7] = (uint32_t)(uintptr_t)task; /* a0: after ra, t0, t1, t2, s0, s1 and a word that is free */
    frame[FRAME_MEPC / 4] = (uint32_t)(uintptr_t)life;
    task->stack = frame;
    task->number = (uint8_t)number;
    task->next = classic.list;
    classic.list = task;
    classic_ready(task);
}

void kernel_create(unsigned number, void (*step)(unsigned argument), unsigned argument, uint32_t period_ticks)
{
    struct classic_task *task = &classic.tasks[number];
    task->step = step;
    task->argument = argument;
    task->period = period_ticks;
    make(number, task_main);
}

/* Interrupts are masked. */
void classic_schedule(void)
{
    unsigned first = classic_first();
    if (first != classic.current->number) {
        classic.best = &classic.tasks[first];
        classic_switch();
    }
}

/* At the end of an interrupt: whom to go back to. */
__attribute__((noinline)) void classic_interrupt_exit(void)
{
    classic.best = &classic.tasks[classic_first()];
}

__attribute__((noinline)) void kernel_semaphore_wait(unsigned semaphore)
{
    uint32_t before = interrupts_off();
    if (classic.semaphores[semaphore].count > 0) {
        classic.semaphores[semaphore].count--;
    } else {
        classic_wait(semaphore);
        classic_schedule();
    }
    interrupts_restore(before);
}

static void post(unsigned semaphore)
{
    if (!classic_release(semaphore)) {
        classic.semaphores[semaphore].count++;
    }
}

__attribute__((noinline)) void kernel_semaphore_post(unsigned semaphore)
{
    uint32_t before = interrupts_off();
    post(semaphore);
    classic_schedule();
    interrupts_restore(before);
}

__attribute__((noinline)) void kernel_signal(void)
{
    post(CLASSIC_SIGNAL);
}

__attribute__((noinline)) void classic_delay(uint32_t ticks)
{
    uint32_t before = interrupts_off();
    classic_sleep(ticks);
    classic_schedule();
    interrupts_restore(before);
}

__attribute__((noinline, used)) void classic_timer(void)
{
    tick_next_ns += tick_ns;
    tick_at(tick_next_ns);
    classic.time++;
    classic_tick();
    classic_interrupt_exit();
}

__attribute__((noinline, used)) void classic_external(void)
{
    if (IBEX_CLAIM < IBEX_LINES) {
        workload_interrupt();
    }
    classic_interrupt_exit();
}

#define SAVE                                                                                                   \
    "addi sp, sp, -128\n\t"                                                                                    \
    "sw ra, 0(sp)\n\tsw t0, 4(sp)\n\tsw t1, 8(sp)\n\tsw t2, 12(sp)\n\tsw s0, 16(sp)\n\tsw s1, 20(sp)\n\t"      \
    "sw a0, 28(sp)\n\tsw a1, 32(sp)\n\tsw a2, 36(sp)\n\tsw a3, 40(sp)\n\tsw a4, 44(sp)\n\tsw a5, 48(sp)\n\t"   \
    "sw a6, 52(sp)\n\tsw a7, 56(sp)\n\tsw s2, 60(sp)\n\tsw s3, 64(sp)\n\tsw s4, 68(sp)\n\tsw s5, 72(sp)\n\t"   \
    "sw s6, 76(sp)\n\tsw s7, 80(sp)\n\tsw s8, 84(sp)\n\tsw s9, 88(sp)\n\tsw s10, 92(sp)\n\tsw s11, 96(sp)\n\t" \
    "sw t3, 100(sp)\n\tsw t4, 104(sp)\n\tsw t5, 108(sp)\n\tsw t6, 116(sp)\n\t"
#define MEPC_SAVE "csrr t0, mepc\n\tsw t0, 112(sp)\n\t"
#define STACK_OUT "la t0, classic\n\tlw t1, 0(t0)\n\tsw sp, 0(t1)\n\t"
#define RESTORE                                                                                                \
    "la t0, classic\n\tlw t1, 4(t0)\n\tsw t1, 0(t0)\n\tlw sp, 0(t1)\n\t"                                       \
    "lw t0, 112(sp)\n\tcsrw mepc, t0\n\tli t0, 0x1880\n\tcsrw mstatus, t0\n\t"                                 \
    "lw ra, 0(sp)\n\tlw t0, 4(sp)\n\tlw t1, 8(sp)\n\tlw t2, 12(sp)\n\tlw s0, 16(sp)\n\tlw s1, 20(sp)\n\t"      \
    "lw a0, 28(sp)\n\tlw a1, 32(sp)\n\tlw a2, 36(sp)\n\tlw a3, 40(sp)\n\tlw a4, 44(sp)\n\tlw a5, 48(sp)\n\t"   \
    "lw a6, 52(sp)\n\tlw a7, 56(sp)\n\tlw s2, 60(sp)\n\tlw s3, 64(sp)\n\tlw s4, 68(sp)\n\tlw s5, 72(sp)\n\t"   \
    "lw s6, 76(sp)\n\tlw s7, 80(sp)\n\tlw s8, 84(sp)\n\tlw s9, 88(sp)\n\tlw s10, 92(sp)\n\tlw s11, 96(sp)\n\t" \
    "lw t3, 100(sp)\n\tlw t4, 104(sp)\n\tlw t5, 108(sp)\n\tlw t6, 116(sp)\n\t"                                 \
    "addi sp, sp, 128\n\tmret"

/* From classic_schedule, with interrupts masked: they are on when the task goes on. */
__attribute__((naked, noinline)) void classic_switch(void)
{
    __asm volatile(SAVE "sw ra, 112(sp)\n\t" STACK_OUT RESTORE);
}

static __attribute__((naked, used)) void classic_timer_entry(void)
{
    __asm volatile(SAVE MEPC_SAVE STACK_OUT "la sp, takti_interrupt_stack_top\n\tcall classic_timer\n\t" RESTORE);
}

static __attribute__((naked, used)) void classic_external_entry(void)
{
    __asm volatile(SAVE MEPC_SAVE STACK_OUT "la sp, takti_interrupt_stack_top\n\tcall classic_external\n\t" RESTORE);
}

__attribute__((naked, aligned(256))) void rtm_vectors(void)
{
    __asm volatile(".option push\n\t.option norvc\n\t"
                   "j rtm_fault\n\tj rtm_fault\n\tj rtm_fault\n\tj rtm_fault\n\t"
                   "j rtm_fault\n\tj rtm_fault\n\tj rtm_fault\n\tj classic_timer_entry\n\t"
                   "j rtm_fault\n\tj rtm_fault\n\tj rtm_fault\n\tj classic_external_entry\n\t"
                   ".option pop");
}

static __attribute__((naked, noreturn)) void first_task(void)
{
    __asm volatile(RESTORE);
}

_Noreturn void kernel_start(uint32_t period_ns)
{
    make(IDLE, idle_main);
    tick_ns = period_ns;
    tick_next_ns = time_ns();
    workload_begin(tick_next_ns);
    tick_next_ns += tick_ns;
    tick_at(tick_next_ns);
    __asm volatile("csrw mie, %0" : : "r"(MIE_TIMER | MIE_EXTERNAL));
    classic.best = &classic.tasks[classic_first()];
    first_task();
}
