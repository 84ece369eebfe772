# SPDX-License-Identifier: Apache-2.0
"""Limits and remedies written into system.toml: `takt check` takes and proves each, and refuses one step more."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import Takt
from takt.declare import declaration
from takt.declare.schema.model import System, Task
from takt.prove.choose import Prover, choose
from takt.prove.distance import repair
from takt.prove.distance.sensitivity import Limits
from takt.report import advice
from takt.support import compile

US, MS = 1_000, 1_000_000


@pytest.fixture(autouse=True, scope="module")
def _library() -> Iterator[None]:
    """Built once, and not looked at again for each proof."""
    compile.host_library()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compile, "host_library", lambda: None)
        yield


Times = dict[str, int]
"""ns of an interrupt whose handler is a process's, and of a task beside it."""


def protected(asked: str, times: Times) -> str:
    link = "".join(f'{key} = "{times[key]} ns"\n' for key in ("min_interarrival", "deadline", "wcet"))
    job = "".join(f'{key} = "{times[f"job {key}"]} ns"\n' for key in ("period", "deadline", "wcet"))
    return (
        f'[system]\nboard = "mps2-an385"\nscheduler = "{asked}"\nprotection = true\n'
        f'[[interrupt]]\nname = "link"\nnumber = 2\nprocess = "line"\n{link}'
        f'[[task]]\nname = "job"\n{job}'
        '[[process]]\nname = "line"\n[[process]]\nname = "work"\ntasks = ["job"]\n'
    )


def random_times(chance: random.Random, load: float) -> Times:
    separation, period = chance.randint(5 * MS, 20 * MS), chance.randint(5 * MS, 20 * MS)
    share = chance.uniform(0.2, 0.8)
    wcet, job = int(load * share * separation), int(load * (1 - share) * period)
    deadline = separation if chance.random() < 0.4 else chance.randint(min(wcet, separation), separation)
    link = {"min_interarrival": separation, "deadline": deadline, "wcet": wcet}
    return link | {"job period": period, "job deadline": period, "job wcet": job}


def turned(times: Times, change: dict[str, Any], step: int) -> Times:
    """As a reader of the message would, and `step` ns more of it."""
    if change["kind"] == "scale":
        return times | {key: int(change["factor"] * times[key]) - 1 for key in ("wcet", "job wcet")}
    of = {"interrupt": {"link": ""}, "task": {"job": "job "}}[change["kind"]][change["name"]]
    new = times | {of + change["key"]: change["to_ns"] + step}
    if "deadline" in change["also"]:
        new[f"{of}deadline"] = change["to_ns"] + step
    assert set(new) == set(times)
    return new


@pytest.mark.parametrize("asked", ["dm", "edf"])
def test_what_mends_a_protected_system_is_an_interrupt_that_can_be_declared(
    asked: str, takt: Takt, tmp_path: Path
) -> None:
    path, named = tmp_path / "system.toml", set()

    def check(times: Times) -> tuple[int, dict[str, Any]]:
        path.write_text(protected(asked, times), encoding="utf-8")
        said = takt("check", path, "--overheads", "none", "--json")
        return said.code, json.loads(said.out) if said.out else {}

    for seed in range(16):
        times = random_times(random.Random(f"{seed} {asked}"), 1.05)
        code, document = check(times)
        for change in document["changes"]:
            assert code == 1
            assert check(turned(times, change, 0))[0] == 0, f"seed {seed}: {change}"
            if change["kind"] != "scale" and change["monotone"]:
                back = 1 if change["to_ns"] < change["from_ns"] else -1
                assert check(turned(times, change, back))[0] == 1, f"seed {seed}: {change}"
            named.add((change["kind"], change["key"]))
    assert named >= {("interrupt", "wcet"), ("interrupt", "min_interarrival")}


