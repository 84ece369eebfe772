/* SPDX-License-Identifier: Apache-2.0 */
#include "codec.h"

#include <string.h>

const struct codec *const codecs[CODEC_PAIRS] = {codec_gsm, codec_g726, codec_adpcm, codec_cipher, codec_coremark};

/* Recurrences of 8 kHz, 2 cos(2 pi f / 8000) in 2^-14: 300 Hz and 1100 Hz; and how much of each sample is noise. */
static const int32_t factors[2] = {31862, 21283};
#define NOISE_MASK 0x1ffu

void codec_signal_start(struct codec_signal *signal)
{
    *signal = (struct codec_signal){{{0, 1400}, {0, 3000}}, 1};
}

/* The tones' rounding neither dies nor grows within the seconds that are simulated. */
static int16_t sample(struct codec_signal *signal)
{
    int32_t sum = 0;
    for (unsigned i = 0; i < 2; i++) {
        int32_t *tone = signal->tone[i];
        int32_t next = (int32_t)(((int64_t)factors[i] * tone[1] + 8192) >> 14) - tone[0];
        tone[0] = tone[1];
        tone[1] = next;
        sum += next;
    }
    signal->noise = signal->noise * 1664525u + 1013904223u;
    return (int16_t)(sum + (int32_t)(signal->noise >> 16 & NOISE_MASK) - (int32_t)(NOISE_MASK / 2u));
}

void codec_signal_frame(struct codec_signal *signal, unsigned pair, void *out)
{
    unsigned count = pair == CODEC_CIPHER ? CODEC_TEXT / 2u : CODEC_SAMPLES;
    for (unsigned i = 0; i < count; i++) {
        int16_t next = sample(signal);
        memcpy((uint8_t *)out + 2u * i, &next, sizeof next);
    }
}
