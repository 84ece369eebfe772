# SPDX-License-Identifier: Apache-2.0
"""The aircraft: JSBSim's F450 quadrotor in gusty air, driven by nothing but four raw throttles.

The model brings a rate damper of its own ("ScasEngage"). It stays off and its inputs 0; `stabilised` watches that.
"""

from __future__ import annotations

import importlib.util
import math
import random
import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any

# JSBSim's binding imports numpy for its matrix functions alone, and nothing here calls those: where numpy is not
# installed an empty module stands in for it while the binding loads, and only then: other packages look for it too.
if importlib.util.find_spec("numpy") is None:
    sys.modules["numpy"] = ModuleType("numpy")
    import jsbsim

    del sys.modules["numpy"]
else:
    import jsbsim

STEP_NS = 2_000_000  # of the simulation
FEET = 0.3048
METRES_PER_DEGREE = 111_319.0
LATITUDE_DEG, LONGITUDE_DEG, GROUND_M = 44.725801, -93.075866, 285.0
ROTORS = ("FR", "AL", "FL", "AR")

WIND_MEAN = 5.0  # m/s
GUST_SIGMA = (2.0, 2.0, 0.8)  # m/s: north, east, down
GUST_TIME_S = 1.5  # correlation
SQUALL = 6.0  # m/s: discrete gusts of 1 - cos form
SQUALL_EVERY_S = 9.0


class _Silent(jsbsim.FGLogger):
    """JSBSim's messages, swallowed: standard output belongs to the tool."""

    def set_level(self, level: object) -> None: ...
    def file_location(self, filename: str, line: int) -> None: ...
    def message(self, message: str) -> None: ...
    def format(self, format: object) -> None: ...
    def flush(self) -> None: ...


@dataclass(frozen=True)
class State:
    """The truth. Metres, seconds, radians; north, east from the start, altitude above mean sea level."""

    north: float
    east: float
    altitude: float
    latitude_deg: float
    longitude_deg: float
    height: float  # above ground
    velocity: tuple[float, float, float]  # north, east, down
    angle: tuple[float, float, float]  # roll, pitch, yaw (-pi to pi)
    force: tuple[float, float, float]  # specific, body axes, m/s^2
    rate: tuple[float, float, float]  # body axes
    throttle: tuple[float, float, float, float]  # what the rotors' controllers do
    wind: tuple[float, float, float]  # north, east, down


