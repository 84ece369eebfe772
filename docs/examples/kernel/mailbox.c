/* SPDX-License-Identifier: Apache-2.0 */
#include "docs/examples/say.h"
#include "takt_app.h"

struct command {
    int axis, degrees;
};
static _Alignas(8) uint8_t memory[4 * sizeof(struct command)];
static TAKT_MAILBOX_DEFINE(commands, 1, memory, sizeof(struct command), 4);

void mailbox_example(void *argument)
{
    (void)argument;
    struct command command;
    if (takt_mailbox_receive(&commands, &command) == TAKT_OK) {
        say("mailbox: axis %d to %d degrees", command.axis, command.degrees);
    }
}

void mailbox_other(void *argument)
{
    (void)argument;
    if (takt_mailbox_try_send(&commands, &(struct command){.axis = 2, .degrees = 45}) == TAKT_BUSY) {
        say("mailbox: full");
    }
}
