/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "takt/area.h"

enum { SIZE = 8, DEPTH = 4 };
static _Alignas(64) unsigned char memory[TAKT_AREA_BYTES(SIZE, DEPTH)];

/* A writer and a reader of one area; each could be a process of its own that has mapped the memory. */
int main(void)
{
    struct takt_area area;
    struct takt_area_reader reader;
    struct takt_area_value value;
    double number;
    if (takt_area_init(&area, memory, (struct takt_area_shape){SIZE, DEPTH}) != TAKT_OK ||
        takt_area_attach(&reader, memory, sizeof memory) != TAKT_OK) {
        return 1;
    }
    for (int i = 1; i <= 6; i++) {
        number = i / 2.0;
        if (takt_area_write(&area, &number, &(struct takt_area_stamp){.time_ns = 10, .length = SIZE}) != TAKT_OK) {
            return 1;
        }
    }
    if (takt_area_read(&reader, &number, &value) == TAKT_OK) {
        printf("area: the newest is %.1f, value %u\n", number, (unsigned)value.number);
    }
    while (takt_area_take(&reader, &number, &value) == TAKT_OK) {
        printf("area: took %.1f\n", number);
    }
    printf("area: %u were overwritten before\n", (unsigned)reader.lost);
    return 0;
}
