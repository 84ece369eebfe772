# SPDX-License-Identifier: Apache-2.0
"""`takt bench rtm`: what a kernel's tick costs with and without a task manager in hardware: seed 001, chapters 4 and 5.

The seed's workload on its two kernels, written here after its figures (benchmarks/rtm), on FreeRTOS and on Takt
(takt.bench.studies.rtm_runs).
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import click

from takt.bench.kernel import WORKERS
from takt.bench.studies import rtm_kernels, rtm_runs
from takt.bench.studies.rtm_runs import (
    CLOCK_HZ,
    CODECS,
    CYCLE_NS,
    HYPERPERIOD_MS,
    SUITE,
    TICKS_US,
    Run,
    Seen,
    execute,
    simulate,
)
from takt.support.files import read_text
from takt.support.provision import ROOT
from takt.support.tables import Cell, Table

TICK_US = 100
KINDS = rtm_kernels.KINDS
KERNELS = rtm_kernels.KERNELS
CATEGORIES = rtm_kernels.CATEGORIES
CODEC = "adpcm decode"
CHANNELS = (2, 8, 16)
SEEDS, PERIODS = 2, 2  # of the figures that are kept: noise meets the channels in between
MOST_CHANNELS = 30  # two tasks each, and two more, are what the seed's kernel can have
MOST_WAITS = 100
REFERENCE = ROOT / "benchmarks" / "reference" / "seed-001.toml"
NAMES = {"kernel_percent": "the kernel", "response_max_ns": "longest response", "jitter_max_ns": "most jitter"}
TIMES = ("response_median_ns", "response_max_ns", "jitter_median_ns", "jitter_max_ns")


def row(run: Run, found: list[Seen]) -> dict[str, Any]:
    """Of one configuration, its seeds together."""
    parts = [seen.utilization for seen in found]
    shares = {name: sum(part[name] for part in parts) / len(parts) for name in parts[0]}
    responses = sorted(one for seen in found for one in seen.responses)
    jitter = sorted(one for seen in found for one in seen.jitter)
    return {
        "kernel": run.kernel,
        "manager": run.kind == "manager",
        "channels": run.channels,
        "late": sum(seen.late for seen in found),
        "categories": {name: round(share, 4) for name, share in shares.items()},
        "kernel_percent": round(sum(shares.values()), 4),
        "responses": len(responses),
        "response_median_ns": responses[len(responses) // 2] if responses else None,
        "response_max_ns": responses[-1] if responses else None,
        "jitter_median_ns": jitter[len(jitter) // 2] if jitter else None,
        "jitter_max_ns": jitter[-1] if jitter else None,
    }


def tick_cycles(rows: list[dict[str, Any]], tick_us: int) -> float | None:
    """What a channel adds to a tick of the classical kernel in software: between the fewest and the most channels."""
    some = [one for one in rows if one["kernel"] == "classic" and not one["manager"]]
    if not some or some[0]["channels"] == some[-1]["channels"]:
        return None
    few, many = some[0], some[-1]
    percent: float = (many["categories"]["tick"] - few["categories"]["tick"]) / (many["channels"] - few["channels"])
    return round(percent / 100 * tick_us * 1000 / CYCLE_NS, 2)


def measure(
    codec: str,
    channels: list[int],
    seeds: int,
    periods: int,
    tick_us: int,
    kernels: Sequence[str] = KERNELS,
    waits: tuple[int, int] = (0, 0),
) -> dict[str, Any]:
    """The document of `takt bench rtm --json` (docs/json.md). `waits`: of a fetch, of data."""
    kinds = [(kernel, kind) for kernel in kernels for kind in rtm_kernels.KINDS_OF[kernel]]
    shapes = [(*pair, number) for pair in kinds for number in sorted(channels)]
    runs = {
        shape: [Run(*shape[:2], codec, shape[2], seed, periods, tick_us, *waits) for seed in range(1, seeds + 1)]
        for shape in shapes
    }
    alone = {run: run for some in runs.values() for run in some}
    for run in alone:  # built before the runs, one after the other
        simulate(run)
    with ThreadPoolExecutor(WORKERS) as pool:
        seen = dict(zip(alone, pool.map(execute, alone), strict=True))
    rows = [row(some[0], [seen[run] for run in some]) for some in runs.values()]
    return document(codec, seeds, periods, tick_us, rows, waits)


def document(
    codec: str, seeds: int, periods: int, tick_us: int, rows: list[dict[str, Any]], waits: tuple[int, int] = (0, 0)
) -> dict[str, Any]:
    return {
        "board": rtm_runs.BOARD,
        "clock_hz": CLOCK_HZ,
        "tick_us": tick_us,
        "fetch_waits": waits[0],
        "data_waits": waits[1],
        "codec": codec,
        "seeds": seeds,
        "simulated_ms": periods * HYPERPERIOD_MS,
        "tick_cycles_per_channel": tick_cycles(rows, tick_us),
        "rows": rows,
    }


def table(document: dict[str, Any], kernel: str) -> Table:
    names = list(CATEGORIES[kernel])
    rows: list[list[Cell]] = []
    for one in document["rows"]:
        if one["kernel"] == kernel:
            shares = [f"{one['categories'][name]:.2f}" for name in names]
            times = [f"{one[key] / 1000:.2f}" if one[key] is not None else None for key in TIMES]
            kind = KINDS[one["manager"]]
            rows.append([kind, str(one["channels"]), *shares, f"{one['kernel_percent']:.2f}", *times, str(one["late"])])
    title = f"{kernel}: percent of the processor by category; response and jitter in us, the common one and the worst"
    return Table(title, ["", "channels", *names, "kernel", "response", "longest", "jitter", "most", "late"], rows)


def changes(document: dict[str, Any]) -> Table:
    """What the task manager changes with the most channels, beside what the seed says.

    Not of jitter in a run of one hyperperiod: the noise task, which makes most of it, meets the channels only at its
    ends.
    """
    most = max(one["channels"] for one in document["rows"])
    found = {(one["kernel"], one["manager"]): one for one in document["rows"] if one["channels"] == most}
    rows: list[list[Cell]] = []
    for claim in reference()["claim"]:
        if (claim["kernel"], True) not in found:
            continue
        without, with_it = (_value(found[claim["kernel"], manager], claim["of"]) for manager in (False, True))
        compared = without and not (claim["of"] == "jitter_max_ns" and document["simulated_ms"] <= HYPERPERIOD_MS)
        ours = f"{100 * (with_it / without - 1):+.0f}" if compared else None
        theirs = " to ".join(f"{percent:+d}" for percent in claim["percent"])
        rows.append([claim["kernel"], NAMES.get(claim["of"], claim["of"]), theirs, ours])
    title = f"Changes by the task manager, in percent: the seed's, and ours with {most} channels"
    return Table(title, ["kernel", "of", "seed 001", "here"], rows, words=2)


def _value(row: dict[str, Any], name: str) -> float:
    value: float | None = row["categories"].get(name, row.get(name))
    return value or 0


def reference() -> dict[str, Any]:
    """benchmarks/reference/seed-001.toml."""
    return tomllib.loads(read_text(REFERENCE))


def beside(document: dict[str, Any]) -> Table:
    """All kernels with the most channels, and how much less each takes than the classical one in software."""
    most = max(one["channels"] for one in document["rows"])
    some = [one for one in document["rows"] if one["channels"] == most]
    first = next((one for one in some if one["kernel"] == "classic" and not one["manager"]), None)
    rows: list[list[Cell]] = []
    for one in some:
        change = f"{100 * (one['kernel_percent'] / first['kernel_percent'] - 1):+.0f}" if first else None
        times = [f"{one[key] / 1000:.2f}" if one[key] is not None else None for key in TIMES]
        rows.append([one["kernel"], KINDS[one["manager"]], f"{one['kernel_percent']:.2f}", change, *times])
    title = f"All with {most} channels: percent of the processor, change against the classical kernel, and us"
    names = ["kernel", "", "percent", "change", "response", "longest", "jitter", "most"]
    return Table(title, names, rows, words=2)


def tables(document: dict[str, Any]) -> list[Table]:
    measured = dict.fromkeys(one["kernel"] for one in document["rows"])
    some = changes(document)
    return [*(table(document, kernel) for kernel in measured), beside(document), *([some] if some.rows else [])]


def notes(document: dict[str, Any]) -> tuple[str, ...]:
    per_channel = document["tick_cycles_per_channel"]
    seed = reference()["tick_cycles_per_channel"]
    added = (
        f" A channel adds {per_channel} cycles to a tick of the classical kernel in software; in the seed it is {seed}."
    )
    waits = tuple(document[f"{name}_waits"] for name in ("fetch", "data"))
    waited = f" Wait states of the memory: {waits[0]} of instructions, {waits[1]} of data." if any(waits) else ""
    return (
        f"{document['codec']}, seeds: {document['seeds']}, {document['simulated_ms']} ms each, a tick every"
        f" {document['tick_us']} us at {document['clock_hz'] // 10**6} MHz.{waited}"
        f"{added if per_channel is not None else ''} Late: frames that were processed after their period.",
    )


def markdown(document: dict[str, Any]) -> str:
    """The tables of docs/performance.md."""
    return "\n\n".join([*(one.markdown() for one in tables(document)), *notes(document)])


def _waits_option(name: str, words: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    return click.option(name, type=click.IntRange(0, MOST_WAITS), default=0, show_default=True, help=words)


def add_command(group: click.Group) -> None:
    from takt.support.options import choice_option, count_option, json_option

    @group.command(name="rtm")
    @click.option(
        "--kernel",
        "kernels",
        multiple=True,
        type=click.Choice(KERNELS),
        default=KERNELS,
        show_default=True,
        help="May be repeated.",
    )
    @choice_option("--codec", (*CODECS, *SUITE), CODEC, "The codec that a channel runs.")
    @click.option(
        "--channels",
        multiple=True,
        type=click.IntRange(1, MOST_CHANNELS),
        default=CHANNELS,
        show_default=True,
        help="Channels; may be repeated.",
    )
    @count_option("--seeds", 1, "Number of seeds of the random interrupts.")
    @count_option("--periods", 1, "Simulated periods of 160 ms each.", 26)
    @choice_option("--tick-us", TICKS_US, str(TICK_US), "Time between ticks in us.")
    @_waits_option("--fetch-waits", "Wait states of each fetch of a word of instructions.")
    @_waits_option("--data-waits", "Wait states of each access to data in the memory.")
    @json_option
    def command(
        kernels: tuple[str, ...],
        codec: str,
        channels: tuple[int, ...],
        seeds: int,
        periods: int,
        tick_us: str,
        fetch_waits: int,
        data_waits: int,
        as_json: bool,
    ) -> int:
        """Measure a kernel's share, response and jitter with and without a task manager in hardware (seed 001).

        Runs the seed's two kernels, FreeRTOS and Takt with its workload on the board ibex-soc, in some minutes.
        """
        from takt.support import console

        chosen = [kernel for kernel in KERNELS if kernel in kernels]
        waits = (fetch_waits, data_waits)
        found = measure(codec, sorted(set(channels)), seeds, periods, int(tick_us), chosen, waits)
        if as_json:
            console.print_json(found)
        else:
            click.echo("\n\n".join([*(one.text() for one in tables(found)), *notes(found)]))
        return 0
