/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that are protected end to end. Checks are computed by tasks, not in interrupts and not with the kernel
 * locked: so they cover the driver too, and delay nobody else. */
#include <string.h>

#include "kernel/port.h"
#include "takt/can_service.h"

enum takt_status takt_can_service_send_protected(struct takt_can_service *service, uint32_t message,
                                                 struct takt_can_protected_sent *sent, const void *data)
{
    uint8_t bytes[TAKT_CAN_DATA_MAX];
    memcpy(bytes, data, sent->e2e->size);
    takt_e2e_protect(sent->e2e, sent->counter, bytes);
    enum takt_status status = takt_can_service_send(service, message, bytes);
    if (status == TAKT_OK) { /* what is refused is no message that the receiver could miss */
        sent->counter = takt_e2e_next(sent->e2e, sent->counter);
    }
    return status;
}

void takt_can_service_stamp(void *value, const uint8_t *data, uint32_t size)
{
    uint64_t now_ns = takt_port_now_ns();
    memcpy(value, &now_ns, sizeof now_ns);
    memcpy((uint8_t *)value + TAKT_CAN_STAMP, data, size);
}

struct takt_e2e_result takt_can_service_check(struct takt_can_protected_received *received, const void *came,
                                              void *value)
{
    struct takt_e2e_arrival arrival = {.data = NULL, .time_ns = received->last_ns};
    if (came != NULL) {
        memcpy(&arrival.time_ns, came, sizeof arrival.time_ns);
        arrival.data = (const uint8_t *)came + TAKT_CAN_STAMP;
    }
    bool is_new = arrival.time_ns != received->last_ns; /* frames take time; a value that was never written has 0 */
    received->last_ns = arrival.time_ns;
    struct takt_e2e_result result =
        takt_e2e_receive(received->e2e, &received->receiver, is_new ? &arrival : NULL, takt_port_now_ns());
    if (result.accepted) {
        memcpy(value, arrival.data, received->e2e->size);
    }
    return result;
}
