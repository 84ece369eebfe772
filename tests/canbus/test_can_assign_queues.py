# SPDX-License-Identifier: Apache-2.0
"""`takt can assign --controller`: what it finds beside all orders of a few messages, and what it says."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from can_files import document, write
from can_texts import HEADER
from command_line import Takt
from running import FULL
from takt.can import check, controllers
from takt.can.check import Answer, Question
from takt.can.identifiers import assign
from takt.can.identifiers.assign import Limits
from takt.can.lengths import Rate
from takt.can.messages import Message

BUSES = 400 if FULL else 60
KINDS = ("priority", "fifo", "1", "2", "2/abort:50us", "1/abort:100us")


def random_bus(seed: int) -> Answer:
    chance = random.Random(seed)
    messages = [
        Message(
            f"m{number}",
            number,
            False,
            (chance.choice("abc"),),
            8,
            period_ns=(period := chance.randint(15, 40)) * 100_000,
            deadline_ns=chance.randint(6, period) * 90_000,
            jitter_ns=chance.choice((0, 0, 200_000)),
        )
        for number in range(chance.randint(3, 5))
    ]
    kinds = [f"{node}={chance.choice(KINDS)}" for node in sorted({one.senders[0] for one in messages})]
    return check.answer(messages, Question(Rate(500_000), controllers=controllers.parse(kinds, messages)))


def least_of_all_orders(asked: Answer) -> Fraction | None:
    """Of those with which all arrive in time."""
    orders = (check.of_rows(list(rows), asked.question, []) for rows in itertools.permutations(asked.rows))
    return min((one.largest for one in orders if one.feasible and one.largest is not None), default=None)


def test_what_is_found_beside_all_orders() -> None:
    """What is found holds, what is called impossible is, and little that is possible is missed."""
    possible = missed = refuted = queued = 0
    for seed in range(BUSES):
        asked = random_bus(seed)
        found, least = assign.assign(asked, Limits()), least_of_all_orders(asked)
        queued += not asked.question.controllers.all_by_priority
        possible += least is not None
        if found.identifiers is None:
            missed += least is not None
            refuted += found.proved
            assert not (found.proved and least is not None), seed
            continue
        rows = [row.message for row in asked.rows]
        changed = [replace(one, identifier=found.identifiers.get(one, one.identifier)) for one in rows]
        after = check.answer(sorted(changed, key=lambda one: one.arbitration), asked.question)
        assert after.feasible, seed
        assert after.largest is not None
        assert least is not None, seed
        assert after.largest >= least
        assert not found.proved or after.largest == least, seed
    assert queued > BUSES // 2
    assert possible > BUSES // 4
    assert refuted > 0
    assert missed <= possible // 100


# Of a and b two each; by priority "urgent" may have any identifier but the last.
PAIRS = "slow,1,0,a,8,100,,\nurgent,2,0,a,8,100,,{}\nother,3,0,b,8,100,,\nlast,4,0,b,8,100,,\n"


def test_messages_of_a_fifo_come_near_to_each_other(takt: Takt, tmp_path: Path) -> None:
    """Between those of a none of b may pass: three frames before the end of urgent's, and one that blocks."""
    path = write(tmp_path, "a.csv", HEADER + PAIRS.format("0.9").replace("slow,1", "slow,9"))
    options = ("--bitrate", "500k", "--controller", "a=fifo")
    assert takt("can", "check", path, *options).code == 1
    said = takt("can", "assign", path, *options, "--within", "100%", "--in-place")
    assert said.code == 0, said.out
    assert "no search knows whether an assignment exists" in said.out
    found = document(takt("can", "check", path, *options, "--json"))
    assert found["feasible"]
    ids = {one["name"]: one["id"] for one in found["messages"]}
    assert max(ids["slow"], ids["urgent"]) < min(ids["other"], ids["last"])


def test_what_no_order_mends(takt: Takt, tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", HEADER + PAIRS.format("0.6"))
    said = takt("can", "assign", path, "--bitrate", "500k", "--controller", "a=fifo")
    assert said.code == 1
    assert "Undecided: no assignment was found with which 4 messages" in said.out
    assert "In the best order that was found 1 message may be late, the tightest at 1.350: urgent." in said.out
    assert "The least bit rate at which an assignment proves: 675 kbit/s." in said.out
    said = takt("can", "assign", path, "--bitrate", "500k", "--controller", "a=1/abort:100us")
    assert said.code == 1
    assert said.out.startswith("Undecided: ")
    text = HEADER + PAIRS.format("0.5")
    said = takt("can", "assign", write(tmp_path, "a.csv", text), "--bitrate", "500k", "--controller", "a=1/abort:100us")
    assert (said.code, said.out.split(":")[0]) == (1, "Refuted")
    found = document(takt("can", "assign", path, "--bitrate", "500k", "--controller", "a=fifo", "--json"))
    assert (found["verdict"], found["without_slot"], found["least"]) == ("undecided", ["urgent"], False)


@pytest.mark.parametrize("kind", ["3/abort", "priority"])
def test_buffers_that_are_aborted_at_once_are_queues_by_priority(takt: Takt, tmp_path: Path, kind: str) -> None:
    path = write(tmp_path, "a.csv", HEADER + PAIRS.format("0.9"))
    found = document(takt("can", "assign", path, "--bitrate", "500k", "--controller", kind, "--json"))
    assert (found["least"], found["largest_assigned"]) == (True, pytest.approx(0.6))
