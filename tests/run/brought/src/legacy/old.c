/* SPDX-License-Identifier: Apache-2.0 */
/* C of the kernel's side, with a constructor of its own and a function in assembler. */
#include "takt_app.h"

_Static_assert(__STDC_VERSION__ == 201710L, "c_standard = 17");
_Static_assert(GAIN == 3, "defines");

int assembled(void);     /* src/start.S, on boards */
int clock_started(void); /* clock.cpp */
static int constructed;

__attribute__((constructor)) static void construct(void)
{
    constructed = 42;
}

void takt_app_init(void)
{
    TAKT_ASSERT(constructed == 42 && clock_started() == 7);
#ifndef __x86_64__
    TAKT_ASSERT(assembled() == 7);
#endif
}
