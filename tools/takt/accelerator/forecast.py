# SPDX-License-Identifier: Apache-2.0
"""Whether a task manager pays for an application: the kernel's share and the responses, with and without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import lcm
from typing import Any

from takt.accelerator import costs
from takt.accelerator.costs import BOARD, ENGINES, EVENTS, Costs
from takt.accelerator.plan import Plan, plan, refuse, untold
from takt.accelerator.walk import Seen, close_calls, walk
from takt.prove.proof import Proved

SPAN_NS = 1_000_000_000  # of what is played, at most, if no period is longer
JOBS_MAX = 20_000  # and the same number of events
ACCESS_CYCLES_MAX = 65_535

AT_ONCE, NEVER = "software", "any"  # Forecast.break_even: it does not pay even near by; it pays however far away


@dataclass(frozen=True)
class Forecast:
    """Of a proved or refuted system on BOARD. `access_cycles`: by how many each access is longer than near by."""

    proved: Proved
    plan: Plan
    costs: Mapping[str, Costs]
    access_cycles: int

    @property
    def span_ns(self) -> tuple[int, int]:
        """From when to when it is played: after every load has begun, all that repeats if it fits."""
        plan, longest = self.plan, max(self.plan.longest_ns, 1)
        every = [one.period_ns for one in plan.loads if one.period_ns]
        every += [one.period_ns for one in plan.sources]
        begun = max([0, *(one.offset_ns for one in plan.loads), *(one.start_ns for one in plan.sources)]) + longest
        per_ns = sum(1 / period for period in every)
        most = max(longest, min(max(SPAN_NS, 2 * longest), int(JOBS_MAX / per_ns) if per_ns else SPAN_NS))
        return begun, begun + min(lcm(*every) if every else SPAN_NS, most)

    def seen(self, engine: str, access_cycles: int) -> Seen:
        return walk(self.plan, self.costs[engine], access_cycles, *self.span_ns)

    @cached_property
    def close_calls(self) -> set[str]:
        """Tasks of which a response may be another one (walk.close_calls)."""
        found = (close_calls(self.plan, self.costs[one], self.access_cycles, *self.span_ns) for one in ENGINES)
        return set().union(*found)

    @cached_property
    def by_engine(self) -> dict[str, Seen]:
        return {engine: self.seen(engine, self.access_cycles) for engine in ENGINES}

    def pays_at(self, access_cycles: int) -> bool:
        """Whether the kernel takes less of the processor than with its own queues."""
        return self.seen("rtm", access_cycles).share < self.by_engine["software"].share

    @property
    def pays(self) -> bool:
        return self.by_engine["rtm"].share < self.by_engine["software"].share

    @cached_property
    def break_even(self) -> int | str:
        """The least of --access-cycles at which it does not pay; AT_ONCE: at 0; NEVER: not up to ACCESS_CYCLES_MAX."""
        if not self.pays_at(0):
            return AT_ONCE
        low, high = 0, 1
        while self.pays_at(high):
            if high > ACCESS_CYCLES_MAX:
                return NEVER
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.pays_at(middle) else (low, middle)
        return high

    def verdict(self) -> str:
        software, rtm = (f"{100 * self.by_engine[engine].share:.2f} %" for engine in ENGINES)
        found = self.break_even
        if found == AT_ONCE:
            near = f"{100 * self.seen('rtm', 0).share:.2f} %"
            return (
                f"Nothing to gain: the kernel takes {near} of the processor even with the fastest access, and "
                f"{software}"
                " with its own queues."
            )
        taken = f"the kernel takes {rtm} of the processor instead of {software}"
        if found == NEVER:
            return f"It pays: {taken}, whatever the time of an access."
        if self.pays:
            return f"It pays: {taken}; it does not if each access takes {found} or more cycles longer."
        return f"It does not pay here: {taken}; it does if each access takes less than {found} cycles longer."

    def as_json(self) -> dict[str, Any]:
        """The keys of `takt advise accelerator --json` (docs/json.md)."""
        found = self.by_engine
        start_ns, end_ns = self.span_ns
        return {
            "name": self.proved.system.name,
            "board": BOARD,
            "scheduler": self.proved.choice.scheduler,
            "proved": self.proved.feasible,
            "access_cycles": self.access_cycles,
            "span_ns": end_ns - start_ns,
            "pays": self.pays,
            "pays_near": self.break_even != AT_ONCE,
            "break_even_cycles": self.break_even if isinstance(self.break_even, int) else None,
            "engines": [
                {
                    "engine": engine,
                    "kernel_share": round(seen.share, 6),
                    "accesses_per_s": round(self.accesses(engine) * 1e9 / seen.span_ns, 1),
                }
                for engine, seen in found.items()
            ],
            "events": [
                {"name": name, **{f"{engine}_per_s": round(self.rate(engine, name), 2) for engine in ENGINES}}
                for name in EVENTS
                if any(found[engine].counts[name] for engine in ENGINES)
            ],
            "tasks": [
                {
                    "name": load.name,
                    "deadline_ns": load.deadline_ns,
                    "close_call": load.name in self.close_calls,
                    **{
                        f"{engine}_{kind}_ns": None if value is None else round(value)
                        for engine in ENGINES
                        for kind, value in (
                            ("longest", found[engine].longest_ns(load.name)),
                            ("mean", found[engine].mean_ns(load.name)),
                        )
                    },
                }
                for load in self.plan.loads
            ],
            "not_counted": untold(self.proved.system),
        }

    def accesses(self, engine: str) -> float:
        """To the unit, in what is played."""
        prices = self.costs[engine].prices
        counts = self.by_engine[engine].counts
        return sum(times * prices[name].accesses for name, times in counts.items() if name in prices)

    def rate(self, engine: str, event: str) -> float:
        """A second."""
        seen = self.by_engine[engine]
        return seen.counts[event] * 1e9 / seen.span_ns


def forecast(proved: Proved, access_cycles: int) -> Forecast:
    """UserError: the unit cannot keep this system, or what its events take was not measured."""
    refuse(proved, costs.KERNELS, costs.PRESET, costs.RECORDS)
    found = plan(proved)
    kept = costs.load()
    return Forecast(proved, found, {engine: kept[engine, found.kernel] for engine in ENGINES}, access_cycles)
