# SPDX-License-Identifier: Apache-2.0
"""`scheduler = "mts"` of [[can]]: what is proved of messages whose identifiers carry deadlines, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from can_files import document, write
from can_systems import AUTO, TASKS, checked, message, refused, responses
from can_texts import HEADER
from command_line import Takt
from takt.support.provision import ROOT

MS, US = 1_000_000, 1_000
BUS = '[[can]]\nname = "body"\nbitrate = "1 Mbit/s"\nscheduler = "mts"\nepoch = "6 ms"\n'
BRAKE = message("brake", f'sender = "control"\n{AUTO}\ndeadline = "2 ms"')
SPEED = message("speed", f'from = "engine"\n{AUTO}\nperiod = "20 ms"\njitter = "1 ms"')
TRACE = message("trace", f'sender = "logger"\n{AUTO}')
WHOLE = TASKS + BUS + BRAKE + SPEED + TRACE


def test_the_responses_are_those_that_are_worked_out(takt: Takt, tmp_path: Path) -> None:
    """A frame of 8 bytes takes at most 135 us, a tick 65. control ends 1 ms after its release, so brake is queued by
    then; it waits for one of the others and a tick. speed, 1 ms late, waits for trace, the tick and brake."""
    found = checked(takt, tmp_path, WHOLE)
    assert found["feasible"]
    bus, messages = found["buses"][0], {one["name"]: one for one in found["messages"]}
    assert (bus["mts"]["epoch_ns"], bus["mts"]["extended"], bus["mts"]["masters"]) == (6 * MS, False, 2)
    assert bus["mts"]["tick_load"] == pytest.approx(65 / 6000)
    assert bus["load"] == pytest.approx(0.135 / 10 + 0.135 / 20 + 65 / 6000)
    assert responses(found) == {
        "brake": 1 * MS + (135 + 65 + 135) * US,
        "speed": 1 * MS + (135 + 65 + 135 + 135) * US,
        "trace": None,
    }
    assert {name: one["unique"] for name, one in messages.items()} == {"brake": 0, "speed": None, "trace": None}
    assert [messages[name]["id"] for name in ("brake", "speed", "trace")] == [0x400, 0x408, 0x600]
    said = takt("check", tmp_path, "--no-sensitivity")
    assert "Epochs of 6 ms in " in said.out
    assert "only while their nodes have no epoch: brake 0 ddddddd 000" in said.out
    for deadline, feasible in (("1335 us", True), ("1334 us", False)):
        assert checked(takt, tmp_path, WHOLE.replace('"2 ms"', f'"{deadline}"'))["feasible"] is feasible


def test_as_the_command_has_it(takt: Takt, tmp_path: Path) -> None:
    """The messages of a file with those of tasks, beside a file that has them all. No fixed identifiers prove it."""
    text = (ROOT / "tests" / "canbus" / "mixed.csv").read_text(encoding="utf-8")
    own = [row for row in text.splitlines() if row.startswith(("fast_1,", "slow_3,"))]
    write(tmp_path, "others.csv", "".join(row + "\n" for row in text.splitlines() if row not in own))
    tasks, messages = '[system]\nboard = "host"\nscheduler = "dm"\nname = "dash"\n', ""
    for row in own:
        name, _, _, _, size, period, _, deadline = row.split(",")
        tasks += f'[[task]]\nname = "of_{name}"\nperiod = "{period} ms"\nwcet = "1 ns"\n'
        keys = f'sender = "of_{name}"\n{AUTO}\ndeadline = "{deadline} ms"'
        messages += message(name, keys).replace("bytes = 8", f"bytes = {size}")
    bus = BUS.replace('"6 ms"', '"2500 us"') + 'file = "others.csv"\n'
    found = checked(takt, tmp_path, tasks + bus + messages)
    assert found["feasible"]
    asked = ("--bitrate", "1M", "--scheduler", "mts", "--epoch", "2500us", "--json")
    command = document(takt("can", "check", ROOT / "tests" / "canbus" / "mixed.csv", *asked))
    wanted = {one["name"]: one["response_ns"] for one in command["messages"]}
    assert responses(found).keys() == wanted.keys()
    assert all(0 <= response - wanted[name] < 400 * US for name, response in responses(found).items() if response)
    assert sum(not one["declared"] for one in found["messages"]) == len(wanted) - 2
    fixed = bus.replace('scheduler = "mts"\nepoch = "2500 us"\n', "")
    assert not checked(takt, tmp_path, tasks + fixed + messages)["feasible"]


def test_a_bus_that_no_epoch_proves(takt: Takt, tmp_path: Path) -> None:
    many = "".join(message(f"m{i}", f'from = "engine"\n{AUTO}\nperiod = "1 ms"') for i in range(8))
    write(tmp_path, "system.toml", TASKS + BUS + many)
    said = takt("check", tmp_path)
    assert said.code == 1
    assert "the load 1." in said.out
    assert "No epoch that was tried proves body" in said.out
    found = document(takt("check", tmp_path, "--json"))
    assert (found["feasible"], found["buses"][0]["least_bitrate"]) == (False, None)


@pytest.mark.parametrize(
    ("put", "instead", "said", "hint"),
    [
        ('scheduler = "mts"', 'scheduler = "edf"', "must be fixed or mts", ""),
        ('scheduler = "mts"\n', "", 'epoch requires scheduler = "mts"', "remove epoch"),
        ('epoch = "6 ms"', "masters = 9", "out of range 1 to 8", "8"),
        ('epoch = "6 ms"', "driver = true", 'driver is not possible with scheduler = "mts"', "remove driver"),
        ('epoch = "6 ms"', "fd = true", 'fd is not possible with scheduler = "mts"', "remove fd"),
        ('epoch = "6 ms"', 'identifiers = "0x1-0x9"', "identifiers is not possible", "remove identifiers"),
        ('epoch = "6 ms"', 'errors = "10ms"', 'scheduler = "mts": errors: ', "without errors"),
        ('epoch = "6 ms"', 'others = ["fifo"]', 'scheduler = "mts": nodes of the mixed', "without another"),
        ('epoch = "6 ms"', 'epoch = "30 s"', "no epoch can be 30 s long", " to "),
        ('epoch = "6 ms"', 'handlers = "5us"', 'handlers = "5us": "5us" is not three times', "5us/40us/20us"),
        ('epoch = "6 ms"', 'handlers = "50us/40us/20us"', "nodes take 70 us to react", "shorter"),
        (f'sender = "control"\n{AUTO}', 'sender = "control"\nid = 0x80', "the scheduler of body gives", 'id = "auto"'),
        (BRAKE + SPEED, "", 'scheduler = "mts": no message has a deadline', "a deadline"),
    ],
)
def test_what_is_refused(takt: Takt, tmp_path: Path, put: str, instead: str, said: str, hint: str) -> None:
    assert WHOLE.count(put) == 1
    refused(takt, tmp_path, WHOLE.replace(put, instead), said, hint)


def test_a_file_alone(takt: Takt, tmp_path: Path) -> None:
    write(tmp_path, "others.csv", HEADER + "a,1,0,n,8,2,,\nb,0x10000,1,m,8,5,,\n")
    found = checked(takt, tmp_path, TASKS + BUS + 'file = "others.csv"\n' + BRAKE)
    assert found["feasible"]
    assert found["buses"][0]["mts"]["extended"]
    assert {one["bits_max"] for one in found["messages"]} == {160}
