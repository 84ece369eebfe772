# SPDX-License-Identifier: Apache-2.0
"""A process of the flight program falls in mid-flight and starts again, and the aircraft flies on.

Limits: 10 s after a fault height and heading are within 1 m and 1 degree of those of the same flight without it. That
one, in its wind and with its sensors, is by itself up to 1.2 m and 0.8 degrees off from what was commanded.
"""

from __future__ import annotations

import ctypes
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flying import Flown, copy, fly
from running import emulated, only_full

RECOVERED_S = 10.0
ALTITUDE_M = 1.0
HEADING_DEG = 1.0
TASKS = ("link", "attitude", "position", "feedback", "control", "monitor")
TURN_S = 30.0  # the last command: the reader's only job after the climb began

SPOILT_ALTITUDE_M = 3.0  # meanwhile, where what was kept cannot be believed

State = dict[float, tuple[float, float]]
Fly = Callable[..., dict[str, Any]]


def by_time(plant: dict[str, Any]) -> State:
    """Altitude, m, and heading, degrees, by the time, s."""
    return {round(one["t"], 1): (one["altitude"], one["heading"]) for one in plant["trajectory"]}


def track(flown: Flown) -> State:
    return by_time(json.loads((flown.folder / "run.json").read_text(encoding="utf-8"))["plant"])


def survived(flown: Flown, reference: State, faults_s: list[float], tasks: list[str]) -> None:
    """All faults were caught and only these, nobody was late, and the course is what it would have been."""
    assert flown.result["breaches"] == []
    assert flown.result["failure"] is None
    assert flown.result["misses"] == 0
    assert sorted(one["task"] for one in flown.result["faults"]) == sorted(tasks)
    assert all(one["restart_jobs"] > 0 for one in flown.result["injected"])
    assert [reason for reason in flown.plant["reasons"] if reason.startswith("the aircraft")] == []
    seen = track(flown)
    assert max(seen) >= max(faults_s) + RECOVERED_S
    for t, (altitude, heading) in seen.items():
        if any(at <= t < at + RECOVERED_S for at in faults_s):
            continue
        was = reference[t]
        assert abs(altitude - was[0]) <= ALTITUDE_M, t
        assert abs(math.remainder(heading - was[1], 360)) <= HEADING_DEG, t


@only_full  # test_crashes.py has the climb
@pytest.mark.parametrize("board", [emulated("mps2-an385")])
def test_every_task_falls_in_the_climb_and_while_holding(board: str) -> None:
    """One flight: from 15 s on and from 60 s on each task, a second apart; the command reader at its last command."""
    folder = copy("restarts")
    reference = track(fly(folder, board, "--protection", "--duration", "78 s", "--seed", "5"))
    wanted = [(task, start + number) for start in (15.0, 60.0) for number, task in enumerate(TASKS)]
    wanted.append(("command", TURN_S - 0.5))
    options = [word for task, at_s in wanted for word in ("--inject", f"{task}:stray@{at_s} s")]
    flown = fly(folder, board, "--protection", "--duration", "78 s", "--seed", "5", *options)
    survived(flown, reference, [at_s for _, at_s in wanted], [task for task, _ in wanted])
    # The control law goes on where it was: what the turn's late command changes aside, nothing is to be seen at all.
    now = track(flown)
    before_turn = [t for t in now if t < TURN_S]
    assert max(abs(now[t][0] - reference[t][0]) for t in before_turn) < 0.1


@only_full
@pytest.mark.parametrize("board", [emulated("mps2-an385"), emulated("rv32-virt")])
@pytest.mark.parametrize("seed", range(1, 6))
def test_every_task_falls_alone(board: str, seed: int) -> None:
    folder = copy(f"alone-{board}")
    reference = track(fly(folder, board, "--protection", "--duration", "73 s", "--seed", str(seed)))
    cases = [(task, at_s, at_s) for task in TASKS for at_s in (15.0, 60.0)]
    cases += [("command", at_s, TURN_S) for at_s in (15.0, TURN_S - 0.5)]
    for task, at_s, falls_s in cases:
        span = f"{falls_s + RECOVERED_S + 2} s"
        options = ("--duration", span, "--seed", str(seed), "--inject", f"{task}:stray@{at_s} s")
        survived(fly(folder, board, "--protection", *options), reference, [falls_s], [task])