class Gusts:
    """Wind, m/s: a mean, coloured noise and a squall now and then. A function of the seed and the step alone."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(f"{seed} wind")
        direction = self._random.uniform(-math.pi, math.pi)
        self._mean = (WIND_MEAN * math.cos(direction), WIND_MEAN * math.sin(direction), 0.0)
        self._noise = [0.0, 0.0, 0.0]
        self._squall_start = 5.0
        self._squall_length = 3.0
        self._squall = (SQUALL, 0.0, 0.0)

    def step(self, time_s: float, dt_s: float) -> tuple[float, float, float]:
        keep = math.exp(-dt_s / GUST_TIME_S)
        for axis, sigma in enumerate(GUST_SIGMA):
            kick = sigma * math.sqrt(1 - keep * keep)
            self._noise[axis] = keep * self._noise[axis] + kick * self._random.gauss(0, 1)
        phase = (time_s - self._squall_start) / self._squall_length
        if phase >= 1:
            self._next_squall(time_s)
            phase = 0.0
        strength = (1 - math.cos(2 * math.pi * phase)) / 2 if phase > 0 else 0.0
        wind = [m + n + strength * s for m, n, s in zip(self._mean, self._noise, self._squall, strict=True)]
        return wind[0], wind[1], wind[2]

    def _next_squall(self, time_s: float) -> None:
        self._squall_start = time_s + self._random.expovariate(1 / SQUALL_EVERY_S)
        self._squall_length = self._random.uniform(1.5, 4.0)
        direction = self._random.uniform(-math.pi, math.pi)
        down = self._random.uniform(-0.4, 0.4)
        self._squall = (SQUALL * math.cos(direction), SQUALL * math.sin(direction), SQUALL * down)


class Aircraft:
    def __init__(self, seed: int) -> None:
        jsbsim.set_logger(_Silent())
        self._model = jsbsim.FGFDMExec(None)
        self._model.set_debug_level(0)
        if not self._model.load_model("F450"):
            raise RuntimeError("JSBSim has no model F450; is the jsbsim package complete?")
        self._model.set_dt(STEP_NS * 1e-9)
        self._gusts = Gusts(seed)
        # Properties that are used all the time, found once: to find one by its name takes as long as much of a step.
        self._throttles = self._nodes("fcs/cmd{}_ext_nd", ROTORS)
        self._winds = self._nodes("atmosphere/wind-{}-fps", ("north", "east", "down"))
        self._position = self._nodes("position/{}", ("lat-geod-deg", "long-gc-deg", "h-sl-meters", "h-agl-ft"))
        self._angle = self._nodes("attitude/{}-rad", ("phi", "theta", "psi"))
        self._velocity = self._nodes("velocities/v-{}-fps", ("north", "east", "down"))
        self._force = self._nodes("accelerations/a-pilot-{}-ft_sec2", ("x", "y", "z"))
        self._rate = self._nodes("velocities/{}-rad_sec", ("p", "q", "r"))
        self._rotors = self._nodes("fcs/throttle-pos-norm[{}]", ("0", "1", "2", "3"))
        self._steps = 0
        self._wind = (0.0, 0.0, 0.0)
        self._set_position()

    def _nodes(self, pattern: str, names: tuple[str, ...]) -> list[Any]:
        manager = self._model.get_property_manager()
        return [manager.get_node(pattern.format(name)) for name in names]

    def _set_position(self) -> None:
        model = self._model
        model["ic/lat-geod-deg"] = LATITUDE_DEG
        model["ic/long-gc-deg"] = LONGITUDE_DEG
        model["ic/terrain-elevation-ft"] = GROUND_M / FEET
        model["ic/h-agl-ft"] = 0.1508 / FEET  # standing on its gear
        model["ic/psi-true-deg"] = 90.0
        model.run_ic()
        model["propulsion/set-running"] = -1
        self.command((0.0, 0.0, 0.0, 0.0))

    def command(self, throttle: tuple[float, float, float, float]) -> None:
        """Sets the raw throttles, 0 to 1. Nothing else of the model is ever written in flight but the wind."""
        for node, value in zip(self._throttles, throttle, strict=True):
            node.set_double_value(value)

    def step(self) -> None:
        """Moves STEP_NS on; new wind every fifth step."""
        if self._steps % 5 == 0:
            self._wind = self._gusts.step(self._steps * STEP_NS * 1e-9, 5 * STEP_NS * 1e-9)
            for node, value in zip(self._winds, self._wind, strict=True):
                node.set_double_value(value / FEET)
        self._steps += 1
        self._model.run()

    def stabilised(self) -> list[str]:
        """Names of the model's own automatic systems that are active; must be empty."""
        catalogue = [entry.split(" ")[0] for entry in self._model.query_property_catalog("").split("\n")]
        watched = [name for name in catalogue if name.startswith("ap/") or "/ap/" in name]
        watched += ["fcs/ScasEngage", "fcs/cmdRoll_rps", "fcs/cmdPitch_rps", "fcs/cmdYaw_rps", "fcs/throttle-cmd-norm"]
        return [name for name in watched if self._model[name] != 0.0]

    def state(self) -> State:
        latitude, longitude, altitude, height = _values(self._position)
        east_scale = METRES_PER_DEGREE * math.cos(math.radians(LATITUDE_DEG))
        roll, pitch, yaw = _values(self._angle)
        front_right, aft_left, front_left, aft_right = _values(self._rotors)
        return State(
            north=(latitude - LATITUDE_DEG) * METRES_PER_DEGREE,
            east=(longitude - LONGITUDE_DEG) * east_scale,
            altitude=altitude,
            latitude_deg=latitude,
            longitude_deg=longitude,
            height=height * FEET,
            velocity=_triple(self._velocity, FEET),
            angle=(roll, pitch, yaw - 2 * math.pi if yaw > math.pi else yaw),
            force=_triple(self._force, FEET),
            rate=_triple(self._rate, 1.0),
            throttle=(front_right, aft_left, front_left, aft_right),
            wind=self._wind,
        )


def _values(nodes: list[Any]) -> list[float]:
    return [node.get_double_value() for node in nodes]


def _triple(nodes: list[Any], scale: float) -> tuple[float, float, float]:
    first, second, third = _values(nodes)
    return scale * first, scale * second, scale * third
