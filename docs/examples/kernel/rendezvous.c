/* SPDX-License-Identifier: Apache-2.0 */
#include "docs/examples/say.h"
#include "takt_app.h"

static TAKT_RENDEZVOUS_DEFINE(square, 9);

/* The client: returns when the server has completed the call. */
void rendezvous_example(void *argument)
{
    (void)argument;
    int number = 7;
    if (takt_rendezvous_call(&square, &number, sizeof number) == TAKT_OK) {
        say("rendezvous: the answer is %d", number);
    }
}

/* The server has the priority of its client while it serves. */
void rendezvous_other(void *argument)
{
    (void)argument;
    struct takt_rendezvous_accepted call;
    if (takt_rendezvous_accept(&square, &call) == TAKT_OK) {
        int *number = call.data;
        *number *= *number;
        takt_rendezvous_complete(&call);
    }
}
