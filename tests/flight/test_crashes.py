# SPDX-License-Identifier: Apache-2.0
"""Crashes in mid-flight: the monitor, the command reader and the driver of the serial line, each in every way that its
board knows. The others miss no deadline, what was restarted works again, and the aircraft keeps its course."""

from __future__ import annotations

import itertools
import json
import math
import os

import pytest
from flying import FLIGHT, Flown, fly
from running import SECOND_EMULATED, only_full

KINDS = ("stray", "overflow", "illegal", "hang", "assert")
CAUSE = {**{kind: kind for kind in KINDS}, "hang": "budget"}
ON_HOST = ("hang", "assert")
PROCESS = {"link": "line", "command": "command", "monitor": "monitor"}
HOVER_S = 2.0  # from where on the aircraft is commanded to climb
BOARDS = [pytest.param("host", marks=only_full), *SECOND_EMULATED]


def crashes(kinds: tuple[str, ...], first_s: float) -> list[tuple[str, str, float]]:
    """Task, fault and time: of each task every kind, a second apart, from `first_s` on; of the command reader, which
    has a job when the ground station sends, in a row from its first command on."""
    found = []
    for number, kind in enumerate(kinds):
        found.append(("command", kind, HOVER_S - 0.5 + number))
        found.append(("link", kind, first_s + number + 0.203))
        found.append(("monitor", kind, first_s + number + 0.4))
    return found


def options(wanted: list[tuple[str, str, float]]) -> list[str]:
    texts = [f"{task}:{kind}@{at_s:.3f} s" for task, kind, at_s in wanted]
    return list(itertools.chain.from_iterable(("--inject", text) for text in texts))


def judged(flown: Flown, wanted: list[tuple[str, str, float]]) -> None:
    """Every crash was caught, as what it is, where it was to be; no other; nobody else was late."""
    document = flown.result
    assert document["breaches"] == []
    assert document["failure"] is None
    assert document["misses"] == 0
    causes = sorted((one["task"], one["cause"]) for one in document["faults"])
    assert causes == sorted((task, CAUSE[kind]) for task, kind, _ in wanted)
    assert all(one["restarted"] and one["process"] == PROCESS[one["task"]] for one in document["faults"])
    for one in document["injected"]:
        late_ns = one["fault_ns"] - one["at_ns"]
        assert 0 <= late_ns < {"link": 0.02e9, "monitor": 0.51e9, "command": 1.02e9}[one["task"]]
        assert one["restart_jobs"] > 0
    lost = {name: sum(task == name for task, _, _ in wanted) for name in PROCESS}
    jobs = {task["name"]: task["jobs"] for task in document["tasks"]}
    span_s = document["duration_ns"] / 1e9
    # A crash costs its own job, and what was to be done until the process ran again: less than a period of each.
    assert span_s * 100 - 2 * lost["link"] - 2 <= jobs["link"] <= span_s * 100 + 1 - lost["link"]
    assert jobs["monitor"] == round(span_s * 2) - lost["monitor"]
    assert jobs["control"] == pytest.approx(span_s * 50, abs=1)
    assert all(task["lost"] == 0 for task in document["tasks"])


@pytest.mark.parametrize("board", BOARDS)
def test_every_crash_of_each_task_in_one_flight(board: str) -> None:
    """The first seconds: take-off, hover, and the climb, which the last command begins once its reader works again."""
    kinds = ON_HOST if board == "host" else KINDS
    wanted = crashes(kinds, 4.0)
    flown = fly(FLIGHT, board, "--protection", "--duration", "13 s", *options(wanted))
    judged(flown, wanted)
    assert flown.plant["commands_acknowledged"] == 2
    assert flown.plant["commands_sent"] == 2 + len(kinds)
    assert flown.plant["board"]["lost"] == 0
    assert all(reason.split()[0] != "the aircraft" for reason in flown.plant["reasons"])


FULL = pytest.mark.skipif(not os.environ.get("TAKT_TEST_FULL"), reason="whole flights: TAKT_TEST_FULL=1")


def track(flown: Flown) -> list[tuple[float, tuple[float, float, float]]]:
    """Of each sample the time, s, and north, east and altitude, m."""
    samples = json.loads((flown.folder / "run.json").read_text(encoding="utf-8"))["plant"]["trajectory"]
    return [(one["t"], (one["north"], one["east"], one["altitude"])) for one in samples]


@FULL
@pytest.mark.parametrize("board", BOARDS)
def test_the_whole_flight_keeps_its_figures(board: str) -> None:
    """Driver and monitor fall in the climb, in the turn and while holding, the command reader at the turn's command.
    Until that comes late the aircraft is where it would have been."""
    kinds = ON_HOST if board == "host" else KINDS
    wanted = [("command", kind, 29.5 + number) for number, kind in enumerate(kinds)]
    for number, kind in enumerate(kinds):
        wanted += [("link", kind, start + 1.7 * number) for start in (12.0, 36.0, 60.0)]
        wanted += [("monitor", kind, start + 3.1 * number) for start in (14.1, 70.1)]
    flown = fly(FLIGHT, board, "--protection", *options(wanted))
    judged(flown, wanted)
    assert flown.plant["success"], flown.plant["reasons"]
    assert flown.code == 0
    whole = fly(FLIGHT, board, "--protection", "--duration", "30 s")
    pairs = list(zip(track(flown), track(whole), strict=False))
    assert len(pairs) > 290
    assert all(one[0] == two[0] for one, two in pairs)
    assert max(math.dist(one[1], two[1]) for one, two in pairs) < 0.02
    for figure in ("altitude_error_m_max", "heading_error_deg_max"):
        assert flown.plant[figure] < 1
