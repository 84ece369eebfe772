/* SPDX-License-Identifier: Apache-2.0 */
/* A packet of a keyed channel, from its arrival at a node to a reader, of another process, that waits for its value.
 * The server of a node (reflect/linux/server/threads.c) passes it on in these steps. */
#include <stdlib.h>

#include "reflect/core/test/pair.h"
#include "reflect/linux/src/memory.h"
#include "takt/reflect.h"
#include "walk.h"

static struct takt_writer *reflects;
static struct takt_reader *waits;

int main(void)
{
    struct takt_area_value found;
    uint32_t receiver;
    begin(true);
    CHECK_EQUAL(takt_writer_open(&reflects, "walk", (struct takt_area_shape){SIZE, DEPTH}), TAKT_OK);
    receivers[SYNC].area = taktr_writer_area(reflects);
    CHECK_EQUAL(takt_reader_open(&waits, "walk"), TAKT_OK);
    CHECK_EQUAL(takt_reader_read(waits, value, sizeof value, &found), TAKT_EMPTY);
    takt_node_start(&reader, SYNC, now);
    exchange();
    write_value(SYNC, 1, BLOCK);
    while (!next(&writer)) {
        now = takt_node_until(&writer);
    }
    CHECK_EQUAL(packet.kind, TAKT_WIRE_DATA);
    walk_begin();
    receiver = takt_node_receive(&reader, bytes, length, &writers, now);
    if (receiver == SYNC) {
        taktr_writer_wake(reflects);
    }
    bool read = takt_reader_wait(waits, TAKT_REFLECT_NOW) == TAKT_OK &&
                takt_reader_read(waits, value, sizeof value, &found) == TAKT_OK;
    walk_end();
    CHECK(read && found.stamp.length == BLOCK);
    walk_print();
}
