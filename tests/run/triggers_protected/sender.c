/* SPDX-License-Identifier: Apache-2.0 */
#include "../triggers/send.h"

void send_all(void *argument)
{
    send_shared(argument);
}
