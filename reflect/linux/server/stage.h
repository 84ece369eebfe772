/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTR_STAGE_H
#define TAKTR_STAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where the profiler looks at the server (seed 002, 7.2: a minimally instrumented version of the code itself). In
 * `takt-reflectd` nothing of this is there; reflect/linux/profile compiles the threads once more, with TAKTR_STAGED.
 * Context: the thread that it is about. Blocks: never.
 */
#ifdef TAKTR_STAGED

/* What the thread has executed until now, in ns. */
uint64_t taktr_stage_clock(void);

/* The pusher, at `due_at`, began with the packet that it has sent now; `began`: taktr_stage_clock of then. */
void taktr_stage_sent(const uint8_t *bytes, size_t length, uint64_t due_at, uint64_t began);

/* The pusher waited for `due_at`, and nothing else ended that. */
void taktr_stage_waited(uint64_t due_at);

/* A packet has come, and a value is there with it if `whole`. Nobody was woken for it yet. */
void taktr_stage_came(const uint8_t *bytes, size_t length, bool whole);

/* The receiver has done with it, for which it has executed `cost_ns`. */
void taktr_stage_received(const uint8_t *bytes, size_t length, bool whole, uint64_t cost_ns);

#else

static inline uint64_t taktr_stage_clock(void)
{
    return 0;
}
static inline void taktr_stage_sent(const uint8_t *bytes, size_t length, uint64_t due_at, uint64_t began)
{
    (void)bytes, (void)length, (void)due_at, (void)began;
}
static inline void taktr_stage_waited(uint64_t due_at)
{
    (void)due_at;
}
static inline void taktr_stage_came(const uint8_t *bytes, size_t length, bool whole)
{
    (void)bytes, (void)length, (void)whole;
}
static inline void taktr_stage_received(const uint8_t *bytes, size_t length, bool whole, uint64_t cost_ns)
{
    (void)bytes, (void)length, (void)whole, (void)cost_ns;
}

#endif
#endif
