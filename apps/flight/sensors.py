# SPDX-License-Identifier: Apache-2.0
"""What the sensors say of the truth: noise and biases from a seed, in the units of messages.h."""

from __future__ import annotations

import math
import random

from aircraft import State

ANGLE_NOISE = math.radians(0.4)
ANGLE_BIAS = math.radians(0.4)  # constant, drawn once per axis
RATE_NOISE = math.radians(0.5)
RATE_BIAS = math.radians(0.2)
FORCE_NOISE = 0.08  # m/s^2
FORCE_BIAS = 0.03
POSITION_NOISE = 0.5  # m
POSITION_WANDER = 0.5  # m, slow
WANDER_TIME_S = 30.0
VELOCITY_NOISE = 0.1  # m/s


def fixed(value: float, unit: float, bits: int = 16) -> int:
    """`value` as a signed fixed-point number of `unit`, held inside its bits."""
    limit = (1 << (bits - 1)) - 1
    return max(-limit, min(limit, round(value / unit)))


class Sensors:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(f"{seed} sensors")
        self._angle_bias = self._draw(ANGLE_BIAS)
        self._rate_bias = self._draw(RATE_BIAS)
        self._force_bias = self._draw(FORCE_BIAS)
        self._wander = [0.0, 0.0, 0.0]

    def _draw(self, sigma: float) -> list[float]:
        return [max(-2 * sigma, min(2 * sigma, self._random.gauss(0, sigma))) for _ in range(3)]

    def _noisy(self, truth: tuple[float, float, float], bias: list[float], sigma: float, unit: float) -> list[int]:
        return [fixed(t + b + self._random.gauss(0, sigma), unit) for t, b in zip(truth, bias, strict=True)]

    def attitude(self, state: State) -> list[int]:
        """Roll, pitch, yaw; specific force; body rates."""
        angles = self._noisy(state.angle, self._angle_bias, ANGLE_NOISE, 1e-4)
        angles[2] = fixed(math.remainder(angles[2] * 1e-4, 2 * math.pi), 1e-4)
        force = self._noisy(state.force, self._force_bias, FORCE_NOISE, 1e-3)
        return angles + force + self._noisy(state.rate, self._rate_bias, RATE_NOISE, 1e-3)

    def position(self, state: State, dt_s: float) -> list[int]:
        """Latitude, longitude, altitude, velocity; `dt_s` since the last one."""
        keep = math.exp(-dt_s / WANDER_TIME_S)
        errors = []
        for axis in range(3):
            kick = POSITION_WANDER * math.sqrt(1 - keep * keep)
            self._wander[axis] = keep * self._wander[axis] + kick * self._random.gauss(0, 1)
            errors.append(self._wander[axis] + self._random.gauss(0, POSITION_NOISE))
        metres = 1 / 111_319.0
        longitude_error = errors[1] * metres / math.cos(math.radians(state.latitude_deg))
        return [
            fixed(state.latitude_deg + errors[0] * metres, 1e-7, 32),
            fixed(state.longitude_deg + longitude_error, 1e-7, 32),
            fixed(state.altitude + errors[2], 1e-3, 32),
            *self._noisy(state.velocity, [0.0, 0.0, 0.0], VELOCITY_NOISE, 1e-2),
        ]
