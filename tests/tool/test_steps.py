# SPDX-License-Identifier: Apache-2.0
"""--limit and Ctrl-C of `takt check`: undecided, with what is known; never a traceback, never without an end."""

from __future__ import annotations

import json
import math
import os
import random
import signal
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from command_line import Takt
from takt.declare import declaration
from takt.declare.schema.model import System, Task, Verdict
from takt.prove import choose
from takt.prove.choose import Prover
from takt.prove.distance import repair, sensitivity
from takt.prove.proof import prove
from takt.prove.reasons.steps import Ended, Steps
from takt.support import compile

Declare = Callable[..., Path]
FINE = (("control", "20", 1200), ("attitude", "10", 500))
BAD = (("control", "20", 1200), ("attitude", "1/10", 1100))
WITHOUT = ("--overheads", "none")


@pytest.fixture(autouse=True, scope="module")
def _library() -> None:
    compile.host_library()


def near_full_load(count: int) -> System:
    """U = 1 - 10^-9; no two periods have a common divisor."""
    chance, periods = random.Random(count), list[int]()
    while len(periods) < count:
        period = chance.randint(10**6, 10**9) | 1
        if all(math.gcd(period, other) == 1 for other in periods):
            periods.append(period)
    tasks, left = list[Task](), Fraction(10**9 - 1, 10**9)
    for number, period in enumerate(sorted(periods)):
        wcet = int(left * period / (count - number))
        tasks.append(Task(f"t{number}", wcet, period_ns=period, deadline_ns=period))
        left -= Fraction(wcet, period)
    return System(Path("x"), "near", "host", "auto", tuple(tasks))


def five(wcet_ns: int, scheduler: str) -> System:
    periods = [(10 + number) * 10**6 for number in range(5)]
    tasks = (Task(f"t{ns}", wcet_ns, period_ns=ns, deadline_ns=ns) for ns in periods)
    return System(Path("x"), "five", "host", scheduler, tuple(tasks))


def test_near_full_load_auto_takes_edf_when_its_part_of_the_steps_is_used_up() -> None:
    found = prove(near_full_load(40), steps=Steps(100_000_000))
    assert found.verdict is Verdict.FEASIBLE
    assert (found.choice.scheduler, found.choice.complete, found.ended) == ("edf", False, "limit")
    assert "before every list of bands that may cost less was tried" in found.reason()
    assert found.prover.steps.left > 20_000_000


def test_a_search_that_finds_its_end_is_complete() -> None:
    found = prove(five(10**6, "auto"), steps=Steps(100_000_000))
    assert (found.choice.scheduler, found.choice.complete, found.ended) == ("dm", True, None)


