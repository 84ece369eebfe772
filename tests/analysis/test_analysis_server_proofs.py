# SPDX-License-Identifier: Apache-2.0
"""Declarations with servers: proofs by hand, from the model to the bounds, and what commands say. Times in ms unless a
name says otherwise.
"""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from command_line import Takt
from small_systems import COSTS, MS, edf, fixed, responses, system, task
from takt.declare.schema.model import Band, Server, Task, Verdict
from takt.declare.service_kinds.mutex import Hold, Mutex
from takt.prove import breakdown, choose, schedulers
from takt.prove.analysis import Problem, Proof, analyse
from takt.prove.distance import repair, sensitivity

HIGH, LOW = task("high", 1, 4), task("low", 3, 40)
FREE = Task("free", 0)


def job(name: str, wcet: float, apart: float, deadline: float | None = None, **more: object) -> Task:
    due = None if deadline is None else round(deadline * MS)
    times = {"wcet_ns": round(wcet * MS), "min_interarrival_ns": round(apart * MS), "deadline_ns": due}
    return Task(name, **times, **more)  # type: ignore[arg-type]


def server(kind: str, *serves: str, budget: float = 1, period: float = 5, deadline: float | None = None) -> Server:
    return Server("s", kind, round(budget * MS), round(period * MS), round((deadline or period) * MS), serves)


def of_server(proof: Proof) -> tuple[Verdict, float | None]:
    found = proof.servers[0]
    return found.verdict, None if found.response_ns is None else found.response_ns / MS


@pytest.mark.parametrize(("kind", "below"), [("deferrable", 8), ("polling", 7), ("sporadic", 7)])
def test_others_meet_the_budget_and_nothing_more(kind: str, below: float) -> None:
    """3 below 1 in 4 and a server of 1 in 5: until 7 that is 2 and 2, and 3 of a deferrable one, so until 8."""
    of = system(HIGH, LOW, FREE, servers=(server(kind, "free"),))
    proof = analyse(of, (fixed("high", "s", "low"),), None)
    assert responses(proof) == [1, below, None]
    assert of_server(proof) == (Verdict.FEASIBLE, 2)
    assert proof.utilization == Fraction(1, 4) + Fraction(1, 5) + Fraction(3, 40)
    assert proof.unbounded == (("s", "free has no min_interarrival"),)


@pytest.mark.parametrize(("kind", "bound"), [("deferrable", 4 + 2), ("polling", 5 + 2), ("sporadic", 2)])
def test_work_is_done_within_its_bound(kind: str, bound: float) -> None:
    of = system(HIGH, job("one", 1, 60, deadline=7), servers=(server(kind, "one"),))
    proof = analyse(of, (fixed("high", "s"),), None)
    assert responses(proof) == [1, bound]
    assert proof.verdict is Verdict.FEASIBLE
    late = replace(of, tasks=(HIGH, job("one", 1, 60, deadline=bound - 0.001)))
    proof = analyse(late, (fixed("high", "s"),), None)
    assert [one.verdict for one in proof.tasks] == [Verdict.FEASIBLE, Verdict.INFEASIBLE]
    assert f"task one, served by s: worst-case response {bound:.0f} ms exceeds its deadline" in proof.reason
    assert not choose.Prover(late).proves((fixed("high", "s"),))


def test_jitter_and_bursts_of_what_is_served_count() -> None:
    """Two at once need the second budget; with jitter 2 a job may be as late and meet what came with it."""
    of = system(job("one", 1, 60, burst=2), servers=(server("deferrable", "one"),))
    assert responses(analyse(of, (fixed("s"),), None)) == [4 + 5 + 1]
    of = system(job("one", 1, 60, jitter_ns=2 * MS), servers=(server("deferrable", "one"),))
    assert responses(analyse(of, (fixed("s"),), None)) == [4 + 1 + 2]


