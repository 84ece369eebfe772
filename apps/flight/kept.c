/* SPDX-License-Identifier: Apache-2.0 */
#include "kept.h"

#include <stddef.h>
#include <string.h>

#include "monitor.h"

/* FNV-1a's, by words: each step is one to one in its word, and in the sum before it. */
#define CHECKSUM_START 2166136261u
#define CHECKSUM_PRIME 16777619u

_Static_assert(offsetof(struct kept_navigation, checksum) % 4 == 0, "whole words");
_Static_assert(offsetof(struct kept_command, checksum) % 4 == 0, "whole words");
_Static_assert(offsetof(struct kept_control, checksum) % 4 == 0, "whole words");

uint32_t kept_checksum(const void *data, size_t size)
{
    const uint8_t *at = (const uint8_t *)data;
    uint32_t sum = CHECKSUM_START;

    for (const uint8_t *end = at + size; at != end; at += sizeof sum) {
        uint32_t word;
        memcpy(&word, __builtin_assume_aligned(at, sizeof word), sizeof word);
        sum = (sum ^ word) * CHECKSUM_PRIME;
    }
    return sum;
}

#define CHECKSUM(kept) kept_checksum((kept), offsetof(__typeof__(*(kept)), checksum))

/* Whether a time is no later than now, nor too long ago. */
static bool fresh(uint32_t time_us, uint32_t now_us)
{
    return now_us - time_us <= KEPT_AGE_US_MAX;
}

void kept_navigation_write(struct kept_navigation *kept, const struct navigation *navigation, uint32_t time_us)
{
    kept->navigation = *navigation;
    kept->time_us = time_us;
    kept->checksum = CHECKSUM(kept);
}

bool kept_navigation_valid(const struct kept_navigation *kept, uint32_t now_us)
{
    return kept->checksum == CHECKSUM(kept) && fresh(kept->time_us, now_us) && navigation_possible(&kept->navigation);
}

void kept_command_write(struct kept_command *kept, const struct command_message *message)
{
    kept->message = *message;
    kept->checksum = CHECKSUM(kept);
}

bool kept_command_valid(const struct kept_command *kept)
{
    return kept->checksum == CHECKSUM(kept) && command_valid(&kept->message);
}

void kept_control_sign(struct kept_control *kept, uint32_t now_us)
{
    kept->time_us = now_us;
    kept->checksum = CHECKSUM(kept);
}

void kept_control_recall(struct kept_control *own, const struct kept_control *kept, const struct kept_command *command,
                         uint32_t now_us)
{
    const bool whole = kept->checksum == CHECKSUM(kept) && command_valid(&kept->command);
    const bool going_on = whole && fresh(kept->time_us, now_us) && control_memory_possible(&kept->memory);

    *own = (struct kept_control){.time_us = now_us};
    if (whole) {
        own->command = kept->command;
    }
    if (kept_command_valid(command)) { /* at least as new: it is saved before control receives it */
        own->command = command->message;
    }
    if (going_on) {
        own->memory = kept->memory;
    } else {
        own->memory.rejoins = own->command.mode == COMMAND_FLY;
    }
}
