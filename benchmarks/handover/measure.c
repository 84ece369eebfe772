/* SPDX-License-Identifier: Apache-2.0 */
/* The least of some runs of each call, in instructions: the board's clock advances by a fixed time for each. */
#include "takt_app.h"

#include "takt/board.h"
#include "takt/process.h"

enum { RUNS = 4 };
#if __riscv
enum { INSTRUCTION_NS = 32 };
#else
enum { INSTRUCTION_NS = 64 };
#endif

static uint64_t begun_ns, clock_ns;

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

static void begin(void)
{
    begun_ns = takt_now();
}

/* Without what the two readings of the clock take. */
static void end(uint64_t *least_ns)
{
    uint64_t taken_ns = takt_now() - begun_ns - clock_ns;
    *least_ns = taken_ns < *least_ns ? taken_ns : *least_ns;
}

static void tell(const char *name, uint64_t taken_ns)
{
    print(name, taken_ns / INSTRUCTION_NS);
}

static void measure_signal(struct takt_signal_pool *pool, const char *of_send, const char *of_receive)
{
    uint64_t send_ns = TAKT_FOREVER;
    uint64_t receive_ns = TAKT_FOREVER;
    for (unsigned run = 0; run < RUNS; run++) {
        struct takt_signal *signal = takt_signal_allocate(pool, 1);
        begin();
        takt_signal_send(&signal, &sent);
        end(&send_ns);
        begin();
        (void)!takt_signal_receive(&sent, 0, &signal);
        end(&receive_ns);
        takt_signal_free(&signal);
    }
    tell(of_send, send_ns);
    tell(of_receive, receive_ns);
}

static void measure_region(void)
{
    uint64_t attach_ns = TAKT_FOREVER;
    uint64_t detach_ns = TAKT_FOREVER;
    for (unsigned run = 0; run < RUNS; run++) {
        begin();
        (void)takt_shared_attach(&region);
        end(&attach_ns);
        begin();
        takt_shared_detach(&region);
        end(&detach_ns);
    }
    tell("attach a region: ", attach_ns);
    tell("detach it: ", detach_ns);
}

void measure_loop(void *argument)
{
    uint64_t null_ns = TAKT_FOREVER;
    (void)argument;
    takt_job_wait(); /* the other process has attached the region by now */
    begin();
    clock_ns = takt_now() - begun_ns;
    for (unsigned run = 0; run < RUNS; run++) {
        begin();
        takt_process_null();
        end(&null_ns);
    }
    tell("a call: ", null_ns);
    measure_signal(&of_8, "send of 8: ", "receive of 8: ");
    measure_signal(&of_64, "send of 64: ", "receive of 64: ");
    measure_signal(&of_256, "send of 256: ", "receive of 256: ");
    measure_region();
    for (;;) {
        takt_job_wait();
    }
}
