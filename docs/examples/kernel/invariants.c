/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/invariants.h"
#include "docs/examples/say.h"
#include "takt_app.h"

void invariants_example(void *argument)
{
    (void)argument;
    struct takt_broken broken = takt_kernel_broken(NULL);
    say("invariants: %s", broken.what == NULL ? "all hold" : broken.what);
}
