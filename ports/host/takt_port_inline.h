/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PORT_INLINE_H
#define TAKT_PORT_INLINE_H

/* The host port defines nothing inline. Kernel operations take no virtual time, so nothing escapes the stamps. */
#define TAKT_PORT_CHARGE_NS 0u

#endif
