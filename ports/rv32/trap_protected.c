/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/protection.h"
#if TAKT_PROCESSES
#include "kernel/process/process.h"
#include "takt_rv32.h"
#include "takt_rv32_frame.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* a naked function finds them in registers */

/*
 * Traps of a protected system. The kernel has one stack, the interrupts': a trap from user mode begins at its top.
 * Of what user mode left in registers nothing is trusted: sp, gp and tp are made anew.
 *
 * mscratch: the running task (struct takt_task) while it is in user mode, and in an interrupt from there; 0 in every
 * other trap from user mode, and in idle; in an interrupt of these the interrupted sp. So the exchange with sp at each
 * entry says where it came from. Interrupts come in a call while the lock is open, but not in another one,
 * except in that of the timer (nested.c), which restores mepc and MPP.
 *
 * mstatus.MPP is user mode but in idle's own interrupts and in those of a call, whose mret leaves it at user mode;
 * mstatus.MPIE is always 1. A trap from user mode keeps mepc in the context, for what interrupts it changes the
 * register; an interrupt from there does so only if it does not go back to it.
 */
struct takt_task *takt_rv32_current;

struct takt_port_map *takt_rv32_map;

/* Constant from takt_port_start on. */
struct takt_task *takt_rv32_idle;

#define CONTEXT offsetof(struct takt_task, in_process[0].context)

/* clang-format off */

/* Registers in the context of the task at `base`. t1 comes last: it may be the base of loads. */
#define CALLER(op, base)              \
    op " t0, %[c]+20(" base ")\n\t"   \
    op " t2, %[c]+28(" base ")\n\t"   \
    op " a0, %[c]+40(" base ")\n\t"   \
    op " a1, %[c]+44(" base ")\n\t"   \
    op " a2, %[c]+48(" base ")\n\t"   \
    op " a3, %[c]+52(" base ")\n\t"   \
    op " a4, %[c]+56(" base ")\n\t"   \
    op " a5, %[c]+60(" base ")\n\t"   \
    op " a6, %[c]+64(" base ")\n\t"   \
    op " a7, %[c]+68(" base ")\n\t"   \
    op " t3, %[c]+112(" base ")\n\t"  \
    op " t4, %[c]+116(" base ")\n\t"  \
    op " t5, %[c]+120(" base ")\n\t"  \
    op " t6, %[c]+124(" base ")\n\t"  \
    op " t1, %[c]+24(" base ")\n\t"
#define CALLEE(op, base)              \
    op " s0, %[c]+32(" base ")\n\t"   \
    op " s1, %[c]+36(" base ")\n\t"   \
    op " s2, %[c]+72(" base ")\n\t"   \
    op " s3, %[c]+76(" base ")\n\t"   \
    op " s4, %[c]+80(" base ")\n\t"   \
    op " s5, %[c]+84(" base ")\n\t"   \
    op " s6, %[c]+88(" base ")\n\t"   \
    op " s7, %[c]+92(" base ")\n\t"   \
    op " s8, %[c]+96(" base ")\n\t"   \
    op " s9, %[c]+100(" base ")\n\t"  \
    op " s10, %[c]+104(" base ")\n\t" \
    op " s11, %[c]+108(" base ")\n\t"

/* Of an interrupt of the kernel: what calls need not keep, on the stack. */
#define FRAME(word) TAKT_RV32_FRAME_RA(word) TAKT_RV32_FRAME_OTHERS(word)

#define KERNEL_GP                         \
    ".option push\n\t"                    \
    ".option norelax\n\t"                 \
    "la    gp, __global_pointer$\n\t"     \
    ".option pop\n\t"

/* The kernel's registers, in a trap from user mode. */
#define KERNEL_POINTERS                            \
    KERNEL_GP                                      \
    "la    tp, takti_tls_start\n\t"                \
    "lw    sp, takt_rv32_interrupt_stack_top\n\t"

