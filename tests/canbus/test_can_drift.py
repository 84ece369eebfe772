# SPDX-License-Identifier: Apache-2.0
"""`--drift`: clocks of nodes that differ, in the bounds and on the simulated bus."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from can_files import document, write
from can_texts import HEADER
from command_line import Takt
from running import FULL
from takt.can import check, controllers
from takt.can.check import Answer, Question
from takt.can.lengths import Rate
from takt.can.messages import Message
from takt.can.simulation.bus import Asked, Simulation, exact_bits
from takt.can.simulation.outcome import Outcome, run

BUSES = 300 if FULL else 12


def simulated(asked: Answer, seed: int = 1, duration_ms: int = 60, offsets: dict[str, int] | None = None) -> Outcome:
    return run(asked, Asked(duration_ms * 1_000_000, seed, offsets, "worst"), None, False)


def as_sent(asked: Answer) -> Answer:
    """With frames as long as they are in `simulated`."""
    simulation = Simulation(asked, Asked(1_000_000, payload="worst"), keep=False)
    bits = [exact_bits(one.frame) for one in simulation.messages]
    rows = [replace(row, send_ns=2_000 * count) for row, count in zip(asked.rows, bits, strict=True)]
    return check.of_rows(rows, asked.question, [])


def test_periods_by_the_fastest_clock_and_frames_by_the_slowest(takt: Takt, tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", HEADER + "a,1,0,n,8,10,1,\nb,2,0,m,8,20,,15\n")
    found = document(takt("can", "check", path, "--bitrate", "500k", "--drift", "1000", "--json"))
    first, second = found["messages"]
    assert (first["period_ns"], first["jitter_ns"]) == (10_000_000 * 1000 // 1001, -(-1_000_000 * 1000 // 999))
    assert first["send_ns"] == -(-270_000 * 1000 // 999)
    assert (first["deadline_ns"], second["deadline_ns"]) == (first["period_ns"], 15_000_000)
    assert first["response_ns"] == 2 * first["send_ns"] + first["jitter_ns"]
    assert found["drift_ppm"] == 1000
    assert any("1000 ppm" in one for one in found["warnings"])


def test_a_fast_clock_breaks_the_bound_that_does_not_count_it() -> None:
    """The second frame of a comes before the one of d only if the clock of a is fast; its period is searched for.
    Frames count as long as they are, since no content has as many stuff bits as any bound counts."""
    broken = 0
    for period_ns in range(700_500, 830_500, 1_000):
        names = [("a", period_ns), ("b", 50_000_000), ("c", 50_000_000), ("d", 50_000_000)]
        messages = [Message(name, i, False, (name,), 8, period_ns=period) for i, (name, period) in enumerate(names)]
        plain, counted = (as_sent(check.answer(messages, Question(Rate(500_000), drift_ppm=ppm))) for ppm in (0, 5000))
        found = simulated(counted, seed=3, duration_ms=3, offsets={})
        assert found.clocks_ppm["a"] == 5000
        assert not found.above
        observed, bound = found.seen[3].response_ns, plain.found[3].response_ns
        assert observed is not None
        assert bound is not None
        broken += observed > bound
    assert broken > 0


def test_random_buses_stay_within_bounds_that_count_the_clocks() -> None:
    """With offsets on each node's clock, some nodes with FIFOs, and nodes that start at any time."""
    for seed in range(BUSES):
        chance = random.Random(seed)
        messages = [
            Message(
                f"m{number}",
                number,
                False,
                (chance.choice("abc"),),
                chance.randint(1, 8),
                period_ns=chance.choice((2, 4, 4, 8)) * 1_000_000,
                jitter_ns=chance.choice((0, 0, 100_000)),
                deadline_ns=1_000_000_000,
                offset_ns=chance.randint(0, 7) * 500_000,
            )
            for number in range(chance.randint(4, 12))
        ]
        nodes = sorted({one.senders[0] for one in messages})
        kinds = [f"{node}={chance.choice(('priority', 'priority', 'fifo', '2'))}" for node in nodes]
        queues = controllers.parse(kinds, messages)
        asked = check.answer(messages, Question(Rate(500_000), controllers=queues, offsets=True, drift_ppm=3000))
        for run_seed in range(3):
            begins = {node: chance.randrange(0, 8_000_000, 2_000) for node in nodes}
            offsets = {one.name: (one.offset_ns or 0) + begins[one.senders[0]] for one in messages}
            found = simulated(asked, seed=run_seed, offsets=offsets)
            assert not found.above, (seed, run_seed)
            assert not found.broken


def test_offsets_count_with_drift_too() -> None:
    """Of two messages 5 ms apart only one is before the third; 5 ms by a fast clock still are."""
    messages = [
        Message(name, number, False, (node,), 8, period_ns=10_000_000, offset_ns=offset)
        for number, (name, node, offset) in enumerate((("a", "n", 0), ("b", "n", 5_000_000), ("c", "m", None)))
    ]
    question = Question(Rate(500_000), offsets=True, drift_ppm=100)
    asked = check.answer(messages, question)
    plain = check.answer(messages, replace(question, offsets=False))
    frame = asked.rows[0].send_ns
    assert [one.response_ns for one in plain.found] == [2 * frame, 3 * frame, 3 * frame]
    for one in asked.found:
        assert one.response_ns is not None
        assert 2 * frame <= one.response_ns <= 2 * frame + 10, "but for what is rounded"


@pytest.mark.parametrize("seed", range(3))
def test_bit_by_bit_is_frame_by_frame(seed: int) -> None:
    """Where releases lie within bits."""
    chance = random.Random(seed)
    messages = [
        Message(f"m{number}", number, False, (chance.choice("abcd"),), 8, period_ns=chance.randint(1500, 4000) * 1000)
        for number in range(6)
    ]
    asked = check.answer(messages, Question(Rate(500_000), drift_ppm=4000))
    found = []
    for by_bits in (False, True):
        simulation = Simulation(asked, Asked(40_000_000, seed), keep=True)
        simulation._traffic.bit_by_bit = by_bits
        found.append([one for _, sent in simulation.run() for one in sent])
    assert found[0] == found[1]
    assert len(found[0]) > 50


def test_the_document_has_the_clocks(takt: Takt, tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", HEADER + "".join(f"m{i},{i},0,n{i},8,10,,\n" for i in range(12)))
    options = ("--bitrate", "500k", "--duration", "50ms", "--json")
    found = document(takt("can", "simulate", path, *options, "--drift", "200"))
    clocks = [one["clock_ppm"] for one in found["nodes"]]
    assert (min(clocks), max(clocks), found["drift_ppm"]) == (-200, 200, 200)
    assert len(set(clocks)) > 2
    plain = document(takt("can", "simulate", path, *options))
    assert {one["clock_ppm"] for one in plain["nodes"]} == {0}
    refused = takt("can", "simulate", path, *options, "--drift", "5001")
    assert (refused.code, refused.out) == (2, "")
