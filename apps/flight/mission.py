# SPDX-License-Identifier: Apache-2.0
"""The ground station: what it commands and when, and whether the aircraft did it, judged by the truth."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from aircraft import GROUND_M, State

SECOND = 1_000_000_000

TURN_DEG = 135.0
CLIMB_M = 110.0
START_HEADING_DEG = 90.0

HOLD_FROM_NS = 48 * SECOND
HOLD_TO_NS = 108 * SECOND
END_NS = 110 * SECOND

CLIMB_M_MIN = 100.0
TURN_DEG_MIN = 90.0
ALTITUDE_M_MAX = 5.0  # error while holding
HEADING_DEG_MAX = 3.0


@dataclass(frozen=True)
class Command:
    time_ns: int
    altitude: float  # m above mean sea level
    heading_deg: float
    speed: float  # m/s


SCRIPT = (
    Command(2 * SECOND, GROUND_M + 10, START_HEADING_DEG, 0.0),
    Command(10 * SECOND, GROUND_M + 10 + CLIMB_M, START_HEADING_DEG, 4.0),
    Command(30 * SECOND, GROUND_M + 10 + CLIMB_M, START_HEADING_DEG + TURN_DEG, 5.0),
)


def heading_error_deg(state: State, heading_deg: float) -> float:
    """Heading minus the one commanded, -180 to 180."""
    return math.remainder(math.degrees(state.angle[2]) - heading_deg, 360)


@dataclass
class GroundStation:
    """Sends the script, one command at a time, each again every second until it is acknowledged."""

    repeat_ns: int = SECOND
    sent: int = 0  # frames
    acknowledged: int = 0  # commands
    refused: int = 0
    _sent_ns: int | None = None

    @property
    def current(self) -> Command | None:
        """The command that the aircraft was last given and has acknowledged."""
        return SCRIPT[self.acknowledged - 1] if self.acknowledged else None

    def due(self, time_ns: int) -> list[int] | None:
        """Fields of a command frame (without its time) to send now, or None."""
        if self.acknowledged == len(SCRIPT) or time_ns < SCRIPT[self.acknowledged].time_ns:
            return None
        if self._sent_ns is not None and time_ns < self._sent_ns + self.repeat_ns:
            return None
        command = SCRIPT[self.acknowledged]
        self._sent_ns = time_ns
        self.sent += 1
        heading = math.remainder(math.radians(command.heading_deg), 2 * math.pi)
        fly = 1
        return [
            self.acknowledged + 1,
            fly,
            round(command.altitude * 1000),
            round(heading * 1e4),
            round(command.speed * 100),
        ]

    def acknowledge(self, number: int, accepted: int) -> None:
        if number != self.acknowledged + 1:
            return  # the answer to a repetition
        if accepted:
            self.acknowledged += 1
        else:
            self.refused += 1


@dataclass
class Judge:
    """Watches the truth at every sample; success is decided from nothing else."""

    altitude_before_climb: float = math.nan
    heading_before_turn_deg: float = math.nan
    altitude_error_max: float = 0.0  # m, while holding
    heading_error_max: float = 0.0  # degrees, while holding
    speed_error_max: float = 0.0  # m/s along the track, while holding
    hold_samples: int = 0
    crash: str | None = None
    active: set[str] = field(default_factory=set)  # automatic systems of the model that were seen active
    _airborne: bool = False
    _altitude_sum: float = 0.0
    _turn_sum: float = 0.0

    def watch(self, time_ns: int, state: State) -> None:
        self._watch_crash(time_ns, state)
        if time_ns <= SCRIPT[1].time_ns:
            self.altitude_before_climb = state.altitude
        if time_ns <= SCRIPT[2].time_ns:
            self.heading_before_turn_deg = math.degrees(state.angle[2])
        if HOLD_FROM_NS <= time_ns < HOLD_TO_NS:
            self._watch_hold(state)

    def _watch_crash(self, time_ns: int, state: State) -> None:
        self._airborne = self._airborne or state.height > 2.0
        if self.crash is not None or not self._airborne:
            return
        tilt = max(abs(state.angle[0]), abs(state.angle[1]))
        if state.height < 0.5:
            self.crash = f"hit the ground at {time_ns / SECOND:.2f} s"
        elif tilt > math.radians(80):
            self.crash = f"turned over at {time_ns / SECOND:.2f} s"

    def _watch_hold(self, state: State) -> None:
        target = SCRIPT[-1]
        self.hold_samples += 1
        self._altitude_sum += state.altitude
        self._turn_sum += math.remainder(math.degrees(state.angle[2]) - self.heading_before_turn_deg, 360)
        self.altitude_error_max = max(self.altitude_error_max, abs(state.altitude - target.altitude))
        self.heading_error_max = max(self.heading_error_max, abs(heading_error_deg(state, target.heading_deg)))
        speed = math.hypot(state.velocity[0], state.velocity[1])
        self.speed_error_max = max(self.speed_error_max, abs(speed - target.speed))

    @property
    def climb(self) -> float:
        """Metres from before the climb to the mean of the hold; 0 before there was one."""
        return self._altitude_sum / self.hold_samples - self.altitude_before_climb if self.hold_samples else 0.0

    @property
    def turn_deg(self) -> float:
        """Degrees from before the turn to the mean of the hold; 0 before there was one."""
        return self._turn_sum / self.hold_samples if self.hold_samples else 0.0

    def reasons(self, time_ns: int, station: GroundStation) -> list[str]:
        """Why this is not a success; empty when it is one."""
        found = []
        if self.crash is not None:
            found.append(f"the aircraft {self.crash}")
        if time_ns < HOLD_TO_NS:
            found.append(f"the flight ended at {time_ns / SECOND:.2f} s, before {HOLD_TO_NS / SECOND:.0f} s")
        if station.acknowledged < len(SCRIPT):
            found.append(f"{len(SCRIPT) - station.acknowledged} of {len(SCRIPT)} commands were not acknowledged")
        if self.climb < CLIMB_M_MIN:
            found.append(f"climbed {self.climb:.1f} m instead of {CLIMB_M_MIN:.0f} m")
        if abs(self.turn_deg) < TURN_DEG_MIN:
            found.append(f"turned {self.turn_deg:.1f} degrees instead of {TURN_DEG_MIN:.0f}")
        if self.altitude_error_max > ALTITUDE_M_MAX:
            found.append(f"altitude was {self.altitude_error_max:.1f} m off while holding ({ALTITUDE_M_MAX:.0f} m)")
        if self.heading_error_max > HEADING_DEG_MAX:
            found.append(f"heading was {self.heading_error_max:.1f} degrees off while holding ({HEADING_DEG_MAX:.0f})")
        if self.active:
            found.append(f"the model's own stabilisation was active: {', '.join(sorted(self.active))}")
        return found
