# SPDX-License-Identifier: Apache-2.0
"""What `takt reflect profile` makes of what was seen, by hand: sizes of blocks, costs, rates; and the keys it makes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from profiled_nodes import CHANNELS, NODE, STAGES, free_ports, system
from takt.declare.schema.kinds import RATE
from takt.reflect import admit, profile_costs
from takt.reflect import keys as key_files
from takt.reflect.profile_costs import Costs, Speed
from takt.support.errors import UserError


def test_keys_of_its_own(tmp_path: Path) -> None:
    """Both nodes find the same, of which nothing is a declared one's; a node of no channel between them has none."""
    app = system(tmp_path / "system.toml", *free_ports(2))
    third = NODE.format(name="third", rate="1 Gbit/s", port=7400, more="")
    app.write_text(third + app.read_text(encoding="utf-8") + CHANNELS.replace("pose", "size"), encoding="utf-8")
    plant = admit.load(str(app))
    found = key_files.new(plant)
    ours = profile_costs.keys(plant, "plant", "station", found)
    assert ours == profile_costs.keys(plant, "station", "plant", found)
    shown = {key for pair in ours for key in (pair.to_reader, pair.to_writer)}
    assert len(shown) == 6
    assert all(len(key) == 64 for key in shown)
    assert not shown & {key for pair in found.values() for key in (pair.to_reader, pair.to_writer)}
    others = profile_costs.keys(plant, "plant", "station", key_files.new(plant))
    assert not shown & {key for pair in others for key in (pair.to_reader, pair.to_writer)}
    with pytest.raises(UserError, match="between"):
        profile_costs.keys(plant, "plant", "third", found)


@pytest.mark.parametrize(("mtu", "ipv6"), [(1500, False), (1500, True), (9000, False), (576, False), (65535, False)])
def test_blocks_fill_their_frames(mtu: int, ipv6: bool) -> None:
    head = 48 if ipv6 else 20
    first = 40 if ipv6 else 20  # a packet that is not in fragments

    def frames(block: int) -> int:
        packet = 8 + 64 + 16 + block
        return 1 if packet + first <= mtu else math.ceil(packet / ((mtu - head) // 8 * 8))

    sizes = profile_costs.candidates(mtu, ipv6)
    assert sizes == sorted(set(sizes))
    assert sizes[-1] <= 65507 - 80
    for size in sizes:
        if size not in (256, 512, 1024, 65507 - 80):
            assert frames(size + 1) == frames(size) + 1
    assert 1 in {frames(size) for size in sizes}


def times(most: int, median: int = 0) -> dict[str, int]:
    return {"count": int(most > 0), "least_ns": median, "median_ns": median, "most_ns": most}


def figures(**stages: dict[str, int]) -> dict[str, Any]:
    names = (*STAGES, "timer", "memory", "trip", "write", "read")
    return {"stages": {name: stages.get(name, times(0)) for name in names}}


def test_costs() -> None:
    seen = figures(
        send_first=times(50_000),
        send_next=times(20_000),
        send_small=times(30_000),
        receive_last=times(18_000),
        receive_next=times(20_000),
        hand_over=times(300_000),
        timer=times(400_000),
    )
    expected = Costs(
        send=30_000, send_message=45_000, receive=30_000, receive_message=0, wake=600_000, propagation=1000
    )
    assert profile_costs.costs(seen, 0, 50) == expected
    alone = figures(send_small=times(30_000), receive_small=times(10_000), hand_over=times(5000))
    expected = Costs(send=30_000, send_message=0, receive=10_000, receive_message=0, wake=5000, propagation=7000)
    assert profile_costs.costs(alone, 7000, 0) == expected


def test_propagation() -> None:
    here = figures(memory=times(9, 100_000), send_small=times(9, 10_000), receive_small=times(9, 11_000))
    there = figures(hand_over=times(9, 30_000), send_small=times(9, 12_000), receive_small=times(9, 13_000))
    assert profile_costs.propagation(here, there, 4000) == 10_000
    assert profile_costs.propagation(here, there, 400_000) == 0


def test_speeds() -> None:
    trains = [{"ns": ns, "bytes": 1000, "wire_bytes": 1100, "blocks": 4} for ns in (8000, 9000, 80_000, 0)]
    assert profile_costs.speed(256, trains, 3) == Speed(256, 888_888_888, 977_777_777, 3)
    assert profile_costs.speed(256, trains[3:], 20) is None
    speeds = [Speed(256, 70, 90, 0), Speed(512, 96, 100, 0), Speed(1024, 100, 105, 0), Speed(2048, 99, 103, 0)]
    assert profile_costs.best(speeds, 1000).block == 512
    assert profile_costs.best(speeds, 80).block == 512
    slow = [Speed(256, 220, 350, 0), Speed(1392, 1230, 1360, 0), Speed(47272, 17100, 17800, 0)]
    assert [profile_costs.best(slow, rate).block for rate in (100, 1000, 10_000)] == [1392, 1392, 47272]
    assert [profile_costs.rate(declared, speeds) for declared in (50, 107, 120)] == [50, 107, 100]


@pytest.mark.parametrize("bps", [1000, 93_456_789, 94_000_000, 2_500_000_000, 10**12, 1001])
def test_rates_are_read_as_they_are_shown(bps: int) -> None:
    assert RATE.read(profile_costs.show_rate(bps)) == bps
