/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PRESET_H
#define TAKT_PRESET_H

/* What `takt bench size` counts as the services and the trace: standard without assertions. No system is built so. */
#define TAKT_TRACE 1
#define TAKT_ASSERTIONS 0
#define TAKT_STACK_CHECKS 0

#endif