@pytest.mark.parametrize(
    ("tasks", "why"),
    [
        ((job("one", 1, 60), FREE), "free has no min_interarrival"),
        ((job("one", 1, 60, suspension_ns=MS, waits=1), job("free", 1, 60)), "one waits (suspension)"),
        ((job("one", 3, 10), job("free", 1, 60)), "its tasks want more than its budget"),
    ],
)
def test_what_has_no_bound_is_named(tasks: tuple[Task, ...], why: str) -> None:
    of = system(HIGH, *tasks, servers=(server("polling", "one", "free"),))
    proof = analyse(of, (fixed("high", "s"),), None)
    assert responses(proof) == [1, None, None]
    assert proof.verdict is Verdict.FEASIBLE
    assert why in dict(proof.unbounded)["s"]
    due = replace(of, tasks=(HIGH, replace(tasks[0], deadline_ns=50 * MS), tasks[1]))
    proof = analyse(due, (fixed("high", "s"),), None)
    assert proof.verdict is Verdict.INFEASIBLE
    assert "task one, served by s: no bound within its deadline 50 ms" in proof.reason


def test_a_section_goes_on_when_the_budget_ends_and_blocks_when_it_is_gone() -> None:
    """one holds m for 0.5: the server takes 1.5, and without budget it blocks high, which uses m as well."""
    users = (Hold("one", MS // 2, locks=1), Hold("high", MS // 4, locks=1))
    of = system(HIGH, LOW, job("one", 1, 60), servers=(server("polling", "one"),), objects=(Mutex("m", users),))
    proof = analyse(of, (fixed("high", "s", "low"),), None)
    assert responses(proof)[0] == 1 + 0.5
    assert of_server(proof)[1] == 1 + 1.5 + 0.5
    assert dict(proof.unbounded)["s"] == "one locks m"
    alone = replace(of, objects=(Mutex("m", users[:1]),))  # a mutex that nothing else uses blocks nobody
    assert responses(analyse(alone, (fixed("high", "s", "low"),), None))[0] == 1
    ceiling = replace(of, objects=(Mutex("m", users[:1], "ceiling"),))  # but under a ceiling all from the server down
    found = analyse(ceiling, (fixed("high", "s", "low"),), None)
    assert (responses(found)[0], of_server(found)[1]) == (1, 1 + 1.5 + 0.5)


def test_a_task_below_delays_a_server_that_waits_for_its_mutex() -> None:
    users = (Hold("one", MS // 2), Hold("low", 2 * MS))
    of = system(HIGH, LOW, job("one", 1, 60), servers=(server("polling", "one"),), objects=(Mutex("m", users),))
    assert (
        of_server(analyse(of, (fixed("high", "s", "low"),), None))[1] == 2 + 0.5 + 2 + 1 + 0.5
    )  # with another job of high, and the section of one


@pytest.mark.parametrize("kind", ["deferrable", "polling", "sporadic"])
def test_in_an_edf_band(kind: str) -> None:
    """The server is due before low is; a deferrable one is charged twice at once."""
    of = system(LOW, FREE, servers=(server(kind, "free", deadline=3),))
    proof = analyse(of, (edf("low", "s"),), None)
    twice = kind == "deferrable"
    assert of_server(proof) == (Verdict.FEASIBLE, 2 if twice else 1)
    assert responses(proof)[0] == (5 if twice else 4)


def test_the_kernel_costs_of_a_server() -> None:
    """Its switches and the last charge of an act are execution; the budget's timers and the releases of what it serves
    go before all; a sporadic budget may end in five parts."""
    costs = replace(COSTS, release_ns={"fixed": 400_000, "edf": 500_000}, key_ns={"fixed": 30_000, "edf": 40_000})
    of = system(HIGH, job("one", 1, 60, burst=3), servers=(server("polling", "one", budget=2, period=50),))
    problem = Problem(of, (fixed("high", "s"),), costs, False, 1000)
    own = 50_000 + 550_000
    stand_in = problem.tasks[1]
    assert stand_in.wcet_ns == 2 * MS + 300_000 + (own + 550_000) + (own + 400_000 + 20_000)
    assert stand_in.release_cost_ns == 2 * (400_000 + 30_000) + 20_000
    assert [(one.wcet_ns, one.min_interarrival_ns) for one in problem.interrupts] == [(400_000, 60 * MS)]
    assert problem.at_once_ns == 2 * 400_000
    of = replace(of, servers=(replace(of.servers[0], kind="sporadic"),))
    sporadic = Problem(of, (fixed("high", "s"),), costs, False, 1000)
    assert sporadic.tasks[1].release_cost_ns == 5 * stand_in.release_cost_ns
    assert sporadic.tasks[1].wcet_ns - 2 * MS == 5 * (stand_in.wcet_ns - 2 * MS)
    assert problem.set.lock_ns == 300_000 + 500_000 + 2 * 400_000  # its task may have a timer, too


def test_each_job_is_charged_its_own_end() -> None:
    """A job of 1 that is charged 0.6 more does not fit into a budget of 1.5, and waits for the next."""
    nothing = {"fixed": 0, "edf": 0}
    costs = replace(COSTS, release_ns=nothing, key_ns=nothing, lock_ns=0, timer_ns=0)
    of = system(job("one", 1, 600), servers=(server("polling", "one", budget=1.7, period=50),))
    first = responses(analyse(of, (fixed("s"),), costs))[0]
    of = system(job("one", 1, 600), servers=(server("polling", "one", budget=1.5, period=50),))
    second = responses(analyse(of, (fixed("s"),), costs))[0]
    assert first is not None
    assert second is not None
    assert first < 60
    assert second > 100


def test_schedulers_rank_servers_as_tasks() -> None:
    of = system(HIGH, LOW, FREE, job("one", 1, 60), servers=(server("polling", "one", deadline=3),))
    assert schedulers.plain_bands(of, "dm") == (fixed("s", "high", "low"), Band("fixed", (("free",),)))
    assert schedulers.plain_bands(of, "rm") == (fixed("high", "s", "low"), Band("fixed", (("free",),)))
    assert schedulers.plain_bands(of, "edf") == (edf("high", "low", "s"), Band("fixed", (("free",),)))
    assert schedulers.csd_bands(of, (2,))[:2] == (edf("high", "s"), fixed("low"))


@pytest.mark.parametrize("asked", ["auto", "edf", "dm"])
def test_searches_prove_servers(asked: str) -> None:
    """5 in 10 below two budgets of 3 in 7 is too late, and in time by deadline."""
    of = system(task("mid", 5, 10), FREE, servers=(server("sporadic", "free", budget=3, period=7),))
    choice = choose.choose(choose.Prover(of), asked)
    assert choice.proved == (asked != "dm")
    assert {name for band in choice.bands for name in band.tasks} == {"mid", "s"}


def test_numbers_of_others_have_limits_and_the_budget_stays() -> None:
    """high up to 2.5, as two budgets and 3 of low still fit below; all wcets together without the budget."""
    of = system(HIGH, LOW, FREE, servers=(server("polling", "free"),))
    prover = choose.Prover(of)
    choice = choose.choose(prover, "dm")
    found = sensitivity.sensitivity(prover, choice, "dm")
    assert [one.name for one in found.limits] == ["high", "low"]
    for one in found.limits:
        longer = replace(of.task(one.name), wcet_ns=one.wcet_ns_max)
        changed = tuple(longer if old.name == one.name else old for old in of.tasks)
        assert choose.Prover(replace(of, tasks=changed)).proves(choice.bands)
        longer = replace(longer, wcet_ns=one.wcet_ns_max + 1)
        changed = tuple(longer if old.name == one.name else old for old in of.tasks)
        assert not choose.Prover(replace(of, tasks=changed)).proves(choice.bands)
    assert breakdown.utilization(of) == Fraction(1, 4) + Fraction(3, 40)
    most = breakdown.of(prover, choice)
    assert prover.of(breakdown.scaled(of, most)).proves(choice.bands)
    assert not prover.of(breakdown.scaled(of, most + 1)).proves(choice.bands)


def test_a_smaller_budget_may_prove_it() -> None:
    of = system(task("tight", 3, 10, 5), FREE, servers=(server("deferrable", "free", budget=1.2),))
    prover = choose.Prover(of)
    choice = choose.Choice("bands", (fixed("s", "tight"),), False, prover.judge((fixed("s", "tight"),)))
    assert choice.proof.verdict is Verdict.INFEASIBLE
    of = replace(of, scheduler="bands", bands=choice.bands)
    assert repair.changes(choose.Prover(of), choice, "bands", True)
    knob = next(one for one in repair.singles(of) if (one.kind, one.key) == ("server", "budget"))
    assert choose.Prover(knob.make(MS)).proves(choice.bands)
    assert not choose.Prover(knob.make(MS + 1)).proves(choice.bands)


DECLARED = """
[system]
board = "mps2-an385"
scheduler = "dm"

[[task]]
name = "control"
period = "20 ms"
wcet = "2 ms"
[[task]]
name = "packet"
min_interarrival = "200 ms"
burst = 2
deadline = "150 ms"
wcet = "500 us"
{packet}
[[task]]
name = "shell"
{shell}
[[server]]
name = "comms"
kind = "{kind}"
budget = "2 ms"
period = "10 ms"
serves = ["packet"]
{more}
"""


def declare(folder: Path, kind: str = "sporadic", packet: str = "", more: str = "") -> Path:
    path = folder / "system.toml"
    path.write_text(DECLARED.format(kind=kind, packet=packet, shell="", more=more), encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", ["deferrable", "polling", "sporadic"])
def test_check_shows_servers(takt: Takt, tmp_path: Path, kind: str) -> None:
    path = declare(tmp_path, kind)
    said = takt("check", path)
    assert said.code == 0, said.out
    assert f"comms ({kind})" in said.out
    assert f"server comms: {kind}, 2 ms in 10 ms for packet" in said.out
    found = json.loads(takt("check", path, "--json").out)
    one = found["servers"][0]
    assert (one["name"], one["kind"], one["serves"], one["feasible"], one["unbounded"]) == (
        *("comms", kind, ["packet"]),
        *(True, None),
    )
    assert (one["budget_ns"], one["period_ns"], one["deadline_ns"]) == (2 * MS, 10 * MS, 10 * MS)
    assert 2 * MS < one["response_ns"] < 10 * MS
    packet = next(task for task in found["tasks"] if task["name"] == "packet")
    assert packet["feasible"]
    assert 8 * MS < packet["response_ns"] < 30 * MS


def test_check_refutes_what_is_served_too_late(takt: Takt, tmp_path: Path) -> None:
    path = declare(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace('"150 ms"', '"3 ms"'), encoding="utf-8")
    said = takt("check", path)
    assert said.code == 1
    assert "task packet, served by comms: worst-case response" in said.out
    page = tmp_path / "report.html"
    takt("report", path, "--output", page)
    assert "comms (server, sporadic)" in page.read_text(encoding="utf-8")


def test_check_says_what_it_has_no_bound_for(takt: Takt, tmp_path: Path) -> None:
    path = declare(tmp_path)
    text = path.read_text(encoding="utf-8").replace('serves = ["packet"]', 'serves = ["packet", "shell"]')
    path.write_text(text.replace('deadline = "150 ms"\n', ""), encoding="utf-8")
    said = takt("check", path)
    assert said.code == 0, said.out + said.err
    assert "for packet, shell; no bound on their responses: shell has no min_interarrival" in said.out


def test_it_searches_with_servers(takt: Takt, tmp_path: Path) -> None:
    path = declare(tmp_path)
    for goal in ("overhead", "breakdown"):
        said = takt("search", path, "--goal", goal)
        assert said.code == 0, said.out + said.err
        assert '"comms"' in said.out
