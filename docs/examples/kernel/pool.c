/* SPDX-License-Identifier: Apache-2.0 */
#include "docs/examples/say.h"
#include "takt_app.h"

static _Alignas(8) uint8_t memory[TAKT_POOL_BYTES(64, 2)];
static TAKT_POOL_DEFINE(blocks, 4, memory, 64, 2);

void pool_example(void *argument)
{
    (void)argument;
    void *first = takt_pool_try_allocate(&blocks);
    void *second = takt_pool_try_allocate(&blocks);
    void *third = takt_pool_try_allocate(&blocks);
    say("pool: %s, %s, %s", first ? "a block" : "none", second ? "a block" : "none", third ? "a block" : "none");
    takt_pool_free(&blocks, first);
    takt_pool_free(&blocks, second);
}
