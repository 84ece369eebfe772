/* SPDX-License-Identifier: Apache-2.0 */
/* Each call once, in instructions: the board's clock advances by a fixed time for each. */
#include "takt_app.h"

#include "takt/board.h"
#include "takt/process.h"

enum { INSTRUCTION_NS = 64 };

static uint64_t begun_ns, clock_ns;

static void begin(void)
{
    begun_ns = takt_now();
}

static void print(const char *name, uint64_t number)
{
    char text[40];
    unsigned length = 0;
    for (; name[length] != '\0'; length++) {
        text[length] = name[length];
    }
    for (uint64_t unit = 100000; unit > 0; unit /= 10) {
        text[length++] = (char)('0' + number / unit % 10);
    }
    text[length++] = '\n';
    takt_board_console_write(text, length);
}

/* Without what the two readings of the clock take. */
static void end(const char *name)
{
    print(name, (takt_now() - begun_ns - clock_ns) / INSTRUCTION_NS);
}

#define MEASURE(pool, size)                        \
    signal = takt_signal_allocate(&pool, 1);       \
    begin();                                       \
    takt_signal_send(&signal, &sent);              \
    end("send of " size ": ");                     \
    begin();                                       \
    (void)!takt_signal_receive(&sent, 0, &signal); \
    end("receive of " size ": ");                  \
    takt_signal_free(&signal)

void measure_loop(void *argument)
{
    struct takt_signal *signal;
    (void)argument;
    takt_job_wait(); /* the other process has attached the region by now */
    begin();
    clock_ns = takt_now() - begun_ns;
    begin();
    takt_process_null();
    end("a call: ");
    MEASURE(of_8, "8");
    MEASURE(of_64, "64");
    MEASURE(of_256, "256");
    begin();
    (void)takt_shared_attach(&region);
    end("attach a region: ");
    begin();
    takt_shared_detach(&region);
    end("detach it: ");
    for (;;) {
        takt_job_wait();
    }
}
