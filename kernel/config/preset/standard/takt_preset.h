/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PRESET_H
#define TAKT_PRESET_H

/* standard: trace and assertions. */
#define TAKT_TRACE 1
#define TAKT_ASSERTIONS 1
#define TAKT_STACK_CHECKS 0

#endif
