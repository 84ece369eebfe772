# SPDX-License-Identifier: Apache-2.0
"""A system that sends and receives protected messages."""

from __future__ import annotations

from can_driven import CAN

MS = 1_000_000
BOARDS = ("mps2-an385", "rv32-virt")
IDS = "[" + ", ".join(map(str, range(1, 17))) + "]"
HEAD = '[system]\nboard = "host"\nduration = "1 s"\n'
TASK = '[[task]]\nname = "control"\nentry = "control_job"\nperiod = "10 ms"\nwcet = "1 ms"\n'
TORQUE = """[[message]]
name = "torque"
bus = "body"
sender = "control"
id = 0x100
bytes = 8
deadline = "10 ms"
protection = "e2e-1"
data_id = 0x123
"""
WHEEL = """[[message]]
name = "wheel"
bus = "body"
from = "abs"
receivers = ["control"]
id = 0x080
bytes = 8
period = "20 ms"
jitter = "2 ms"
protection = "e2e-5"
data_id = 0x77
fresh = "30 ms"
"""
LAMP = f"""[[message]]
name = "lamp"
bus = "body"
from = "cluster"
receivers = ["control"]
id = 0x400
bytes = 5
period = "50 ms"
queue = 2
protection = "e2e-2"
data_id = {IDS}
"""


def text_of(*messages: str) -> str:
    return HEAD + TASK + CAN + "".join(messages)