/* On the way back to user mode gp is nothing of the kernel's; what is compiled for processes does not use it. */
#define USER_GP "li    gp, 0\n\t"

/* What calls need not keep, and the kernel has used: all of them but ra, and the result in a0 and a1. */
#define CLEAR          \
    "li    t0, 0\n\t" \
    "li    t1, 0\n\t" \
    "li    t2, 0\n\t" \
    "li    a2, 0\n\t" \
    "li    a3, 0\n\t" \
    "li    a4, 0\n\t" \
    "li    a5, 0\n\t" \
    "li    a6, 0\n\t" \
    "li    a7, 0\n\t" \
    "li    t3, 0\n\t" \
    "li    t4, 0\n\t" \
    "li    t5, 0\n\t" \
    "li    t6, 0\n\t"

#define LOAD_ENTRY(number, offset)               \
    "lw    t2, %[address]+" #offset "(t0)\n\t"    \
    "csrw  pmpaddr" #number ", t2\n\t"
/* clang-format on */

#define OPERANDS                                                                                                  \
    [c] "i"(CONTEXT), [running] "i"(TAKTI_RUNNING), [config] "i"(offsetof(struct takt_task, config)),             \
        [wait_queue] "i"(offsetof(struct takt_task, wait_queue)),                                                 \
        [process] "i"(offsetof(struct takt_task_config, process)), [frame] "i"(sizeof(struct takt_rv32_frame)),   \
        [mpp] "i"(0x1800), [pc] "i"(offsetof(struct takt_rv32_frame, pc)),                                        \
        [s0] "i"(offsetof(struct takt_rv32_frame, s0)), [mie] "i"(TAKT_RV32_MIE),                                 \
        [address] "i"(offsetof(struct takt_port_map, address)), [load] "i"(offsetof(struct takt_port_map, load)), \
        [count] "i"(TAKTI_CALL_COUNT)

_Static_assert(offsetof(struct takt_process, map) == 0, "a process is its map");
_Static_assert(offsetof(struct takt_port_map, config) == 0, "a map begins with the configuration");

/* clang-format off */
/*
 * A call from user mode, or a fault; and the ends of all traps, which are locked. A call returns to ra, as a function
 * does, so its stub needs no other instruction, and nobody looks at mepc. What calls need not keep is not saved: it is
 * zero afterwards, or, if another task ran meanwhile, what the context held: values of the task's own.
 */
