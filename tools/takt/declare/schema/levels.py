# SPDX-License-Identifier: Apache-2.0
"""The levels of the kernel's bitmap that bands and tasks need, and the kind of kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from takt.declare.schema.model import Band, System
from takt.declare.schema.reader import Document
from takt.support.c.kernel import LEVELS_MAX
from takt.support.errors import UserError


@dataclass(frozen=True)
class Level:
    """One level of the kernel's bitmap: an edf band, or one group of equals of a fixed band."""

    band: int
    edf: bool
    tasks: tuple[str, ...]
    quantum_ns: int = 0


def levels(bands: Sequence[Band], system: System | None = None) -> list[Level]:
    """The levels of a list of bands, the highest first. With the system: and one for tasks that are demoted, if any is,
    above its background tasks, and a last one for threads of processes, if there are no background tasks."""
    found = [
        Level(number, band.kind == "edf", group, band.quantum_ns or 0)
        for number, band in enumerate(bands)
        for group in band.groups
    ]
    if system is not None and (system.servers or any(task.on_budget == "demote" for task in system.tasks)):
        background = {task.name for task in system.tasks if task.separation_ns is None}
        above = [level for level in found if not background.issuperset(level.tasks)]
        below = found[len(above) :]
        found = [*above, Level((below or above)[0 if below else -1].band, False, ()), *below]
    if system is not None and system.threads and not any(task.separation_ns is None for task in system.tasks):
        found = [*found, Level(found[-1].band, False, ())]
    return found


def thread_level(bands: Sequence[Band], system: System) -> int:
    """The index in `levels` for threads that processes start: that of the best background task, else the last."""
    background = {task.name for task in system.tasks if task.separation_ns is None}
    ranks = levels(bands, system)
    return next((number for number, level in enumerate(ranks) if background.intersection(level.tasks)), len(ranks) - 1)


def demoted_level(bands: Sequence[Band], system: System) -> int:
    """The index in `levels` for tasks that are demoted."""
    return next(number for number, level in enumerate(levels(bands, system)) if not level.tasks)


def level_capacity(bands: Sequence[Band], system: System | None = None, host: bool = False) -> int:
    """TAKT_LEVELS: how many the kernel is compiled for, one for idle. UserError: more than a level's byte can count.

    A power of two up to a word of the bitmap, then whole words: a level is a pointer in memory, and one task more or
    less seldom needs another kernel. On the `host`, where size does not matter, whole words.
    """
    needed = len(levels(bands, system)) + 1
    if needed > LEVELS_MAX:
        raise UserError(f"{needed - 1} priorities; the kernel has at most {LEVELS_MAX - 1}", "equals, or an edf band")
    return next((size for size in (4, 8, 16) if needed <= size and not host), (needed + 31) // 32 * 32)


def kernel_kind(system: System, bands: Sequence[Band], cooperative: bool) -> str:
    """TAKT_SCHED: the smallest variant in kernel/config/sched/ that supports these bands and tasks.

    A task that is started at run time may be of any kind.
    """
    if cooperative:
        return "cooperative"
    if system.budgets:
        return "budgets"
    if any(level.edf or level.quantum_ns for level in levels(bands)):
        return "bands"
    jobs = system.runtime_tasks > 0 or any(task.separation_ns is not None for task in system.tasks)
    return "fixed" if jobs else "plain"


def heeds_hints(kind: str, engine: str, protection: bool) -> bool:
    """Whether hints have an effect in such a kernel: TAKTI_HINTS in takt/hint.h. `kind`: of kernel_kind."""
    return (kind == "budgets" or (kind == "bands" and protection)) and engine != "rtm"


def check_quantum(document: Document, system: System) -> None:
    """UserError: `quantum` of [system] has no effect."""
    named = {name for band in system.bands for name in band.tasks}
    free = (task for task in system.tasks if task.name not in named and system.server_of(task.name) is None)
    if system.quantum_ns is not None and all(task.separation_ns is not None for task in free):
        problem = "[system]: quantum is for tasks without a deadline that no [[band]] names, and there are none"
        document.fail(("system", "quantum"), problem, "remove it")


def check_kind(document: Document, band: Band, index: int, label: str) -> None:
    """UserError: [[band]] number `index`, called `label`, has what only fixed bands have."""
    if band.kind == "edf" and band.quantum_ns is not None:
        document.fail(("band", index, "quantum"), f"{label}: quantum is not possible in an edf band", "remove it")
    for number, element in enumerate(document.data["band"][index]["tasks"]):
        if band.kind == "edf" and isinstance(element, list):
            problem = f"{label}: an inner array (equal priorities) is for fixed bands; an edf band orders by deadline"
            document.fail(("band", index, "tasks", number), problem, "the names without the inner array")