def test_limits_of_a_protected_interrupt_are_those_of_its_table(takt: Takt, tmp_path: Path) -> None:
    """The line that releases its task comes as seldom as it, and no jitter can be declared. Under edf, where nothing is
    placed anew."""
    path, held = tmp_path / "system.toml", 0

    def check(times: Times) -> tuple[int, dict[str, Any]]:
        path.write_text(protected("edf", times), encoding="utf-8")
        said = takt("check", path, "--overheads", "none", "--json")
        return said.code, json.loads(said.out)

    for seed in range(12):
        times = random_times(random.Random(seed), 0.8)
        code, document = check(times)
        if code:
            continue
        limits = {item["name"]: item for item in document["sensitivity"]["tasks"]}
        assert limits.keys() == {"link", "job"}
        assert limits["link"]["jitter_ns_max"] == 0
        longest, shortest = limits["link"]["wcet_ns_max"], limits["link"]["period_ns_min"]
        for step, expected in ((0, 0), (1, 1)):
            assert check(times | {"wcet": longest + step})[0] == expected, f"seed {seed}"
            rarer = {
                "min_interarrival": shortest - step,
                "deadline": min(times["deadline"], shortest - step),
            }
            assert check(times | rarer)[0] == expected, f"seed {seed}"
        held += 1
    assert held > 3


def test_a_deadline_of_a_protected_interrupt_ends_at_its_distance() -> None:
    folder = Path(__file__).parents[2] / "apps" / "flight"
    knobs = repair.singles(declaration.load(folder / "system.toml", True))
    link = {knob.key: knob for knob in knobs if knob.name.startswith("link")}
    assert {(knob.kind, knob.name) for knob in link.values()} == {("interrupt", "link")}
    assert {key: (knob.now, knob.limit) for key, knob in link.items() if key != "min_interarrival"} == {
        "wcet": (1800 * US, 1),
        "deadline": (6000 * US, 9500 * US),
    }
    shorter = link["wcet"].make(1500 * US).task("link")
    assert (shorter.wcet_ns, shorter.budget_ns) == (1500 * US, 1500 * US)  # `budgets` of its process: no key of its own


@pytest.mark.parametrize(
    ("system", "task", "jitter_ns_max", "wcet_ns_max"),
    [
        ("runtime_tasks = 1", "", 0, 8 * MS),
        ("", 'on_budget = "notify"\nbudget = "3 ms"', 8 * MS - 1, 3 * MS),
        ("", 'on_budget = "notify"', 8 * MS - 1, 8 * MS),
    ],
)
def test_a_limit_ends_where_the_declaration_does(
    system: str, task: str, jitter_ns_max: int, wcet_ns_max: int, takt: Takt, tmp_path: Path
) -> None:
    """By hand: alone with 10 ms, a deadline of 8 ms and 2 ms of work; a jitter of 6 ms leaves the 2 ms."""
    path = tmp_path / "system.toml"

    def check(wcet_ns: int, jitter_ns: int) -> tuple[int, dict[str, Any]]:
        times = f'period = "10 ms"\ndeadline = "8 ms"\nwcet = "{wcet_ns} ns"\n'
        times += f'jitter = "{jitter_ns} ns"\n' if jitter_ns else ""
        path.write_text(
            f'[system]\nboard = "host"\nscheduler = "dm"\n{system}\n[[task]]\nname = "t"\n{times}{task}\n',
            encoding="utf-8",
        )
        said = takt("check", path, "--json")
        return said.code, json.loads(said.out) if said.out else {}

    (limits,) = check(2 * MS, 0)[1]["sensitivity"]["tasks"]
    assert limits["jitter_ns_max"] == min(jitter_ns_max, 6 * MS)
    assert limits["wcet_ns_max"] == wcet_ns_max
    for step, taken in ((0, True), (1, False)):
        assert (check(wcet_ns_max + step, 0)[0] == 0) is taken
        assert (check(2 * MS, limits["jitter_ns_max"] + step)[0] == 0) is taken


def test_figures_between_which_not_all_holds_are_not_rounded() -> None:
    limits = Limits("t", 1_234_567, 7_654_321, 3_456, False)
    assert advice.rounded(limits) == ["1234.567 us", "7654.321 us", "3.456 us"]
    assert advice.rounded(replace(limits, monotone=True)) == ["1.234 ms", "7.655 ms", "3 us"]


def test_where_no_other_bands_are_looked_for_less_may_do() -> None:
    tasks = tuple(Task(name, 6 * MS, period_ns=10 * MS, deadline_ns=10 * MS) for name in "ab")
    prover = Prover(System(Path("x"), "x", "host", "auto", tasks))
    choice = choose(prover, "auto")
    assert [item.monotone for item in repair.changes(prover, choice, "auto", True)] == [True, True]
    assert [item.monotone for item in repair.changes(prover, choice, "auto", False)] == [False, False]
