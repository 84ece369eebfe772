/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workload of seed 001, 4.4: channels with a task that processes a frame and one that puts it out, each every 20
 * ms; a noise task every 32 ms; a task for an interrupt that comes at random. Options: codec (two for each pair:
 * encoder and decoder), channels, seed, periods (of 160 ms, after which all tasks meet again), tick_us. At the end the
 * stream has words: how often each task was late, how many responses there were, what was observed, and for each
 * channel a digest of what it put out.
 */
#include <string.h>

#include "arrivals.h"
#include "benchmarks/rtm/board/interrupts.h"
#include "codec.h"
#include "kernel.h"
#include "takt/board.h"

#define CHANNELS 30u
#define FRAME_US 20000u
#define NOISE_US 32000u
#define HYPERPERIOD_NS 160000000u
#define OUTPUTS 256u
#define INPUTS 4u
#define SHORT_TURNS 60u /* 200 cycles and more: a few us */

enum { TASK_APERIODIC, TASK_NOISE, TASK_OUTPUT };

static const struct codec *codec;
static unsigned channels;
static uint64_t begin_ns;
static uint64_t duration_ns;

static uint32_t arrivals_ns[ARRIVALS]; /* from the beginning */
static volatile uint32_t taken;        /* arrivals: the interrupt's */
static uint32_t answered;              /* by the aperiodic task */
static uint32_t responses_ns[ARRIVALS];
static uint32_t late;

static struct channel {
    struct codec_state state;
    bool begun;
    uint32_t frames;
    uint32_t outputs;
    uint32_t digest;              /* of all that was put out */
    uint32_t outputs_ns[OUTPUTS]; /* from the beginning */
    uint32_t processed[2][CODEC_FRAME_MAX / 4];
} channel[CHANNELS] __attribute__((section(".noinit"))); /* main writes what is read */
static uint32_t inputs[INPUTS][CODEC_FRAME_MAX / 4];
static volatile uint32_t device;

static uint32_t now_ns(void)
{
    return (uint32_t)(time_ns() - begin_ns);
}

static void arm(uint32_t number)
{
    uint64_t at_ns = begin_ns + arrivals_ns[number];
    IBEX_SOURCE_NEXT_LOW(0) = (uint32_t)at_ns;
    IBEX_SOURCE_NEXT_HIGH(0) = (uint32_t)(at_ns >> 32);
}

void workload_begin(uint64_t start_ns)
{
    begin_ns = start_ns;
    arm(0);
}

void workload_interrupt(void)
{
    taken++;
    if (taken < ARRIVALS) {
        arm(taken);
    }
    kernel_signal();
}

static void some_work(void)
{
    for (unsigned i = 0; i < SHORT_TURNS; i++) {
        device = i;
    }
}

static void aperiodic_step(unsigned argument)
{
    (void)argument;
    while (answered < taken) {
        responses_ns[answered] = now_ns() - arrivals_ns[answered];
        answered++;
        some_work();
    }
}

static _Noreturn void end(void)
{
    (void)interrupts_off();
    uint32_t words[] = {now_ns(), channels, late, answered};
    takt_board_stream_write(words, sizeof words);
    takt_board_stream_write(responses_ns, sizeof responses_ns[0] * answered);
    for (unsigned i = 0; i < channels; i++) {
        takt_board_stream_write(&channel[i].outputs, sizeof channel[i].outputs);
        takt_board_stream_write(channel[i].outputs_ns, sizeof channel[i].outputs_ns[0] * channel[i].outputs);
    }
    for (unsigned i = 0; i < channels; i++) {
        takt_board_stream_write(&channel[i].digest, sizeof channel[i].digest);
    }
    takt_board_exit(0);
}

static void noise_step(unsigned argument)
{
    (void)argument;
    if (now_ns() >= duration_ns) {
        end();
    }
    some_work();
}

/* A frame that was processed in one period is put out in the next, so it is there when its time has come. */
static void output_step(unsigned number)
{
    struct channel *one = &channel[number];
    if (!one->begun) {
        one->begun = true;
        return;
    }
    kernel_semaphore_wait(number);
    const uint32_t *words = one->processed[one->outputs & 1u];
    uint32_t digest = one->digest;
    for (unsigned i = 0; i < codec->output_bytes / 4u; i++) {
        device = words[i];
        digest = (digest << 5 | digest >> 27) ^ words[i];
    }
    one->digest = digest;
    if (one->outputs < OUTPUTS) {
        one->outputs_ns[one->outputs++] = now_ns();
    }
}

static void process_step(unsigned number)
{
    struct channel *one = &channel[number];
    codec->frame(&one->state, one->frames % INPUTS, inputs[one->frames % INPUTS], one->processed[one->frames & 1u]);
    one->frames++;
    late += now_ns() / 1000u > one->frames * FRAME_US;
    kernel_semaphore_post(number);
}

/* What a decoder gets is what its encoder makes of the signal. */
static void prepare(unsigned pair, unsigned direction)
{
    static struct codec_state state;
    static struct codec_signal signal;
    static uint32_t frame[CODEC_FRAME_MAX / 4];
    codec_signal_start(&signal);
    codecs[pair][0].start(&state);
    for (uint32_t i = 0; i < INPUTS; i++) {
        codec_signal_frame(&signal, pair, direction == 0 ? inputs[i] : frame);
        if (direction != 0) {
            codecs[pair][0].frame(&state, i, frame, inputs[i]);
        }
    }
    codec = &codecs[pair][direction];
    for (unsigned i = 0; i < channels; i++) {
        codec->start(&channel[i].state);
        channel[i].begun = false;
        channel[i].frames = 0;
        channel[i].outputs = 0;
        channel[i].digest = 0;
    }
}

static uint32_t option(const char *name, uint32_t otherwise)
{
    uint64_t value = otherwise;
    (void)takt_board_option(name, &value);
    return (uint32_t)value;
}

int main(void)
{
    takt_board_init();
    uint32_t which = option("codec", 0);
    uint32_t tick_us = option("tick_us", 100);
    channels = option("channels", 1);
    duration_ns = (uint64_t)HYPERPERIOD_NS * option("periods", 1);
    if (channels > CHANNELS || which >= 2u * CODEC_PAIRS || duration_ns >= OUTPUTS * 1000ull * FRAME_US) {
        return 2;
    }
    arrivals_draw(option("seed", 1), arrivals_ns);
    prepare(which / 2u, which % 2u);
    kernel_create(TASK_APERIODIC, aperiodic_step, 0, 0);
    kernel_create(TASK_NOISE, noise_step, 0, NOISE_US / tick_us);
    for (unsigned i = 0; i < channels; i++) {
        kernel_create(TASK_OUTPUT + i, output_step, i, FRAME_US / tick_us);
        kernel_create(TASK_OUTPUT + channels + i, process_step, i, FRAME_US / tick_us);
    }
    IBEX_SOURCE_PERIOD_LOW(0) = 0;
    IBEX_SOURCE_PERIOD_HIGH(0) = 0;
    IBEX_SOURCE_LINE(0) = WORKLOAD_LINE;
    IBEX_ENABLE = 1u << WORKLOAD_LINE;
    kernel_start(1000u * tick_us);
}
