/* SPDX-License-Identifier: Apache-2.0 */
#include "docs/examples/say.h"
#include "takt_app.h"

enum { CONNECT = 1, DISCONNECT = 2 };
static _Alignas(8) uint8_t memory[TAKT_SIGNAL_BYTES(sizeof(int)) * 4];
static TAKT_SIGNAL_POOL_DEFINE(signals, memory, sizeof(int), 4);
static TAKT_SIGNAL_QUEUE_DEFINE(queue, 5, TASK_signal);

/* Owns the queue; only a DISCONNECT ends its wait, others stay queued. */
void signal_example(void *argument)
{
    (void)argument;
    static const uint32_t wanted[] = {DISCONNECT};
    const struct takt_signal_filter filter = {.numbers = wanted, .count = 1};
    struct takt_signal *signal;
    if (takt_signal_receive(&queue, &filter, &signal) == TAKT_OK) {
        say("signal: number %u, data %d", (unsigned)signal->number, *(int *)takt_signal_data(signal));
        takt_signal_free(&signal);
    }
}

static void send(uint32_t number, int data)
{
    struct takt_signal *signal = takt_signal_allocate(&signals, number);
    if (signal != NULL) {
        *(int *)takt_signal_data(signal) = data;
        takt_signal_send(&signal, &queue); /* the signal is the queue's now */
    }
}

void signal_other(void *argument)
{
    (void)argument;
    send(CONNECT, 1);
    send(DISCONNECT, 2);
}
