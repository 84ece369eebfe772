/* SPDX-License-Identifier: Apache-2.0 */
/* What carries values from a node to another: a file each (udp.c, cyclone.c) behind these functions, one in a program.
 */
#ifndef MIDART_CARRIER_H
#define MIDART_CARRIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STREAMS_MAX = 16, VALUE_MAX = 65000, NAME_MAX_BYTES = 32 };

struct stream {
    char name[NAME_MAX_BYTES];
    unsigned index; /* the same on both nodes */
    size_t size;    /* bytes of a value */
    uint64_t offset_ns, period_ns,
        count; /* releases after the start; period 0: each as soon as the one before is sent */
    bool urgent;
};

struct settings {
    const char *own, *other; /* addresses */
    const char *setting;     /* `default`, or a name that the carrier knows */
    size_t block;            /* bytes that a value is divided into; 0: as the carrier does by itself */
    bool writes;             /* this node, all streams; otherwise it reads all */
};

struct endpoint; /* a writer or a reader of one stream, the carrier's */

/* Once, before any other. false: it cannot; it has said why on standard error, as all below. */
bool carrier_start(const struct settings *settings);

/* Called by the stream's own thread, at which its priority is already set. NULL: it cannot. */
struct endpoint *carrier_open(const struct stream *stream);

/* Hands over a value. It may block, as the carrier does by itself. */
bool carrier_write(struct endpoint *endpoint, const void *value, size_t size);

/* The next value, at most VALUE_MAX bytes: its size; 0: none until then (CLOCK_MONOTONIC). */
size_t carrier_read(struct endpoint *endpoint, void *value, uint64_t until_ns);

uint64_t now_ns(void);

#endif
