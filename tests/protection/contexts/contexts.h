/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CONTEXTS_H
#define CONTEXTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The contexts of a protected port, tried without the rest of a protected kernel: two processes and four tasks with
 * hand-written tables, and calls that check nothing. system.c and calls.c are the kernel's side. In user mode:
 * process_a.c (`first`, the best task, `low`, which directs, and `twin`), process_b.c (`other`, low's equal, which does
 * what it should not), shared.c. processes.ld places them by the names of their files; so they call nothing else, not
 * even memcpy. target.h is what is special about a processor.
 */

/* Numbers of calls, and what the stubs of shared.c are. */
enum call {
    CALL_NULL,
    CALL_WIDE,
    CALL_POST,
    CALL_WAIT,
    CALL_WAIT_UNTIL,
    CALL_FLUSH,
    CALL_JOB_WAIT,
    CALL_YIELD,
    CALL_SLEEP_UNTIL,
    CALL_EXIT,
    CALL_NOW,
    CALL_LOG,
    CALL_CHECK,
    CALL_CHECK_LOG,
    CALL_POST_AT,
    CALL_STORM,
    CALL_SPIN,
    CALL_SCENARIO,
    CALL_COMMAND,
    CALL_VERDICT,
    CALL_FINISH,
    CALL_STAMP,
    CALL_FIGURE,
    CALL_ATTACH,
    CALL_POKE,    /* writes the second word at the first, as if it were a buffer; has no stub */
    CALL_RESTART, /* in the timer's interrupt, after so many ns: `other` is stopped and started; has no stub */
    CALL_MISSING, /* has no entry */
    CALLS
};

uint32_t user_null(uint32_t a, uint32_t b, uint32_t c, uint32_t d); /* NULL_RESULT */
uint64_t user_wide(uint32_t a, uint32_t b, uint32_t c, uint32_t d); /* WIDE_RESULT */
#define NULL_RESULT(a, b, c, d) ((a)-2u * (b) + 3u * (c)-5u * (d))
#define WIDE_RESULT(a, b, c, d) ((uint64_t)((a) + 3u * (b)) << 32 | (uint32_t)((c)-7u * (d)))

/* takt_semaphore_... of enum semaphore, and other calls of the kernel; the results are enum takt_status. */
uint32_t user_post(uint32_t semaphore);
uint32_t user_wait(uint32_t semaphore);
uint32_t user_wait_until(uint32_t semaphore, uint32_t until_ns_low, uint32_t until_ns_high);
uint32_t user_flush(uint32_t semaphore);
void user_job_wait(void);
void user_yield(void);
void user_sleep_until(uint32_t until_ns_low, uint32_t until_ns_high);
void user_exit(uint32_t result);
uint64_t user_now(void);

void user_log(char letter);                      /* appends it to the log */
void user_check(uint32_t check, uint32_t right); /* reports one of enum check */
void user_check_log(uint32_t check);             /* reports whether the log is as it should be, and empties it */
void user_post_at(uint32_t semaphore, uint32_t after_ns); /* posts it in the timer's interrupt */
void user_storm(uint32_t period_ns);                      /* posts FIRST again and again in that; 0: no more */
void user_spin(void); /* stays in the call, unlocked, until an interrupt has posted; logs 's' and 'e' */
uint32_t user_scenario(uint32_t number); /* makes it the next; whether there is one */
uint64_t user_command(void);             /* what the scenario is: address << 32 | enum command */
void user_verdict(uint32_t right);       /* reports the scenario, and starts `other` again when it has stopped */
void user_stamp(uint32_t begins, uint32_t stamp); /* the beginning of what is measured, or its end */
void user_figure(uint32_t figure);                /* reports one of enum figure */
void user_attach(uint32_t attached);              /* lets process B read some memory of A, or no more */
void user_finish(void);                           /* ends the run */

enum semaphore { FIRST, OTHER, TWIN, DONE, NEVER, SEMAPHORES };

/* What is measured, in instructions. */
enum figure {
    FIGURE_NOTHING, /* the stamps */
    FIGURE_FUNCTION,
    FIGURE_CALL,
    FIGURE_YIELD_WITHIN,
    FIGURE_YIELD_ACROSS,
    FIGURE_WAKE_WITHIN,
    FIGURE_WAKE_ACROSS,
    FIGURE_INTERRUPT_WITHIN,
    FIGURE_INTERRUPT_ACROSS,
    FIGURES
};

/* What is checked in low and first. system.c has their names and logs. */
enum check {
    CHECK_START,
    CHECK_NULL,
    CHECK_WIDE,
    CHECK_REGISTERS_CALL,
    CHECK_REGISTERS_BLOCK,
    CHECK_TIMEOUT,
    CHECK_FLUSH,
    CHECK_WAKE,
    CHECK_INTERRUPT,
    CHECK_INTERRUPT_CALL,
    CHECK_INTERRUPT_IDLE,
    CHECK_REGISTERS_FIRST,
    CHECK_REGISTERS_LOW,
    CHECK_JOBS,
    CHECKS
};

/* The command for `other`. */
enum command {
    DO_NOTHING,
    DO_POST_FIRST, /* log 'o', post it, log 'p' */
    DO_YIELD,      /* log 'a', yield, log 'b', yield, log 'c' */
    DO_PATTERN,    /* the right one is that all registers keep their values */
    DO_READ,       /* at the address */
    DO_WRITE,
    DO_EXECUTE,
    DO_CALL,       /* its number is the address */
    DO_PRIVILEGED, /* TARGET_PRIVILEGED of them: which is the address */
    DO_UNDEFINED,
    DO_BREAK,
    DO_OVERFLOW,
    DO_STACK_CALL, /* a call while the stack pointer is the address; then it is used */
    DO_STACK_SPIN, /* interrupts meanwhile; then it is used */
    DO_POINTERS,   /* calls and interrupts while other pointers that compilers keep in registers are the address */
    DO_ATTACH,     /* memory at the address, and read it */
    DO_DETACH,     /* attach it, read it, detach it, and read it */
    DO_MEASURE,    /* of enum figure */
    DO_SPECIAL,    /* TARGET_SPECIALS of them: which is the address */
    DO_EXIT        /* with the address as result */
};

/* In user mode, where each task begins. */
void first_entry(void *argument);
void twin_entry(void *argument); /* low's equal, which yields */
void low_entry(void *argument);
void other_entry(void *argument);

#define FIRST_ARGUMENT 0x11111111u
#define LOW_ARGUMENT 0x22222222u

void figures(void); /* in low: figures_process_a.c */

#define LENT_SIZE 256u /* bytes that process b has in the kernel's memory */

#define SPIN_LOOPS 2000u /* of an instruction or two: many times the distance of the device's interrupts */

#endif
