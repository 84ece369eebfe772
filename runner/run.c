/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The harness of a run: starts the generated system, sends its trace to the tool while no task wants to run, and ends
 * the run with the figures.
 *
 * The trace ring is emptied in idle, so that sending takes no time from the tasks. Reading a record and writing what
 * was read are two short locked sections each: the end of the run may come, in an interrupt, between any two of them
 * and goes on exactly where idle was. A system without idle time loses its oldest records, and the trace says how many;
 * on a board where sending takes no time (option drain_ns) the ring is also emptied every so often.
 */
#include "kernel/core/kernel.h"
#include "takt/board.h"
#include "takt/process.h"
#include "takt/state.h"

#define BATCH_RECORDS 64

extern const struct takt_system takt_system;                                  /* generated */
extern const uint64_t takt_proof_hash;                                        /* generated */
__attribute__((weak)) const struct takt_run_states takt_run_states = {0};     /* generated where there are any */
__attribute__((weak)) const struct takt_run_messages takt_run_messages = {0}; /* the same */

static struct takt_trace_record batch[BATCH_RECORDS]; /* taken from the ring and not yet sent; kernel lock */
static unsigned batch_count;
static uint64_t end_ns;
static uint64_t drain_ns;
static bool ending; /* the tool asked for the end of the run; kernel lock */
static struct takt_system started_system;

/* Sends the batch if it is full, or if `all` is wanted. Called locked. */
static void batch_send(bool all)
{
    if (batch_count == BATCH_RECORDS || (all && batch_count != 0)) {
        takt_board_stream_write(batch, batch_count * sizeof batch[0]);
        ending |= !takt_board_goes_on();
        batch_count = 0;
    }
}

/* Moves at most one record on its way; false when there was none. */
static bool record_move(void)
{
    uint32_t state = takt_port_lock();
    unsigned taken = takt_trace_read(&batch[batch_count], 1);
    batch_count += taken;
    batch_send(taken == 0);
    takt_port_unlock(state);
    return taken != 0;
}

static void records_send(void)
{
    while (record_move()) { /* bounded by the ring: idle writes no records itself */
    }
}

void takt_hook_idle(void)
{
    records_send();
    if (ending) {
        takt_run_finish();
    }
}

static void figure_send(const struct takt_trace_record *record)
{
    batch[batch_count++] = *record;
    batch_send(false);
}

static void state_figure_send(uint16_t id, enum takt_run_event event, uint64_t value)
{
    const struct takt_trace_record record = {.event = (uint8_t)event,
                                             .band = TAKT_TRACE_NO_BAND,
                                             .task = id,
                                             .job = (uint32_t)value,
                                             .object = (uint16_t)(value >> 32),
                                             .value = (uint16_t)(value >> 48)};
    figure_send(&record);
}

/* How often a message was written, modulo 2^24 circles on 32 bits: its mark says. Not one that is one word. */
static uint64_t writes_of(const struct takt_state *state)
{
    uintptr_t newest = TAKTI_STATE_NEWEST(state);
    return (uint64_t)(newest / TAKTI_STATE_DEPTH_MAX) * TAKTI_STATE_DEPTH(state) + newest % TAKTI_STATE_DEPTH_MAX;
}

static void states_send(void)
{
    for (unsigned i = 0; i < takt_run_states.count; i++) {
        const struct takt_run_state *entry = &takt_run_states.first[i];
        if (!TAKTI_STATE_FITS(entry->state->size)) {
            state_figure_send(entry->id, TAKT_EVENT_STAT_WRITES, writes_of(entry->state));
        }
        state_figure_send(entry->id, TAKT_EVENT_STAT_OVERTAKEN, *entry->overtaken);
    }
}

static void messages_send(void)
{
    for (unsigned i = 0; i < takt_run_messages.count; i++) {
        const struct takt_run_message *entry = &takt_run_messages.first[i];
        state_figure_send(entry->index, TAKT_EVENT_STAT_MESSAGES, *entry->count);
        state_figure_send(entry->index, TAKT_EVENT_STAT_MESSAGES_LOST, *entry->lost);
        state_figure_send(entry->index, TAKT_EVENT_STAT_MESSAGE_RESPONSE, *entry->response_max_ns);
        state_figure_send(entry->index, TAKT_EVENT_STAT_MESSAGE_LATE, *entry->late_ns);
    }
}

