/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The input stream of C on board host, of systems with [console], as library/console/stdin.c is that of other boards;
 * with protection it is in the text of all processes. It is a stream of the machine's C library without a buffer, whose
 * function waits in the console's pipe. All tasks are one thread for that library, and its streams are open to a second
 * task while the first one waits inside. So a task that waits leaves another stream as stdin. What scanf puts back is
 * read next, by any task.
 */
#define _GNU_SOURCE /* fopencookie */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "input.h"
#include "takt/fault.h"

struct stream {
    FILE *file;
    struct stream *next;
    bool waited_in; /* by a task; one that is stopped there leaves it so */
};

static struct stream *streams;

FILE *stdin;

static ssize_t stream_read(void *cookie, char *buffer, size_t size);

static struct stream *stream_add(struct stream **link)
{
    struct stream *stream = calloc(1, sizeof *stream);
    FILE *file = fopencookie(stream, "r", (cookie_io_functions_t){.read = stream_read});
    if (stream == NULL || file == NULL || setvbuf(file, NULL, _IONBF, 0) != 0) {
        abort();
    }
    stream->file = file;
    *link = stream;
    return stream;
}

static FILE *stream_free(void)
{
    struct stream **link = &streams;
    while (*link != NULL && (*link)->waited_in) {
        link = &(*link)->next;
    }
    return (*link != NULL ? *link : stream_add(link))->file;
}

/* One with a character that was put back; NULL: none has. */
static struct stream *stream_ahead(void)
{
    struct stream *stream = streams;
    while (stream != NULL && (stream->waited_in || stream->file->_IO_read_ptr == stream->file->_IO_read_end)) {
        stream = stream->next;
    }
    return stream;
}

static ssize_t stream_read(void *cookie, char *buffer, size_t size)
{
    struct stream *stream = cookie, *ahead = stream_ahead();
    (void)size; /* 1, of a stream without a buffer */
    if (ahead != NULL) {
        *buffer = (char)getc(ahead->file);
        return 1;
    }
    struct takt_pipe_count count = {.size = 1, .least = 1};
    TAKT_ASSERT(!stream->waited_in); /* two tasks have copied stdin */
    stream->waited_in = true;
    stdin = stream_free();
    uint8_t byte; /* on the stack, which a process may pass in a call */
    enum takt_status status = takt_pipe_read(&console_input, &byte, &count);
    stream->waited_in = false;
    stdin = stream_free();
    *buffer = (char)byte;
    return status == TAKT_OK ? 1 : 0;
}

__attribute__((constructor(101))) static void stdin_open(void) /* before those of the application */
{
    stdin = stream_free();
}

/* What reads stdin without its name: with these the linker takes this file, and so our stdin. */
int getchar(void)
{
    return getc(stdin);
}

int getchar_unlocked(void)
{
    return getc(stdin);
}

int vscanf(const char *format, va_list arguments)
{
    return vfscanf(stdin, format, arguments);
}

int scanf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int found = vscanf(format, arguments);
    va_end(arguments);
    return found;
}
