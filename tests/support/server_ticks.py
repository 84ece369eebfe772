# SPDX-License-Identifier: Apache-2.0
"""A server and a few tasks, tick by tick, as docs/decisions/0029-servers.md defines it; the worst responses of all
phases. It shares nothing with the simulator in tests/analysis.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

from takt.support.c.analysis import ServerKind


@dataclass
class Ticks:
    """A server (at level 0, or by deadline with all) and tasks at levels: (level, wcet, period), then the deadline.
    `jobs`: wcet and least distance of what is served, released in all phases at once."""

    kind: ServerKind
    budget: int
    period: int
    jobs: list[tuple[int, int]]
    others: list[tuple[int, ...]] = field(default_factory=list)
    by_deadline: bool = False


@dataclass
class Worst:
    others: list[int]
    served: int


@dataclass
class Supply:
    """The budget of a server: `parts` are (time, amount) of a sporadic one."""

    of: Ticks
    phase: int
    left: int = 0
    began: int = 0
    active: int | None = None
    parts: list[list[int]] = field(default_factory=list)
    used: int = 0

    def look(self, now: int, ready: bool) -> bool:
        """Whether there is budget."""
        of = self.of
        if of.kind is ServerKind.SPORADIC:
            return self._look_at_parts(now, ready)
        if (now - self.phase) % of.period == 0 or now == 0:
            self.left, self.began = of.budget, now - (now - self.phase) % of.period
        if of.kind is ServerKind.POLLING and (not ready or (now == 0 and self.began < 0)):
            self.left = 0
        self.active = (now if self.active is None else self.active) if ready else None
        return self.left > 0

    def _look_at_parts(self, now: int, ready: bool) -> bool:
        if not ready and self.used:
            time, amount = self.parts[0]
            rest = [[time, amount - self.used]] if amount > self.used else []
            self.parts, self.used = [*rest, *self.parts[1:], [time + self.of.period, self.used]], 0
        if ready and self.active is None:
            past = sum(amount for time, amount in self.parts if time <= now)
            self.parts = ([[now, past]] if past else []) + [part for part in self.parts if part[0] > now]
        self.active = now if ready else None
        return self.parts[0][0] <= now

    def due(self) -> int:
        if self.of.kind is ServerKind.SPORADIC:
            return self.parts[0][0] + self.of.period
        begin = self.began if self.of.kind is ServerKind.POLLING else max(self.began, self.active or 0)
        return begin + self.of.period

    def take(self) -> None:
        self.left -= 1
        self.used += 1
        if self.of.kind is ServerKind.SPORADIC and self.used == self.parts[0][1]:
            time, amount = self.parts.pop(0)
            self.parts.append([time + self.of.period, amount])
            self.used = 0


def tick_run(of: Ticks, phase: int, offsets: tuple[int, ...], span: int) -> Worst:
    """One run: the first releases at `offsets`, of what is served first."""
    supply = Supply(of, phase, parts=[[0, of.budget]])
    tables = [(-1, *job) for job in of.jobs] + [other[:3] for other in of.others]
    dues = [0] * len(of.jobs) + [other[-1] for other in of.others]
    pending: list[list[list[int]]] = [[] for _ in tables]  # of each the releases and what is left
    worst, count = Worst([0] * len(of.others), 0), len(of.jobs)
    for now in range(span):
        for queue, (_, wcet, apart), offset in zip(pending, tables, offsets, strict=True):
            if now >= offset and (now - offset) % apart == 0:
                queue.append([now, wcet])
        has = supply.look(now, any(pending[:count]))
        keys: list[tuple[int, int, int]] = []
        for i, queue in enumerate(pending):
            if queue and i < count:
                keys.append((0, supply.due() if of.by_deadline else 0, i) if has else (99, 0, i))
            elif queue:
                keys.append((tables[i][0], queue[0][0] + dues[i] if of.by_deadline else 0, i))
        if not keys:
            continue
        best = min(keys)[2]
        if best < count and has:
            supply.take()
        pending[best][0][1] -= 1
        if pending[best][0][1] == 0:
            response = now + 1 - pending[best].pop(0)[0]
            if best < count:
                worst.served = max(worst.served, response)
            else:
                worst.others[best - count] = max(worst.others[best - count], response)
    return worst


def tick_worst(of: Ticks) -> Worst:
    """Of all phases of everything to each other. What is served begins at a multiple of ticks."""
    worst = Worst([0] * len(of.others), 0)
    apart = [job[1] for job in of.jobs] + [other[2] for other in of.others]
    starts = [range(of.period, of.period + min(one, 2 * of.period)) for one in apart]
    for phase, offsets in product(range(of.period), product(*starts)):
        one = tick_run(of, phase, offsets, 3 * of.period + max(apart) + 6)
        worst.served = max(worst.served, one.served)
        worst.others = [max(pair) for pair in zip(worst.others, one.others, strict=True)]
    return worst
