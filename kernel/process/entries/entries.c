/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of processes. An entry takes its arguments as the process passed them, checks (check.h) the requirements
 * that the kernel's function asserts, and calls it; a call that blocks comes last, since the trap ends there.
 */
#include "kernel/process/check.h"
#include "kernel/process/multiword.h"

/* runner/include/takt/board.h */
void takt_board_console_write(const char *text, size_t length);
size_t takt_board_link_exchange(const uint8_t *transmit, size_t length, uint8_t *receive, size_t capacity);

#include "kernel/process/entries/create.h"
#include "kernel/process/entries/heap.h"
#include "kernel/process/entries/lock.h"
#include "kernel/process/entries/log.h"
#include "kernel/process/entries/memory.h"
#include "kernel/process/entries/message.h"
#include "kernel/process/entries/process.h"
#include "kernel/process/entries/signal.h"
#include "kernel/process/entries/slot.h"
#include "kernel/process/entries/sync.h"
#include "kernel/process/entries/task.h"
#include "kernel/process/entries/thread.h"

void takti_call_refuse(uintptr_t value)
{
    takti_process_fault(TAKT_PROCESS_CALL, value, takt_port_call_pc(), NULL, NULL);
}

uint64_t takti_call_unknown(uintptr_t number)
{
    takti_call_refuse(number);
    return 0;
}

/* Whether `size` bytes are in code that the running process may read, or in other memory that belongs to it by the
 * port. */
bool takti_readable_text(const void *pointer, uintptr_t size, uintptr_t alignment)
{
    const struct takt_region *texts = takti_process_running()->regions;
    uintptr_t address = (uintptr_t)pointer;
    bool own = takti_within(texts[0].base, texts[0].size, address, size) ||
               takti_within(texts[1].base, texts[1].size, address, size) || TAKT_PORT_OWNS(address, size);
    if (own && (address & (alignment - 1)) == 0) {
        return true;
    }
    takti_call_refuse(address);
    return false;
}

bool takti_call_begins(void)
{
    return takti_kernel.ready.running->timer.state == TAKTI_READY;
}

bool takti_call_ended(const struct takt_task *task)
{
    return task->timer.state != TAKTI_DORMANT && !takti_is_ending(task);
}

/* The failed assertion of a process. */
TAKTI_ENTRY(fault_raise, uintptr_t reason, uintptr_t file, uintptr_t line)
{
    (void)reason;
    (void)file;
    takti_process_fault(TAKT_PROCESS_ASSERTION, line, takt_port_call_pc(), NULL, NULL);
    return 0;
}
