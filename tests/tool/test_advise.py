# SPDX-License-Identifier: Apache-2.0
"""`takt advise accelerator`: what is counted, what is fitted, and what is said of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import Takt, documented, keys
from takt.accelerator import bench, costs, fit
from takt.accelerator.costs import EVENTS, STAMP, Costs, Price
from takt.accelerator.fit import Observed
from takt.accelerator.forecast import AT_ONCE, NEVER, Forecast
from takt.accelerator.plan import Load, Plan, Source
from takt.accelerator.walk import close_calls, walk
from takt.support.provision import ROOT

MS = 1_000_000
PRICES = {name: Price(100.0 + 10 * number, 1.0 + number % 3) for number, name in enumerate(EVENTS)}
KNOWN = {
    "software": Costs("software", "fixed", {name: Price(price.cycles + 500) for name, price in PRICES.items()}),
    "rtm": Costs("rtm", "fixed", {**PRICES, STAMP: Price(7.0)}),
}
Writer = Callable[..., Path]


@pytest.fixture
def declare(tmp_path: Path) -> Writer:
    def write(text: str) -> Path:
        (tmp_path / "system.toml").write_text(text, encoding="utf-8")
        return tmp_path

    return write


def load(name: str, level: int, period_ms: int, work_us: int, offset_ms: int = 0, **more: object) -> Load:
    period_ns = period_ms * MS
    plain = Load(name, level, False, (work_us * 1000.0,), 0.0, period_ns, offset_ms * MS, period_ns, 0, False)
    return replace(plain, **more)  # type: ignore[arg-type]


def counted(*loads: Load, sources: tuple[Source, ...] = (), until_ms: int = 20) -> dict[str, float]:
    """In [10 ms, 20 ms), without armings."""
    seen = walk(Plan(loads, sources, "fixed"), KNOWN["rtm"], 0, 10 * MS, until_ms * MS)
    return {name: times for name, times in seen.counts.items() if times and name != "arming"}


def test_jobs_that_nobody_disturbs() -> None:
    assert counted(load("one", 0, 2, 100)) == {"interrupt": 5, "release": 5, "wake": 5, "complete": 5, "next": 5}


def test_equal_expiries_share_an_interrupt() -> None:
    three = [load(name, level, 5, 100) for level, name in enumerate("abc")]
    assert counted(*three) == {"interrupt": 2, "release": 6, "chain": 6, "wake": 2, "complete": 6, "next": 6}


def test_a_better_one_preempts_and_another_does_not() -> None:
    low, high = load("low", 1, 10, 4000), load("high", 0, 10, 100, offset_ms=1)
    both = {"interrupt": 2.0, "release": 2.0, "wake": 1.0, "complete": 2.0, "next": 2.0}
    assert counted(low, high) == {**both, "preempt": 1}
    assert counted(replace(low, level=0), replace(high, level=1)) == both


def test_deadlines_decide_in_an_edf_band() -> None:
    far, near = load("far", 0, 10, 4000, edf=True), load("near", 0, 10, 100, 1, edf=True, deadline_ns=5 * MS)
    assert counted(far, near)["preempt"] == 1
    assert "preempt" not in counted(far, replace(near, deadline_ns=9500 * 1000))


def test_waits_alarms_deadlines_sections_and_calls() -> None:
    waiting = load("waiting", 0, 10, 0, parts_ns=(1000.0, 1000.0, 1000.0), wait_ns=500_000.0, watched=True, sections=3)
    assert counted(waiting) == {
        **{"interrupt": 3, "release": 1, "wake": 3, "complete": 1, "next": 1},
        **{"block": 2, "expire": 2, "deadline": 1, "section": 3},
    }
    released = load("released", 0, 5, 100, source=0)
    alarm, call = (Source("x", 5 * MS, MS, 0, kind) for kind in ("alarm", "call"))
    each = {"release": 2, "complete": 2}  # whose next release nobody arms
    assert counted(released, sources=(alarm,)) == {**each, "interrupt": 2, "alarm": 2, "wake": 2}
    assert counted(released, sources=(call,)) == {**each, "call": 2}


def test_a_response_is_what_lies_between() -> None:
    """In order: the interrupt, two releases, a switch, the better job, its end, the other job."""
    first, second = load("first", 0, 5, 100), load("second", 1, 5, 200)
    seen = walk(Plan((first, second), (), "fixed"), KNOWN["rtm"], 10, 10 * MS, 20 * MS)
    price = KNOWN["rtm"].ns(10)
    assert price["interrupt"] == 20 * (100 + 10 * 1)
    before = price["interrupt"] + 2 * price["release"] + price["chain"] + price["wake"]
    assert seen.responses_ns["first"] == pytest.approx([before + 100_000 + price[STAMP]] * 2)
    armed = price["arming"]  # the first's next release, nobody else's is armed
    after = before + 100_000 + price["complete"] + price["next"]
    assert seen.mean_ns("second") == pytest.approx(after + 200_000 + price[STAMP], abs=armed + 1)
    kernel = sum(seen.counts[name] * price[name] for name in EVENTS)
    assert seen.kernel_ns == pytest.approx(kernel)


def test_a_close_call_is_reported() -> None:
    """A job ends 40 ns before a better one is released, with prices as they are; not if a little more than they are."""
    low = load("low", 1, 10, 300)
    alone_ns = walk(Plan((low,), (), "fixed"), KNOWN["rtm"], 0, 10 * MS, 50 * MS).longest_ns("low") or 0.0
    for later_ns, found in ((40, {"low"}), (20_000, set())):
        high = replace(load("high", 0, 10, 200), offset_ns=int(alone_ns) - 20 * 7 + later_ns)
        assert close_calls(Plan((low, high), (), "fixed"), KNOWN["rtm"], 0, 10 * MS, 50 * MS) == found


PLANS = (
    (load("one", 0, 1, 100),),
    tuple(load(f"t{number}", number, 5, 100) for number in range(5)),
    tuple(load(f"t{number}", number, 5, 100, number) for number in range(5)),
    (load("low", 1, 10, 7000), load("high", 0, 1, 50)),
)


@pytest.mark.parametrize("engine", costs.ENGINES)
def test_prices_are_found_again(engine: str) -> None:
    """Of runs that the walk itself made up; what a plan of another kind takes then is what it would be."""

    def observed(loads: tuple[Load, ...], access_cycles: int) -> Observed:
        plan = Plan(loads, (), "fixed")
        seen = walk(plan, KNOWN[engine], access_cycles, 10 * MS, 50 * MS)
        means = {one.name: seen.mean_ns(one.name) or 0.0 for one in loads}
        return Observed(plan, engine, access_cycles, 10 * MS, 50 * MS, seen.kernel_ns, means, means)

    found = fit.fit(engine, "fixed", [observed(loads, cycles) for loads in PLANS for cycles in (0, 50)])
    other = observed((load("a", 0, 2, 100), load("b", 1, 4, 1500, 1), load("c", 2, 4, 100)), 20)
    walked_on = other.walked(found)
    assert walked_on.kernel_ns == pytest.approx(other.kernel_ns, rel=0.01)
    for name, mean_ns in other.mean_ns.items():
        assert walked_on.mean_ns(name) == pytest.approx(mean_ns, rel=0.01)


APP = """
[[task]]
name = "one"
period = "1 ms"
wcet = "200 us"
[[task]]
name = "two"
period = "5 ms"
wcet = "1 ms"
"""
SHARED = '[[mutex]]\nname = "m"\nusers = [{task = "one", hold = "1 us"}, {task = "two", hold = "1 us"}]\n'


def forecast_of(declare: Writer, access_cycles: int = 0, own: float = 500.0, accesses: float = 1.0) -> Forecast:
    """With made up prices: `own` cycles that the kernel's own queues take more for each event."""
    from takt.accelerator.plan import plan
    from takt.observe import run

    proved = run.load(str(declare(APP)), costs.BOARD, "dm", "none")
    prices = {
        "software": Costs("software", "fixed", dict.fromkeys(EVENTS, Price(100.0 + own))),
        "rtm": Costs("rtm", "fixed", dict.fromkeys(EVENTS, Price(100.0, accesses))),
    }
    return Forecast(proved, plan(proved), prices, access_cycles)


