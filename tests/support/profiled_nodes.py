# SPDX-License-Identifier: Apache-2.0
"""Two nodes and a channel between: what tests of `takt reflect profile` share."""

from __future__ import annotations

import socket
from pathlib import Path

STAGES = ("send_first", "send_next", "send_small", "receive_next", "receive_last", "receive_small", "hand_over")
NODE = """[[node]]
name = "{name}"
rate = "{rate}"
send = "20 us"
receive = "20 us"
wake = "500 us"
port = {port}
{more}
"""
CHANNELS = """[[channel]]
name = "pose"
writer = "plant"
reader = "station"
kind = "monitor"
size = 3000
period = "20 ms"
deadline = "20 s"
"""


def free_ports(count: int) -> list[int]:
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def system(path: Path, plant: int, station: int, *, rate: str = "1 Gbit/s", more: str = "") -> Path:
    nodes = NODE.format(name="plant", rate=rate, port=plant, more=more)
    nodes += NODE.format(name="station", rate=rate, port=station, more="")
    path.write_text(nodes + CHANNELS, encoding="utf-8")
    return path
