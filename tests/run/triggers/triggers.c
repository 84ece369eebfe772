/* SPDX-License-Identifier: Apache-2.0 */
#include "released.h"
#include "send.h"
#include "signalled.h"

void send_all(void *argument)
{
    send_shared(argument);
}
