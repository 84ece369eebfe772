/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "takt/wire.h"

int main(void)
{
    const struct takt_wire_packet sent = {
        .kind = TAKT_WIRE_PROBE, .channel = 3, .session = 1, .sequence = 1, .probe = {.number = 7, .time_ns = 1000}};
    unsigned char bytes[TAKT_WIRE_HEAD];
    takt_wire_encode(bytes, &sent);
    struct takt_wire_packet packet;
    if (takt_wire_decode(bytes, sizeof bytes, &packet)) {
        printf("wire: probe %u of channel %u\n", (unsigned)packet.probe.number, (unsigned)packet.channel);
    }
    bytes[0] ^= 1;
    printf("wire: damaged, a packet: %d\n", takt_wire_decode(bytes, sizeof bytes, &packet));
    return 0;
}
