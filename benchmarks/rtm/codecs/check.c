/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each pair of codecs on some frames: a line with its name, a digest of what was encoded and one of what was decoded,
 * and the energy of the signal and of what was lost. A correct computation gives the same on every machine.
 * Then
 * whether the cipher's parties agree, and when interrupts come; option short: without these.
 */
#include "arrivals.h"
#include "benchmarks/print.h"
#include "codec.h"

#define FRAMES 4u

static struct codec_state states[2];
static int16_t in[CODEC_FRAME_MAX / 2];
static uint8_t coded[CODEC_FRAME_MAX];
static int16_t out[CODEC_FRAME_MAX / 2];

/* FNV-1a. */
static uint32_t digest(uint32_t before, const void *data, unsigned length)
{
    const uint8_t *bytes = data;
    for (unsigned i = 0; i < length; i++) {
        before = (before ^ bytes[i]) * 16777619u;
    }
    return before;
}

static void check(unsigned pair)
{
    const struct codec *encoder = &codecs[pair][0];
    const struct codec *decoder = &codecs[pair][1];
    struct codec_signal signal;
    uint32_t digests[2] = {2166136261u, 2166136261u};
    uint64_t energy = 0;
    uint64_t lost = 0;
    codec_signal_start(&signal);
    encoder->start(&states[0]);
    decoder->start(&states[1]);
    for (uint32_t number = 0; number < FRAMES; number++) {
        codec_signal_frame(&signal, pair, in);
        encoder->frame(&states[0], number, in, coded);
        decoder->frame(&states[1], number, coded, out);
        digests[0] = digest(digests[0], coded, encoder->output_bytes);
        digests[1] = digest(digests[1], out, decoder->output_bytes);
        for (unsigned i = 0; i < encoder->input_bytes / 2u; i++) {
            int64_t error = in[i] - out[i];
            energy += (uint64_t)((int64_t)in[i] * in[i]);
            lost += (uint64_t)(error * error);
        }
    }
    print(encoder->name);
    print_number(": ", digests[0]);
    print_number(" ", digests[1]);
    print_number(" ", energy);
    print_number(" ", lost);
    print("\n");
}

/* A line with each seed's arrivals in the first 4 s. */
static void show_arrivals(uint32_t seeds)
{
    static uint32_t arrivals_ns[ARRIVALS];
    for (uint32_t seed = 1; seed <= seeds; seed++) {
        print_number("arrivals ", seed);
        print(":");
        arrivals_draw(seed, arrivals_ns);
        for (unsigned i = 0; i < ARRIVALS && arrivals_ns[i] < 4000000000u; i++) {
            print_number(" ", arrivals_ns[i]);
        }
        print("\n");
    }
}

int main(void)
{
    takt_board_init();
    for (unsigned pair = 0; pair < CODEC_PAIRS; pair++) {
        check(pair);
    }
    uint64_t value;
    if (!takt_board_option("short", &value)) {
        print_number("agrees: ", codec_cipher_agrees());
        print("\n");
        show_arrivals(40);
    }
    takt_board_exit(0);
}
