/* SPDX-License-Identifier: Apache-2.0 */
/** Attribute of short functions with several callers. */
#ifndef TAKT_BASE_INLINE_H
#define TAKT_BASE_INLINE_H

#ifdef __OPTIMIZE_SIZE__
#define TAKT_INLINE __attribute__((noinline, unused)) /* a call is shorter */
#else
#define TAKT_INLINE inline
#endif

#endif