def test_break_even_is_where_it_ceases_to_pay(declare: Writer) -> None:
    found = forecast_of(declare, own=60)
    assert isinstance(found.break_even, int)
    assert found.pays_at(found.break_even - 1)
    assert not found.pays_at(found.break_even)
    assert 55 <= found.break_even <= 65  # each event has one access
    assert f"{found.break_even} or more cycles longer" in found.verdict()
    assert "It does not pay here" in forecast_of(declare, 70, own=60).verdict()


def test_a_system_that_gains_nothing_is_reported(declare: Writer) -> None:
    found = forecast_of(declare, own=-10)
    assert found.break_even == AT_ONCE
    assert not found.pays
    assert found.verdict().startswith("Nothing to gain: the kernel takes ")
    assert found.as_json()["break_even_cycles"] is None


def test_it_pays_however_far_away_what_is_never_accessed(declare: Writer) -> None:
    found = forecast_of(declare, 1000, accesses=0.0)
    assert (found.break_even, found.pays) == (NEVER, True)
    assert found.verdict().endswith("whatever the time of an access.")


@pytest.mark.parametrize("scheduler", ["dm", "edf"])
def test_text_json_and_exit_code_agree(takt: Takt, declare: Writer, scheduler: str) -> None:
    words = ("advise", "accelerator", declare(APP + SHARED), "--scheduler", scheduler, "--access-cycles", "30")
    said, document = takt(*words), json.loads(takt(*words, "--json").out)
    assert said.code == (0 if document["pays"] else 1)
    assert set(keys(document)) == documented("advise accelerator APP")
    shares = [engine["kernel_share"] for engine in document["engines"]]
    assert document["pays"] == (shares[1] < shares[0])
    assert 0.01 < shares[0] < 0.2
    assert "Not counted: waits for mutexes" in said.out
    assert f"{100 * shares[1]:.2f} %" in said.out
    events = {event["name"]: event for event in document["events"]}
    assert events["release"]["rtm_per_s"] == pytest.approx(1200, rel=0.01)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[system]\npreset = "lean"\n' + APP, "the costs of events were measured for preset standard"),
        (
            APP.replace('"200 us"', '"200 us"\non_budget = "stop"'),
            "the costs of events were not measured for kernel budgets",
        ),
        (
            "".join(APP.replace("one", f"a{n}").replace("two", f"b{n}") for n in range(32)),
            "measured with 64 records, one for each task and timer, but 66 are needed",
        ),
    ],
    ids=["preset", "kernel", "records"],
)
def test_what_was_not_measured_is_refused(takt: Takt, declare: Writer, text: str, problem: str) -> None:
    said = takt("advise", "accelerator", declare(text), "--scheduler", "dm")
    assert said.code == 2
    assert problem in said.err


