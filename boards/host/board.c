/* SPDX-License-Identifier: Apache-2.0 */
/* The board `host`: options are words key=value on the command line, the console is standard output. */
#include "takt/board.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ports/host/host.h"
#include "takt/time.h"

enum { OPTIONS_MAX = 32 };

static const char *options[OPTIONS_MAX];
static unsigned option_count;
static FILE *stream;
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

static FILE *open_option(const char *name, const char *mode)
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

void takt_board_init(void)
{
    static bool initialized;
    if (initialized) {
        return;
    }
    initialized = true;
    takt_host_reset();
    stream = open_option("stream", "wb");
    link_out = open_option("link_out", "wb"); /* the plant opens in this order too: FIFOs block until both are there */
    link_in = open_option("link_in", "rb");
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
