/* SPDX-License-Identifier: Apache-2.0 */
/* The process that asks, and looks at what comes back. The console has the lines that were wrong. */
#include "takt_app.h"

#include "services.h"
#include "takt/board.h"
#include "takt/process.h"

static unsigned wrong;

static void print_line(unsigned line)
{
    char text[] = "services: line 0000 is wrong\n";
    for (unsigned place = 18; place > 14; place--, line /= 10) {
        text[place] = (char)('0' + line % 10);
    }
    takt_board_console_write(text, sizeof text - 1);
}

static void check_line(unsigned line, uint64_t found, uint64_t wanted)
{
    if (found != wanted) {
        wrong++;
        print_line(line);
    }
}
#define GIVES(call, wanted) check_line(__LINE__, (uint64_t)(call), (uint64_t)(wanted))

/* The server takes part in the next service, when the client waits. */
static void go_on(void)
{
    GIVES(takt_semaphore_post(&go), TAKT_OK);
}

static void rendezvous(void)
{
    union exchanged data = {.question = {30, 12, 99}};
    go_on();
    GIVES(takt_rendezvous_call(&exchange, &data, sizeof data.question), TAKT_OK); /* the call comes first */
    GIVES(data.answer.sum, 42);
    GIVES(data.answer.difference, 18);
    GIVES(data.question.unused, 99);
    go_on();
    takt_delay(TAKT_MS(2)); /* the acceptor waits */
    data = (union exchanged){.question = {5, 4, 98}};
    GIVES(takt_rendezvous_call_until(&exchange, &data, sizeof data.question, takt_now() + TAKT_MS(5)), TAKT_OK);
    GIVES(data.answer.sum, 9);
    GIVES(takt_rendezvous_call_until(&exchange, &data, 4, takt_now() + TAKT_MS(1)), TAKT_TIMEOUT);
}

void client_loop(void *argument)
{
    (void)argument;
    rendezvous();
    static const char right[] = "services: all are right\n";
    if (wrong == 0) {
        takt_board_console_write(right, sizeof right - 1);
    }
    for (;;) {
        takt_job_wait();
    }
}