def test_the_keys_of_the_bench_are_documented() -> None:
    assert set(keys(bench.kept())) == documented("bench accelerator")


def test_what_is_kept_is_good_enough() -> None:
    """And of systems and access times that costs were not fitted to."""
    found = bench.kept()
    assert bench.good(found)
    assert {row["access_cycles"] for row in found["checks"]} == {0, *bench.HELD_OUT_AT}
    assert not set(bench.HELD_OUT_AT) & set(found["fitted_at"])
    assert len({row["system"] for row in found["checks"]}) >= 4
    assert {row["scheduler"] for row in found["checks"]} == {"dm", "edf"}
    assert 8 * sum(len(row["close_calls"]) for row in found["checks"]) <= sum(row["tasks"] for row in found["checks"])


def test_what_is_off_is_not_good() -> None:
    row = {**{f"{name}_error_percent": 1.0 for name in bench.ERRORS}, "tasks": 4, "close_calls": ["a"]}
    assert bench.good({"checks": [row]})
    assert not bench.good({"checks": [{**row, "close_calls": ["a", "b", "c"]}]})
    for name, most in {"kernel": 10, "longest": 20, "mean": 10}.items():
        assert bench.good({"checks": [{**row, f"{name}_error_percent": -most}]})
        assert not bench.good({"checks": [{**row, f"{name}_error_percent": -most - 0.1}]})


def test_the_systems_have_places_of_their_own() -> None:
    from takt.accelerator import systems

    names = [case.name for case in (*systems.fitting(), *systems.held_out())]
    assert len(set(names)) == len(names)
    assert {case.app for case in systems.held_out()} == {"", "avionics"}
    assert (ROOT / "apps" / "avionics").is_dir()
