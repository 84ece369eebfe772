# SPDX-License-Identifier: Apache-2.0
"""A system of two tasks that send and receive on a CAN bus that Takt drives; and what a run of it leaves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from can_files import write
from takt.can.logs import read as logs
from takt.declare import declaration
from takt.declare.schema import boards
from takt.image import build

HEAD = '[system]\nboard = "host"\nduration = "1 s"\n'
CODE = """
[[task]]
name = "control"
entry = "control_job"
period = "10 ms"
wcet = "1 ms"
[[task]]
name = "react"
entry = "react_job"
min_interarrival = "15 ms"
wcet = "500 us"
trigger = "message wheel"
[[message]]
name = "torque"
bus = "body"
sender = "control"
id = 0x100
bytes = 8
deadline = "10 ms"
[[message]]
name = "answer"
bus = "body"
sender = "react"
id = 0x12345
bytes = 3
deadline = "15 ms"
[[message]]
name = "wheel"
bus = "body"
from = "abs"
receivers = ["react"]
id = 0x080
bytes = 8
period = "20 ms"
jitter = "2 ms"
[[message]]
name = "lamp"
bus = "body"
from = "cluster"
receivers = ["control"]
id = 0x400
bytes = 2
period = "50 ms"
queue = 2
"""
SOURCE = """#include "takt_app.h"
#include <string.h>
void control_job(void *argument)
{
    static uint8_t torque[8];
    uint8_t lamp[SIZE_lamp_queue];
    (void)argument;
    torque[0]++;
    torque[7] = 0x5a;
    while (takt_mailbox_try_receive(&lamp_queue, lamp) == TAKT_OK) {
        torque[1] = lamp[0];
        torque[2] = lamp[1];
    }
    if (takt_can_send_torque(torque) != TAKT_OK) {
        takt_fault_raise(TAKT_FAULT_ASSERTION, "torque", 1, 0);
    }
    AGAIN
}
void react_job(void *argument)
{
    uint8_t wheel[SIZE_wheel_value];
    (void)argument;
    if (takt_state_read(&wheel_value, wheel, sizeof wheel) != TAKT_OK || takt_can_send_answer(wheel + 5) != TAKT_OK) {
        takt_fault_raise(TAKT_FAULT_ASSERTION, "answer", 1, 0);
    }
}
"""

CAN = '[[can]]\nname = "body"\nbitrate = "500 kbit/s"\ndriver = true\n'


def make(folder: Path, text: str = CODE, again: str = "", bus: str = CAN) -> Path:
    folder.mkdir(exist_ok=True)
    write(folder, "system.toml", HEAD + bus + text)
    if "entry" in text:
        write(folder, "code.c", '#include "takt/fault.h"\n' + SOURCE.replace("AGAIN", again))
    return folder


def frames_of(folder: Path, scheduler: str, board: str = "host", bus: str = "body") -> list[Any]:
    found = declaration.load(folder / "system.toml")
    where = build.folder_of(found, boards.load(board), scheduler)
    return list(logs.entries(where / "run" / f"{bus}.log"))


def seen(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in document["messages"]}
