# SPDX-License-Identifier: Apache-2.0
"""The control law by itself: which rotors answer to which error, and that no error asks for the impossible."""

from __future__ import annotations

import ctypes
import math
import random
from collections.abc import Callable
from pathlib import Path

import pytest

Throttles = tuple[float, float, float, float]  # front right, aft left, front left, aft right
Control = Callable[..., Throttles]

STATE = ("roll", "pitch", "yaw", "roll_rate", "pitch_rate", "yaw_rate", "north", "east", "up", "altitude")
TARGET = ("target_altitude", "target_heading", "target_speed", "fly")


@pytest.fixture(scope="module")
def control(library: Path) -> Control:
    """control(steps=1, **state and target): everything that is not named is 0, and the aircraft is to fly."""
    loaded = ctypes.CDLL(str(library))

    def run(steps: int = 1, **values: float) -> Throttles:
        values = {"fly": 1.0, **values}
        state = (ctypes.c_float * len(STATE))(*(values.pop(name, 0.0) for name in STATE))
        target = (ctypes.c_float * len(TARGET))(*(values.pop(name, 0.0) for name in TARGET))
        assert not values
        throttle = (ctypes.c_float * 4)()
        loaded.codec_control(state, target, steps, throttle)
        return throttle[0], throttle[1], throttle[2], throttle[3]

    return run


def test_rotors_stand_until_commanded(control: Control) -> None:
    assert control(fly=0.0, target_altitude=100.0) == (0, 0, 0, 0)


def test_level_and_at_rest_is_hover(control: Control) -> None:
    throttles = control()
    assert len(set(throttles)) == 1
    assert throttles[0] == pytest.approx(0.415, abs=0.01)


def test_too_low_asks_for_more_and_too_high_for_less(control: Control) -> None:
    hover = control()[0]
    assert control(target_altitude=10.0)[0] > hover + 0.02
    assert control(altitude=10.0)[0] < hover - 0.02


@pytest.mark.parametrize(
    ("error", "faster"),
    [
        ({"roll": 0.1}, (True, False, False, True)),  # leans right: the right ones lift
        ({"roll_rate": 0.5}, (True, False, False, True)),
        ({"pitch": 0.1}, (False, True, False, True)),  # nose up: the aft ones lift
        ({"pitch_rate": 0.5}, (False, True, False, True)),
        ({"yaw_rate": 0.5}, (False, False, True, True)),  # turns right: the pair that turns it left
        ({"north": 1.0}, (True, False, True, False)),  # drifts ahead (heading north): nose up
        ({"east": 1.0}, (True, False, False, True)),  # drifts right: leans left
    ],
)
def test_every_error_is_answered_by_the_right_rotors(
    control: Control, error: dict[str, float], faster: tuple[bool, ...]
) -> None:
    throttles = control(**error)
    mean = sum(throttles) / 4
    assert tuple(value > mean for value in throttles) == faster
    # Nothing but this error: the two pairs are alike inside.
    assert max(throttles) - min(throttles) == pytest.approx(2 * (max(throttles) - mean), rel=1e-3)


@pytest.mark.parametrize("yaw", [0.0, 2.5, 3.1, -2.5, -3.1])
@pytest.mark.parametrize("turn", [1.0, -1.0, 3.0, -3.0])
def test_turns_the_short_way(control: Control, yaw: float, turn: float) -> None:
    heading = math.remainder(yaw + turn, 2 * math.pi)
    front_right, aft_left, front_left, aft_right = control(steps=20, yaw=yaw, target_heading=heading)
    assert (front_right + aft_left > front_left + aft_right) == (turn > 0)


@pytest.mark.parametrize("seed", range(5))
def test_no_state_asks_for_the_impossible(control: Control, seed: int) -> None:
    source = random.Random(seed)
    for _ in range(200):
        state = {name: source.uniform(-3, 3) for name in STATE[:6]} | {
            name: source.uniform(-30, 30) for name in STATE[6:9]
        }
        state |= {"altitude": source.uniform(-100, 3000), "target_altitude": source.uniform(0, 3000)}
        assert all(0 <= value <= 1 for value in control(steps=source.randrange(1, 200), **state))