class Kept:
    """kept.c behind ctypes: what control goes on with."""

    def __init__(self, library: Path) -> None:
        self.call: Callable[..., int] = ctypes.CDLL(str(library)).codec_recall

    def recall(self, *, age_us: int = 20_000, spoil: int = -1, command: bool = False, value: float = 0.5) -> str:
        """`spoil`: the word of the message that is hit. What is believed: nothing, target (and joins), everything."""
        return ("nothing", "target", "everything")[self.call(age_us, spoil, command, ctypes.c_float(value))]


@pytest.fixture
def kept(library: Path) -> Kept:
    return Kept(library)


def test_what_is_whole_and_fresh_is_gone_on_with(kept: Kept) -> None:
    assert kept.recall() == "everything"
    assert kept.recall(age_us=1_000_000) == "everything"


def test_what_is_old_keeps_its_target_only(kept: Kept) -> None:
    assert kept.recall(age_us=1_000_001) == "target"
    assert kept.recall(age_us=-1) == "target"  # of the future


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e30, 4.01, -4.01])
def test_what_cannot_be_is_not_believed(kept: Kept, value: float) -> None:
    """Signed as it should be, but no integral of climb."""
    assert kept.recall(value=value) == "target"


def test_no_spoilt_word_is_believed(kept: Kept) -> None:
    """The command reader's copy is then what is flown by; without one there is nothing."""
    words = 0
    while kept.call(20_000, words, False, ctypes.c_float(0.5)) >= 0:
        assert kept.recall(spoil=words) == "nothing", words
        assert kept.recall(spoil=words, command=True) == "target", words
        words += 1
    assert words > 10


@pytest.mark.parametrize(("fixed", "altitude"), [(True, 300), (False, 400)])
def test_readers_that_begin_anew_are_followed_by_their_attitude(library: Path, fixed: bool, altitude: float) -> None:
    """Until they have a position again, 0.1 s later, control has the last one, and keeps the aircraft level."""
    followed = (ctypes.c_float * 2)()
    ctypes.CDLL(str(library)).codec_follow(fixed, followed)
    assert list(followed) == pytest.approx([0.2, altitude])


AT_S = 20.0  # in the climb, in the wind
LEVEL_S = 45.0  # a climb at its limit makes up for nothing before it ends, 38 s


@pytest.fixture(scope="module")
def reference(fly_alone: Fly) -> State:
    return by_time(fly_alone(5, until_s=LEVEL_S))


@pytest.mark.parametrize("spoilt", [pytest.param(False, marks=only_full), True])
@pytest.mark.parametrize("control", [True, False], ids=["control", "sensors"])
def test_the_aircraft_stays_up_whatever_was_spoilt(
    fly_alone: Fly, reference: State, control: bool, spoilt: bool
) -> None:
    """Without a kernel: a process's memory is as at the start, and what it kept for that may be garbage."""
    flown = fly_alone(5, until_s=LEVEL_S, restart=(AT_S, control, spoilt))
    assert [reason for reason in flown["reasons"] if reason.startswith("the aircraft")] == []
    seen = by_time(flown)
    off = [
        (abs(seen[t][0] - reference[t][0]), abs(math.remainder(seen[t][1] - reference[t][1], 360))) for t in reference
    ]
    assert max(altitude for altitude, _ in off) <= (SPOILT_ALTITUDE_M if spoilt else 0.1)
    assert off[-1][0] <= ALTITUDE_M
    assert off[-1][1] <= HEADING_DEG