static __attribute__((naked, used)) void exception_taken(void)
{
    __asm volatile(
        "csrrw sp, mscratch, sp\n\t"
        "beqz  sp, .Lkernel_fault\n\t"
        "sw    ra, %[c]+4(sp)\n\t"
        "csrr  ra, mcause\n\t"
        "addi  ra, ra, -8\n\t" /* a call */
        "bnez  ra, .Lfault\n\t"
        "csrrw t1, mscratch, zero\n\t"
        "sw    t1, %[c]+8(sp)\n\t"
        KERNEL_POINTERS
        "li    t1, %[count]\n\t"
        "bgeu  t0, t1, .Lcall_unknown\n\t"
        "slli  t1, t0, 2\n\t"
        ".option push\n\t"
        ".option norelax\n\t" /* which takes the register for another's */
        "lui   t2, %%hi(takti_call_table)\n\t"
        "add   t2, t2, t1\n\t"
        "lw    t1, %%lo(takti_call_table)(t2)\n\t"
        ".option pop\n\t"
        "beqz  t1, .Lcall_unknown\n\t"
        "jalr  t1\n"

        ".Lcall_end:\n\t" /* its result in a0 and a1 */
        "csrci mstatus, %[mie]\n\t"
        "lw    t1, takti_kernel + %[running]\n\t"
        "lw    t0, takt_rv32_current\n\t"
        "bne   t0, t1, .Lcall_leaves\n\t"
        "csrw  mscratch, t1\n\t"
        "lw    ra, %[c]+4(t1)\n\t"
        "csrw  mepc, ra\n\t"
        "lw    tp, %[c]+16(t1)\n\t"
        "lw    sp, %[c]+8(t1)\n\t"
        USER_GP
        CLEAR
        "mret\n"

        ".Lcall_unknown:\n\t"
        "mv    a0, t0\n\t"
        "call  takti_call_unknown\n\t"
        "j     .Lcall_end\n"

        ".Lcall_leaves:\n\t" /* to another task, or perhaps */
        "beqz  t0, 1f\n\t"
        "lw    ra, %[c]+4(t0)\n\t"
        "sw    ra, %[c]+12(t0)\n\t"
        "sw    a0, %[c]+40(t0)\n\t"
        "sw    a1, %[c]+44(t0)\n\t"
        CALLEE("sw", "t0")
        "j     .Lload\n"
        "1:\n\t"
        "mv    t0, t1\n\t"
        "lw    ra, %[c]+4(t0)\n\t"
        "sw    ra, %[c]+12(t0)\n\t"
        "sw    a0, %[c]+40(t0)\n\t"
        "sw    a1, %[c]+44(t0)\n\t"
        "j     .Lsave\n"

        ".Lfault:\n\t" /* of user mode, or in an interrupt; the sign is that of MPP */
        "csrr  ra, mstatus\n\t"
        "slli  ra, ra, 19\n\t"
        "bltz  ra, .Linterrupt_fault\n\t"
        CALLER("sw", "sp")
        CALLEE("sw", "sp")
        "csrr  a2, mepc\n\t"
        "sw    a2, %[c]+12(sp)\n\t"
        "csrrw t0, mscratch, zero\n\t"
        "sw    t0, %[c]+8(sp)\n\t"
        "addi  a3, sp, %[c]\n\t"
        "csrr  a0, mcause\n\t"
        "csrr  a1, mtval\n\t"
        KERNEL_POINTERS
        "call  takt_rv32_user_fault\n\t"
        "csrci mstatus, %[mie]\n\t"
        "lw    t1, takti_kernel + %[running]\n\t"
        "lw    t0, takt_rv32_current\n\t"
        "bnez  t0, .Lload\n\t"
        "j     .Lchoose\n"

        ".Linterrupt_fault:\n\t" /* sp is what mscratch was, and the other way round */
        "lw    ra, %[c]+4(sp)\n"
        ".Lkernel_fault:\n\t"
        KERNEL_GP
        TAKT_RV32_RECORD "\n"

        ".Linterrupt_end:\n\t" /* from user mode; its registers are in its context, except those that calls preserve */
        "lw    t1, takt_rv32_current\n\t"
        "beqz  t1, 1f\n\t"
        "lw    ra, %[c]+4(t1)\n\t"
        "lw    sp, %[c]+8(t1)\n\t"
        "lw    tp, %[c]+16(t1)\n\t"
        USER_GP
        CALLER("lw", "t1")
        "mret\n"
        "1:\n\t"
        "lw    t0, takti_kernel + %[running]\n\t"
        "csrr  t1, mepc\n\t"
        "sw    t1, %[c]+12(t0)\n"

        ".Lsave:\n\t" /* the task t0 stays behind, perhaps */
        CALLEE("sw", "t0")
        ".Lchoose:\n\t"
#if TAKTI_SWITCH_HOOK
        "call  takti_switch_pended\n\t"
        "mv    t1, a0\n"
#else
        "la    t0, takti_kernel + %[running]\n\t"
        "lw    t1, 4(t0)\n\t"
        "sw    t1, 0(t0)\n\t"
        "sw    zero, %[wait_queue](t1)\n" /* takti_runs */
#endif

        ".Lload:\n\t" /* the task t1 goes on */
        "lw    t0, %[config](t1)\n\t"
        "lw    t0, %[process](t0)\n\t"
        "lw    t2, takt_rv32_map\n\t"
        "bne   t0, t2, .Lmap_load\n"
        ".Lregisters_load:\n\t"
        "sw    t1, takt_rv32_current, t0\n\t"
        "csrw  mscratch, t1\n\t"
        "lw    t0, %[c](t1)\n\t"
        "csrw  pmpaddr0, t0\n\t"
        "lw    t0, %[c]+12(t1)\n\t"
        "csrw  mepc, t0\n\t"
        "lw    ra, %[c]+4(t1)\n\t"
        "lw    sp, %[c]+8(t1)\n\t"
        "lw    tp, %[c]+16(t1)\n\t"
        CALLEE("lw", "t1")
        USER_GP
        CALLER("lw", "t1")
        "mret\n"

        ".Lmap_load:\n\t" /* of the process t0 */
        "beqz  t0, .Lidle_load\n\t"
        "sw    t0, takt_rv32_map, t2\n\t"
        "lw    t2, %[load](t0)\n\t"
        "jr    t2\n\t"
        ".option push\n\t"
        ".option norvc\n\t" /* each 8 bytes */
#if TAKT_RV32_PMP_ENTRIES > 12
        LOAD_ENTRY(15, 60)
        LOAD_ENTRY(14, 56)
        LOAD_ENTRY(13, 52)
        LOAD_ENTRY(12, 48)
#endif
#if TAKT_RV32_PMP_ENTRIES > 8
        LOAD_ENTRY(11, 44)
        LOAD_ENTRY(10, 40)
        LOAD_ENTRY(9, 36)
        LOAD_ENTRY(8, 32)
#endif
#if TAKT_RV32_PMP_ENTRIES > 4
        LOAD_ENTRY(7, 28)
        LOAD_ENTRY(6, 24)
        LOAD_ENTRY(5, 20)
        LOAD_ENTRY(4, 16)
#endif
        LOAD_ENTRY(3, 12)
        LOAD_ENTRY(2, 8)
        LOAD_ENTRY(1, 4)
        ".option pop\n"
        ".globl takt_rv32_map_load_end\n"
        "takt_rv32_map_load_end:\n\t" /* QEMU 7.2 looks at the address before only now */
        "lw    t2, 0(t0)\n\t"
        "csrw  pmpcfg0, t2\n\t"
#if TAKT_RV32_PMP_ENTRIES > 4
        "lw    t2, 4(t0)\n\t"
        "csrw  pmpcfg1, t2\n\t"
#endif
#if TAKT_RV32_PMP_ENTRIES > 8
        "lw    t2, 8(t0)\n\t"
        "csrw  pmpcfg2, t2\n\t"
#endif
#if TAKT_RV32_PMP_ENTRIES > 12
        "lw    t2, 12(t0)\n\t"
        "csrw  pmpcfg3, t2\n\t"
#endif
        "j     .Lregisters_load\n"

        ".Lidle_load:\n\t" /* the map stays; its context opens the lock */
        "sw    t1, takt_rv32_current, t0\n\t"
        "csrw  mscratch, zero\n\t"
        "lw    sp, %[c]+8(t1)\n\t"
        "lw    t0, %[c]+12(t1)\n\t"
        CALLEE("lw", "t1")
        "jr    t0\n"

        ".Lkernel_end:\n\t" /* of an interrupt of the kernel, whose frame is at s0 */
        "mv    sp, s0\n\t"
        "lw    s0, %[s0](sp)\n\t"
        "csrw  mscratch, zero\n\t"
        "lw    t1, takt_rv32_current\n\t"
        "beqz  t1, 2f\n"
        "1:\n\t"
        FRAME(TAKT_RV32_FRAME_LOAD)
        "addi  sp, sp, %[frame]\n\t"
        "mret\n"
        "2:\n\t" /* a call sees to it at its end; idle leaves */
        "lw    t0, takti_kernel + %[running]\n\t"
        "lw    t1, takt_rv32_idle\n\t"
        "bne   t0, t1, 1b\n\t"
        "csrr  t1, mepc\n\t"
        "sw    t1, %[pc](sp)\n\t"
        "li    t1, %[mpp]\n\t"
        "csrc  mstatus, t1\n\t"
        "sw    sp, %[c]+8(t0)\n\t"
        "la    t1, 3f\n\t"
        "sw    t1, %[c]+12(t0)\n\t"
        "j     .Lsave\n"
        "3:\n\t" /* where it was interrupted */
        "lw    t0, %[pc](sp)\n\t"
        "csrw  mepc, t0\n\t"
        "li    t0, %[mpp]\n\t"
        "csrs  mstatus, t0\n\t"
        "j     1b"
        :
        : OPERANDS);
}

