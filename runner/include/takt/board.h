/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BOARD_H
#define TAKT_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dialect.h"

TAKT_C_BEGIN

/* What a board offers to runner/run.c and to applications; boards/NAME and chips/FAMILY implement it. */

/* Initializes the board: console, options, connections to the tool. The first call does it, others do nothing. Context:
 * main. Blocks: never. */
void takt_board_init(void);

/* Writes `length` bytes of text to the console. Context: any. Blocks: until the console took them. */
void takt_board_console_write(const char *text, size_t length);

/*
 * The console's input, on boards with `console_interrupt` in board.toml. The first lets its line bring bytes from then
 * on, `character_ns` apart at least; each raises that interrupt. The second takes the byte that did: false, there is
 * none. What the line brings before a byte is taken waits outside of the board. Context: init; that interrupt. Blocks:
 * never.
 */
void takt_board_console_start(uint64_t character_ns);
bool takt_board_console_take(uint8_t *byte);

/* Writes bytes for the tool: trace records (takt_trace_record), in order. Takes no virtual time except that of its
 * instructions. Context: any, with the kernel locked. Blocks: never. */
void takt_board_stream_write(const void *data, size_t length);

/* Whether the run goes on after a write of the stream; false: the tool asks for its end, takt_run_finish. With the
 * option pace=PATH of emulated boards and `host` that is a byte, until which time stops; any other byte, and none any
 * more: the end. Context: any, with the kernel locked. Blocks: never in virtual time. */
bool takt_board_goes_on(void);
#define TAKT_BOARD_PACE_ON 1

/* Reads an option of the run ("duration_ns", "seed"), an integer; false: it was not given. Context: any, main. Blocks:
 * never. */
bool takt_board_option(const char *name, uint64_t *value);

/*
 * Exchanges data with the plant over the serial line, in lockstep: sends `transmit_length` bytes and the current time,
 * waits without virtual time passing, and returns the number of bytes received (at most `capacity`). A board without a
 * plant returns 0. Context: any. Blocks: never in virtual time.
 */
size_t takt_board_link_exchange(const uint8_t *transmit, size_t transmit_length, uint8_t *receive, size_t capacity);

/* Begin of an exchange on an emulated board's line to the plant: chips/emulated/link.c. Little endian. */
struct takt_board_link_request {
    uint32_t now_ns_low;
    uint32_t now_ns_high;
    uint32_t length; /* bytes that follow */
};
#define TAKT_BOARD_LINK_FINISHED UINT32_C(0xFFFFFFFF) /* as the length of a reply: the plant is finished */

/*
 * Makes a device of the board raise interrupt `number` at `first_ns` and every `period_ns` after it (on emulated boards
 * and `host` a timer simulates the device). At most TAKT_BOARD_INTERRUPTS_MAX calls, before takt_start. Context: init,
 * main. Blocks: never.
 */
enum { TAKT_BOARD_INTERRUPTS_MAX = 8 };
void takt_board_interrupt_every(unsigned number, uint64_t first_ns, uint64_t period_ns);

/*
 * For the CAN controllers that library/can simulates, by index of `can_interrupts` in board.toml. The first calls
 * `simulate` with the time, on a stack of its own; no time passes until it returns, and no interrupt comes. It calls
 * the others: the second has the controller interrupt at `interrupt_ns` in place of the time that it named before,
 * unless that has come; the third writes a line to the log of the bus, option can0=PATH or can1=PATH. Context: any,
 * with the kernel locked, or init. Blocks: never.
 */
enum { TAKT_BOARD_CAN_MAX = 2 };
void takt_board_can_apart(void (*simulate)(void *argument, uint64_t now_ns), void *argument);
void takt_board_can_interrupt(unsigned index, uint64_t interrupt_ns);
void takt_board_can_log(unsigned index, const char *text, size_t length);

/*
 * State messages reported at the end of a run, generated; `overtaken`: number of overtaken reads. Their records follow
 * the statistics of takt/trace.h, in the same form with `id` as the task: WRITES, unless the message is one word, and
 * OVERTAKEN.
 */
struct takt_state;
struct takt_run_state {
    const struct takt_state *state;
    const uint32_t *overtaken;
    uint16_t id;
};
struct takt_run_states {
    const struct takt_run_state *first;
    unsigned count;
};
/* Messages of CAN buses reported at the end of a run, generated: their records follow those of state messages, in the
 * same form: MESSAGES, MESSAGES_LOST, MESSAGE_RESPONSE and MESSAGE_LATE. */
struct takt_run_message {
    const uint64_t *response_max_ns; /* from the release of the job that sends it to the end of the intermission */
    const uint64_t *late_ns;         /* when one was above its bound or lost first */
    const uint32_t *count;           /* sent or received */
    const uint32_t *lost;
    uint16_t index; /* of its [[message]] */
};
struct takt_run_messages {
    const struct takt_run_message *first;
    unsigned count;
};
enum takt_run_event {
    TAKT_EVENT_STAT_WRITES = 128,  /* number of writes */
    TAKT_EVENT_STAT_OVERTAKEN,     /* number of overtaken reads */
    TAKT_EVENT_STAT_FAULT,         /* fault of a process: process, cause << FAULT_CAUSE, restarted << FAULT_RESTARTED */
    TAKT_EVENT_STAT_FAULT_TIME,    /* ns */
    TAKT_EVENT_STAT_FAULT_ADDRESS, /* address accessed by the task */
    TAKT_EVENT_STAT_FAULT_PC,      /* its program counter; 0: unknown */
    TAKT_EVENT_STAT_FAULT_NAME,    /* name of a register: at most REGISTER_LETTERS, the first in the lowest byte; ... */
    TAKT_EVENT_STAT_FAULT_REGISTER, /* ... and its value */
    TAKT_EVENT_STAT_MESSAGES,       /* of a CAN bus that were sent or received */
    TAKT_EVENT_STAT_MESSAGES_LOST,
    TAKT_EVENT_STAT_MESSAGE_RESPONSE, /* ns, the longest; 0: none was sent */
    TAKT_EVENT_STAT_MESSAGE_LATE      /* ns, when one was above its bound or lost first; 0: none */
};
enum { TAKT_RUN_FAULT_CAUSE = 8, TAKT_RUN_FAULT_RESTARTED = 16, TAKT_RUN_REGISTER_LETTERS = 8 };

/*
 * Starts the system that system.toml declares, under the harness of `takt run` (runner/run.c): its trace is sent, the
 * run ends after its duration. An application that defines no main has one that only calls this; its own main calls it
 * last (docs/main.md). Initializes the board. Context: main, once. Blocks: never; does not return.
 */
TAKT_NORETURN void takt_run_start(void);

/* Ends the run as if its duration were over: statistics are written. For the code of the link. Context: any. Blocks:
 * never; does not return. */
TAKT_NORETURN void takt_run_finish(void);

/*
 * Exit status of a run. FAULT follows only a fault record of the kernel, so that console output of a process is not
 * mistaken for one. STALE: the tables are of another image. POLLING, on `host`: a task executes, and virtual time does
 * not pass.
 */
enum takt_board_status {
    TAKT_BOARD_DONE = 0,
    TAKT_BOARD_LINK_LOST = 3,
    TAKT_BOARD_FAULT = 4,
    TAKT_BOARD_POLLING = 5,
    TAKT_BOARD_STALE = 9
};

/* Ends the emulation; the emulator exits with `status`. Context: any, main. Blocks: never; does not return. */
TAKT_NORETURN void takt_board_exit(int status);

TAKT_C_END

#endif
