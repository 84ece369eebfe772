# SPDX-License-Identifier: Apache-2.0
"""Faults that a run injects on its simulated bus: what comes of them, and what of it is held against the proof."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import can_driven
import pytest
from can_driven import CAN, frames_of, make, seen
from command_line import Takt, documented, keys
from running import takt as run_takt
from takt.can.bounds import Errors
from takt.observe.figures import disturbed
from takt.observe.figures.buses import MessageFigures
from takt.prove.bus import faults
from takt.prove.bus.faults import Fault

MS = 1_000_000
TOLERANT = can_driven.SOURCE.replace(
    "if (takt_can_send_torque(torque) != TAKT_OK) {",
    "enum takt_status status = takt_can_send_torque(torque);\n    torque[6] += status == TAKT_STATE;\n    if (0) {",
).replace("|| takt_can_send_answer(wheel + 5) != TAKT_OK", "|| (takt_can_send_answer(wheel + 5), 0)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make(tmp_path_factory.mktemp("injected") / "injected", bus=CAN + 'errors = "4/100ms"\n')
    fatal, tolerant = (one.replace("AGAIN", "") for one in (can_driven.SOURCE, TOLERANT))
    path = folder / "code.c"
    path.write_text(path.read_text().replace(fatal, tolerant))
    return folder


def run(folder: Path, *asked: str, seed: int = 1) -> tuple[int, dict[str, Any], dict[str, Any]]:
    """Exit code, document, and what is said of the bus."""
    options = [word for one in asked for word in ("--inject", f"body:{one}")]
    code, ran = run_takt("run", folder, "--seed", str(seed), *options)
    (found,) = ran["bus_faults"]
    assert found["injected"] == list(asked)
    return code, ran, found


def sent(folder: Path, ran: dict[str, Any], identifier: int) -> list[Any]:
    return [one for one in frames_of(folder, ran["scheduler"]) if one.identifier == identifier and not one.error]


def test_disturbances_follow_from_the_seed(folder: Path) -> None:
    runs = [(*run(folder, "flips=4e-3", seed=seed), list(frames_of(folder, "dm"))) for seed in (1, 1, 2)]
    assert {run[1]["scheduler"] for run in runs} == {"dm"}
    assert runs[0][2:] == runs[1][2:]
    assert runs[0][3] != runs[2][3]
    for code, ran, found, frames in runs:
        assert set(keys({"bus_faults": ran["bus_faults"]})) <= documented("run")
        assert 1500 < found["errors"] < 2200  # of 2000 disturbances; two may come to one error frame
        assert sum(one.error for one in frames) >= found["errors"]
        late = [one for one in ran["messages"] if one["beyond"] is not None]
        assert (code, ran["breaches"]) == (0, [])
        assert late
        assert found["beyond_ns"] <= min(one["late_ns"] for one in late)


def test_errors_as_declared_are_within_the_bounds(folder: Path) -> None:
    kept = 0
    for seed in range(1, 4):
        code, ran, found = run(folder, "flips=1.5e-5", seed=seed)
        assert (code, ran["breaches"]) == (0, [])
        kept += found["beyond"] is None
        assert found["errors"] > 4
    assert kept > 0


def test_a_system_that_goes_bus_off_recovers(folder: Path) -> None:
    code, ran, found = run(folder, "flips=8e-3")
    assert (code, ran["breaches"]) == (0, [])
    assert found["bus_off"] > 0
    assert found["error_passive"] >= found["bus_off"]
    torque = seen(ran)["torque"]
    assert torque["lost"] > 0
    counted = [one.data[6] for one in sent(folder, ran, 0x100)]
    assert counted[0] == 0
    assert counted[-1] > 0  # sends that were refused at bus-off, in a frame after it


def test_a_frame_that_no_one_acknowledges(folder: Path) -> None:
    code, ran, found = run(folder, "dead=*@300ms")
    assert code == 0
    assert (found["error_passive"], found["bus_off"]) == (1, 0)
    assert found["errors"] > 1000
    assert (found["beyond_ns"], found["beyond"]) == (300 * MS, "no other node is there to acknowledge frames")
    assert all(frame.time_ns < 300 * MS for frame in frames_of(folder, ran["scheduler"]) if not frame.error)


def test_a_node_that_dies(folder: Path) -> None:
    """In the middle of a frame: it sends without a pause."""
    code, ran, found = run(folder, "babble=lamp", "dead=cluster@399.95ms")
    assert (code, found["errors"], found["error_passive"]) == (0, 1, 0)
    lamps = [one.time_ns for one in sent(folder, ran, 0x400)]
    assert 399 * MS < max(lamps) < 400 * MS
    apart = sorted(later - one for one, later in pairwise(lamps))
    assert apart[len(apart) // 2] < 140_000  # 63 to 76 bits of 2 us: nothing between them
    assert len(sent(folder, ran, 0x80)) == 50
    assert ran["breaches"] == []
    assert seen(ran)["lamp"]["beyond"] == "lamp is sent without a pause"


@pytest.mark.parametrize(
    ("asked", "said", "hint"),
    [
        ("boddy:flips=1e-5", 'no [[can]] "boddy"', "body"),
        ("body:flips=2", "2 is no rate of disturbances", "1e-6"),
        ("body:flips=1e-12", "disturbs no bit", "1e-09"),
        ("body:dead=abs", "has no time", "NODE@TIME"),
        ("body:dead=abss@1ms", 'no node "abss" sends', "abs"),
        ("body:dead=abs@2s", "the run ends at 1 s", "--duration"),
        ("body:babble=lamb", 'no message is "lamb"', "lamp"),
        ("body:babble=torque", "is sent by this system", "another node"),
        ("body:flip=1", 'no such fault "flip" of a bus', "flips"),
    ],
)
def test_what_cannot_be_injected(takt: Takt, folder: Path, asked: str, said: str, hint: str) -> None:
    found = takt("run", folder, "--inject", asked)
    assert found.code == 2
    assert f'--inject "{asked}": ' in found.err
    assert said in found.err
    assert hint in found.err.partition("try: ")[2]


def is_declared(times: Sequence[int], errors: Errors) -> bool:
    """By definition: some partition into bursts is as declared; without bursts no window has too many."""
    if errors.burst_ns == 0:
        return all(sum(begin <= one < begin + errors.distance_ns for one in times) <= errors.count for begin in times)
    for begins in product([False, True], repeat=max(0, len(times) - 1)):
        bursts: list[list[int]] = []
        for time, begin in zip(times, (True, *begins), strict=False):
            bursts = [*bursts, [time]] if begin else [*bursts[:-1], [*bursts[-1], time]]
        if all(len(one) <= errors.count and one[-1] - one[0] <= errors.burst_ns for one in bursts) and all(
            later[0] - one[0] >= errors.distance_ns for one, later in pairwise(bursts)
        ):
            return True
    return not times


def test_errors_keep_to_what_is_declared_by_definition() -> None:
    chance = random.Random(5)
    outcomes = []
    for _ in range(1500):
        times = sorted(chance.sample(range(60), chance.randint(0, 7)))
        distance = chance.randint(5, 25)
        errors = Errors(chance.randint(1, 3), distance, chance.choice([0, chance.randint(1, distance - 1)]))
        found = faults.excess(times, errors, 0)
        assert (found is None) == is_declared(times, errors), (times, errors)
        if found is not None:
            kept = [one for one in times if one < found[0]]
            assert is_declared(kept, errors)
        outcomes.append(found is None)
    assert 300 < sum(outcomes) < 1200


def test_what_was_late_before_the_errors_were_too_many_is_a_breach(tmp_path: Path) -> None:
    times_us = (10_000, 16_000, 18_000)
    lines = [f"(0.{time:06d}) can0 20000280#0000000000000800\n" for time in times_us]
    (tmp_path / "body.log").write_text("".join(["(0.000500) can0 100#0102\n", *lines]))
    question = SimpleNamespace(errors=Errors(1, 5 * MS), at_random=None)
    proof: Any = SimpleNamespace(bus=SimpleNamespace(name="body"), traffic=SimpleNamespace(question=question))

    def late(name: str, late_ns: int | None) -> MessageFigures:
        return MessageFigures(name, "body", True, 3, 0, 9 * MS, 4 * MS, late_ns=late_ns)

    messages = [late("before", 17 * MS), late("since", 18 * MS), late("other", None)]
    asked = {"body": [Fault("flips", "flips=1e-5", 1e-5)]}
    (bus,), judged = disturbed.judge(asked, [proof], tmp_path, messages)
    assert bus.errors == 3
    assert bus.beyond == (18 * MS, "2 errors within 2 ms, where in 5 ms at most 1 is declared")
    assert [one.beyond is None for one in judged] == [True, False, True]
    assert [len(list(one.breaches())) for one in judged] == [1, 0, 1]
