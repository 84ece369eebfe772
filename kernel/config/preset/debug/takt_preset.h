/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PRESET_H
#define TAKT_PRESET_H

/* debug: standard, and the guard word of a stack is checked whenever its task gives up the processor. */
#define TAKT_TRACE 1
#define TAKT_ASSERTIONS 1
#define TAKT_STACK_CHECKS 1

#endif
