/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A port to copy: it compiles, links and does nothing. Fill in the functions in this order; kernel/test/conformance
 * says after each step what works. kernel/port.h is the contract; here stands what ports usually get wrong.
 */
#include "kernel/port.h"

#include "takt/task.h"

/*
 * 1. Start-up. Give every interrupt that may call the kernel a priority that the lock can mask, and those that may not
 * one above it. Set the switch exception to the lowest priority. Start the clock last: it stands at 0 on return.
 */
void takt_port_init(void)
{
}

/*
 * 2. The lock. It nests by value: return the state before, do not count. It must be in effect before the next
 * instruction (a barrier, where the processor needs one) and keep the compiler from moving memory accesses across it.
 * It masks what may call the kernel, nothing else.
 */
uint32_t takt_port_lock(void)
{
    return 0;
}

void takt_port_unlock(uint32_t state)
{
    (void)state;
}

/*
 * 3. The same at the edges of a call to the kernel: nothing needs to be remembered but who calls, and that only by
 * those who ask. From a processor register, not from a counter.
 */
uint32_t takt_port_enter(void)
{
    return takt_port_lock();
}

void takt_port_leave(uint32_t entered)
{
    takt_port_unlock(entered);
}

uint32_t takt_port_caller(uint32_t entered)
{
    (void)entered;
    return 0;
}

/*
 * 4. A frame as takt_port_switch leaves one, whose return address is a few instructions that call
 * takti_task_main(task), unlocked. Mind the alignment of the stack at that call, and that a task may be started a
 * second time on a stack full of old data.
 */
void takt_port_context_init(struct takt_task *task)
{
    task->stack_pointer = (char *)task->config->stack + task->config->stack_size;
}

/* 5. Continue `first` as a switch would, from nowhere: the start-up stack may become the interrupts' stack. */
_Noreturn void takt_port_start(struct takt_task *first)
{
    (void)first;
    for (;;) {
    }
}

/*
 * 6. Push TAKT_OK and what the calling convention says that a call preserves, store the stack pointer in
 * from->stack_pointer (offset 0), load to's, open the lock, pop, return what was pushed first. An interrupt between the
 * opening and the return may take the processor away: think of what is on the stack then.
 */
enum takt_status takt_port_switch(struct takt_task *to, struct takt_task *from, uint32_t task)
{
    (void)from;
    (void)to;
    takt_port_leave(task);
    return TAKT_OK;
}

/*
 * 7. From an interrupt: the switch happens when the last nested handler is done, with the lock closed from before
 * takti_kernel.ready.next is read until the interrupted code is left or continued. An interrupt between the two may ask
 * again: a request may come once more than needed, never once less. No task may need more stack each time that it is
 * interrupted at an unlucky instruction.
 */
void takt_port_pend_switch(void)
{
    (void)takti_switch_pended();
}

/*
 * 8. 64 bits that never run backwards, exactly proportional to the hardware's counter: no accumulated rounding. A short
 * counter is extended in the timer interrupt, so that one has to come at least once per wrap.
 */
uint64_t takt_port_now_ns(void)
{
    return 0;
}

/*
 * 9. Compare the target with the counter after writing the hardware: an instant that has passed meanwhile must still
 * interrupt, unless takti_timer_interrupt is told so, which asks again. Late is allowed by the instructions that it
 * takes; never is a bug. When the hardware's interrupt comes early, or was pending when the one-shot was armed for
 * later, the handler sees to it itself.
 */
bool takt_port_timer_set(uint64_t until_ns)
{
    (void)until_ns;
    return true;
}

/*
 * 10. An interrupt that comes after the kernel decided to sleep and before the processor does must still wake it: sleep
 * with interrupts masked in a way that lets them wake the processor, or undo the sleep in the handler.
 */
void takt_port_idle(uint64_t until_ns)
{
    (void)until_ns;
}

/* 11. Count what it executes (instructions, or a loop of known length), never the clock: it may be preempted. A port
 * for one family of boards leaves this to each of them. */
void takt_work(uint64_t duration_ns)
{
    (void)duration_ns;
}

/*
 * 12. Handlers with `kernel` run between takt_interrupt_enter(number) and takt_interrupt_exit(number); those without it
 * go into the vector table as they are. Usable before and after takt_port_init.
 */
void takt_port_irq_attach(unsigned number, void (*handler)(void), bool kernel)
{
    (void)number;
    (void)handler;
    (void)kernel;
}

/* 13. Print takt_fault_record if there is a console; then a debugger breakpoint, the end of the emulation, or a loop.
 */
_Noreturn void takt_port_halt(void)
{
    for (;;) {
    }
}

/*
 * And 14: processor faults call takt_fault_raise(TAKT_FAULT_EXCEPTION, NULL, 0, program counter); the one-shot's
 * handler closes the lock, makes sure that the instant of what was armed last has come, and calls
 * takti_timer_interrupt(), which opens it. One that came early opens the lock itself.
 */
