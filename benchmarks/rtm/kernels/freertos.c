/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FreeRTOS with its port's own entries into interrupts, one for each kind. Tasks have priorities of their own, as in
 * the other kernels, for among equals it goes round after each preemption; its fast way to find the best task knows
 * only 32, so in software it is the general one that looks.
 */
#include "kernel.h"

#include "FreeRTOS.h"
#include "benchmarks/rtm/board/interrupts.h"
#include "finder.h"
#include "semphr.h"
#include "takt/board.h"
#include "task.h"

#define STACK_WORDS 1536u
#define SIGNALS_MAX 1000u
#define SIGNAL KERNEL_SEMAPHORES /* the semaphore of task 0 */
#define FAILED 3

static struct task {
    StaticTask_t control;
    UBaseType_t priority;
    void (*step)(unsigned argument);
    unsigned argument;
    TickType_t period;
} tasks[KERNEL_TASKS];
/* Not cleared, which would take longer than some runs. */
static StackType_t stacks[KERNEL_TASKS][STACK_WORDS] __attribute__((aligned(16), section(".noinit")));
static StaticSemaphore_t semaphores[KERNEL_SEMAPHORES + 1];

static SemaphoreHandle_t semaphore_of(unsigned number)
{
    return (SemaphoreHandle_t)&semaphores[number];
}

/* A task's life. A late one goes on at once, from where it should be. */
static void task_main(void *argument)
{
    const struct task *own = argument;
    TickType_t release = 0;
    for (;;) {
        if (own->period == 0) {
            kernel_semaphore_wait(SIGNAL);
            own->step(own->argument);
        } else {
            own->step(own->argument);
            finder_delay(own->priority, &release, own->period);
        }
    }
}

void kernel_create(unsigned number, void (*step)(unsigned argument), unsigned argument, uint32_t period_ticks)
{
    struct task *task = &tasks[number];
    task->step = step;
    task->argument = argument;
    task->period = period_ticks;
    task->priority = configMAX_PRIORITIES - 1u - number;
    finder_add(task->priority);
    (void)xTaskCreateStatic(task_main, "task", STACK_WORDS, task, task->priority, stacks[number], &task->control);
}

__attribute__((noinline)) void kernel_signal(void)
{
    BaseType_t woken = pdFALSE;
    (void)xSemaphoreGiveFromISR(semaphore_of(SIGNAL), &woken);
    portYIELD_FROM_ISR(woken);
}

__attribute__((noinline)) void kernel_semaphore_wait(unsigned semaphore)
{
    (void)xSemaphoreTake(semaphore_of(semaphore), portMAX_DELAY);
}

__attribute__((noinline)) void kernel_semaphore_post(unsigned semaphore)
{
    (void)xSemaphoreGive(semaphore_of(semaphore));
}

void vApplicationIdleHook(void)
{
    __asm volatile("wfi");
}

void freertos_risc_v_application_interrupt_handler(void);
void freertos_risc_v_application_exception_handler(void);

void freertos_risc_v_application_interrupt_handler(void)
{
    if (IBEX_CLAIM < IBEX_LINES) {
        workload_interrupt();
    }
}

void freertos_risc_v_application_exception_handler(void)
{
    takt_board_exit(FAILED);
}

__attribute__((naked, aligned(256))) void rtm_vectors(void)
{
    __asm volatile(".option push\n\t.option norvc\n\t"
                   "j freertos_risc_v_exception_handler\n\t"
                   "j rtm_fault\n\tj rtm_fault\n\tj rtm_fault\n\tj rtm_fault\n\tj rtm_fault\n\tj rtm_fault\n\t"
                   "j freertos_risc_v_mtimer_interrupt_handler\n\t"
                   "j rtm_fault\n\tj rtm_fault\n\tj rtm_fault\n\tj freertos_risc_v_interrupt_handler\n\t"
                   ".option pop");
}

/* The port's, which its handler of the timer works on. */
extern uint64_t ullNextTime;
extern volatile uint64_t *pullMachineTimerCompareRegister;
extern const size_t uxTimerIncrementsForOneTick;
void vPortSetupTimerInterrupt(void);

/* As the port's own, but the workload begins with the ticks. */
void vPortSetupTimerInterrupt(void)
{
    ullNextTime = time_ns();
    workload_begin(ullNextTime);
    pullMachineTimerCompareRegister = (volatile uint64_t *)(uintptr_t)&IBEX_COMPARE_LOW;
    ullNextTime += uxTimerIncrementsForOneTick;
    tick_at(ullNextTime);
    ullNextTime += uxTimerIncrementsForOneTick;
}

_Noreturn void kernel_start(uint32_t tick_ns)
{
    if (tick_ns != uxTimerIncrementsForOneTick) { /* of this image: CMakeLists.txt */
        takt_board_exit(FAILED);
    }
    for (unsigned i = 0; i <= KERNEL_SEMAPHORES; i++) {
        (void)xSemaphoreCreateCountingStatic(SIGNALS_MAX, 0, &semaphores[i]);
    }
    finder_begin();
    vTaskStartScheduler();
    takt_board_exit(FAILED);
}
