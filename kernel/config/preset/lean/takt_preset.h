/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PRESET_H
#define TAKT_PRESET_H

/* lean: no trace, no assertions. */
#define TAKT_TRACE 0
#define TAKT_ASSERTIONS 0
#define TAKT_STACK_CHECKS 0

#endif
