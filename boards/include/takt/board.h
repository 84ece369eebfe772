/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BOARD_H
#define TAKT_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a board offers to boards/run.c (the main of `takt run`) and to applications. */

/* Clock, memory and console, before anything else. */
void takt_board_init(void);

/* Text for people. Context: any. */
void takt_board_console_write(const char *text, size_t length);

/* Bytes for the tool: trace records (takt_trace_record), in order. Takes no virtual time but its own instructions. */
void takt_board_stream_write(const void *data, size_t length);

/* An option of this run by name ("duration_ns", "seed"); false when it was not given. */
bool takt_board_option(const char *name, uint64_t *value);

/*
 * The serial line to the plant, in lockstep: sends `transmit_length` bytes and the instant, waits without virtual time
 * passing, and returns how many bytes (at most `capacity`) have arrived by now. A board without a plant returns 0.
 */
size_t takt_board_link_exchange(const uint8_t *transmit, size_t transmit_length, uint8_t *receive, size_t capacity);

/*
 * Lets a device of the board raise interrupt `number` at `first_ns` and every `period_ns` after it (emulated boards and
 * `host`: a timer stands for the device). At most 8 of them. Before takt_start.
 */
void takt_board_interrupt_every(unsigned number, uint64_t first_ns, uint64_t period_ns);

/*
 * State messages that the end of a run tells of, generated; `overtaken`: reads that were. After takt/trace.h's figures,
 * in the same form with `id` as the task: WRITES, unless the message is one word, and OVERTAKEN.
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
enum takt_run_event {
    TAKT_EVENT_STAT_WRITES = 128,  /* how often it was written */
    TAKT_EVENT_STAT_OVERTAKEN,     /* reads that were */
    TAKT_EVENT_STAT_FAULT,         /* of a process: process, cause << 8, restarted << 16 */
    TAKT_EVENT_STAT_FAULT_TIME,    /* ns */
    TAKT_EVENT_STAT_FAULT_ADDRESS, /* what the task reached for */
    TAKT_EVENT_STAT_FAULT_PC,      /* where it was; 0: not known */
    TAKT_EVENT_STAT_FAULT_NAME,    /* of a register: at most 8 letters, the first in the lowest byte; ... */
    TAKT_EVENT_STAT_FAULT_REGISTER /* ... and what it held */
};

/* Ends the run as if its duration were over: figures are written. For the link's code. boards/run.c. Context: any. */
_Noreturn void takt_run_finish(void);

/*
 * What a run ends with that reached no end of its own; tools/takt/observe/execute.py reads it. Only the kernel's record
 * is followed by TAKT_BOARD_FAULT, so that what a process wrote to the console is not taken for one.
 */
enum takt_board_status { TAKT_BOARD_LINK_LOST = 3, TAKT_BOARD_FAULT = 4 };

/* Leaves: the emulator exits with `status`. */
_Noreturn void takt_board_exit(int status);

#endif
