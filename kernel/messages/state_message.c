/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/state.h"

#include "kernel/port.h"

enum takt_status takt_state_read_locked(const struct takt_state *state, void *message, size_t size)
{
    uint32_t lock = takt_port_lock();
    enum takt_status status = takt_state_read(state, message, size);
    takt_port_unlock(lock);
    return status;
}