/* A task leaves the processor: the end of its trap does the rest. Idle is in no trap, and returns unlocked, later. */
__attribute__((naked)) enum takt_status takt_port_switch(struct takt_task *to, struct takt_task *from, uint32_t task)
{
    __asm volatile(
        "lw    a5, %[c](a1)\n\t" /* the guard */
        "beqz  a5, 1f\n\t"
        "sw    a1, takt_rv32_current, a5\n\t"
        "li    a0, 0\n\t"
        "ret\n"
        "1:\n\t"
        "sw    ra, %[c]+4(a1)\n\t"
        "sw    sp, %[c]+8(a1)\n\t"
        "la    a5, 2f\n\t"
        "sw    a5, %[c]+12(a1)\n\t"
        CALLEE("sw", "a1")
        "mv    t1, a0\n\t"
        "j     .Lload\n"
        "2:\n\t" /* t1: idle */
        "lw    ra, %[c]+4(t1)\n\t"
        "li    a0, 0\n\t"
        "csrsi mstatus, %[mie]\n\t"
        "ret"
        :
        : OPERANDS);
}

/* In: a0 = first, which is idle. */
__attribute__((naked, noreturn)) void takt_rv32_enter(struct takt_task *first)
{
    __asm volatile(
        "mv    t1, a0\n\t"
        "sw    t1, takt_rv32_idle, t0\n\t"
        "j     .Lidle_load");
}

