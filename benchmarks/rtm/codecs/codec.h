/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RTM_CODEC_H
#define RTM_CODEC_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What a channel does with a frame of 20 ms: kernels of the same kinds as those of seed 001, 4.3, from packages of
 * others (tools/takt/bench/studies/rtm_runs.py). Each has two directions: a pair of codecs, the decoder behind its
 * encoder.
 */
#define CODEC_SAMPLES 160u    /* 8 kHz */
#define CODEC_TEXT 4000u      /* bytes of the cipher: 1.6 Mbit/s */
#define CODEC_FRAME_MAX 4016u /* bytes, in or out */
#define CODEC_STATE_MAX 1024u

enum { CODEC_GSM, CODEC_G726, CODEC_ADPCM, CODEC_CIPHER, CODEC_COREMARK, CODEC_PAIRS };

/* Of a channel. */
struct codec_state {
    _Alignas(8) uint8_t bytes[CODEC_STATE_MAX];
};

struct codec {
    const char *name;
    uint16_t input_bytes;
    uint16_t output_bytes;
    void (*start)(struct codec_state *state);
    /* Frame `number` of the stream. */
    void (*frame)(struct codec_state *state, uint32_t number, const void *in, void *out);
};

/* Encoder and decoder of each pair. */
extern const struct codec *const codecs[CODEC_PAIRS];

extern const struct codec codec_gsm[2];
extern const struct codec codec_g726[2];
extern const struct codec codec_adpcm[2];
extern const struct codec codec_cipher[2];
extern const struct codec codec_coremark[2]; /* no encoder and decoder: two runs, which have no input */

/* The next frame of a signal: two tones and some noise, the same on every machine; or a text for the cipher. */
struct codec_signal {
    int32_t tone[2][2];
    uint32_t noise;
};
void codec_signal_start(struct codec_signal *signal);
void codec_signal_frame(struct codec_signal *signal, unsigned pair, void *out);

/* Whether two parties that know each other's public key have the secret that the cipher's key is. */
bool codec_cipher_agrees(void);

#endif
