# SPDX-License-Identifier: Apache-2.0
"""apps/rosace: the flight of three nodes on a bus beside the case study's model in one loop, which knows no delays."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from command_line import Takt
from running import APPS, only_full
from running import takt as run_takt
from takt.can.logs import read as logs
from takt.declare import declaration
from takt.declare.schema import boards
from takt.image import build

AIRSPEED, ALTITUDE, THROTTLE, ELEVATOR, PITCH = 230.0, 10_000.0, 1.5868660794926, 0.012009615652468, 0.026485847681737
GRAVITY, MASS, WING, CHORD = 9.80665, 57_837.5, 122.6, 4.29
UNITS = {0x100: 1e-6, 0x101: 1e-8, 0x102: 1e-4}  # of airspeed, pitch rate and altitude, in m/s, rad/s and m
Vector = Sequence[float]


def rates(x: Vector, wanted: tuple[float, float], applied: tuple[float, float]) -> tuple[list[float], float, float]:
    """How the state of flight changes per second, the vertical speed downward and its acceleration.

    x: speeds forward and downward in the body's axes, pitch rate and angle, altitude; power; elevator's angle and rate.
    `wanted`: elevator and throttle; `applied`: what these are, thrust and deflection."""
    u, w, q, theta, height, power, angle, rate = x
    elevator, throttle = wanted
    thrust, deflection = applied
    alpha, speed = math.atan2(w, u), math.hypot(u, w)
    air = 1.225 * (1 - 0.0065 / 288.15 * height) ** (GRAVITY / (287.05 * 0.0065) - 1)
    force = 0.5 * air * speed**2 * WING
    lift = 0.193 * deflection + 5.5 * (alpha + 0.05)
    drag = 0.016 + 0.05 * deflection + 2.5 * (alpha + 0.05) ** 2
    moment = 0.04 - 1.5 * deflection - 0.83 * alpha - 15 * q * CHORD / speed
    along, down = -drag * math.cos(alpha) + lift * math.sin(alpha), -drag * math.sin(alpha) - lift * math.cos(alpha)
    change = [
        -GRAVITY * math.sin(theta) - q * w + (force * along + thrust) / MASS,
        GRAVITY * math.cos(theta) + q * u + force * down / MASS,
        force * CHORD * moment / 3_781_272.0,
        q,
        u * math.sin(theta) - w * math.cos(theta),
        0.75 * (throttle - power),
        rate,
        625 * (elevator - angle) - 42.5 * rate,
    ]
    return change, w * math.cos(theta) - u * math.sin(theta), GRAVITY * math.cos(theta) + force * down / MASS


@dataclass
class Filter:
    """Of second order; its state is that of an input that always was `value`."""

    a: tuple[float, float]
    b: tuple[float, float]
    value: float = 0.0
    x: list[float] = field(init=False)

    def __post_init__(self) -> None:
        self.x = [self.value * (1 + self.a[1] - self.b[1]), self.value]

    def next(self, value: float) -> float:
        found = self.x[1]
        self.x = [self.b[0] * value - self.a[0] * found, self.x[0] - self.a[1] * found + self.b[1] * value]
        return found


SLOW = ((0.586756156020839, -1.477888930110354), (0.049596808318647, 0.059270417591839))
SPEED = ((0.914975803093201, -1.911199519984605), (0.001860178914816, 0.001916104193780))
QUICK = ((0.169118914523145, -0.518588903229759), (0.229019233988375, 0.421510777305010))


def flight(seconds: int, wanted_m: float, from_s: float) -> tuple[list[float], list[float], list[float]]:
    """Altitude in m, airspeed in m/s and pitch rate in rad/s, every 5 ms."""
    x = [AIRSPEED * math.cos(PITCH), AIRSPEED * math.sin(PITCH), 0.0, PITCH, ALTITUDE, THROTTLE, ELEVATOR, 0.0]
    filters = [Filter(*SPEED, AIRSPEED), Filter(*SPEED), Filter(*SLOW), Filter(*QUICK), Filter(*SLOW, ALTITUDE)]
    elevator, throttle, integrals = ELEVATOR, THROTTLE, [532.2730285, 0.0, 0.0]
    altitudes, airspeeds, pitch_rates = [], [], []
    filtered = [AIRSPEED, 0.0, 0.0, 0.0, ALTITUDE]
    for step in range(200 * seconds):
        altitudes.append(x[4])
        airspeeds.append(math.hypot(x[0], x[1]))
        pitch_rates.append(x[2])
        change, sinking, acceleration = rates(x, (elevator, throttle), (26_350 * x[5], x[6]))
        if step % 2 == 0:
            measured = (airspeeds[-1], sinking, x[2], acceleration, x[4])
            filtered = [one.next(value) for one, value in zip(filters, measured, strict=True)]
        if step % 4 == 0:
            fast, vertical, pitching, upward, height = filtered
            above, climb = height - wanted_m, 0.0
            if step / 200 >= from_s:
                near = abs(above) <= 50
                climb = 0.1014048 * above + 0.0048288 * integrals[0] if near else math.copysign(2.5, above)
                integrals[0] += 0.02 * above if near else 0
            elevator = 0.000627342822264 * integrals[1] - 0.003252836726554 * vertical + 0.376071446897134 * pitching
            elevator += -0.001566907423747 * upward + ELEVATOR
            throttle = 0.049802610664357 * integrals[2] - 0.486813084356079 * (fast - AIRSPEED)
            throttle += -0.077603095495388 * vertical + 21.692383376322041 * pitching + THROTTLE
            integrals[1] += 0.02 * (climb - vertical)
            integrals[2] += 0.02 * (AIRSPEED - fast)
        x = [value + 0.005 * per_s for value, per_s in zip(x, change, strict=True)]
    return altitudes, airspeeds, pitch_rates


def carried(log: Path, identifier: int) -> list[float]:
    """First values of all frames of an identifier."""
    found = [one for one in logs.entries(log) if one.identifier == identifier]
    at_rest = {0x100: AIRSPEED, 0x101: 0.0, 0x102: ALTITUDE}[identifier]
    return [at_rest + int.from_bytes(one.data[:4], "little", signed=True) * UNITS[identifier] for one in found]


# What delays of the bus and of tasks may cause, in m, m/s and rad/s.
@pytest.mark.parametrize(
    ("seconds", "end_m", "most_off"),
    [(6, 10_001.9, (0.015, 0.001, 2e-5)), pytest.param(90, 10_100.1, (0.06, 0.002, 5e-5), marks=only_full)],
    ids=["climbs", "arrives"],
)
def test_it_flies_as_the_case_study_does(seconds: int, end_m: float, most_off: Vector) -> None:
    code, document = run_takt("run", APPS / "rosace", "--duration", f"{seconds} s")
    assert (code, document["passed"]) == (0, True)
    system = declaration.load(APPS / "rosace" / "aircraft" / "system.toml")
    log = build.folder_of(system, boards.load("host"), "dm") / "run" / "flight.log"
    model = flight(seconds, 10_100.0, 1.0)
    flown = [carried(log, identifier) for identifier in (0x102, 0x100, 0x101)]
    assert [len(values) for values in flown] == [200 * seconds] * 3
    pairs = zip(flown, model, strict=True)
    off = [max(abs(one - other) for one, other in zip(*both, strict=True)) for both in pairs]
    assert all(one < most for one, most in zip(off, most_off, strict=True)), off
    assert abs(model[0][-1] - end_m) < 0.1


def test_its_chains_are_proved_and_need_offsets(takt: Takt, tmp_path: Path) -> None:
    folder = tmp_path / "rosace"
    shutil.copytree(APPS / "rosace", folder)
    said = takt("check", folder, "--json")
    chains = {one["name"]: one["reaction_ns"] for one in json.loads(said.out)["chains"]}
    assert said.code == 0
    assert sorted(chains) == ["altitude", "pitch", "speed"]
    for node in ("filters", "control"):
        path = folder / node / "system.toml"
        path.write_text(path.read_text().replace("offsets = true", "offsets = false"))
    said = takt("check", folder, "--json")
    without = {one["name"]: one["reaction_ns"] for one in json.loads(said.out)["chains"]}
    assert said.code == 1
    assert all(without[name] >= chains[name] + 10_000_000 for name in chains)  # periods between tasks of one node
