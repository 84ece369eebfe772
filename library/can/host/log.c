/* SPDX-License-Identifier: Apache-2.0 */
#include "library/can/host/log.h"

#include <inttypes.h>

#include "ports/host/host.h"
#include "takt/time.h"

enum { WRITTEN_MAX = 100000 };

void takt_can_log_open(struct takt_can_log *log, unsigned index)
{
    char name[] = "can0";
    name[3] = (char)('0' + index);
    *log = (struct takt_can_log){.file = takt_board_open_option(name, "wb"), .index = index};
}

void takt_can_log_write(struct takt_can_log *log, uint64_t now_ns, const struct takt_can_frame *frame)
{
    if (log->file == NULL || log->written == WRITTEN_MAX) {
        return;
    }
    log->written++;
    fprintf(log->file, "(%" PRIu64 ".%06" PRIu64 ") can%u ", now_ns / TAKT_S(1), now_ns % TAKT_S(1) / 1000, log->index);
    fprintf(log->file, frame->shape.extended ? "%08" PRIX32 "#" : "%03" PRIX32 "#", frame->id);
    if (frame->shape.remote) {
        fprintf(log->file, "R%u\n", frame->shape.dlc);
        return;
    }
    if (frame->shape.fd) {
        fprintf(log->file, "#%X", frame->shape.brs ? 1u : 0u);
    }
    for (unsigned i = 0; i < takt_can_bytes(&frame->shape); i++) {
        fprintf(log->file, "%02X", frame->data[i]);
    }
    fputc('\n', log->file);
}
