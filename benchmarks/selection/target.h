/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_SELECTION_TARGET_H
#define TAKT_SELECTION_TARGET_H

#include <stdint.h>

/* What measure.c needs of an emulated processor, whose every instruction takes the same virtual time. */

/* Calls function(argument), of whatever types, and returns the instructions that took, call and return included. */
uint32_t target_measure(void (*function)(void), void *argument, void **result);

void target_print(char character);
_Noreturn void target_exit(int status);

/* measure.c: called with memory set up. */
_Noreturn void measure(void);

#endif
