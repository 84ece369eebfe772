/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "takt/reflect.h"

/* Writer and reader of a name, here in one process. TAKT_REFLECT_FOLDER: where names are. */
int main(void)
{
    struct takt_writer *writer;
    struct takt_reader *reader;
    struct takt_area_value value;
    double number = 1.5;
    if (takt_writer_open(&writer, "speed", (struct takt_area_shape){sizeof number, 8}) != TAKT_OK ||
        takt_reader_open(&reader, "speed") != TAKT_OK) {
        fprintf(stderr, "%s\n", takt_reflect_error());
        return 1;
    }
    if (takt_writer_write(writer, &number, sizeof number) != TAKT_OK) {
        return 1;
    }
    if (takt_reader_wait(reader, takt_reflect_now() + UINT64_C(1000000000)) == TAKT_OK &&
        takt_reader_take(reader, &number, sizeof number, &value) == TAKT_OK) {
        printf("reflect: value %u is %.1f\n", (unsigned)value.number, number);
    }
    takt_reader_close(reader);
    takt_writer_close(writer);
    return 0;
}
