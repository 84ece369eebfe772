/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/port.h"
#include "takt/task.h"
#include "takt_armv7m.h"

/*
 * Where the C library's thread-local storage is, for the compiler: a call that changes no register but r0, r12, lr and
 * the flags. Variables begin two words behind what it returns. Start-up and interrupts have one block, the board's
 * link.ld's, and so has every task of a system without TAKT_THREAD_LOCAL. CONTROL says who asks, also to unprivileged
 * code: a task is on PSP, and in handlers the bit is 0. Code of a process is not its own but shared: it asks the trap.
 */
_Static_assert(TAKT_ARMV7M_TLS_OFFSET == 8, "in the code");

__attribute__((naked)) void *__aeabi_read_tp(void);

__attribute__((naked)) void *__aeabi_read_tp(void)
{
    __asm volatile(
#if TAKT_PROCESSES
        "mrs   r0, control\n\t"
        "mvns  r0, r0\n\t"
        "lsls  r0, #30\n\t" /* unprivileged, and on PSP */
        "bne   1f\n\t"
        "mov   r12, %[call]\n\t"
        "svc   0\n\t"
        "bx    lr\n"
        "1:\n\t"
#elif TAKT_THREAD_LOCAL
        "mrs   r0, control\n\t"
        "lsls  r0, #30\n\t" /* on PSP */
        "bpl   1f\n\t"
        "ldr   r0, =takti_kernel + %c[running]\n\t"
        "ldr   r0, [r0]\n\t"
        "ldr   r0, [r0, %[tls]]\n\t"
        "subs  r0, #8\n\t"
        "bx    lr\n"
        "1:\n\t"
#endif
        "ldr   r0, =takti_tls_start - 8\n\t"
        "bx    lr\n\t"
        ".ltorg"
        :
        : [call] "i"(TAKT_ARMV7M_CALL_TLS), [running] "i"(TAKTI_RUNNING), [tls] "i"(offsetof(struct takt_task, tls)));
}
