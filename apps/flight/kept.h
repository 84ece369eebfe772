/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process that starts again needs of its first life, and whether it may be believed. Pure functions.
 *
 * It is in memory that the restart leaves alone, and anything may have happened to it: the fault came between two of
 * its words, a pointer went astray and hit it, it is a second old. So each has a checksum, the values are held against
 * what they can be, and what was measured or integrated has an age. All zeros, as at the start, is not valid.
 */
#ifndef FLIGHT_KEPT_H
#define FLIGHT_KEPT_H

#include "control.h"

enum { KEPT_AGE_US_MAX = 1000000 }; /* older: a squall may have come or gone since, and the angles are others */

/* Where the aircraft is: from the readers of sensor frames, for control and for themselves. */
struct kept_navigation {
    struct navigation navigation;
    uint32_t time_us;  /* of its last attitude frame */
    uint32_t checksum; /* of all before it, as in the others */
};

/* What the ground station commanded last: from the command reader, for control. */
struct kept_command {
    struct command_message message;
    uint32_t checksum;
};

/* What control knows: from control, for itself. */
struct kept_control {
    uint32_t time_us; /* when it was so */
    struct command_message command;
    struct control_memory memory;
    uint32_t checksum;
};

/* Of `size` bytes, a multiple of 4, aligned to 4. A change within one word always changes it; of other changes one
 * in 2^32 does not. Zeros never have the checksum 0. O(size): 5 instructions a word. */
uint32_t kept_checksum(const void *data, size_t size);

void kept_navigation_write(struct kept_navigation *kept, const struct navigation *navigation, uint32_t time_us);
bool kept_navigation_valid(const struct kept_navigation *kept, uint32_t now_us);

void kept_command_write(struct kept_command *kept, const struct command_message *message);
bool kept_command_valid(const struct kept_command *kept);

/* Stamps and signs the contents of `kept`. */
void kept_control_sign(struct kept_control *kept, uint32_t now_us);

/*
 * What control goes on with, after a restart or at the start, from what it kept and from the last command. Neither
 * alone is needed: the command reader's process does not write the one, control's not the other. A memory that is not
 * to be believed begins anew in the air (control.h: rejoins). Neither valid: nothing was ever commanded.
 */
void kept_control_recall(struct kept_control *own, const struct kept_control *kept, const struct kept_command *command,
                         uint32_t now_us);

#endif
