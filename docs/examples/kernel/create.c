/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/create.h"
#include "docs/examples/say.h"
#include "takt_app.h"

/* The quota of its process (system.toml) is two semaphores. */
void create_example(void *argument)
{
    (void)argument;
    const struct takt_semaphore_attributes attributes = {.initial = 1, .maximum = 1};
    struct takt_semaphore *semaphores[3];
    unsigned made = 0;
    while (made < 3 && takt_semaphore_create(&semaphores[made], &attributes) == TAKT_OK) {
        made++;
    }
    say("create: %u semaphores", made);
    while (made > 0) {
        takt_semaphore_delete(semaphores[--made]); /* the slot is free again */
    }
}
