/* SPDX-License-Identifier: Apache-2.0 */
/* The board `host`: options are words key=value on the command line, the console is standard output. With the option
 * real_time time passes as outside, and standard input is the console's; with the option input in virtual time a file.
 * With a CAN interface of the machine time passes as outside, too.
 */
#define _GNU_SOURCE /* ppoll, syscall */
#include "takt/board.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "ports/host/host.h"
#include "takt/task.h"
#include "takt/time.h"

enum { OPTIONS_MAX = 64, CAN_INTERRUPT = 61, CONSOLE_INTERRUPT = 63 };

static const char *options[OPTIONS_MAX];
static unsigned option_count;
static FILE *stream;
static FILE *pace;
static FILE *link_out;
static FILE *link_in;

static const char *option_text(const char *name)
{
    size_t length = strlen(name);
    for (unsigned index = 0; index < option_count; index++) {
        if (strncmp(options[index], name, length) == 0 && options[index][length] == '=') {
            return options[index] + length + 1;
        }
    }
    return NULL;
}

FILE *takt_board_open_option(const char *name, const char *mode)
{
    const char *path = option_text(name);
    if (path == NULL) {
        return NULL;
    }
    FILE *file = fopen(path, mode);
    if (file == NULL) {
        fprintf(stderr, "host: %s=%s cannot be opened\n", name, path);
        exit(2);
    }
    return file;
}

/* The console's line: standard input with the option real_time, else the file of the option input. */
static struct {
    FILE *file;            /* in virtual time; NULL: it brings nothing */
    uint64_t character_ns; /* 0: there is no input */
    uint64_t free_ns;      /* when it may bring the next byte */
    uint8_t byte;
    bool arrived; /* it is in `byte` */
    bool ended;
} line;
static bool typed;        /* standard input is the console's */
static uint64_t start_ns; /* of the run, in real time */

/* Descriptors whose input raises an interrupt. */
enum { WATCHED_MAX = 2 };
static struct {
    int descriptor;
    unsigned number; /* of the interrupt */
    uint64_t gap_ns;
    uint64_t free_ns; /* when it may be raised again */
} watched[WATCHED_MAX];
static unsigned watched_count;

static uint64_t real_ns(void)
{
    struct timespec now;
    (void)syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now); /* clock_gettime is that of virtual time: library/time */
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Takes a byte that has come, and raises the interrupt. */
static bool line_brings(uint64_t now_ns)
{
    line.arrived = read(STDIN_FILENO, &line.byte, 1) == 1;
    line.ended = !line.arrived;
    if (line.arrived) {
        line.free_ns = now_ns + line.character_ns;
        takt_host_interrupt_every(CONSOLE_INTERRUPT, now_ns, 0);
    }
    return line.arrived;
}

/* What may raise an interrupt by its input, and at what time the next one may that may not yet. */
struct inputs {
    struct pollfd polled[1 + WATCHED_MAX];
    unsigned source[1 + WATCHED_MAX]; /* of `watched`; WATCHED_MAX: the console */
    unsigned count;
    uint64_t next_ns;
};

static void listen_to(struct inputs *inputs, int descriptor, unsigned source, uint64_t free_ns, uint64_t now_ns)
{
    if (free_ns > now_ns) {
        inputs->next_ns = free_ns < inputs->next_ns ? free_ns : inputs->next_ns;
        return;
    }
    inputs->polled[inputs->count] = (struct pollfd){.fd = descriptor, .events = POLLIN};
    inputs->source[inputs->count++] = source;
}

static void gather(struct inputs *inputs, uint64_t now_ns)
{
    inputs->count = 0;
    inputs->next_ns = UINT64_MAX;
    if (typed && line.character_ns != 0 && !line.ended && !line.arrived) {
        listen_to(inputs, STDIN_FILENO, WATCHED_MAX, line.free_ns, now_ns);
    }
    for (unsigned source = 0; source < watched_count; source++) {
        listen_to(inputs, watched[source].descriptor, source, watched[source].free_ns, now_ns);
    }
}

/* Until one can be read, at most for `left_ns`; UINT64_MAX: without end. */
static void wait_for(struct inputs *inputs, uint64_t left_ns)
{
    struct timespec left = {(time_t)(left_ns / 1000000000u), (long)(left_ns % 1000000000u)};
    if (ppoll(inputs->polled, inputs->count, left_ns == UINT64_MAX ? NULL : &left, NULL) < 0) {
        inputs->count = 0; /* interrupted: it is looked again */
    }
}

