# SPDX-License-Identifier: Apache-2.0
"""What a proof is followed by: how far a proved system is from not being proved, what would mend another."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rich.table import Table

from takt.prove.bus.buses import BusProof
from takt.prove.choose import Choice
from takt.prove.distance import chain_periods, repair, sensitivity
from takt.prove.distance.repair import Change
from takt.prove.distance.sensitivity import Limits, Sensitivity
from takt.prove.proof import Proved
from takt.report import process_figures
from takt.support.console import filling
from takt.support.durations import show

_US = 1_000
QUICK_WORK = 400
"""Up to so many tasks, times messages on buses and one, limits and smallest changes are fast enough to be looked for
without being requested."""


@dataclass(frozen=True)
class Advice:
    """`sensitivity` of a proved system, if it was looked for; of another `changes`, the smallest first, and `instead`,
    another scheduler that proves it. `queues`: if only what waits in objects is not proved, what would be enough.
    `buses`: the same of a bus whose messages may be late; `chains`: of chains, in sentences. `ended`: why some was not
    looked for, in words; there may be more limits and smaller changes then."""

    sensitivity: Sensitivity | None = None
    changes: tuple[Change, ...] = ()
    instead: Choice | None = None
    queues: tuple[str, ...] = ()
    buses: tuple[str, ...] = ()
    chains: tuple[str, ...] = ()
    ended: str | None = None

    def ended_by(self, proved: Proved) -> str | None:
        """What ended the proof, or the search for this, before it was done: limit or interrupted."""
        return proved.ended or (proved.prover.steps.ended if self.ended else None)

    def as_json(self) -> dict[str, Any]:
        """Keys of `takt check --json` (docs/json.md)."""
        return {
            "sensitivity": _sensitivity_json(self.sensitivity) if self.sensitivity else None,
            "changes": [_change_json(item) for item in self.changes],
            "instead": self.instead.scheduler if self.instead else None,
        }


def advise(proved: Proved, wanted: bool | None = None) -> Advice:
    """`wanted`: also where it takes long; None: where it does not; False: no sensitivity."""
    work = len(proved.system.tasks) * (1 + sum(len(bus.sent) for bus in proved.buses))
    quick = len(proved.system.tasks) <= sensitivity.QUICK_TASKS and work <= QUICK_WORK
    name, steps = proved.system.name, proved.prover.steps
    if proved.feasible and not (quick if wanted is None else wanted):
        return Advice()
    if steps.interrupted or (proved.ended and not proved.feasible):
        return Advice(ended=steps.why())
    steps.refill()
    if proved.feasible:
        with filling(f"sensitivity of {name}") as progress, steps.watching():
            found = sensitivity.sensitivity(proved.prover, proved.choice, proved.asked, progress)
            return Advice(found, ended=steps.why() if steps.out else None)
    if proved.choice.proved and proved.overflows:
        return Advice(queues=tuple(value for _, value in proved.overflows))
    if proved.choice.proved and not proved.late_buses:
        with filling(f"searching for periods with which {name} is proved"), steps.watching():
            return Advice(
                chains=tuple(line for chain in proved.late_chains for line in chain_periods.of_system(proved, chain))
            )
    buses = tuple(map(for_a_bus, proved.late_buses)) if proved.choice.proved else ()
    with filling(f"searching for changes with which {name} is proved") as progress, steps.watching():
        instead = repair.another_scheduler(proved.prover, proved.asked)
        anew = bool(quick or wanted)
        changes = repair.changes(proved.prover, proved.choice, proved.asked, anew, progress)
        return Advice(None, changes, instead, (), buses, (), ended=steps.why() if steps.out else None)


def for_a_bus(bus: BusProof) -> str:
    """What else would prove it."""
    name, least = bus.bus.name, bus.least_bitrate
    if bus.mixed is not None:
        return f"No epoch that was tried proves {name}: a higher bitrate, longer deadlines, or fewer messages may."
    rate = f'bitrate = "{least / 1000:g} kbit/s"' if least else "no bitrate up to 1 Mbit/s"
    return f"With the identifiers as they are, {rate} would do for {name}."


def document(proved: Proved, wanted: bool | None = None) -> dict[str, Any]:
    """The document of `takt check --json`."""
    processes = [process.as_json() for process in process_figures.figures(proved)]
    found = advise(proved, wanted)
    return {**proved.as_json(), "processes": processes, **found.as_json(), "ended": found.ended_by(proved)}


def _sensitivity_json(found: Sensitivity) -> dict[str, Any]:
    return {
        "wcet_scale_max": None if found.scale_max is None else float(found.scale_max),
        "wcet_scale_monotone": found.scale_monotone,
        "tasks": [
            {
                "name": item.name,
                "wcet_ns_max": item.wcet_ns_max,
                "period_ns_min": item.period_ns_min,
                "jitter_ns_max": item.jitter_ns_max,
                "monotone": item.monotone,
            }
            for item in found.limits
        ],
    }


def _change_json(found: Change) -> dict[str, Any]:
    knob = found.knob
    depth = knob.key.startswith("depth")
    return {
        "kind": knob.kind,
        "name": knob.name or None,
        "task": knob.task,
        "key": knob.key,
        "from_ns": knob.now if knob.is_time else None,
        "to_ns": found.to if knob.is_time else None,
        "from_places": knob.now if depth else None,
        "to_places": found.to if depth else None,
        "factor": found.to / knob.now,
        "also": list(found.also),
        "monotone": found.monotone,
    }


def limits_table(found: Sensitivity) -> Table:
    """A row for each task."""
    table = Table(title=None, box=None, header_style="bold", pad_edge=False)
    table.add_column("still proved by these bands, each change alone:")
    for name in ("a wcet up to", "a period down to", "a jitter up to"):
        table.add_column(name, justify="right")
    for item in found.limits:
        table.add_row(item.name + ("" if item.monotone else " *"), *rounded(item))
    return table


def rounded(item: Limits) -> list[str]:
    """Wcet, period and jitter, on the safe side; but as they are where less of one may not be proved."""
    if not item.monotone:
        return [show(item.wcet_ns_max), show(item.period_ns_min), show(item.jitter_ns_max)]
    return [show(_down(item.wcet_ns_max)), show(_up(item.period_ns_min)), show(_down(item.jitter_ns_max))]


def _down(nanoseconds: int) -> int:
    return nanoseconds // _US * _US if nanoseconds >= _US else nanoseconds


def _up(nanoseconds: int) -> int:
    return -(-nanoseconds // _US) * _US


def sensitivity_lines(found: Sensitivity) -> list[str]:
    """What the table has no column for."""
    lines = []
    if found.scale_max is not None:
        star = "" if found.scale_monotone else " *"
        lines.append(f"all wcets together: multiplied by up to {float(found.scale_max):.4f}{star}")
    if not (found.scale_monotone and all(item.monotone for item in found.limits)):
        lines.append(
            "* a smaller change may not be proved: another task blocks, another reader of a state message locks the "
            "kernel, or messages get other identifiers"
        )
    return lines


def ended_lines(advice: Advice) -> list[str]:
    """That something was not looked for, if so."""
    if not advice.ended:
        return []
    what = "more limits of tasks were not looked for" if advice.sensitivity else "changes that prove it may be missing"
    return [f"Not all is known, because {advice.ended}: {what}."]


def remedy_lines(advice: Advice) -> list[str]:
    """In plain words."""
    lines = [*advice.buses, *advice.chains]
    lines += [f"Enough for what waits: {', '.join(filter(None, advice.queues))}."] if any(advice.queues) else []
    if advice.instead:
        lines.append(f'As it is, scheduler = "auto" proves it: {_bands_in_words(advice.instead)}.')
    if advice.changes:
        lines.append(f"The smallest change that proves it: {'; or '.join(map(_in_words, advice.changes))}.")
    elif not advice.instead and not advice.queues and not advice.chains and not advice.ended:
        lines.append(
            "No change of one wcet, suspension, jitter, period, deadline, hold or read was found that proves it."
        )
    return lines


def _bands_in_words(choice: Choice) -> str:
    if choice.scheduler != "bands":
        return choice.scheduler
    return ", ".join(f"{band.kind} {len(band.tasks)}" for band in choice.bands) + " tasks"


def _in_words(found: Change) -> str:
    knob, sign = found.knob, "+" if found.to > found.knob.now else "-"
    percent = f"{sign}{_percent(found.relative)}"
    also = "".join(f", {words}" for words in _also(found.also))
    if knob.kind == "scale":
        return f"all wcets times {found.to / knob.now:.6f} ({percent}){also}"
    if knob.kind == "interrupt" and found.to == 0:
        return f"without the execution of interrupt {knob.name} ({show(knob.now)})"
    to, now = (show(found.shown), show(knob.now)) if knob.is_time else (str(found.to), str(knob.now))
    whose = f"{knob.kind} {knob.name}"
    changed = f"the {knob.key} of {knob.task}" if knob.task is not None else knob.key
    words = f"{whose}: {changed} {to} instead of {now} ({percent}){also}"
    return words if found.monotone else f"{words}; a smaller change may do, as bands, orders and copies change with it"


def _also(keys: tuple[str, ...]) -> list[str]:
    """Of Change.also, in plain words."""
    words = {"wcet": "its wcet no longer", "budget": "budgets too", "deadline": "its deadline with it"}
    parts = [key for key in ("hold", "read") if key in keys]
    clipped = [f"{' and '.join(f'{part}s' for part in parts)} no longer than the wcet"] if parts else []
    return [words[key] for key in keys if key in words] + clipped


def _percent(value: Fraction) -> str:
    percent = float(100 * value)
    return f"{percent:.1f} %" if percent >= 0.1 else f"{percent:.2g} %"
