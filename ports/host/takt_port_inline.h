/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PORT_INLINE_H
#define TAKT_PORT_INLINE_H

/* Kernel operations take no virtual time, so nothing escapes the stamps. */
#define TAKT_PORT_CHARGE_NS 0u

#if defined(TAKT_PROCESSES) && TAKT_PROCESSES
#include <stdbool.h>
#include <stdint.h>

/*
 * Protection is handles and rights here: memory is not guarded. A call is a trap all the same (trap.c): it runs on the
 * one stack of the kernel, and what waits leaves nothing on it.
 */
struct takt_port_context {
    char none; /* all of it is behind takt_task.stack_pointer */
};

struct takt_port_map {
    unsigned regions; /* so many it has */
};

/* Memory besides that of the process which is the running task's own: its stack; or all, where none is declared. */
bool takt_host_owns(uintptr_t address, uintptr_t size);
#define TAKT_PORT_OWNS(address, size) takt_host_owns((address), (size))

/* uint64_t takt_host_call(first, second, third, fourth, number): trap.c */
#if defined(__x86_64__)
#define TAKT_PORT_STUB(symbol, number)                                                                           \
    __asm__(".pushsection .text." #symbol ",\"ax\",@progbits\n.globl " #symbol "\n.type " #symbol                \
            ", @function\n" #symbol ":\n    movl $" #number ", %r8d\n    jmp takt_host_call@PLT\n.size " #symbol \
            ", .-" #symbol "\n.popsection\n")
#elif defined(__aarch64__)
#define TAKT_PORT_STUB(symbol, number)                                                                                 \
    __asm__(".pushsection .text." #symbol ",\"ax\",%progbits\n.globl " #symbol "\n.type " #symbol                      \
            ", %function\n" #symbol ":\n    mov w4, #" #number "\n    b takt_host_call\n.size " #symbol ", .-" #symbol \
            "\n.popsection\n")
#endif
#endif

#endif
