/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_FAULT_H
#define TAKT_FAULT_H

#include <stdint.h>

#include "base/dialect.h"
#include "takt_preset.h"

TAKT_C_BEGIN

struct takt_task;

#define TAKT_FAULT_MAGIC UINT32_C(0x544B4654) /* "TFKT" in memory */
#define TAKT_FAULT_VERSION 2
#define TAKT_FAULT_REGISTERS 12

/* Why the system stopped, or which fault it recorded and survived. */
enum takt_fault_reason {
    TAKT_FAULT_ASSERTION = 1,
    TAKT_FAULT_EXCEPTION = 2, /* of the processor: bad address, illegal instruction ... */
    TAKT_FAULT_STACK = 3,     /* a task's stack guard word was overwritten */
    TAKT_FAULT_WATCHDOG = 4,  /* a task did not kick its watchdog in time */
    TAKT_FAULT_DEADLOCK = 5,  /* a lock that would have closed a cycle of owners was refused; the system continues */
    TAKT_FAULT_SECTION = 6,   /* a task was stopped in a section that exceeded its hold; the system continues */
    TAKT_FAULT_INVARIANT = 7  /* the kernel's state is inconsistent: takt/invariants.h */
};

/*
 * The record that a fault leaves in memory for a debugger or the next start: symbol `takt_fault_record`. Written, with
 * the kernel locked, by the first fault that stops the system; until then by the latest one that it survived.
 */
struct takt_fault {
    uint32_t magic; /* TAKT_FAULT_MAGIC once the record is valid: written last */
    uint16_t version;
    uint16_t reason;   /* enum takt_fault_reason */
    uint16_t task;     /* index of the running task, TAKT_TRACE_IDLE, or TAKT_TRACE_NONE before the start */
    uint16_t line;     /* assertion: its line; watchdog: index of its task */
    const char *file;  /* assertion: its file; invariant: its text; otherwise NULL */
    uintptr_t address; /* exception: program counter; assertion: return address of the check; invariant: the object */
    uint64_t time_ns;
    const char *register_names; /* exception: names of `registers`, separated by spaces; otherwise NULL */
    uint32_t registers[TAKT_FAULT_REGISTERS];
};

extern struct takt_fault takt_fault_record;

/* Records a fault and halts the system through takt_port_halt. Context: any. Blocks: never; does not return. */
TAKT_NORETURN void takt_fault_raise(enum takt_fault_reason reason, const char *file, unsigned line, uintptr_t address);

/*
 * The same for an exception at `address`; `names`: of its registers, at most TAKT_FAULT_REGISTERS. For ports. Context:
 * any. Blocks: never; does not return.
 */
TAKT_NORETURN void takt_fault_raise_exception(uintptr_t address, const char *names, const uint32_t *registers);

/* Records a fault of `task` that the system survives; presets with assertions. Private; kernel lock. */
void takti_fault_note(enum takt_fault_reason reason, const struct takt_task *task, uintptr_t address);

/* Asserts a requirement on the caller. Presets without assertions do not evaluate it. Context: any. */
#define TAKT_ASSERT(condition)                                                                                  \
    do {                                                                                                        \
        if (TAKT_ASSERTIONS && !(condition)) {                                                                  \
            takt_fault_raise(TAKT_FAULT_ASSERTION, __FILE__, __LINE__, (uintptr_t)__builtin_return_address(0)); \
        }                                                                                                       \
    } while (0)

TAKT_C_END

#endif
