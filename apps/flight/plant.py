# SPDX-License-Identifier: Apache-2.0
"""The world around the board: aircraft, sensors, serial line and ground station, in lockstep with the board's clock.

`takt run` imports this file by its path, calls create_plant and then exchange at every link interrupt. Everything is a
function of the seed and of the bytes received: same calls, same answers.
"""

from __future__ import annotations

import hashlib
import math
import struct
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))  # for the files beside this one

from aircraft import STEP_NS, Aircraft, State
from frames import STATUS_COUNTERS, FrameType, Parser, encode
from line import Line, LineFaults
from mission import END_NS, HOLD_FROM_NS, HOLD_TO_NS, GroundStation, Judge
from sensors import Sensors

ATTITUDE_NS = 10_000_000
FEEDBACK_NS = 20_000_000
POSITION_NS = 100_000_000
SAMPLE_NS = 100_000_000  # of the trajectory in the report
WATCH_NS = 1_000_000_000  # of the model's automatic systems


class FlightPlant:
    """`freeze_ns`: from then on the rotors no longer follow commands."""

    def __init__(self, seed: int, freeze_ns: int | None = None, faults: LineFaults | None = None) -> None:
        self.seed = seed
        self._freeze_ns = freeze_ns
        self._aircraft = Aircraft(seed)
        self._sensors = Sensors(seed)
        self._line = Line(faults or LineFaults(), seed)
        self._station = GroundStation()
        self._judge = Judge()
        self._parser = Parser()
        self._sequence: dict[FrameType, int] = {}
        self._time_ns = 0
        self._board: dict[str, int] = {}  # the last status frame
        self._samples: list[dict[str, float]] = []
        self._digest = hashlib.sha256()

    @property
    def time_ns(self) -> int:
        return self._time_ns

    @property
    def finished(self) -> bool:
        """Nothing more will change the verdict."""
        return self._time_ns >= END_NS or self._judge.crash is not None

    def exchange(self, time_ns: int, transmitted: bytes) -> bytes:
        """Moves on to the board's `time_ns` (it never goes back), takes what the board sent, returns what arrived."""
        while self._time_ns + STEP_NS <= time_ns:
            self._aircraft.step()
            self._time_ns += STEP_NS
            if self._time_ns % ATTITUDE_NS == 0:
                self._sense(self._aircraft.state())
        for frame in self._parser.feed(transmitted):
            self._take(frame.type, frame.values())
        received = self._line.receive(time_ns)
        self._digest.update(struct.pack("<QII", time_ns, len(transmitted), len(received)) + transmitted + received)
        return received

    def _take(self, frame_type: int, values: tuple[int, ...]) -> None:
        if frame_type == FrameType.ROTORS:
            if self._freeze_ns is None or self._time_ns < self._freeze_ns:
                front_right, aft_left, front_left, aft_right = (value * 1e-4 for value in values[1:])
                self._aircraft.command((front_right, aft_left, front_left, aft_right))
        elif frame_type == FrameType.ACKNOWLEDGE:
            self._station.acknowledge(*values)
        elif frame_type == FrameType.STATUS:
            counters = dict(zip(STATUS_COUNTERS, values[2:-1], strict=True))
            self._board = {"time_us": values[0], "frames": values[1], **counters, "altitude_mm": values[-1]}

    def _sense(self, state: State) -> None:
        time_ns = self._time_ns
        self._judge.watch(time_ns, state)
        self._digest.update(struct.pack("<6d", state.north, state.east, state.altitude, *state.angle))
        if time_ns % SAMPLE_NS == 0:
            self._samples.append(self._sample(state))
        if time_ns % WATCH_NS == 0:
            self._judge.active.update(self._aircraft.stabilised())

        if time_ns % POSITION_NS == 0:
            self._send(FrameType.POSITION, self._sensors.position(state, POSITION_NS * 1e-9))
        if time_ns % FEEDBACK_NS == 0:
            self._send(FrameType.FEEDBACK, [round(value * 1e4) for value in state.throttle])
        self._send(FrameType.ATTITUDE, self._sensors.attitude(state))
        command = self._station.due(time_ns)
        if command is not None:
            self._send(FrameType.COMMAND, command)

    def _send(self, frame_type: FrameType, values: list[int]) -> None:
        sequence = self._sequence.get(frame_type, 0)
        self._sequence[frame_type] = (sequence + 1) % 256
        time_us = self._time_ns // 1000 % (1 << 32)
        self._line.send(self._time_ns, encode(frame_type, sequence, time_us, *values))

    def _sample(self, state: State) -> dict[str, float]:
        command = self._station.current
        return {
            "t": self._time_ns * 1e-9,
            "north": round(state.north, 3),
            "east": round(state.east, 3),
            "altitude": round(state.altitude, 3),
            "heading": round(math.degrees(state.angle[2]) % 360, 3),
            "roll": round(math.degrees(state.angle[0]), 3),
            "pitch": round(math.degrees(state.angle[1]), 3),
            "speed": round(math.hypot(state.velocity[0], state.velocity[1]), 3),
            "commanded_altitude": command.altitude if command else state.altitude,
            "commanded_heading": command.heading_deg % 360 if command else math.degrees(state.angle[2]) % 360,
            "commanded_speed": command.speed if command else 0.0,
            "rotor_front_right": round(state.throttle[0], 4),
            "rotor_aft_left": round(state.throttle[1], 4),
            "rotor_front_left": round(state.throttle[2], 4),
            "rotor_aft_right": round(state.throttle[3], 4),
            "wind_north": round(state.wind[0], 3),
            "wind_east": round(state.wind[1], 3),
            "wind_down": round(state.wind[2], 3),
        }

    def report(self) -> dict[str, Any]:
        """The verdict and the flight's figures, ready for JSON. Metres, degrees, seconds."""
        judge, station = self._judge, self._station
        reasons = judge.reasons(self._time_ns, station)
        return {
            "aircraft": "JSBSim F450 quadrotor",
            "success": not reasons,
            "reasons": reasons,
            "seed": self.seed,
            "time_s": self._time_ns * 1e-9,
            "climb_m": round(judge.climb, 3),
            "turn_deg": round(judge.turn_deg, 3),
            "hold_s": judge.hold_samples * ATTITUDE_NS * 1e-9,
            "altitude_error_m_max": round(judge.altitude_error_max, 3),
            "heading_error_deg_max": round(judge.heading_error_max, 3),
            "speed_error_m_s_max": round(judge.speed_error_max, 3),
            "commands_sent": station.sent,
            "commands_acknowledged": station.acknowledged,
            "line_faults": dict(sorted(self._line.applied.items())),
            "board": self._board,
            "frames_from_board": {
                "frames": self._parser.frames,
                "bad_crc": self._parser.bad_crc,
                "bad_length": self._parser.bad_length,
                "resync_bytes": self._parser.resync_bytes,
            },
            "digest": self._digest.hexdigest(),
            "windows": [{"name": "hold", "from_s": HOLD_FROM_NS * 1e-9, "to_s": HOLD_TO_NS * 1e-9}],
            "trajectory": self._samples,
        }


def create_plant(seed: int, *, freeze_s: float | None = None, **faults: float) -> FlightPlant:
    """A plant at time 0. `freeze_s`: the rotors fail then; `faults`: shares of frames, named as in LineFaults."""
    return FlightPlant(seed, None if freeze_s is None else round(freeze_s * 1e9), LineFaults(**faults))
