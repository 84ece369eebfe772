/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RELEASES_H
#define RELEASES_H

enum { RELEASES_MAX = 10 }; /* of several tasks at one time, of which gaps are kept */

#endif
