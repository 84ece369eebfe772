# SPDX-License-Identifier: Apache-2.0
"""The other end of the line: sends each packet back, the fourth with a bit changed."""

from __future__ import annotations

from typing import Any

CHANGED = 4


class Plant:
    """Keeps what it received."""

    def __init__(self) -> None:
        self._packets: list[bytes] = []
        self.finished = False

    def exchange(self, time_ns: int, transmitted: bytes) -> bytes:
        del time_ns
        self._packets.append(transmitted)
        if len(self._packets) == CHANGED:
            return bytes([*transmitted[:-1], transmitted[-1] ^ 1])  # of the tag
        return transmitted

    def report(self) -> dict[str, Any]:
        return {"success": len(self._packets) == CHANGED, "packets": [packet.hex() for packet in self._packets]}


def create_plant(seed: int) -> Plant:
    del seed
    return Plant()
