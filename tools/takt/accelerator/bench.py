# SPDX-License-Identifier: Apache-2.0
"""`takt bench accelerator`: how good `takt advise accelerator` is, and with --update what it goes by.

Costs are fitted to runs of some systems on ibex-soc, near by and at one access time. What they foretell is held against
runs of other systems at other access times (tools/takt/accelerator/systems.py).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import click

from takt.accelerator import costs, fit, observe, systems
from takt.accelerator.costs import EVENTS, STAMP, Costs
from takt.accelerator.fit import Observed
from takt.accelerator.systems import Case
from takt.support.files import read_text
from takt.support.tables import Cell, Table

FITTED_AT = (0, 60)  # cycles that an access is longer
HELD_OUT_AT = (12, 35, 100)
LIMIT_PERCENT = {"kernel": 10, "longest": 20, "mean": 10}
ERRORS = tuple(LIMIT_PERCENT)


def points(access_cycles: Iterable[int]) -> list[tuple[str, int]]:
    """Engines and access times: the kernel's own queues have none."""
    return [("software", 0), *(("rtm", cycles) for cycles in access_cycles)]


def fitted() -> dict[tuple[str, str], Costs]:
    """Costs by engine and kernel, from the runs of the fitting set."""
    found: dict[tuple[str, str], list[Observed]] = defaultdict(list)
    for case in systems.fitting():
        for engine, cycles in points(FITTED_AT):
            one = observe.observe(case, engine, cycles)
            found[engine, one.plan.kernel].append(one)
    return {key: fit.fit(*key, some) for key, some in found.items()}


def check(case: Case, engine: str, access_cycles: int, known: dict[tuple[str, str], Costs]) -> dict[str, Any]:
    """A row: what a run showed, and the error of the forecast in percent."""
    seen = observe.observe(case, engine, access_cycles)
    return compared(case, seen, known[engine, seen.plan.kernel])


def compared(case: Case, seen: Observed, known: Costs) -> dict[str, Any]:
    walked, close = seen.walked(known), seen.close_calls(known)
    off: dict[str, tuple[float, str]] = {"kernel": (_off(walked.kernel_ns, seen.kernel_ns), "")}
    pairs = (("longest", seen.longest_ns, walked.longest_ns), ("mean", seen.mean_ns, walked.mean_ns))
    for name, observed, of in pairs:
        sure = {task: value for task, value in observed.items() if task not in close | seen.plan.called}
        each = [(_off(of(task) or 0.0, value), task) for task, value in sure.items()]
        off[name] = max(each, key=lambda pair: abs(pair[0]), default=(0.0, ""))
    return {
        "system": case.name,
        "scheduler": case.scheduler,
        "engine": seen.engine,
        "access_cycles": seen.access_cycles,
        "tasks": len(seen.mean_ns),
        "kernel_percent": round(100 * seen.kernel_ns / (seen.until_ns - seen.from_ns), 3),
        **{f"{name}_error_percent": round(error, 2) for name, (error, _) in off.items()},
        **{f"{name}_task": off[name][1] for name in ("longest", "mean")},
        "close_calls": sorted(close),
    }


def _off(walked: float, seen: float) -> float:
    return 100 * (walked / seen - 1)


def checked(known: dict[tuple[str, str], Costs], cases: Iterable[Case] | None = None) -> list[dict[str, Any]]:
    chosen = systems.held_out() if cases is None else cases
    return [check(case, *point, known) for case in chosen for point in points(HELD_OUT_AT)]


def document(known: dict[tuple[str, str], Costs], checks: list[dict[str, Any]]) -> dict[str, Any]:
    """That of `takt bench accelerator --json` (docs/json.md)."""
    return {
        "board": costs.BOARD,
        "preset": costs.PRESET,
        "fitted_at": list(FITTED_AT),
        "fitting_systems": len(systems.fitting()),
        "costs": costs.rows(known.values()),
        "checks": checks,
    }


def measure() -> dict[str, Any]:
    """All anew, in some minutes."""
    known = costs.of_rows(costs.rows(fitted().values()))  # as they are kept: rounded
    return document(known, checked(known))


def costs_table(found: dict[str, Any]) -> Table:
    """A row for each event."""
    kept = {(row["engine"], row["kernel"], row["event"]): row for row in found["costs"]}
    rows: list[list[Cell]] = []
    for event in (*EVENTS, STAMP):
        line: list[Cell] = [event]
        for kernel in costs.KERNELS:
            for engine in costs.ENGINES:
                row = kept[engine, kernel, event]
                line.append(f"{row['cycles']:.0f}")
                if engine != "software":
                    line.append(f"{row['accesses']:.1f}")
        rows.append(line)
    heads = ["event"]
    for kernel in costs.KERNELS:
        heads += [f"{kernel}: own queues", "task manager", "accesses"]
    return Table(
        f"{found['board']}, preset {found['preset']}: cycles of each event, and accesses to the unit", heads, rows
    )


def checks_table(found: dict[str, Any]) -> Table:
    rows: list[list[Cell]] = [
        [
            f"{row['system']}, {row['scheduler']}",
            row["engine"],
            str(row["access_cycles"]),
            f"{row['kernel_percent']:.2f}",
            *(f"{row[f'{name}_error_percent']:+.1f}" for name in ERRORS),
            f"{len(row['close_calls'])} of {row['tasks']}",
        ]
        for row in found["checks"]
    ]
    heads = ["", "engine", "access", "kernel takes", "off: kernel", "longest response", "mean response", "close calls"]
    title = (
        "Systems and access times that costs were not fitted to: the kernel's share in percent, and by how many percent"
        " the forecast is off; of responses that of the worst task, without close calls"
    )
    return Table(title, heads, rows, words=2)


def tables(found: dict[str, Any]) -> list[Table]:
    return [costs_table(found), checks_table(found)]


def markdown(found: dict[str, Any]) -> str:
    """The section of docs/performance.md."""
    return "\n\n".join(one.markdown() for one in tables(found))


def add_command(group: click.Group) -> None:
    from takt.support.options import json_option

    @group.command(name="accelerator")
    @click.option("--update", is_flag=True, help="First fit the costs anew; store them and the results.")
    @json_option
    def command(update: bool, as_json: bool) -> int:
        """Compare forecasts of takt advise accelerator with runs on ibex-soc of systems that it was not fitted to.

        Some minutes; with --update twice as many. Exit code 1: something is off by more than 10
        percent, or of more than half of a system's tasks nothing is foretold.
        """
        from takt.bench import documents
        from takt.support import console

        if update:
            found = measure()
            documents.keep(costs.FILE, found)
        else:
            found = document(costs.load(), checked(costs.load()))
        if as_json:
            console.print_json(found)
        else:
            click.echo("\n\n".join(one.text() for one in tables(found)))
        return 0 if good(found) else 1


def good(found: dict[str, Any]) -> bool:
    """Whether all is within LIMIT_PERCENT, and of no system more than half of the tasks are close calls: then little is
    foretold."""
    return all(
        2 * len(row["close_calls"]) <= row["tasks"]
        and all(abs(row[f"{name}_error_percent"]) <= most for name, most in LIMIT_PERCENT.items())
        for row in found["checks"]
    )


def kept() -> dict[str, Any]:
    """What is kept."""
    found: dict[str, Any] = json.loads(read_text(costs.FILE))
    return found
