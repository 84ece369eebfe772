/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A port to copy: it compiles, links and does nothing. Fill in the functions in this order; kernel/test/conformance
 * says after each step what works. kernel/port.h is the contract; here is what ports usually get wrong.
 */
#include "kernel/port.h"

#include "takt/task.h"

/*
 * 1. Start-up. Give every interrupt that may call the kernel a priority that the lock can mask, and those that may not
 * one above it. Set the switch exception to the lowest priority. Start the clock last: it is at 0 on return.
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
 * 3. The same at the edges of a call to the kernel: nothing needs to be remembered except the kind of caller, and that
 * only by code that asks. From a processor register, not from a counter.
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
#if TAKT_PROCESSES
    task->stack_pointer = &task->in_process[0].context.result; /* 15 */
#else
    task->stack_pointer = (char *)task->config->stack + task->config->stack_size;
#endif
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
 * 9. Compare the target with the counter after writing the hardware: an expiry that has passed meanwhile must still
 * interrupt, unless takti_timer_interrupt is called, which asks again. Late is allowed by the instructions that it
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
 * handler closes the lock, makes sure that the last armed expiry has come, and calls
 * takti_timer_interrupt(), which opens it. One that came early opens the lock itself.
 */

#if TAKT_PROCESSES
/*
 * 15. A protected system (ports/rv32 and ports/armv7m, files with "protect" in their names). Do this when the suite
 * passes without; then tests/protection/contexts says what works. In this order:
 * - takt_port_context_init of a task of a process: a user context for takt_user_main. Nothing that decides where the
 *   kernel goes on may lie in memory that a process can write: saved registers are in task->context. Idle stays
 *   privileged.
 * - The trap of a call: on the one stack of the interrupts, with the lock closed, takti_call_table[number], and
 *   takti_call_unknown(number) for a number beyond it or an entry that is NULL. Every register that the kernel relies
 *   on is made anew: the stack pointer, and what the compiler keeps in others (the global pointer, the thread pointer).
 * - The end of every trap, locked: what the entry returned goes into the context of the task that trapped, unless that
 *   was made anew meanwhile; then takti_kernel.ready.running goes on, whichever task it is. takt_port_switch only
 *   says that there is a task to continue; but idle is in no trap, and leaves the processor at once.
 * - An interrupt of a call continues the call; the switch that it asked for comes at the end of the call.
 * - A fault in user mode is the process's: takti_process_fault, then the end of the trap. Anywhere else it is the
 *   kernel's, as in 14: distinguish the two by the mode that the processor came from, not by the running task.
 * - What user mode must not be able to do: sleep, mask interrupts, read a clock that the kernel did not give it, talk
 *   to a debugger or to semihosting.
 */
bool takt_port_map_make(struct takt_port_map *map, const struct takt_region *regions, unsigned count)
{
    (void)map;
    (void)regions;
    return count == 0;
}

/*
 * 16. The map is written at a switch to another process, and the guard of the stack at each. A process that has just
 * been given memory, or lost it, must not return to user mode with the old map. Mind the value for "no map": idle has
 * no process either.
 */
void takt_port_map_changed(void)
{
}

/* 17. Often called in the very interrupt that it masks, before that has ended at the controller. */
void takt_port_irq_mask(unsigned number, bool masked)
{
    (void)number;
    (void)masked;
}

uintptr_t takt_port_call_pc(void)
{
    return 0;
}

/* 18. For the record of a budget that is used up. What lies on the task's own stack may be anywhere: ask before. */
const char *takt_port_user_registers(const struct takt_task *task, uint32_t *registers, uintptr_t *pc)
{
    (void)task;
    (void)registers;
    *pc = 0;
    return NULL;
}
#endif
