# SPDX-License-Identifier: Apache-2.0
"""apps/vehicle: four wheels stop a car, over two buses and a gateway, and their proof."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from command_line import Takt
from running import APPS, only_full
from running import takt as run_takt
from takt.can.logs import read as logs
from takt.declare import declaration
from takt.declare.schema import boards
from takt.image import build

FRONT, REAR = (0x201, 0x202), (0x203, 0x204)
START_MM_S, STEPS_ON_S = 27_800, 1.0
Sample = tuple[float, int, int]


def test_every_wheel_is_reached_in_time(takt: Takt) -> None:
    said = takt("check", APPS / "vehicle", "--json")
    found = json.loads(said.out)
    assert (said.code, len(found["nodes"]), len(found["buses"])) == (0, 6, 2)
    chains = {one["name"]: one["reaction_ns"] for one in found["chains"]}
    assert {name.partition(".")[2] for name in chains if "." in name} == {"locks"}
    assert sum("." in name for name in chains) == 4  # one of each wheel
    behind = next(one["response_ns"] for one in found["messages"] if one["name"] == "demand_rear")
    before = next(one["response_ns"] for one in found["messages"] if one["name"] == "demand")
    assert chains["brake_rear"] - chains["brake_front"] == behind - before  # what the gateway costs


def speeds(log: Path, identifiers: Sequence[int]) -> dict[int, list[Sample]]:
    """When a wheel said it, and the speeds of the wheel and of the car at it in mm/s."""
    found: dict[int, list[Sample]] = {identifier: [] for identifier in identifiers}
    for one in logs.entries(log):
        if one.identifier in found:
            wheel, car = (int.from_bytes(one.data[at : at + 4], "little") for at in (0, 4))
            found[one.identifier].append((one.time_ns / 1e9, wheel, car))
    return found


@only_full
def test_it_stops(tmp_path: Path) -> None:
    code, document = run_takt("run", APPS / "vehicle", "--duration", "4 s")
    assert (code, document["passed"]) == (0, True)
    system = declaration.load(APPS / "vehicle" / "pedal" / "system.toml")
    log = build.folder_of(system, boards.load("host"), "dm") / "run" / "front.log"
    found = speeds(log, (*FRONT, *REAR))
    for samples in found.values():
        assert len(samples) == 200
        rolls = [car for at, _, car in samples if at < STEPS_ON_S]
        assert set(rolls) == {START_MM_S}
        stands = next(at for at, _, car in samples if car == 0)
        assert stands - STEPS_ON_S == pytest.approx(START_MM_S / 1000 / 10.9, abs=0.1)  # 1.2 g at most, and 0.2 s
        slips = [1 - wheel / car for at, wheel, car in samples if car > 3_000 and at > STEPS_ON_S]
        assert 0.1 < max(slips) < 0.3  # none locks, and each is at its limit
        assert sum(slips) / len(slips) == pytest.approx(0.12, abs=0.03)
    for one, other in ((FRONT[0], FRONT[1]), (REAR[0], REAR[1])):  # they hear the same, at the same time
        assert [sample[1:] for sample in found[one]] == [sample[1:] for sample in found[other]]
    late = [abs(a[2] - b[2]) for a, b in zip(found[FRONT[0]], found[REAR[0]], strict=True)]
    assert max(late) < 12 * 0.012 * 1000  # mm/s: of 12 m/s^2 what the bound of the chain allows


@pytest.mark.parametrize(("name", "limit"), [("brake_front", "11 ms"), ("brake_rear", "11.5 ms")])
def test_a_shorter_limit_is_refuted(takt: Takt, tmp_path: Path, name: str, limit: str) -> None:
    folder = tmp_path / "vehicle"
    shutil.copytree(APPS / "vehicle", folder)
    path = folder / "system.toml"
    before, _, after = path.read_text().partition(f'name = "{name}"')
    path.write_text(
        f'{before}name = "{name}"{after.replace(chr(34) + "12 ms" + chr(34), chr(34) + limit + chr(34), 1)}'
    )
    said = takt("check", folder)
    assert said.code == 1
    assert f"chain {name} has reaction of up to" in said.out
