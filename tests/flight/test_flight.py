# SPDX-License-Identifier: Apache-2.0
"""The flight program flies, fails when it must, and survives a bad line: its own code and the plant, without kernel."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from aircraft import Aircraft
from mission import SCRIPT, Judge
from running import only_full

Fly = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def report(fly: Fly) -> dict[str, Any]:
    return fly(1)


def test_climbs_turns_and_holds(report: dict[str, Any]) -> None:
    assert report["success"], report["reasons"]
    assert report["climb_m"] > 100
    assert report["turn_deg"] > 90
    assert report["hold_s"] == pytest.approx(60)
    # Well inside the limits of 5 m and 3 degrees: what the cascade reaches over many seeds.
    assert report["altitude_error_m_max"] < 2.0
    assert report["heading_error_deg_max"] < 1.5
    assert report["speed_error_m_s_max"] < 2.0


def test_a_quiet_line_has_no_faults(report: dict[str, Any]) -> None:
    board = report["board"]
    for counter in ("bad_crc", "bad_length", "resync_bytes", "late", "lost", "overflow", "stale", "refused"):
        assert board[counter] == 0, counter
    assert board["rotor_faults"] == 0
    assert board["frames"] > 17_000
    assert report["commands_sent"] == report["commands_acknowledged"] == len(SCRIPT)
    assert report["frames_from_board"]["resync_bytes"] == 0


def test_the_board_knows_where_it_is(report: dict[str, Any]) -> None:
    truth = min(report["trajectory"], key=lambda sample: abs(sample["t"] - report["board"]["time_us"] * 1e-6))
    assert report["board"]["altitude_mm"] * 1e-3 == pytest.approx(truth["altitude"], abs=2.0)


def test_the_same_seed_is_the_same_flight(fly: Fly, report: dict[str, Any]) -> None:
    again = fly(1)
    assert again["digest"] == report["digest"]
    assert again == report


@only_full
def test_another_seed_is_another_flight_and_succeeds_too(fly: Fly, report: dict[str, Any]) -> None:
    other = fly(8)
    assert other["success"], other["reasons"]
    assert other["digest"] != report["digest"]


def test_without_control_nothing_flies(fly: Fly) -> None:
    failed = fly(1, control=False)
    assert not failed["success"]
    assert any("climbed" in reason for reason in failed["reasons"])


def test_frozen_rotors_fail_and_are_noticed(fly: Fly) -> None:
    failed = fly(1, freeze_s=60.0)
    assert not failed["success"]
    assert "turned over" in failed["reasons"][0] or "ground" in failed["reasons"][0]
    assert failed["board"]["rotor_faults"] > 0


def test_a_bad_line_is_survived_and_counted(fly: Fly) -> None:
    share = 0.05
    flown = fly(2, corrupt=share, shorten=share, drop=share, late=share, garbage=share)
    assert flown["success"], flown["reasons"]
    board, applied = flown["board"], flown["line_faults"]
    broken = applied["corrupt"] + applied["shorten"]
    assert board["bad_crc"] + board["bad_length"] > broken / 2  # a broken sync or a stump is only resync bytes
    assert board["lost"] >= 0.9 * (broken + applied["drop"])
    assert 0.8 * applied["late"] <= board["late"] <= applied["late"]
    assert board["resync_bytes"] > broken
    assert board["frames"] < 17_523


@only_full
def test_lost_commands_are_repeated(fly: Fly) -> None:
    flown = fly(5, drop=0.5)
    assert flown["commands_acknowledged"] == len(SCRIPT)
    assert flown["commands_sent"] > len(SCRIPT)


def test_the_models_own_stabilisation_is_off_and_watched() -> None:
    aircraft = Aircraft(1)
    for _ in range(10):
        aircraft.step()
    assert aircraft.stabilised() == []
    aircraft._model["fcs/ScasEngage"] = 1.0
    assert aircraft.stabilised() == ["fcs/ScasEngage"]


def test_the_model_has_no_autopilot() -> None:
    catalogue = Aircraft(1)._model.query_property_catalog("").split("\n")
    assert [name for name in catalogue if name.startswith("ap/")] == []


def test_a_flight_cut_short_is_no_success() -> None:
    from plant import create_plant

    plant = create_plant(1)
    plant.exchange(1_000_000_000, b"")
    assert not plant.report()["success"]
    assert math.isclose(plant.report()["time_s"], 1.0)


def test_the_judge_wants_every_criterion() -> None:
    from mission import HOLD_TO_NS, GroundStation

    station = GroundStation(acknowledged=len(SCRIPT))
    judge = Judge(altitude_before_climb=100.0, heading_before_turn_deg=90.0, hold_samples=1)
    judge._altitude_sum, judge._turn_sum = 210.0, 135.0
    assert judge.reasons(HOLD_TO_NS, station) == []
    judge.altitude_error_max = 5.1
    judge.heading_error_max = 3.1
    judge.active.add("fcs/ScasEngage")
    assert len(judge.reasons(HOLD_TO_NS, station)) == 3
    judge._altitude_sum, judge._turn_sum = 199.0, 89.0
    assert len(judge.reasons(HOLD_TO_NS, station)) == 5
