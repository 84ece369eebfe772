/* SPDX-License-Identifier: Apache-2.0 */
/* Processes b and c: they run in between, with values of their own in their registers, and fault. */
#include "takt_app.h"

static volatile uint32_t sum;

void often_job(void *argument)
{
    (void)argument;
    for (uint32_t round = 1; round < 20; round++) { /* so that the compiler has values in some registers */
        sum += round * 0xB0000001u;
    }
}