/* Raises the interrupts of what can be read now. Whether there were any. */
static bool inputs_bring(struct inputs *inputs, uint64_t now_ns)
{
    bool raised = false;
    wait_for(inputs, 0);
    for (unsigned i = 0; i < inputs->count; i++) {
        unsigned source = inputs->source[i];
        if (inputs->polled[i].revents == 0) {
            continue;
        }
        if (source == WATCHED_MAX) {
            raised |= line_brings(now_ns);
        } else {
            watched[source].free_ns = now_ns + watched[source].gap_ns;
            takt_host_interrupt_every(watched[source].number, now_ns, 0);
            raised = true;
        }
    }
    return raised;
}

/* Real time passes with virtual time. */
static uint64_t wait_outside(uint64_t now_ns, uint64_t to_ns)
{
    for (;;) {
        struct inputs inputs;
        uint64_t passed_ns = real_ns() - start_ns;
        uint64_t here_ns = passed_ns > to_ns ? to_ns : passed_ns > now_ns ? passed_ns : now_ns;
        gather(&inputs, here_ns);
        if (inputs_bring(&inputs, here_ns)) {
            return here_ns;
        }
        bool ended = typed && line.ended && watched_count == 0;
        if (passed_ns >= to_ns || (to_ns == UINT64_MAX && ended)) {
            return to_ns;
        }
        gather(&inputs, here_ns);
        uint64_t until_ns = inputs.next_ns < to_ns ? inputs.next_ns : to_ns;
        wait_for(&inputs, until_ns == UINT64_MAX ? UINT64_MAX : until_ns - here_ns);
    }
}

/* From time 0 on. */
static void pass_in_real_time(void)
{
    start_ns = real_ns();
    takt_host_on_wait(wait_outside);
}

void takt_board_watch(int descriptor, unsigned number, uint64_t gap_ns)
{
    if (watched_count == WATCHED_MAX) {
        fputs("host: more descriptors than are watched\n", stderr);
        exit(3);
    }
    watched[watched_count].descriptor = descriptor;
    watched[watched_count].number = number;
    watched[watched_count++].gap_ns = gap_ns;
    pass_in_real_time();
}

/* In virtual time: the next byte of the file comes a character's time from now. */
static void file_brings(void)
{
    int byte = line.file == NULL ? EOF : fgetc(line.file);
    if (byte != EOF) {
        line.byte = (uint8_t)byte;
        line.arrived = true;
        takt_host_interrupt_every(CONSOLE_INTERRUPT, takt_now() + line.character_ns, 0);
    }
}

void takt_board_console_start(uint64_t character_ns)
{
    line.character_ns = character_ns;
    line.file = takt_board_open_option("input", "rb");
    file_brings();
}

bool takt_board_console_take(uint8_t *byte)
{
    bool arrived = line.arrived;
    *byte = line.byte;
    line.arrived = false;
    file_brings();
    return arrived;
}

static void say(const char *text)
{
    (void)!write(STDERR_FILENO, text, strlen(text));
}

/* Ends a run in which a task polls: this process executed for a whole interval, and virtual time did not pass. On the
 * signal's own stack: a task's may be too small. */
static void on_interval(int signal)
{
    static uint64_t last_ns = UINT64_MAX;
    (void)signal;
    if (takt_now() != last_ns) {
        last_ns = takt_now();
        return;
    }
    const struct takt_task *task = takt_task_running();
    if (ftrylockfile(stdout) == 0) {
        (void)fflush(stdout);
    }
    say(task == NULL ? "no task" : "task ");
    say(task == NULL ? "" : task->config->name);
    say(" executes, and no time passes\n");
    _exit(TAKT_BOARD_POLLING);
}

/* Looks whenever this process has executed for that long. */
static void watch_polling(uint64_t interval_ms)
{
    static uint8_t stack[64 * 1024];
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = on_interval, .sa_flags = SA_RESTART | SA_ONSTACK};
    struct timeval interval = {(time_t)(interval_ms / 1000), (suseconds_t)(interval_ms % 1000 * 1000)};
    struct itimerval timer = {interval, interval};
    (void)sigaltstack(&own, NULL);
    (void)sigaction(SIGPROF, &action, NULL);
    (void)setitimer(ITIMER_PROF, &timer, NULL);
}

