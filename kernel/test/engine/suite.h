/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_ENGINE_SUITE_H
#define TAKT_ENGINE_SUITE_H

/*
 * The suite that every engine passes (kernel/engine/engine.h): edge cases, then random sequences of the operations,
 * against a naive model. It uses the engine alone: no system is started. Compiled with each engine for the host
 * (engine_test.c), and with the task manager for ibex-soc (tests/ibex/engine/).
 */
#include "kernel/core/kernel.h"

/* Runs it; 0: passed, otherwise the line of suite.c that failed. `steps`: operations of the random part. */
unsigned engine_suite(uint32_t seed, unsigned steps);

/* The number of the step that failed. */
extern unsigned engine_suite_step;

/* Of a program that runs the suite: time passes until `until_ns`, and a little more. */
void engine_suite_pass(uint64_t until_ns);

#endif
