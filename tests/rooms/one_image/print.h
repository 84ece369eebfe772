/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PRINT_H
#define PRINT_H

#include <stddef.h>
#include <stdint.h>

/* On the console: "NAME: VALUE VALUE ...", in decimal. */
void print_values(const char *name, const uint64_t *values, size_t count);

#endif
