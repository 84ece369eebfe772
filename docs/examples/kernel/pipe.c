/* SPDX-License-Identifier: Apache-2.0 */
#include "docs/examples/say.h"
#include "takt_app.h"

static uint8_t memory[16];
static TAKT_PIPE_DEFINE(bytes, 3, memory, sizeof memory);

void pipe_example(void *argument)
{
    (void)argument;
    char text[32] = "";
    struct takt_pipe_count count = {.size = 12, .least = 12}; /* all twelve, or none */
    if (takt_pipe_try_write(&bytes, "twelve bytes", &count) != TAKT_OK) {
        return;
    }
    count = (struct takt_pipe_count){.size = sizeof text - 1, .least = 1}; /* as many as there are */
    if (takt_pipe_read(&bytes, text, &count) == TAKT_OK) {
        say("pipe: %u bytes: %s", (unsigned)count.done, text);
    }
}
