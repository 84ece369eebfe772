/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTR_STAGES_H
#define TAKTR_STAGES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "takt/pace.h"

/* What the profiler has seen of a run (reflect/linux/server/stage.h). Context: any thread. Blocks: for others' calls.
 */

enum { TAKTR_PROFILE_OUT = 1, TAKTR_PROFILE_BACK = 2, TAKTR_PROFILE_FIGURES = 3 }; /* channels of the plans */

enum {
    TAKTR_PROFILE_SMALL = 64,              /* bytes of a value whose times are those of the way */
    TAKTR_PROFILE_FIGURES_BYTES = 1 << 15, /* of the values of channel FIGURES, at most */
    TAKTR_PROFILE_DEPTH = 2,               /* of all areas */
    TAKTR_PROFILE_NO_ANSWER = 3            /* exit status: the other node did not answer */
};

/* What a value begins with. Runs ascend from 1; what is of run 0 is not looked at. */
struct taktr_profile_mark {
    uint64_t run;
    uint64_t index; /* of the run, from 1 */
};

enum taktr_stage {
    TAKTR_STAGE_SEND_FIRST,   /* executed for the first block of a message */
    TAKTR_STAGE_SEND_NEXT,    /* for another whole one */
    TAKTR_STAGE_SEND_SMALL,   /* for a small value */
    TAKTR_STAGE_RECEIVE_NEXT, /* for a whole block that was not the last to come */
    TAKTR_STAGE_RECEIVE_LAST, /* for the last, until readers can take the value */
    TAKTR_STAGE_RECEIVE_SMALL,
    TAKTR_STAGE_HAND_OVER, /* from a write until the pusher begins with it */
    TAKTR_STAGE_TIMER,     /* from a time that the pusher waits for until it runs */
    TAKTR_STAGE_MEMORY,    /* of small values: from the pusher of here to the memory of there, and back */
    TAKTR_STAGE_TRIP,      /* the same from a write to the end of a read */
    TAKTR_STAGE_WRITE,     /* call of a writer, for the other values */
    TAKTR_STAGE_READ,      /* call of a reader */
    TAKTR_STAGES
};

/* What bytes of a packet make of bytes on the wire: its frames. Before threads are there. */
void taktr_stages_link(const struct takt_pace_link *link);

/* Bytes on the wire of a packet with that many bytes of a value. */
uint64_t taktr_stages_wire_bytes(uint32_t block);

/* Another run begins. */
void taktr_stages_begin(uint64_t run);

/* A time of a stage, in this run. */
void taktr_stages_add(enum taktr_stage stage, uint64_t ns);

/* A value is ready to be pushed from `due_at` on. */
void taktr_stages_released(uint64_t due_at);

/* A document: run, whole (values that came), real_time, stages, trains (docs: tools/takt/reflect/profile). */
void taktr_stages_print(FILE *out, bool real_time);

#endif