#define INTERRUPT(handler)                              \
    __asm volatile(                                     \
        "csrrw sp, mscratch, sp\n\t"                    \
        "beqz  sp, 1f\n\t"                              \
        "sw    ra, %[c]+4(sp)\n\t"                      \
        CALLER("sw", "sp")                              \
        "csrrw t0, mscratch, sp\n\t"                    \
        "sw    t0, %[c]+8(sp)\n\t"                      \
        KERNEL_POINTERS                                 \
        "call  " handler "\n\t"                         \
        "j     .Linterrupt_end\n"                         \
        "1:\n\t" /* a call, or idle */                  \
        "csrr  sp, mscratch\n\t"                        \
        "addi  sp, sp, -%[frame]\n\t"                   \
        FRAME(TAKT_RV32_FRAME_SAVE)                     \
        "sw    s0, %[s0](sp)\n\t"                       \
        "mv    s0, sp\n\t"                              \
        "lw    t0, takti_kernel + %[running]\n\t"       \
        "lw    t1, takt_rv32_idle\n\t"                  \
        "bne   t0, t1, 2f\n\t"                          \
        "lw    sp, takt_rv32_interrupt_stack_top\n"     \
        "2:\n\t"                                        \
        "call  " handler "\n\t"                         \
        "j     .Lkernel_end"                              \
        :                                               \
        : OPERANDS)
/* clang-format on */

static __attribute__((naked, used)) void software_taken(void)
{
    INTERRUPT("takt_rv32_software_interrupt");
}

static __attribute__((naked, used)) void timer_taken(void)
{
    INTERRUPT("takti_timer_interrupt");
}

static __attribute__((naked, used)) void external_taken(void)
{
    INTERRUPT("takt_rv32_external_interrupt");
}

TAKT_RV32_VECTORS(exception_taken)
#endif