#if TAKT_PROCESSES
/* Its registers, by the names that the port gives them. */
static void fault_registers_send(const struct takt_process_fault_record *fault)
{
    const char *letter = fault->register_names;
    for (unsigned i = 0; i < TAKT_PROCESS_FAULT_REGISTERS && letter != NULL && *letter != '\0'; i++) {
        uint64_t name = 0;
        for (unsigned shift = 0; *letter != ' ' && *letter != '\0'; letter++, shift += 8) {
            name |= shift < 8 * TAKT_RUN_REGISTER_LETTERS ? (uint64_t)(uint8_t)*letter << shift : 0;
        }
        letter += *letter == ' ' ? 1 : 0;
        state_figure_send(fault->task, TAKT_EVENT_STAT_FAULT_NAME, name);
        state_figure_send(fault->task, TAKT_EVENT_STAT_FAULT_REGISTER, fault->registers[i]);
    }
}

/* The faults of processes that the kernel still has, the oldest first. */
static void process_faults_send(void)
{
    uint32_t count = takt_process_faults.count;
    for (uint32_t i = count < TAKT_PROCESS_FAULTS ? 0 : count - TAKT_PROCESS_FAULTS; i != count; i++) {
        const struct takt_process_fault_record *fault = &takt_process_faults.records[i % TAKT_PROCESS_FAULTS];
        uint32_t what = fault->process | (uint32_t)fault->cause << TAKT_RUN_FAULT_CAUSE |
                        (uint32_t)fault->restarted << TAKT_RUN_FAULT_RESTARTED;
        state_figure_send(fault->task, TAKT_EVENT_STAT_FAULT, what);
        state_figure_send(fault->task, TAKT_EVENT_STAT_FAULT_TIME, fault->time_ns);
        state_figure_send(fault->task, TAKT_EVENT_STAT_FAULT_ADDRESS, fault->address);
        state_figure_send(fault->task, TAKT_EVENT_STAT_FAULT_PC, fault->pc);
        fault_registers_send(fault);
    }
}
#endif

/* What the ring still holds, and the figures of `ended_ns`: to send a full ring takes longer than many a deadline.
 * Locked. */
static void rest_send(uint64_t ended_ns)
{
    records_send();
    takt_trace_statistics(ended_ns, figure_send);
    states_send();
    messages_send();
#if TAKT_PROCESSES
    process_faults_send();
#endif
    batch_send(true);
}

void takt_hook_fault(void)
{
    if (started_system.tasks != NULL) {
        rest_send(takt_port_now_ns());
    }
}

/* In preset debug: a run whose kernel is damaged in the end is none. It takes time, which nothing needs any more. */
static void check_kernel(void)
{
    if (TAKT_STACK_CHECKS) {
        struct takt_broken broken = takt_kernel_broken(NULL);
        if (broken.what != NULL) {
            takt_fault_raise(TAKT_FAULT_INVARIANT, broken.what, 0, (uintptr_t)broken.where);
        }
    }
}

_Noreturn void takt_run_finish(void)
{
    (void)takt_port_lock(); /* for good */
    uint64_t ended_ns = takt_port_now_ns();
    check_kernel();
    rest_send(ended_ns);
    takt_board_exit(TAKT_BOARD_DONE);
}

/* Called at the end, and every drain_ns before it. In the timer interrupt. */
static struct takti_call end_call;

static void end_reached(struct takti_call *due)
{
    (void)due;
    uint64_t now_ns = takt_now();
    if (now_ns >= end_ns) {
        takt_run_finish();
    }
    takt_hook_idle();
    takti_call_at(&end_call, end_ns - now_ns > drain_ns ? now_ns + drain_ns : end_ns, end_reached);
}

static void run_init(void)
{
    takti_call_at(&end_call, drain_ns < end_ns ? drain_ns : end_ns, end_reached);
    takt_system.init();
}

_Noreturn void takt_run_start(void)
{
    uint64_t proof_hash;
    takt_board_init();
    if (takt_board_option("proof", &proof_hash) && proof_hash != takt_proof_hash) {
        takt_board_exit(TAKT_BOARD_STALE);
    }
    if (!takt_board_option("duration_ns", &end_ns)) {
        end_ns = TAKT_FOREVER;
    }
    if (!takt_board_option("drain_ns", &drain_ns)) {
        drain_ns = TAKT_FOREVER;
    }
    started_system = takt_system;
    started_system.init = run_init;
    takt_start(&started_system);
}