def test_a_search_without_an_end_refutes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though edf, which is looked at then, is refuted: another list might prove it."""

    def ended(*arguments: object) -> None:
        raise Ended

    monkeypatch.setattr(choose, "auto", ended)
    found = prove(five(3 * 10**6, "auto"), steps=Steps(10**9))
    assert found.choice.proof.verdict is Verdict.INFEASIBLE
    assert (found.verdict, found.choice.scheduler, found.ended) == (Verdict.UNDECIDED, "edf", "limit")
    assert "before every list of bands was tried; under edf: in the edf band" in found.reason()


def test_without_steps_a_search_is_undecided(takt: Takt, declare: Declare) -> None:
    said = takt("check", declare(*BAD), "--limit", "1", "--json", *WITHOUT)
    document = json.loads(said.out)
    assert (said.code, document["verdict"], document["ended"]) == (1, "undecided", "limit")
    assert document["changes"] == []
    assert document["reason"].startswith("the limit of 1 steps was reached (--limit) before every list of bands")
    said = takt("check", declare(*BAD), "--limit", "1", *WITHOUT)
    assert "Undecided: the limit of 1 steps was reached" in said.out
    assert "Not all is known, because the limit of 1 steps was reached (--limit)" in said.out
    assert takt("check", declare(*FINE), "--limit", "0").code == 2


@pytest.mark.parametrize("scheduler", ["dm", "csd2"])
def test_what_is_known_by_then_is_said(takt: Takt, declare: Declare, scheduler: str) -> None:
    """More steps never make less known, and with enough the verdict is that without a limit."""
    path, before = declare(*FINE, ("log", "100", 3000)), 0
    for limit in (1, 60_010, 10**5, 10**6, 10**9):
        said = takt("check", path, "--scheduler", scheduler, "--limit", str(limit), "--json", *WITHOUT)
        document = json.loads(said.out)
        assert (document["verdict"], said.code) in (("undecided", 1), ("feasible", 0))
        known = sum(task["feasible"] for task in document["tasks"])
        assert known >= before
        before = known
        assert document["verdict"] == "feasible" or document["ended"] == "limit"
    assert document["ended"] is None
    assert len(document["sensitivity"]["tasks"]) == 3


def test_limits_of_tasks_end_where_the_steps_do() -> None:
    prover = Prover(five(10**6, "edf"))
    choice = choose.choose(prover, "edf")
    known, counts = sensitivity.sensitivity(prover, choice, "edf"), set()
    for limit in range(0, 2_000_000, 50_000):
        found = sensitivity.sensitivity(replace(prover, steps=Steps(limit)), choice, "edf")
        assert found.limits == known.limits[: len(found.limits)]
        assert found.scale_max in (None, known.scale_max)
        counts.add(len(found.limits))
    assert {0, 5} < counts


def test_a_change_that_was_found_before_the_end_proves() -> None:
    prover = Prover(five(3 * 10**6, "edf"))
    choice = choose.choose(prover, "edf")
    known = [change for change in repair.changes(prover, choice, "edf", True) if change.knob.kind == "scale"]
    seen = set()
    for limit in range(0, 12_000_000, 500_000):
        for change in repair.changes(replace(prover, steps=Steps(limit)), choice, "edf", True):
            seen.add(change.knob.kind)
            assert prover.of(change.knob.make(change.to)).proves(choice.bands)
            assert change.knob.kind != "scale" or change.to == known[0].to
    assert "scale" in seen
    assert repair.changes(replace(prover, steps=Steps(0)), choice, "edf", True) == ()


def test_an_interrupt_ends_it_as_the_limit_does(takt: Takt, declare: Declare, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is known by then, and the exit code of an interrupt; the next command is not concerned."""
    path, before = declare(*FINE), signal.getsignal(signal.SIGINT)
    chosen = choose.choose

    def interrupted(prover: Prover, name: str, *more: object) -> choose.Choice:
        os.kill(os.getpid(), signal.SIGINT)
        monkeypatch.setattr(choose, "choose", chosen)
        return chosen(prover, name, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(choose, "choose", interrupted)
    said = takt("check", path, "--scheduler", "dm", "--json", *WITHOUT)
    document = json.loads(said.out)
    assert (said.code, document["verdict"], document["ended"]) == (130, "undecided", "interrupted")
    assert "it was interrupted" in document["reason"]
    assert document["sensitivity"] is None
    assert signal.getsignal(signal.SIGINT) is before
    assert takt("check", path, "--scheduler", "dm", *WITHOUT).code == 0


def test_an_interrupt_before_the_proof_leaves_all_unknown(
    takt: Takt, declare: Declare, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(declaration, "load", interrupted)
    said = takt("check", declare(*FINE), "--json")
    assert said.code == 130
    assert json.loads(said.out) == {
        "feasible": False,
        "verdict": "undecided",
        "reason": "it was interrupted before anything was known",
        "ended": "interrupted",
    }
    assert takt("check", declare(*FINE)).out == "Undecided: it was interrupted before anything was known.\n"


def test_a_second_interrupt_ends_the_command() -> None:
    steps = Steps(watched=True)
    with steps.watching():
        os.kill(os.getpid(), signal.SIGINT)
        assert steps.out
        steps.answer()
        assert not steps.out
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert not steps.out


def test_a_part_takes_from_the_whole() -> None:
    steps = Steps(1000)
    with steps.part(200):
        steps.take(150)
        assert steps.left == 50
    assert steps.left == 850
    with steps.part(170):
        steps.take(500)
        with pytest.raises(Ended):
            steps.check()
    assert steps.left == 680
