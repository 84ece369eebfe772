# SPDX-License-Identifier: Apache-2.0
"""Assignments of identifiers beside a search of all orders, and what the choices keep.

TAKT_SETS: how many random buses (default 400, with --full 20000). A failure names the seed of its bus.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import random
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from takt.can import bounds
from takt.can.bounds import NO_ERRORS, Errors, Frame
from takt.can.identifiers.assignment import Need, Slot, Task
from takt.support.c.analysis import CanChoice, Verdict

BUSES = int(os.environ.get("TAKT_SETS", "20000" if os.environ.get("TAKT_TEST_FULL") else "400"))
STANDARD, EXTENDED, ALONE = 0, 1, 10
TIME_MAX = 2**62


@pytest.fixture(scope="module", autouse=True)
def _bounds(library: ctypes.CDLL) -> None:
    bounds.load(Path(library._name))


def largest(task: Task, order: Sequence[int]) -> Fraction | None:
    """The largest response / deadline of an order; None: a response has no bound."""
    found = bounds.responses([task.frames[i] for i in order], task.bit_ns, task.errors)
    if any(one.response_ns is None for one in found):
        return None
    return max(Fraction(one.response_ns or 0, task.needs[i].deadline_ns) for i, one in zip(order, found, strict=True))


def can_be(task: Task, order: Sequence[int]) -> bool:
    """Whether there are slots for an order: the lowest for the last, and so on."""
    slots = iter(reversed(task.slots))
    return all(any(slot.kind == task.needs[i].kind or slot.holder == i for slot in slots) for i in reversed(order))


def least_of_all(task: Task) -> Fraction | None:
    """The least largest share of all orders, if it is no more than 1."""
    orders = itertools.permutations(range(len(task.frames)))
    shares = [share for order in orders if can_be(task, order) and (share := largest(task, order)) is not None]
    least = min(shares, default=None)
    return least if least is not None and least <= 1 else None


def descend(task: Task, choice: CanChoice = CanChoice.LEAST_SHARE) -> tuple[Fraction | None, Verdict]:
    """The least share that repeated searches find, and how the last one ended."""
    share, most = None, Fraction(1)
    while True:
        found = task.search(choice, most, share is not None)
        if found.verdict != Verdict.FEASIBLE:
            return share, found.verdict
        order = [one for one in found.occupants if one is not None]
        assert sorted(order) == list(range(len(task.frames)))
        for index, slot in zip(found.occupants, task.slots, strict=True):
            assert index is None or slot.kind == task.needs[index].kind or slot.holder == index
        reached = largest(task, order)
        assert reached is not None
        assert reached < most or (share is None and reached == most)
        share = most = reached


def random_task(seed: int, limited: bool) -> Task:
    chance = random.Random(seed)
    count, load = chance.randint(2, 5), chance.uniform(0.4, 1.0)
    frames, needs = [], []
    for index in range(count):
        send = chance.choice([135, chance.randint(47, 160)])
        period = int(send * count / load * chance.uniform(0.3, 3))
        frames.append(Frame(send, period, chance.choice([0, 0, chance.randint(0, period // 2)])))
        kind = chance.choice([STANDARD, STANDARD, STANDARD, EXTENDED, ALONE + index]) if limited else STANDARD
        needs.append(Need(max(1, int(period * chance.choice([1, chance.uniform(0.5, 2)]))), kind))
    slots = [Slot(need.kind, index) for index, need in enumerate(needs)]
    for _ in range(chance.randint(0, 3) if limited else 0):
        slots.insert(chance.randint(0, len(slots)), Slot(chance.choice([STANDARD, EXTENDED])))
    return Task(frames, needs, slots, 1, Errors(1, 3000, 0, 31) if chance.random() < 0.3 else NO_ERRORS)


def test_one_kind_is_decided_and_its_share_is_the_least() -> None:
    """By the first search; the next one proves that there is no less."""
    feasible = 0
    for seed in range(BUSES // 2):
        task = random_task(seed, limited=False)
        least = least_of_all(task)
        assert descend(task) == (least, Verdict.INFEASIBLE), seed
        assert descend(task, CanChoice.KEEP_AND_FILL)[0] == least, seed
        if least is not None:
            feasible += 1
            order = [one for one in task.search(CanChoice.LEAST_SHARE).occupants if one is not None]
            assert largest(task, order) == least, seed
    assert BUSES / 5 < feasible < BUSES / 2 - BUSES / 10


def test_limits_are_kept_and_a_proof_is_one() -> None:
    """With frames that must keep their identifiers, and of two kinds: what is found holds, and where it is said that
    there is none, or none with less, all orders say so, too."""
    counts: Counter[str] = Counter()
    for seed in range(BUSES // 2):
        task = random_task(seed, limited=True)
        least, (share, verdict) = least_of_all(task), descend(task)
        counts["feasible"] += least is not None
        counts["proved"] += verdict == Verdict.INFEASIBLE
        counts["least"] += least == share
        if verdict == Verdict.INFEASIBLE:
            assert share == least, seed
    assert counts["feasible"] > BUSES / 5
    assert counts["proved"] > 0.8 * BUSES / 2
    assert counts["least"] > 0.97 * BUSES / 2


def one_kind(frames: list[Frame], deadlines: list[int], errors: Errors = NO_ERRORS, iterations: int = 1000) -> Task:
    needs = [Need(deadline, STANDARD) for deadline in deadlines]
    return Task(frames, needs, [Slot(STANDARD, i) for i in range(len(frames))], 1, errors, iterations)


def slow_first(slots: list[Slot] | None = None, deadline: int = 500) -> Task:
    """Five slow frames and then a quick one, which must be among the first four."""
    needs = [*[Need(10_000, STANDARD)] * 5, Need(deadline, STANDARD)]
    return Task([Frame(100, 10_000)] * 6, needs, HELD if slots is None else slots, 1)


HELD = [Slot(STANDARD, index) for index in range(6)]


def test_what_choices_keep() -> None:
    assert slow_first().search(CanChoice.LEAST_SHARE).occupants == [5, 4, 3, 2, 1, 0]
    # The first slow one changes with the last, the others stay.
    assert slow_first().search(CanChoice.KEEP_AND_SWAP).occupants == [5, 1, 2, 3, 4, 0]
    assert slow_first().search(CanChoice.KEEP_AND_FILL).occupants == [5, 1, 2, 3, 4, 0]
    assert slow_first().search(CanChoice.KEEP_HOLDERS).verdict == Verdict.UNDECIDED


def test_a_free_identifier_takes_the_late_one_alone() -> None:
    assert slow_first([Slot(STANDARD), *HELD]).search(CanChoice.KEEP_HOLDERS).occupants == [5, 0, 1, 2, 3, 4, None]
    between = [*HELD[:3], Slot(STANDARD), *HELD[3:]]
    assert slow_first(between).search(CanChoice.KEEP_HOLDERS).occupants == [0, 1, 2, 5, 3, 4, None]
    # None is late: a slot without a holder stays empty, unless all are filled.
    for choice in (CanChoice.KEEP_HOLDERS, CanChoice.KEEP_AND_SWAP):
        assert slow_first(between, 600).search(choice).occupants == [0, 1, 2, None, 3, 4, 5]
    assert slow_first(between, 600).search(CanChoice.KEEP_AND_FILL).occupants == [None, 1, 2, 0, 3, 4, 5]


def test_a_slot_that_only_its_holder_may_have() -> None:
    own = [Slot(ALONE + index, index) for index in range(6)]
    assert slow_first(own).search(CanChoice.LEAST_SHARE).verdict == Verdict.INFEASIBLE
    found = slow_first([Slot(STANDARD), *own]).search(CanChoice.KEEP_HOLDERS)
    assert found.occupants == [5, 0, 1, 2, 3, 4, None]


def test_a_slot_that_is_too_little_decides_nothing() -> None:
    """Frame 2 must keep its identifier. Two others fit below it, but there is one slot, and of the first two frames
    only the one that comes often, whose share is greater there, relieves it."""
    frames = [Frame(100, 2000), Frame(100, 300), Frame(100, 10_000)]
    needs = [Need(2000, STANDARD), Need(1500, STANDARD), Need(350, EXTENDED)]
    task = Task(frames, needs, [Slot(STANDARD, 0), Slot(EXTENDED, 2), Slot(STANDARD, 1)], 1)
    first = task.search(CanChoice.LEAST_SHARE, Fraction(3, 4))
    assert first.verdict == Verdict.UNDECIDED
    with_room = Task(frames, needs, [Slot(STANDARD), Slot(EXTENDED, 2), Slot(STANDARD, 0), Slot(STANDARD, 1)], 1)
    assert with_room.search(CanChoice.LEAST_SHARE).verdict == Verdict.FEASIBLE


def test_a_limit_decides_nothing_and_an_overload_does() -> None:
    full = one_kind([Frame(500, 1000), Frame(500, 1000), Frame(100, 0)], [5000, 5000, 1])
    assert full.search(CanChoice.LEAST_SHARE).verdict == Verdict.UNDECIDED
    over = one_kind([Frame(500, 1000), Frame(501, 1000)], [50_000, 50_000])
    assert over.search(CanChoice.LEAST_SHARE).verdict == Verdict.INFEASIBLE
    errors = one_kind([Frame(400, 1000), Frame(400, 1000)], [50_000, 50_000], Errors(1, 1000, 0, 100))
    assert errors.search(CanChoice.LEAST_SHARE).verdict == Verdict.INFEASIBLE
    fewer = one_kind([Frame(400, 1000), Frame(400, 1000)], [50_000, 50_000], Errors(1, 10_000, 0, 100))
    assert fewer.search(CanChoice.LEAST_SHARE).verdict == Verdict.FEASIBLE


def test_a_frame_without_a_period_blocks_and_has_no_slot() -> None:
    frames = [Frame(100, 10_000), Frame(100, 10_000), Frame(900, 0)]
    tight = one_kind(frames, [1099, 2000, 1])
    assert tight.search(CanChoice.LEAST_SHARE).verdict == Verdict.FEASIBLE  # 1000: 0 is the first
    tight = one_kind(frames, [999, 2000, 1])
    assert tight.search(CanChoice.LEAST_SHARE).verdict == Verdict.INFEASIBLE


def test_shares_are_compared_exactly() -> None:
    """Times of up to 2^62, whose products have 124 bits."""
    send = 2**40
    for scale in (1, 2**20 - 1):
        frames = [Frame(send, 2**60)] * 2
        deadlines = [2 * send * scale + 1, 2 * send * scale]
        share = Fraction(2 * send, 2 * send * scale + 1)  # of the frame with more time, as the last
        task = one_kind(frames, deadlines)
        assert task.search(CanChoice.LEAST_SHARE, Fraction(2 * send, deadlines[1])).occupants == [1, 0]
        # The first has a share, too: it is blocked by the other.
        first = Fraction(2 * send, deadlines[1])
        assert task.search(CanChoice.LEAST_SHARE, first, below=True).verdict == Verdict.INFEASIBLE
        assert share < first
        assert one_kind(frames, [deadlines[0]] * 2).search(CanChoice.LEAST_SHARE, share).verdict == Verdict.FEASIBLE
        assert (
            one_kind(frames, [deadlines[0]] * 2)
            .search(CanChoice.LEAST_SHARE, Fraction(2 * send - 1, 2 * send * scale + 1))
            .verdict
            == Verdict.INFEASIBLE
        )


def broken() -> Iterator[Task]:
    good = one_kind([Frame(10, 100)], [100])
    yield one_kind([Frame(10, 100)], [0])
    yield one_kind([Frame(10, 100)], [TIME_MAX + 1])
    yield one_kind([Frame(0, 100)], [100])
    yield Task(good.frames, good.needs, [Slot(STANDARD, 1)], 1)


@pytest.mark.parametrize("task", list(broken()))
def test_broken_input_is_refused(task: Task) -> None:
    with pytest.raises(ValueError, match="INVALID"):
        task.search(CanChoice.LEAST_SHARE)


@pytest.mark.parametrize("most", [Fraction(2**63 + 1), Fraction(1, 2**63 + 1)])
def test_a_share_that_does_not_fit_is_refused(most: Fraction) -> None:
    with pytest.raises(ValueError, match="INVALID"):
        one_kind([Frame(10, 100)], [100]).search(CanChoice.LEAST_SHARE, most)


def test_under_sanitizers(compile_c: Callable[..., Path], tmp_path: Path, sanitizers: tuple[str, ...]) -> None:
    """Absurd numbers of everything, from a seed."""
    here = Path(__file__).resolve().parent
    analysis = here.parents[1] / "analysis/src"
    sources = [here / "can_order_wild.c", analysis / "demand.c", *sorted((analysis / "can").glob("*.c"))]
    program = compile_c(tmp_path / "wild", sources, *sanitizers)
    said = subprocess.run([program, str(20 * BUSES)], capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    counts = dict(zip(("feasible", "undecided", "infeasible", "invalid"), map(int, said.stdout.split()), strict=True))
    assert min(counts.values()) >= BUSES / 10, counts
