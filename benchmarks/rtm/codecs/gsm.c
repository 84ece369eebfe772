/* SPDX-License-Identifier: Apache-2.0 */
/* GSM 06.10: libgsm. Its state is what gsm_create makes, without malloc. */
#include <string.h>

#include "codec.h"
#include "gsm.h"
#include "private.h"

_Static_assert(sizeof(struct gsm_state) <= CODEC_STATE_MAX, "a state is too small");

static void start(struct codec_state *state)
{
    struct gsm_state *gsm = (struct gsm_state *)(void *)state->bytes;
    memset(gsm, 0, sizeof *gsm);
    gsm->nrp = 40;
}

static void encode(struct codec_state *state, uint32_t number, const void *in, void *out)
{
    gsm_signal samples[CODEC_SAMPLES]; /* it writes to them */
    (void)number;
    memcpy(samples, in, sizeof samples);
    gsm_encode((gsm)(void *)state->bytes, samples, out);
}

static void decode(struct codec_state *state, uint32_t number, const void *in, void *out)
{
    gsm_frame frame; /* it asks for one that may be written */
    (void)number;
    memcpy(frame, in, sizeof frame);
    (void)gsm_decode((gsm)(void *)state->bytes, frame, out);
}

const struct codec codec_gsm[2] = {
    {"gsm encode", 2 * CODEC_SAMPLES, sizeof(gsm_frame), start, encode},
    {"gsm decode", sizeof(gsm_frame), 2 * CODEC_SAMPLES, start, decode},
};
