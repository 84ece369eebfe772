/* SPDX-License-Identifier: Apache-2.0 */
    .text
    .globl assembled
assembled:
#if defined(__riscv)
    li a0, 7
    ret
#elif defined(__arm__)
    .syntax unified
    .thumb_func
    movs r0, #7
    bx lr
#endif
