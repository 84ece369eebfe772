# SPDX-License-Identifier: Apache-2.0
"""Interrupts of controllers in a run of a network, at times at which the node sends itself."""

from __future__ import annotations

import re
from pathlib import Path

from command_line import Takt
from networks import network, ran
from running import only_full
from takt.can.logs import read as logs
from takt.declare import declaration
from takt.declare.schema import boards
from takt.image import build

MS = 1_000_000
BUS = '[[can]]\nname = "body"\nbitrate = "1 Mbit/s"\ndriver = true\n'
HEAD = '[system]\nboard = "host"\nscheduler = "dm"\n'
OTHER = (
    HEAD
    + '[[task]]\nname = "turn"\nperiod = "1 ms"\nwcet = "100 us"\n'
    + BUS
    + '[[message]]\nname = "wheel"\nbus = "body"\nsender = "turn"\nbytes = 1\nid = 0x100\ndeadline = "900 us"\n'
)
# The task ends, and sends, in each microsecond of the message's period once, so also when the frame interrupts.
SWEEPS = (
    HEAD
    + '[[task]]\nname = "sender"\nperiod = "997 us"\nwcet = "10 us"\n'
    + '[[task]]\nname = "reader"\ntrigger = "message wheel"\nmin_interarrival = "700 us"\njitter = "600 us"\n'
    + 'wcet = "1 us"\ndeadline = "650 us"\n'
    + BUS
    + '[[message]]\nname = "out"\nbus = "body"\nsender = "sender"\nbytes = 1\nid = 0x300\ndeadline = "997 us"\n'
    + '[[message]]\nname = "wheel"\nbus = "body"\nfrom = "other"\nreceivers = ["reader"]\nbytes = 1\nid = 0x100\n'
    + 'period = "1 ms"\njitter = "300 us"\n'
)


@only_full  # two images; tests/canbus has the interrupts of a system
def test_one_at_the_time_of_a_send_is_not_lost(takt: Takt, tmp_path: Path) -> None:
    folder = network(tmp_path, {"other": OTHER, "sweeps": SWEEPS})
    assert ran(folder)[0] == 0
    where = build.folder_of(declaration.load(folder / "sweeps" / "system.toml"), boards.load("host"), "dm") / "run"
    ends_ns = [one.time_ns for one in logs.entries(where / "body.log") if one.identifier == 0x100]
    lines = takt("trace", where / "trace.takt").out.splitlines()
    releases = [round(float(line.split()[0]) * MS) for line in lines if re.search(r" release +reader ", line)]
    assert len(releases) == len(ends_ns) == 1000
    assert {release - end for release, end in zip(releases, ends_ns, strict=True)} == {0}
