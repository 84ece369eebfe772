/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Costs of the calls of library/can, for `takt bench can`: the longest of each kind, in ns, over orders in which the
 * messages of a bus are sent. The task holds the kernel's lock, so that nothing else executes, and calls what the
 * interrupt of the controller would. A line of JSON, then the end of the run.
 */
#include <stdio.h>

#include "kernel/port.h"
#include "takt/board.h"
#include "takt/time.h"
#include "takt_app.h"

enum { ORDERS = 24, FILLS = 2 };

enum kind { MAILBOX, QUEUE, REPLACE, INTERRUPT, SENT, STATE, MESSAGE, KINDS };

static const char *const names[KINDS] = {"send_mailbox", "send_queue",    "send_replace", "interrupt",
                                         "sent",         "receive_state", "receive_queue"};
static uint64_t longest_ns[KINDS];
static uint64_t apart_ns = UINT64_MAX; /* what reading the clock twice takes */
static uint32_t random_state = 1;

static void note(enum kind kind, uint64_t took_ns)
{
    longest_ns[kind] = took_ns - apart_ns > longest_ns[kind] ? took_ns - apart_ns : longest_ns[kind];
}

/* Of all that is sent, and of what is received by a state message and a mailbox. */
struct seen {
    uint32_t sent;
    uint32_t aborted;
    uint32_t waiting; /* in no mailbox */
    uint32_t state;
    uint32_t queue;
};

static struct seen look(void)
{
    struct seen seen = {0};
    for (uint32_t i = 0; i < COUNT; i++) {
        const struct takt_can_counters *counters = takt_can_queue_counters(&takt_can_body.queue, i);
        seen.sent += counters->sent;
        seen.aborted += counters->aborted;
        seen.waiting += takt_can_body.config->queue.states[i].waiting;
    }
    seen.waiting -= (uint32_t)__builtin_popcount(takt_can_body.queue.loaded);
    seen.state = takt_can_body.config->seen[COUNT].count;
    seen.queue = takt_can_body.config->seen[COUNT + 1].count;
    return seen;
}

static void serve(void)
{
    struct seen before = look();
    uint64_t begin_ns = takt_port_now_ns();
    takt_can_service_interrupt(&takt_can_body);
    uint64_t took_ns = takt_port_now_ns() - begin_ns;
    struct seen after = look();
    uint8_t taken[SIZE_queued_queue];
    uint32_t received = after.state - before.state + after.queue - before.queue;
    if (after.sent - before.sent + received > 1) {
        return; /* several interrupts' */
    }
    note(received == 0                 ? (after.sent != before.sent ? SENT : INTERRUPT)
         : after.queue != before.queue ? MESSAGE
                                       : STATE,
         took_ns);
    while (takt_mailbox_try_receive(&queued_queue, taken) == TAKT_OK) {
    }
}

static void wait(uint64_t ns)
{
    uint64_t begin_ns = takt_port_now_ns();
    while (takt_port_now_ns() - begin_ns < ns) {
    }
}

static void send(uint32_t message)
{
    static const uint8_t data[8];
    struct seen before = look();
    uint64_t begin_ns = takt_port_now_ns();
    enum takt_status status = takt_can_service_send(&takt_can_body, message, data);
    uint64_t took_ns = takt_port_now_ns() - begin_ns;
    struct seen after = look();
    if (status == TAKT_OK) {
        note(after.aborted != before.aborted ? REPLACE : after.waiting > before.waiting ? QUEUE : MAILBOX, took_ns);
    }
}

/* The highest identifiers first, the lowest first, or as it comes. */
static uint32_t chosen(unsigned order, uint32_t place)
{
    random_state = random_state * 1664525u + 1013904223u;
    return order % 3 == 0 ? COUNT - 1 - place : order % 3 == 1 ? place : (random_state >> 16) % COUNT;
}

void measure(void *argument)
{
    (void)argument;
    uint32_t lock = takt_port_lock();
    for (unsigned i = 0; i < 16; i++) {
        uint64_t begin_ns = takt_port_now_ns(), took_ns = takt_port_now_ns() - begin_ns;
        apart_ns = took_ns < apart_ns ? took_ns : apart_ns;
    }
    for (unsigned order = 0; order < ORDERS; order++) {
        for (uint32_t fill = 0; fill < FILLS; fill++) {
            for (uint32_t place = 0; place < COUNT; place++) {
                send(chosen(order, place));
                if (order >= ORDERS / 2) { /* and while frames are sent */
                    wait(TAKT_US(60));
                    serve();
                }
            }
        }
        while (look().waiting > 0) {
            wait(TAKT_US(60));
            serve();
        }
        for (unsigned i = 0; i < 100; i++) {
            wait(TAKT_US(60));
            serve();
        }
    }
    takt_port_unlock(lock);
    printf("{");
    for (unsigned kind = 0; kind < KINDS; kind++) {
        printf("%s\"%s\": %lu", kind == 0 ? "" : ", ", names[kind], (unsigned long)longest_ns[kind]);
    }
    printf("}\n");
    fflush(stdout);
    takt_board_exit(0);
}
