/* SPDX-License-Identifier: Apache-2.0 */
#include "emulated.h"
#include "kernel/port.h"
#include "semihosting.h"
#include "takt/board.h"

/*
 * The serial line to the plant, in lockstep. Bytes to the plant leave through a serial port where the board has one to
 * spare, otherwise with the request. Bytes that QEMU is sent for a serial port would arrive at arbitrary virtual times,
 * so the other direction, and the barrier, are two FIFOs that the plant makes before QEMU starts: options link_out=PATH
 * (board to plant) and link_in=PATH (plant to board). The board opens link_out first, then link_in; an open waits for
 * the other end.
 *
 * An exchange, integers little-endian:
 *   link_out: struct takt_board_link_request, then its `length` bytes, unless they are at the serial port's other end
 *             by then.
 *   link_in:  u32 number of bytes M, then M bytes. Virtual time stops until they are read.
 *             M = TAKT_BOARD_LINK_FINISHED: the plant is finished, and so is the run (takt_run_finish).
 * More than `capacity` bytes: the rest is read and dropped, as a receiver that overruns does.
 * A FIFO that ends early ends the run with TAKT_BOARD_LINK_LOST.
 */
/* The harness has its own, which sends the figures and ends the run (runner/run.c). */
_Noreturn void takt_run_finish(void);

__attribute__((weak)) _Noreturn void takt_run_finish(void)
{
    takt_board_exit(0);
}

static struct {
    int32_t out;
    int32_t in;
} link = {.out = -1, .in = -1};

void takt_chip_link_open(void)
{
    const char *out = takt_chip_option_text("link_out");
    const char *in = takt_chip_option_text("link_in");
    if (out == NULL || in == NULL) {
        return;
    }
    link.out = takt_semihosting_open(out, SEMIHOSTING_MODE_WRITE);
    link.in = takt_semihosting_open(in, SEMIHOSTING_MODE_READ);
    if (link.out < 0 || link.in < 0) {
        takt_board_exit(TAKT_BOARD_LINK_LOST);
    }
}

static void read_exactly(void *data, size_t length)
{
    if (takt_semihosting_read(link.in, data, length) != 0) {
        takt_board_exit(TAKT_BOARD_LINK_LOST);
    }
}

size_t takt_board_link_exchange(const uint8_t *transmit, size_t transmit_length, uint8_t *receive, size_t capacity)
{
    if (link.in < 0) {
        return 0;
    }
    bool has_port = takt_board_serial_send != NULL;
    if (has_port) {
        takt_board_serial_send(transmit, transmit_length);
    }
    uint32_t state = takt_port_lock();
    uint64_t now_ns = takt_port_now_ns();
    takt_port_unlock(state);
    const struct takt_board_link_request request = {(uint32_t)now_ns, (uint32_t)(now_ns >> 32),
                                                    (uint32_t)transmit_length};
    if (takt_semihosting_write(link.out, &request, sizeof request) != 0 ||
        (!has_port && takt_semihosting_write(link.out, transmit, transmit_length) != 0)) {
        takt_board_exit(TAKT_BOARD_LINK_LOST);
    }
    uint32_t length = 0;
    read_exactly(&length, sizeof length);
    if (length == TAKT_BOARD_LINK_FINISHED) {
        takt_run_finish();
    }
    size_t taken = length < capacity ? length : capacity;
    read_exactly(receive, taken);
    for (size_t left = length - taken; left != 0;) { /* bounded by what the plant announced */
        uint8_t dropped[32];
        size_t part = left < sizeof dropped ? left : sizeof dropped;
        read_exactly(dropped, part);
        left -= part;
    }
    return taken;
}
