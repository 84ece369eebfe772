# SPDX-License-Identifier: Apache-2.0
"""[[can]] and [[message]] of system.toml: what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from can_systems import AUTO, BRAKE, BUS, TASKS, TRACE, WHOLE, message, refused
from command_line import Takt


@pytest.mark.parametrize(
    ("put", "instead", "said", "hint"),
    [
        ('bitrate = "500 kbit/s"', "bitrate = 500", '[[can]] "body": bitrate = 500: expected a string', ""),
        ('"500 kbit/s"', '"500x"', 'bitrate = "500x": unknown unit "x"', "kbit/s"),
        ('"500 kbit/s"', '"2 Mbit/s"', "bitrate: 2000 kbit/s is that of no CAN bus", '"10 kbit/s" to "1 Mbit/s"'),
        ('"500 kbit/s"', '"500 kbit/s"\nrate = 1', '[[can]] "body": unknown key "rate"', '"bitrate"'),
        ('"500 kbit/s"', '"500 kbit/s"\nsample_point = "80%"', '"sample_point" is not there yet', "remove it"),
        (
            '"500 kbit/s"',
            '"500 kbit/s"\nfd = true\ndata_bitrate = "20 Mbit/s"',
            "20000 kbit/s is not from the bitrate to",
            "2000 kbit/s",
        ),
        ('"500 kbit/s"', '"500 kbit/s"\nerrors = "often"', 'errors = "often": ', ""),
        ('"500 kbit/s"', '"500 kbit/s"\nerrors = "0/10ms"', 'errors = "0/10ms": 0 errors', "1 to 1000000"),
        ('"500 kbit/s"', '"500 kbit/s"\ncontroller = "lifo"', 'controller = "lifo": "lifo" is no controller', "fifo"),
        ('"500 kbit/s"', '"500 kbit/s"\nothers = ["motor=fifo"]', 'no message has the sender "motor"', '"engine"'),
        ('"500 kbit/s"', '"500 kbit/s"\nothers = ["dash=fifo"]', '"dash" is this system', "controller"),
        ('"500 kbit/s"', '"500 kbit/s"\ncontroller = "fifo"', 'no deadline, and "dash" queues first in', "a deadline"),
        ('"500 kbit/s"', '"500 kbit/s"\nfile = "no.dbc"', 'file = "no.dbc" does not exist', ""),
        ('"500 kbit/s"', '"500 kbit/s"\nfile = "system.toml"', "file: ", ".dbc"),
        ('"500 kbit/s"', '"500 kbit/s"\nnode = "dash"', "node requires file", "add file"),
        ('name = "body"', 'name = "control"', '[[can]] "control": the name is taken by a task', '"control_can"'),
        ('name = "speed"', 'name = "brake"', "the name is taken by a message", '"brake_message"'),
        ('name = "speed"\nbus = "body"', 'name = "speed"\nbus = "bodi"', 'bus = "bodi": no such [[can]]', '"body"'),
        ("id = 0x200", "id = 0x100", 'id = 0x100 is that of "brake", too', 'id = "auto"'),
        ("id = 0x200", 'id = "0x200"', 'expected a number or "auto", found a string', "0x200, without quotes"),
        ("id = 0x200", "id = -1", "no identifier of CAN: these have up to 29 bits", "0x1FFFFFFF"),
        ("id = 0x200", "id = true", 'expected a number or "auto", found a boolean', ""),
        ("id = 0x200", "id = 0x800\nextended = false", "id = 0x800 has more than 11 bits", "extended = true"),
        ("id = 0x300", "id = 0x150", "no deadline, and its identifier 0x150 wins over that of speed", 'id = "auto"'),
        ('from = "engine"', 'from = "engine"\nsender = "control"', "a message has one sender", "remove one"),
        ('from = "engine"', "", "neither sender nor from", 'from = "engine"'),
        ('from = "engine"', 'from = "dash"', 'from = "dash" is this system', "sender"),
        ('sender = "control"', 'sender = "kontrol"', 'sender = "kontrol": no such task', '"control"'),
        ('sender = "control"', 'sender = "rest"', "nothing bounds when it sends", "a task with a period"),
        ('sender = "control"', 'sender = "control"\njitter = "1 ms"', "jitter requires from", "remove it"),
        ('sender = "control"', 'sender = "control"\nperiod = "5 ms"', "is shorter than that of", "leave it out"),
        ('sender = "control"', 'sender = "control"\nperiod = "25 ms"', "is no multiple of that of", '"20 ms"'),
        ('sender = "control"', 'sender = "control"\nreceivers = ["loger"]', '"loger": no such task', '"logger"'),
        ('sender = "control"', 'sender = "control"\nreceivers = ["control"]', '"control" sends it', ""),
        ('sender = "control"', 'sender = "control"\nreceivers = ["logger", "logger"]', '"logger" twice', "once"),
        ('period = "5 ms"\njitter', "jitter", '"period" is missing', 'period = "10 ms"'),
        ("bytes = 8", "bytes = 12", "a classic frame has at most 8", "data_bitrate or fd"),
        ("bytes = 8", "bytes = 65", "out of range 0 to 64", "64"),
        ('deadline = "5 ms"', "deadline = 5", "the unit is missing", '"5 ms"'),
    ],
)
def test_what_is_no_bus(takt: Takt, tmp_path: Path, put: str, instead: str, said: str, hint: str) -> None:
    assert put in WHOLE
    text = WHOLE.replace(put, instead, 1)
    refused(takt, tmp_path, text, said, hint)


@pytest.mark.parametrize(
    ("words", "keys", "said", "hint"),
    [
        ('identifiers = "1-2"', AUTO, 'identifiers = "1-2": "1-2" is no range of identifiers', "0x100-0x6FF"),
        (
            'identifiers = "0x100-0x6FF"',
            f"{AUTO}\nextended = true",
            "of 29 bits, and the identifiers",
            "extended = false",
        ),
        ('identifiers = "0x10000000"', AUTO, "of 11 bits, and the identifiers", "extended = true"),
        ('identifiers = "0x100-0x100"', AUTO, "no identifier is left for it", "more identifiers"),
        ('identifiers = "0x400-0x500"', AUTO, "no identifier is left for it", "more identifiers"),
    ],
)
def test_what_auto_cannot_give(takt: Takt, tmp_path: Path, words: str, keys: str, said: str, hint: str) -> None:
    other = message("other", 'from = "engine"\nid = 0x100\nperiod = "1 s"')
    text = TASKS + BUS + f"{words}\n" + BRAKE.replace("id = 0x100", keys) + TRACE + other
    refused(takt, tmp_path, text, said, hint)
