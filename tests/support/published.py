# SPDX-License-Identifier: Apache-2.0
"""Systems of MAST and Cheddar with what these tools publish of them: tests/analysis/published.json."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from small_systems import MS, edf, responses, system, task
from takt.declare.schema.model import Band, Interrupt, Server, System
from takt.declare.service_kinds.mutex import Hold, Mutex
from takt.prove.analysis import analyse
from takt.support.c.analysis import ServerKind
from takt.support.provision import ROOT

RUNS = 40
PUBLISHED = json.loads((ROOT / "tests" / "analysis" / "published.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Published:
    """A system of MAST or Cheddar, with what they say of it. Times in ms, whatever their unit."""

    facts: dict[str, Any]

    @property
    def server(self) -> tuple[str, float, float, str] | None:
        return tuple(self.facts["server"]) if "server" in self.facts else None

    def declared(self, scale: float = 1) -> System:
        """With the execution times of all tasks multiplied."""
        tasks = []
        for name, wcet, period, deadline, *jitter in self.facts["tasks"]:
            executes = wcet * scale + self.facts.get("switches", 0)
            one = task(name, executes, period, deadline, jitter_ns=sum(jitter) * MS)
            if self.server and self.server[3] == name:
                due = None if deadline is None else one.deadline_ns
                one = replace(one, period_ns=None, min_interarrival_ns=one.period_ns, deadline_ns=due)
            tasks.append(one)
        mutexes = [
            Mutex(
                f"m{i}", tuple(Hold(of, round(hold * scale * MS), locks=locks) for of, hold, locks in users), protocol
            )
            for i, (protocol, *users) in enumerate(self.facts.get("mutexes", ()))
        ]
        servers: tuple[Server, ...] = ()
        if self.server:
            kind, budget, period, serves = self.server
            servers = (Server("server", kind, round(budget * MS), round(period * MS), round(period * MS), (serves,)),)
        timers = enumerate(self.facts.get("interrupts", ()))
        interrupts = tuple(Interrupt(f"i{i}", i, distance * MS, wcet * MS) for i, (wcet, distance) in timers)
        return system(*tasks, objects=tuple(mutexes), servers=servers, interrupts=interrupts)

    @property
    def bands(self) -> tuple[Band, ...]:
        found = []
        for kind, *names in self.facts.get("bands", [["fixed", *(row[0] for row in self.facts["tasks"])]]):
            groups = [tuple(one) if isinstance(one, list) else (one,) for one in names]
            found.append(Band("fixed", tuple(groups)) if kind == "fixed" else edf(*names))
        return tuple(found)

    @property
    def levels(self) -> dict[str, tuple[int, bool]]:
        """Of each task, and of the server, its level and whether that is by deadline; served tasks go last."""
        groups = [(group, band.kind == "edf") for band in self.bands for group in band.groups]
        found = {name: (level, by_deadline) for level, (group, by_deadline) in enumerate(groups) for name in group}
        return {row[0]: (len(groups), False) for row in self.facts["tasks"]} | found

    def bounds(self) -> list[float | None]:
        return responses(analyse(self.declared(), self.bands, None))

    def played(self) -> Iterator[int]:
        """What play.c reads: each task has its longest section of each of the four mutexes with the longest ones."""
        of, levels = self.declared(), self.levels
        mutexes = sorted(of.of(Mutex), key=lambda one: max(user.hold_ns for user in one.users), reverse=True)[:4]
        places = [(mutex, [levels[user.task] for user in mutex.users]) for mutex in mutexes]
        lifted = [(i, min(users)) for i, (mutex, users) in enumerate(places) if mutex.protocol == "ceiling"]
        bounded = [one for one, bound in zip(of.tasks, self.facts["bounds"], strict=True) if bound is not None]
        horizon, count = 2 * max(one.separation_ns or 0 for one in bounded), len(of.tasks) + len(of.interrupts)
        yield from (1, RUNS, horizon, count, -1, 0, len(lifted))
        for number, (level, by_deadline) in lifted:
            users = [user.task for user in mutexes[number].users if levels[user.task][0] == level]
            yield from (number, level, min(of.task(user).deadline_ns or 0 for user in users) if by_deadline else 0)
        yield len(of.servers)
        for server in of.servers:
            kind = ServerKind[server.kind.upper()]
            yield from (kind, *levels[server.name], server.budget_ns, server.period_ns, server.deadline_ns)
        for one in of.tasks:
            level, by_deadline = levels[one.name]
            yield from (level, by_deadline, one.wcet_ns, one.deadline_ns or 0, one.separation_ns or 0, one.jitter_ns)
            sections = list(self.sections(one.name, mutexes))
            yield from (0, 0, len(sections) // 3, *sections, int(bool(self.server and self.server[3] == one.name)))
        for item in of.interrupts:
            yield from (-1, 0, item.wcet_ns, 0, item.min_interarrival_ns, 0, 0, 0, 0, 0)

    @staticmethod
    def sections(name: str, mutexes: Sequence[Mutex]) -> Iterator[int]:
        """One after the other, from the beginning of the job."""
        start = 0
        for number, mutex in enumerate(mutexes):
            for user in mutex.users:
                if user.task == name:
                    yield from (start, start + user.hold_ns, number)
                    start += user.hold_ns

    def seen(self, program: Path) -> list[float]:
        """The longest response of each task in the simulations."""
        text = " ".join(str(int(number)) for number in (1, *self.played()))
        done = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
        return [int(number) / MS for number in done.stdout.split()[: 2 * len(self.facts["tasks"]) : 2]]


def examples(*keys: str) -> list[Any]:
    """Those of MAST and Cheddar that have these facts."""
    named = ((tool, one) for tool in ("mast", "cheddar") for one in PUBLISHED[tool]["systems"])
    return [pytest.param(Published(one), id=f"{tool} {one['name']}") for tool, one in named if one.keys() >= {*keys}]
