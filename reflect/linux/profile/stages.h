/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_STAGES_H
#define TAKTI_STAGES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "takt/pace.h"

/* What the profiler has seen of a run (reflect/linux/server/stage.h). Context: any thread. Blocks: for others' calls.
 */

enum { TAKTI_PROFILE_OUT = 1, TAKTI_PROFILE_BACK = 2, TAKTI_PROFILE_FIGURES = 3 }; /* channels of the plans */

enum { TAKTI_PROFILE_SMALL = 64 }; /* bytes of a value whose times are those of the way */

/* What a value begins with. Runs ascend from 1; what is of run 0 is not looked at. */
struct takti_profile_mark {
    uint64_t run;
    uint64_t index; /* of the run, from 1 */
};

enum takti_stage {
    TAKTI_STAGE_SEND_FIRST,   /* executed for the first block of a message */
    TAKTI_STAGE_SEND_NEXT,    /* for another whole one */
    TAKTI_STAGE_SEND_SMALL,   /* for a small value */
    TAKTI_STAGE_RECEIVE_NEXT, /* for a whole block that was not the last to come */
    TAKTI_STAGE_RECEIVE_LAST, /* for the last, until readers can take the value */
    TAKTI_STAGE_RECEIVE_SMALL,
    TAKTI_STAGE_HAND_OVER, /* from a write until the pusher begins with it */
    TAKTI_STAGE_TIMER,     /* from an instant that the pusher waits for until it runs */
    TAKTI_STAGE_MEMORY,    /* of small values: from the pusher of here to the memory of there, and back */
    TAKTI_STAGE_TRIP,      /* the same from a write to the end of a read */
    TAKTI_STAGE_WRITE,     /* call of a writer, for the other values */
    TAKTI_STAGE_READ,      /* call of a reader */
    TAKTI_STAGES
};

/* What bytes of a packet make of bytes on the wire: its frames. Before threads are there. */
void takti_stages_link(const struct takt_pace_link *link);

/* Bytes on the wire of a packet with that many bytes of a value. */
uint64_t takti_stages_wire_bytes(uint32_t block);

/* Another run begins. */
void takti_stages_begin(uint64_t run);

/* A time of a stage, in this run. */
void takti_stages_add(enum takti_stage stage, uint64_t ns);

/* A value is there to be pushed, from `instant` on. */
void takti_stages_released(uint64_t instant);

/* A document: run, whole (values that came), real_time, stages, trains (docs: tools/takt/reflect/profile). */
void takti_stages_print(FILE *out, bool real_time);

#endif
