# SPDX-License-Identifier: Apache-2.0
"""Bounds beside what other tools find: the analyses of pyCPA, MAST and Cheddar, and SimSo's simulation. published.json
has all, with their sources. Never above the bounds of an analysis, never below a simulation.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from published import PUBLISHED, Published, examples
from small_systems import MS, edf, fixed, responses, system, task
from takt.declare.schema.model import System, Task, Verdict
from takt.prove.analysis import analyse


def arriving(name: str, wcet: int, period: int, jitter: int, distance: int) -> Task:
    """A jitter of so many periods is a burst."""
    more, jitter = divmod(jitter, period)
    return Task(
        name,
        wcet * MS,
        min_interarrival_ns=period * MS,
        deadline_ns=10_000 * MS,
        jitter_ns=jitter * MS,
        burst=1 + more,
        burst_distance_ns=distance * MS,
    )


def from_release(of: System, cooperative: bool = False) -> list[float]:
    """Bounds counted from the release."""
    found = responses(analyse(of, (fixed(*(one.name for one in of.tasks)),), None, cooperative=cooperative))
    return [(bound or 0) - one.jitter_ns / MS for bound, one in zip(found, of.tasks, strict=True)]


@pytest.mark.parametrize("one", PUBLISHED["pycpa"]["systems"])
def test_pycpa(one: dict[str, Any]) -> None:
    """The same to the unit for preemptive jobs; for others shorter by what began before, at least."""
    of = system(*(arriving(f"t{i}", *row) for i, row in enumerate(one["tasks"])))
    assert from_release(of) == one["preemptive"]
    if "non_preemptive" in one:
        bounds = from_release(of, cooperative=True)
        assert all(bound <= theirs for bound, theirs in zip(bounds, one["non_preemptive"], strict=True))


def above(of: System, seen: Sequence[int | None], *, by_deadline: bool) -> list[bool]:
    """Whether each bound is above, else it is equal."""
    names = [one.name for one in of.tasks]
    bounds = responses(analyse(of, (edf(*names) if by_deadline else fixed(*names),), None))
    assert all(bound is None or bound >= (least or 0) for bound, least in zip(bounds, seen, strict=True))
    return [bound != least for bound, least in zip(bounds, seen, strict=True)]


@pytest.mark.parametrize("one", PUBLISHED["simso"]["systems"])
def test_simso(one: dict[str, Any]) -> None:
    """Released together: so bounds of a fixed band are what it sees, those of an edf band no less."""
    of = system(*(task(f"t{i}", *row) for i, row in enumerate(one["tasks"])))
    assert not any(above(of, one["rm"], by_deadline=False))
    above(of, one["edf"], by_deadline=True)


@pytest.mark.parametrize("one", examples("bounds"))
def test_mast_and_cheddar(one: Published, players: dict[str, Path]) -> None:
    """Never above what they publish, never below a simulation."""
    bounds, seen = one.bounds(), one.seen(players["simulator"])
    for bound, theirs, least in zip(bounds, one.facts["bounds"], seen, strict=True):
        assert bound is None or bound >= least
        assert theirs is None or (bound is not None and bound <= theirs)


@pytest.mark.parametrize("one", examples("slack"))
def test_slack_of_mast(one: Published) -> None:
    """With as much more execution as MAST finds possible, rounded to two places, every deadline holds here as well."""
    proof = analyse(one.declared(1 + (one.facts["slack"] - 0.005) / 100), one.bands, None, responses=False)
    assert proof.verdict is Verdict.FEASIBLE


@pytest.mark.parametrize("one", examples("exceeded"))
def test_what_a_later_mast_finds_is_too_little(one: Published, players: dict[str, Path]) -> None:
    """So it is no measure."""
    found = zip(one.facts["exceeded"], one.seen(players["simulator"]), strict=True)
    assert any(theirs is not None and least > theirs for theirs, least in found)
