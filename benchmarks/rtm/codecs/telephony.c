/* SPDX-License-Identifier: Apache-2.0 */
/* G.726 at 24 kbit/s, which the seed calls by its older name G.723, and IMA ADPCM at 32 kbit/s: SpanDSP. */
#include <stddef.h>

#include "codec.h"

#include "spandsp/telephony.h"

#include "spandsp/alloc.h"
#include "spandsp/bitstream.h"
#include "spandsp/g726.h"
#include "spandsp/ima_adpcm.h"
#include "spandsp/private/bitstream.h"
#include "spandsp/private/g726.h"
#include "spandsp/private/ima_adpcm.h"

#define G726_RATE 24000
#define G726_BYTES (CODEC_SAMPLES * 3 / 8)
#define ADPCM_BYTES (CODEC_SAMPLES / 2)

_Static_assert(sizeof(g726_state_t) <= CODEC_STATE_MAX, "a state is too small");
_Static_assert(sizeof(ima_adpcm_state_t) <= CODEC_STATE_MAX, "a state is too small");

/* States are given: nothing is allocated. */
void *span_alloc(size_t size)
{
    (void)size;
    return NULL;
}

void span_free(void *pointer)
{
    (void)pointer;
}

static void g726_start(struct codec_state *state)
{
    (void)g726_init((g726_state_t *)(void *)state->bytes, G726_RATE, G726_ENCODING_LINEAR, G726_PACKING_RIGHT);
}

static void g726_encode_frame(struct codec_state *state, uint32_t number, const void *in, void *out)
{
    (void)number;
    (void)g726_encode((g726_state_t *)(void *)state->bytes, out, in, CODEC_SAMPLES);
}

static void g726_decode_frame(struct codec_state *state, uint32_t number, const void *in, void *out)
{
    (void)number;
    (void)g726_decode((g726_state_t *)(void *)state->bytes, out, in, G726_BYTES);
}

/* A chunk of a frame: without a header. */
static void adpcm_start(struct codec_state *state)
{
    (void)ima_adpcm_init((ima_adpcm_state_t *)(void *)state->bytes, IMA_ADPCM_DVI4, CODEC_SAMPLES);
}

static void adpcm_encode_frame(struct codec_state *state, uint32_t number, const void *in, void *out)
{
    (void)number;
    (void)ima_adpcm_encode((ima_adpcm_state_t *)(void *)state->bytes, out, in, CODEC_SAMPLES);
}

static void adpcm_decode_frame(struct codec_state *state, uint32_t number, const void *in, void *out)
{
    (void)number;
    (void)ima_adpcm_decode((ima_adpcm_state_t *)(void *)state->bytes, out, in, ADPCM_BYTES);
}

const struct codec codec_g726[2] = {
    {"g726 encode", 2 * CODEC_SAMPLES, G726_BYTES, g726_start, g726_encode_frame},
    {"g726 decode", G726_BYTES, 2 * CODEC_SAMPLES, g726_start, g726_decode_frame},
};
const struct codec codec_adpcm[2] = {
    {"adpcm encode", 2 * CODEC_SAMPLES, ADPCM_BYTES, adpcm_start, adpcm_encode_frame},
    {"adpcm decode", ADPCM_BYTES, 2 * CODEC_SAMPLES, adpcm_start, adpcm_decode_frame},
};
