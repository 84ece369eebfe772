/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BOTH_H
#define BOTH_H

#include <stdint.h>

uint32_t next(uint32_t number); /* both.c */

#endif
