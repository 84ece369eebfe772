/* SPDX-License-Identifier: Apache-2.0 */
#include "takt_armv7m.h"

/*
 * Where the C library's thread-local storage is, for the compiler: a call that changes no register but r0, r12, lr and
 * the flags. Variables begin two words behind what it returns. The kernel and whatever is not protected have one block,
 * the board's link.ld's. A process has its own, and its code is not its own but shared: it asks the trap. CONTROL says
 * which, also to unprivileged code.
 */
_Static_assert(TAKT_ARMV7M_TLS_OFFSET == 8, "in the code");

__attribute__((naked)) void *__aeabi_read_tp(void);

__attribute__((naked)) void *__aeabi_read_tp(void)
{
    __asm volatile(
#if TAKT_PROCESSES
        "mrs   r0, control\n\t"
        "lsls  r0, #31\n\t"
        "bpl   1f\n\t"
        "mov   r12, %[call]\n\t"
        "svc   0\n\t"
        "bx    lr\n"
        "1:\n\t"
#endif
        "ldr   r0, =takti_tls_start - 8\n\t"
        "bx    lr\n\t"
        ".ltorg"
#if TAKT_PROCESSES
        :
        : [call] "i"(TAKT_ARMV7M_CALL_TLS)
#endif
    );
}