void takt_board_init(void)
{
    static bool initialized;
    if (initialized) {
        return;
    }
    initialized = true;
    takt_host_reset();
    stream = takt_board_open_option("stream", "wb");
    pace = takt_board_open_option("pace", "rb");
    if (pace != NULL) { /* each batch is to arrive before its answer is read, and no answer is read early */
        (void)setvbuf(stream, NULL, _IONBF, 0);
        (void)setvbuf(pace, NULL, _IONBF, 0);
    }
    link_out = takt_board_open_option("link_out",
                                      "wb"); /* the plant opens in this order too: FIFOs block until both are there */
    link_in = takt_board_open_option("link_in", "rb");
    if (option_text("real_time") != NULL) {
        (void)setvbuf(stdout, NULL, _IONBF, 0);
        if (stream != NULL) { /* the run may be ended from outside */
            (void)setvbuf(stream, NULL, _IONBF, 0);
        }
        typed = true;
        pass_in_real_time();
    }
    uint64_t polling_ms = 0;
    if (takt_board_option("polling_ms", &polling_ms)) {
        watch_polling(polling_ms);
    }
}

void takt_board_console_write(const char *text, size_t length)
{
    (void)fwrite(text, 1, length, stdout);
}

void takt_board_stream_write(const void *data, size_t length)
{
    if (stream != NULL && fwrite(data, 1, length, stream) != length) {
        fputs("host: the stream cannot be written (disk full?)\n", stderr);
        exit(3);
    }
}

bool takt_board_goes_on(void)
{
    return pace == NULL || fgetc(pace) == TAKT_BOARD_PACE_ON;
}

bool takt_board_option(const char *name, uint64_t *value)
{
    const char *text = option_text(name);
    if (text == NULL) {
        return false;
    }
    *value = strtoull(text, NULL, 10);
    return true;
}

/* Without the harness there are no figures to send. */
__attribute__((weak)) _Noreturn void takt_run_finish(void)
{
    takt_board_exit(0);
}

static void plant_lost(void)
{
    fputs("host: the plant is gone\n", stderr);
    exit(3);
}

size_t takt_board_link_exchange(const uint8_t *transmit, size_t transmit_length, uint8_t *receive, size_t capacity)
{
    uint64_t time_ns = takt_now();
    uint32_t length = (uint32_t)transmit_length;
    if (link_out == NULL || link_in == NULL) {
        return 0;
    }
    (void)fwrite(&time_ns, sizeof time_ns, 1, link_out);
    (void)fwrite(&length, sizeof length, 1, link_out);
    (void)fwrite(transmit, 1, transmit_length, link_out);
    if (fflush(link_out) != 0 || fread(&length, sizeof length, 1, link_in) != 1) {
        plant_lost();
    }
    if (length == UINT32_MAX) {
        takt_run_finish();
    }
    if (length > capacity) {
        fprintf(stderr, "host: the plant sent %" PRIu32 " bytes at once, more than %zu\n", length, capacity);
        exit(3);
    }
    if (fread(receive, 1, length, link_in) != length) {
        plant_lost();
    }
    return length;
}

void takt_board_interrupt_every(unsigned number, uint64_t first_ns, uint64_t period_ns)
{
    takt_host_interrupt_every(number, first_ns, period_ns);
}

void takt_board_can_apart(void (*simulate)(void *argument, uint64_t now_ns), void *argument)
{
    simulate(argument, takt_now());
}

void takt_board_can_interrupt(unsigned index, uint64_t interrupt_ns)
{
    takt_host_interrupt_every(CAN_INTERRUPT + index, interrupt_ns, 0);
}

void takt_board_can_log(unsigned index, const char *text, size_t length)
{
    static FILE *logs[TAKT_BOARD_CAN_MAX];
    static bool opened[TAKT_BOARD_CAN_MAX];
    if (!opened[index]) {
        opened[index] = true;
        logs[index] = takt_board_open_option(index == 0 ? "can0" : "can1", "wb");
    }
    if (logs[index] != NULL) {
        (void)fwrite(text, 1, length, logs[index]);
    }
}

_Noreturn void takt_board_exit(int status)
{
    if (stream != NULL) {
        fclose(stream);
    }
    fflush(stdout);
    takt_host_exit(status);
}

/* The C library hands constructors the command line: main is the same on every board. */
__attribute__((constructor)) static void options_read(int argc, char **argv)
{
    for (int word = 1; word < argc && option_count < OPTIONS_MAX; word++) {
        options[option_count++] = argv[word];
    }
}
