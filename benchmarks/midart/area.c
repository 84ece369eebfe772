/* SPDX-License-Identifier: Apache-2.0 */
/* A carrier: ours. A stream is an area on each node, and the nodes' servers, which the frame starts, do the rest. */
#include "carrier.h"

#include <stdio.h>
#include <stdlib.h>

#include "takt/reflect.h"

enum { DEPTH = 32, DEPTH_MAX = 4096 };

struct endpoint {
    struct takt_writer *writer;
    struct takt_reader *reader;
};

static struct settings settings;

bool carrier_start(const struct settings *wanted)
{
    settings = *wanted;
    return true;
}

/* Values that are kept: all, where they are written without a pause. */
static uint32_t depth_of(const struct stream *stream)
{
    uint32_t depth = DEPTH;
    while (stream->period_ns == 0 && depth < stream->count && depth < DEPTH_MAX) {
        depth *= 2;
    }
    return depth;
}

struct endpoint *carrier_open(const struct stream *stream)
{
    struct endpoint *endpoint = calloc(1, sizeof *endpoint);
    if (endpoint == NULL) {
        return NULL;
    }
    struct takt_area_shape shape = {(uint32_t)stream->size, depth_of(stream)};
    enum takt_status status = settings.writes ? takt_writer_open(&endpoint->writer, stream->name, shape)
                                              : takt_reader_open(&endpoint->reader, stream->name);
    if (status != TAKT_OK) {
        fprintf(stderr, "area: %s\n", takt_reflect_error());
        return NULL;
    }
    return endpoint;
}

bool carrier_write(struct endpoint *endpoint, const void *value, size_t size)
{
    return takt_writer_write(endpoint->writer, value, size) == TAKT_OK;
}

size_t carrier_read(struct endpoint *endpoint, void *value, uint64_t until_ns)
{
    struct takt_area_value found;
    while (takt_reader_wait(endpoint->reader, until_ns) == TAKT_OK) {
        if (takt_reader_take(endpoint->reader, value, VALUE_MAX, &found) == TAKT_OK) {
            return found.stamp.length;
        }
    }
    return 0;
}
