# SPDX-License-Identifier: Apache-2.0
"""Driven buses that are not as they should be: clocks that differ, and faults that a run injects."""

from __future__ import annotations

from pathlib import Path

from can_driven import CAN, CODE, frames_of, make
from can_files import document, write
from can_texts import HEADER
from command_line import Takt
from running import only_full
from running import takt as run_takt

OTHERS = '[system]\nboard = "host"\n[[task]]\nname = "t"\nperiod = "10 ms"\nwcet = "1 ms"\n'
MESSAGE = '[[message]]\nname = "{}"\nbus = "body"\nfrom = "{}"\nid = {}\nbytes = 8\nperiod = "{} ms"\njitter = "1 ms"\n'
SENT = (("a", "n", 1, 10), ("b", "m", 2, 20), ("c", "n", 3, 5))


def test_drift_counts_as_the_option_does(takt: Takt, tmp_path: Path) -> None:
    rows = "".join(f"{name},{number},0,{node},8,{period},1,\n" for name, node, number, period in SENT)
    path = write(tmp_path, "a.csv", HEADER + rows)
    tables = "".join(MESSAGE.format(name, node, number, period) for name, node, number, period in SENT)
    for ppm in (0, 4000):
        text = f'[[can]]\nname = "body"\nbitrate = "500k"\ndrift = {ppm}\n'
        write(tmp_path, "system.toml", OTHERS + text + tables)
        wanted = document(takt("can", "check", path, "--bitrate", "500 kbit/s", "--drift", ppm, "--json"))
        found = document(takt("check", tmp_path, "--json"))
        assert [one["response_ns"] for one in found["messages"]] == [one["response_ns"] for one in wanted["messages"]]


def test_a_task_that_messages_of_a_fast_clock_release(takt: Takt, tmp_path: Path) -> None:
    code = CODE.replace("15 ms", "20 ms").replace("500 us", '500 us"\njitter = "3 ms')
    folder = make(tmp_path / "released", code)
    assert takt("check", folder).code == 0
    make(folder, code, bus=CAN + "drift = 100\n")
    found = takt("check", folder)
    assert found.code == 1
    assert "releases react every 19.996" in found.out
    assert (
        takt("check", make(folder, code.replace('"20 ms"\nwcet', '"19.99 ms"\nwcet'), bus=CAN + "drift = 100\n")).code
        == 0
    )


@only_full
def test_other_nodes_release_by_clocks_of_their_own(tmp_path: Path) -> None:
    folder = make(tmp_path / "drifting", CODE.replace('jitter = "2 ms"\n', ""), bus=CAN + "drift = 5000\n")
    found: dict[int, list[float]] = {0x80: [], 0x400: []}
    for seed in range(1, 5):
        code, ran = run_takt("run", folder, "--seed", str(seed))
        assert (code, ran["breaches"]) == (0, [])
        frames = frames_of(folder, ran["scheduler"])
        for identifier, period_ns in ((0x80, 20_000_000), (0x400, 50_000_000)):
            ends = [one.time_ns for one in frames if one.identifier == identifier]
            found[identifier].append((len(ends) - 1) * period_ns / (ends[-1] - ends[0]))
    for rates in found.values():
        assert max(abs(1 - rate) for rate in rates) <= 0.0056  # a frame waits for another for half a ms
        assert max(rates) - min(rates) > 0.004
    assert any(abs(one - other) > 0.002 for one, other in zip(*found.values(), strict=True))
